//! Starts and stops testbeds.

use std::fs;
use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context as _, anyhow, bail};
use rustix::process::{Pid, Signal, kill_process};

use crate::command::{is_installed, run};
use crate::description::{self, Description};
use crate::paths::TestbedPaths;
use crate::switch::hardware_address;
use crate::{launch, share};

/// Starts the testbed that a file describes and returns its description. After a failure nothing
/// remains.
pub fn up(file: &Path) -> anyhow::Result<Description> {
    let text =
        fs::read_to_string(file).with_context(|| format!("cannot read {}", file.display()))?;
    let stem = file.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
    let description =
        description::parse(&text, &stem).with_context(|| file.display().to_string())?;
    check_system()?;
    let place = TestbedPaths::of(&description.name);
    place.create()?;
    if let Err(error) = create(&description, &place, &text) {
        return Err(match down(&place) {
            Ok(()) => error,
            Err(other) => error.context(format!("and taking it down failed: {other:#}")),
        });
    }
    Ok(description)
}

/// Checks that testbeds can be started here: root, programs, devices.
pub fn check_system() -> anyhow::Result<()> {
    if !rustix::process::geteuid().is_root() {
        bail!(
            "a testbed needs root: it creates namespaces, devices and control groups; run this \
                command as root"
        );
    }
    for (program, package) in
        [("ip", "iproute2"), ("nsenter", "util-linux"), ("unshare", "util-linux")]
    {
        if !is_installed(program) {
            bail!("the program {program} is missing; install the package {package}");
        }
    }
    if !Path::new("/dev/net/tun").exists() {
        bail!("this kernel has no /dev/net/tun, which provides the devices of hosts");
    }
    Ok(())
}

/// Creates the namespaces, devices, control groups and files of a testbed.
fn create(description: &Description, place: &TestbedPaths, text: &str) -> anyhow::Result<()> {
    let hosts =
        || description.hosts.iter().map(|host| host.name.as_str()).chain(["hub"]).enumerate();
    for (_, host) in hosts() {
        run("ip", &["netns", "add", &place.namespace(host)])?;
    }
    fs::write(place.file("description.toml"), text).context("cannot write the description")?;
    start_switch(place)?;
    for (number, host) in hosts() {
        let namespace = place.namespace(host);
        let ip = |words: &[&str]| run("ip", &[&["-n", &namespace], words].concat());
        let address = format!("{}/24", description.address(number));
        ip(&["link", "set", "lo", "up"])?;
        ip(&["link", "set", "eth0", "address", &hardware_address(number)])?;
        ip(&["address", "add", &address, "dev", "eth0"])?;
        // No ARP, no IPv6, and TCP that sends as its window allows, without pacing.
        let settings = "echo 1 > /proc/sys/net/ipv6/conf/all/disable_ipv6; \
                        echo 0 > /proc/sys/net/ipv4/tcp_slow_start_after_idle; \
                        echo 1 > /proc/sys/net/ipv4/tcp_no_metrics_save; \
                        echo cubic > /proc/sys/net/ipv4/tcp_congestion_control; true";
        let inside = format!("--net={}", place.namespace_file(host).display());
        run("nsenter", &[&inside, "sh", "-c", settings])?;
        ip(&["link", "set", "eth0", "arp", "off", "up"])?;
        for (other, _) in hosts().filter(|(other, _)| *other != number) {
            let (address, hardware) =
                (description.address(other).to_string(), hardware_address(other));
            ip(&[
                "neighbour",
                "replace",
                &address,
                "lladdr",
                &hardware,
                "dev",
                "eth0",
                "nud",
                "permanent",
            ])?;
        }
    }
    share::create(description, place)?;
    launch::write_files(description, place)
}

