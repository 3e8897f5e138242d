//! Testbeds are raised, used and taken down, where that is allowed: it needs root, devices and
//! namespaces.

#[path = "../../crates/orrery/tests/common/skip.rs"]
mod skip;

use std::fs;
use std::path::Path;
use std::process::{Command, Output};
use std::sync::LazyLock;

use skip::skip;

const TESTBED: &str = env!("CARGO_BIN_EXE_testbed");

fn testbed(words: &[&str]) -> Output {
    Command::new(TESTBED).args(words).output().expect("the program can be run")
}

fn words(output: &Output) -> String {
    format!(
        "{}{}",
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    )
}

/// Whether namespaces and devices can be made here: tried once, since tests run at the same time.
static POSSIBLE: LazyLock<bool> = LazyLock::new(|| {
    let probe = format!("orrery-probe-{}", std::process::id());
    let ip = |words: &[&str]| {
        Command::new("ip").args(words).output().is_ok_and(|output| output.status.success())
    };
    Path::new("/dev/net/tun").exists() && ip(&["netns", "add", &probe]) && {
        let can = ip(&["-n", &probe, "tuntap", "add", "dev", "eth0", "mode", "tap"]);
        ip(&["netns", "delete", &probe]);
        can
    }
});

/// Returns true if testbeds can be started here; prints that the test is skipped if not.
fn is_possible() -> bool {
    if !*POSSIBLE {
        skip("namespaces and devices need root, iproute2 and /dev/net/tun");
    }
    *POSSIBLE
}

/// A description of three hosts in a file of its own; the testbed is taken down in the end,
/// whatever happens.
struct Raised {
    name: String,
    folder: tempfile::TempDir,
}

impl Raised {
    fn new(name: &str) -> Self {
        let text = "[defaults]\nrate = \"100Mbit\"\n[[hosts]]\nname = \"a\"\n[[hosts]]\nname \
            = \"b\"\nrate = \"50Mbit\"\n\
                    [[hosts]]\nname = \"c\"\ndelay = \"100us\"\n";
        Self::of(name, text)
    }

    fn of(name: &str, text: &str) -> Self {
        let raised = Self {
            name: format!("{name}-{}", std::process::id()),
            folder: tempfile::tempdir().unwrap(),
        };
        fs::write(raised.file(), text).unwrap();
        let output = testbed(&["up", raised.file().to_str().unwrap()]);
        assert!(output.status.success(), "{}", words(&output));
        raised
    }

    fn file(&self) -> std::path::PathBuf {
        self.folder.path().join(format!("{}.toml", self.name))
    }

    /// Whatever still carries its name.
    fn left(&self) -> Vec<String> {
        let list = Command::new("ip").args(["netns", "list"]).output().unwrap();
        let prefix = format!("orrery.{}.", self.name);
        let list = String::from_utf8_lossy(&list.stdout).into_owned();
        let mut left: Vec<String> =
            list.lines().filter(|line| line.starts_with(&prefix)).map(str::to_owned).collect();
        left.extend(
            Path::new("/run/orrery-testbed")
                .join(&self.name)
                .exists()
                .then(|| "its folder".to_owned()),
        );
        for entry in fs::read_dir("/proc").unwrap().flatten() {
            let line = fs::read(entry.path().join("cmdline")).unwrap_or_default();
            let line = String::from_utf8_lossy(&line).replace('\0', " ");
            left.extend(line.contains(&format!("switch {}", self.name)).then_some(line));
        }
        left
    }
}

impl Drop for Raised {
    fn drop(&mut self) {
        testbed(&["down", &self.name]);
    }
}

#[test]
fn two_testbeds_stand_side_by_side_and_leave_nothing() {
    if !is_possible() {
        return;
    }
    let (one, two) = (Raised::new("one"), Raised::new("two"));
    let list = words(&testbed(&["list"]));
    for raised in [&one, &two] {
        assert!(list.contains(&format!("{}\t3 hosts\tup", raised.name)), "{list}");
        let output =
            testbed(&["enter", &raised.name, "-q", "b", "hostname", "&&", "ip", "-br", "address"]);
        let told = words(&output);
        assert!(told.starts_with("b\n") && told.contains("10.77.0.2/24"), "{told}");
        let output = testbed(&[
            "run",
            &raised.name,
            "--",
            "sh",
            "-c",
            "hostname; grep -c 10.77.0 /etc/hosts",
        ]);
        assert_eq!(words(&output), "hub\n4\n");
    }
    let again = testbed(&["up", one.file().to_str().unwrap()]);
    assert!(
        !again.status.success() && words(&again).contains("is up already; take it down with"),
        "{}",
        words(&again)
    );
    for raised in [&one, &two] {
        assert!(!raised.left().is_empty());
        let output = testbed(&["down", &raised.name]);
        assert!(output.status.success(), "{}", words(&output));
        assert_eq!(raised.left(), [""; 0]);
    }
    let output = testbed(&["down", &one.name]);
    assert!(
        output.status.success() && words(&output).contains("nothing remained of it"),
        "{}",
        words(&output)
    );
}