/// Starts the switch as a process, with real-time priority if allowed, and waits until its devices
/// exist.
fn start_switch(place: &TestbedPaths) -> anyhow::Result<()> {
    let own = std::env::current_exe().context("cannot find this program")?;
    let mut command = Command::new("setsid");
    if is_installed("chrt") {
        command.args(["chrt", "--fifo", "50"]);
    }
    let log = fs::File::create(place.file("switch.log"))
        .context("cannot create the log of the switch")?;
    command
        .arg(own)
        .args(["switch", &place.name])
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(log);
    let mut child =
        command.spawn().context("cannot start the switch; install the package util-linux")?;
    let mut line = String::new();
    let output = child.stdout.take().ok_or_else(|| anyhow!("the switch has no output"))?;
    BufReader::new(output).read_line(&mut line).context("cannot read the output of the switch")?;
    let Some(pid) = line.strip_prefix("ready ") else {
        let words = fs::read_to_string(place.file("switch.log")).unwrap_or_default();
        bail!("the switch did not start: {}", words.trim());
    };
    fs::write(place.file("switch.pid"), pid.trim())
        .context("cannot write the process id of the switch")
}

/// Stops a testbed: its processes, switch, namespaces, control groups and files. Missing ones are
/// no error.
pub fn down(place: &TestbedPaths) -> anyhow::Result<()> {
    check_system()?;
    let list = run("ip", &["netns", "list"])?;
    let namespaces: Vec<&str> =
        list.lines().filter_map(|line| line.split_whitespace().next()).collect();
    let namespaces: Vec<&str> =
        namespaces.into_iter().filter(|name| name.starts_with(&place.prefix())).collect();
    let mut problems = Vec::new();
    let mut pids = Vec::new();
    for namespace in &namespaces {
        match run("ip", &["netns", "pids", namespace]) {
            Ok(text) => {
                pids.extend(text.lines().filter_map(|line| line.trim().parse::<i32>().ok()));
            }
            Err(error) => problems.push(error),
        }
    }
    let own = std::process::id() as i32;
    pids.retain(|pid| *pid != own);
    pids.extend(switch_pid(place));
    end(&pids);
    for namespace in namespaces {
        problems.extend(run("ip", &["netns", "delete", namespace]).err());
    }
    problems.extend(share::remove(place).err());
    if place.folder().exists() {
        problems.extend(fs::remove_dir_all(place.folder()).err().map(anyhow::Error::from));
    }
    match problems.into_iter().next() {
        None => Ok(()),
        Some(problem) => {
            Err(problem.context(format!("testbed {} is not completely down", place.name)))
        }
    }
}

/// The process id of the switch, if it runs.
pub fn switch_pid(place: &TestbedPaths) -> Option<i32> {
    let pid: i32 = fs::read_to_string(place.file("switch.pid")).ok()?.trim().parse().ok()?;
    let line = fs::read(format!("/proc/{pid}/cmdline")).ok()?;
    let words: Vec<&[u8]> = line.split(|byte| *byte == 0).collect();
    words
        .windows(2)
        .any(|pair| pair == [b"switch".as_slice(), place.name.as_bytes()])
        .then_some(pid)
}

/// Terminates processes; kills those that do not exit within two seconds.
fn end(pids: &[i32]) {
    let pids: Vec<Pid> = pids.iter().filter_map(|pid| Pid::from_raw(*pid)).collect();
    let is_running = |pid: &&Pid| {
        let state =
            fs::read_to_string(format!("/proc/{}/stat", pid.as_raw_nonzero())).unwrap_or_default();
        state.rsplit(") ").next().is_some_and(|rest| !rest.is_empty() && !rest.starts_with('Z'))
    };
    for signal in [Signal::TERM, Signal::KILL] {
        for pid in pids.iter().filter(is_running) {
            let _ = kill_process(*pid, signal);
        }
        let start = Instant::now();
        while pids.iter().any(|pid| is_running(&pid)) && start.elapsed() < Duration::from_secs(2) {
            std::thread::sleep(Duration::from_millis(10));
        }
    }
}