/// Bytes arrive as they were sent, over both links, at no more than the rate of the slower one.
#[test]
fn frames_arrive_at_the_rate_of_the_slower_link() {
    if is_possible() {
        keeps_rate(&Raised::new("rate"), 50e6);
    }
}

/// Between switches, at no more than the rate of the uplink.
#[test]
fn frames_arrive_at_the_rate_of_the_uplink() {
    if is_possible() {
        let hosts = "[[hosts]]\nname = \"a\"\n[[hosts]]\nname = \"b\"\n";
        let uplink = "[[uplinks]]\nhosts = [\"b\"]\nrate = \"20Mbit\"\n";
        keeps_rate(&Raised::of("uplink", &format!("{hosts}{uplink}")), 20e6);
    }
}

/// Sends from a to b, whose bytes must be equal and must not come faster than this rate.
fn keeps_rate(raised: &Raised, most: f64) {
    let Ok(python) = Command::new("python3").arg("--version").output() else {
        skip("there is no python3 to talk over the links");
        return;
    };
    assert!(python.status.success());
    let receive = "import socket,hashlib,time; s=socket.create_server(('10.77.0.2',5001)); \
        c,_=s.accept(); h=hashlib.md5(); n=0; t=time.time()\n\
                   while True:\n d=c.recv(65536)\n if not d: break\n h.update(d); n+=len(d)\n\
                   print(n, h.hexdigest(), n*8/(time.time()-t))";
    let send = "import socket,time\nfor k in range(100):\n try:\n  \
        c=socket.create_connection(('10.77.0.2',5001)); break\n except OSError: time.sleep(0.05)\n\
                c.sendall(bytes(range(256))*4096); c.close()";
    let script = raised.folder.path().join("talk.sh");
    fs::write(raised.folder.path().join("receive.py"), receive).unwrap();
    fs::write(raised.folder.path().join("send.py"), send).unwrap();
    let (folder, name) = (raised.folder.path().display(), &raised.name);
    let text = format!(
        "{TESTBED} enter {name} b python3 {folder}/receive.py & {TESTBED} enter {name} a python3 \
            {folder}/send.py; wait"
    );
    fs::write(&script, text).unwrap();
    let output = Command::new("sh").arg(&script).output().unwrap();
    let told = words(&output);
    let told: Vec<&str> = told.split_whitespace().collect();
    assert_eq!(told[..2], ["1048576", "c35cc7d8d91728a0cb052831bc4ef372"], "{told:?}");
    let rate: f64 = told[2].parse().unwrap();
    assert!(rate < most * 1.15, "{rate} bits per second over a link of {most}");
}

#[test]
fn mpi_libraries_find_their_hosts() {
    if !is_possible() {
        return;
    }
    let raised = Raised::new("mpi");
    for launcher in ["mpirun.openmpi", "mpirun.mpich"] {
        if Command::new(launcher).arg("--version").output().is_err() {
            skip(&format!("{launcher} is not installed"));
            continue;
        }
        let output =
            testbed(&["run", &raised.name, "--", "timeout", "60", launcher, "-n", "3", "hostname"]);
        // Launchers may grumble on stderr.
        let told = String::from_utf8_lossy(&output.stdout);
        let mut hosts: Vec<&str> = told.lines().collect();
        hosts.sort_unstable();
        assert_eq!(hosts, ["a", "b", "c"], "{launcher}: {}", words(&output));
    }
}

#[test]
fn what_cannot_be_raised_is_told_and_leaves_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("bad.toml");
    fs::write(&file, "[[hosts]]\nname = \"a\"\nrate = \"fast\"\n").unwrap();
    let told = words(&testbed(&["up", file.to_str().unwrap()]));
    assert!(told.contains("bad.toml: host a: rate is \"fast\""), "{told}");
    let told = words(&testbed(&["up", "nowhere.toml"]));
    assert!(told.contains("cannot read nowhere.toml"), "{told}");
    for verb in
        [&["run", "nowhere", "--", "true"][..], &["check", "nowhere"], &["enter", "nowhere", "a"]]
    {
        let output = testbed(verb);
        assert!(
            !output.status.success() && words(&output).contains("no testbed nowhere is up"),
            "{}",
            words(&output)
        );
    }
    if !is_possible() {
        return;
    }
    let raised = Raised::new("again");
    let output = testbed(&["enter", &raised.name, "z", "true"]);
    assert!(words(&output).contains("has no host z; it has a, b, c"), "{}", words(&output));
    let output = testbed(&["run", &raised.name, "--accurate", "--", "true"]);
    assert!(words(&output).contains("has not passed its check"), "{}", words(&output));
}

#[test]
fn without_root_it_says_so() {
    if !is_possible() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let (file, program) = (folder.path().join("x.toml"), folder.path().join("testbed"));
    fs::write(&file, "[[hosts]]\nname = \"a\"\n").unwrap();
    fs::copy(TESTBED, &program).unwrap();
    Command::new("chmod").args(["-R", "a+rx"]).arg(folder.path()).status().unwrap();
    let output = Command::new("setpriv")
        .args(["--reuid", "65534"])
        .arg(&program)
        .arg("up")
        .arg(&file)
        .output()
        .unwrap();
    assert!(
        !output.status.success() && words(&output).contains("needs root"),
        "{}",
        words(&output)
    );
}
