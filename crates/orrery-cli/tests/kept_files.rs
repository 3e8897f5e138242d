//! What was written stays: campaigns whose file is changed by others, killed processes, full disks.

mod common;
#[path = "common/running.rs"]
mod running;
#[path = "../../orrery/tests/common/skip.rs"]
mod skip;

use std::error::Error;
use std::fs::{self, OpenOptions};
use std::io::Write as _;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::{Output, Stdio};

use common::{Folder, Outcome, output};
use running::Running;
use skip::skip;

/// Campaigns on the simulated cluster that last longer than a test, each with its file and its verb
/// of summary.
const COMM: &str = "measure comm --machine sim:truth.json,noise=0.1 -o s.csv --min-reps 5000 \
    --max-reps 5000 --parallel off --sizes 1..2048:1";
const SCHEMES: &str = "measure scheme --calibrate --machine sim:truth.json,noise=0.1 -o s.csv \
    --min-reps 100000 --max-reps 100000";

fn start(folder: &Folder, words: &str, more: &[&str]) -> Result<Running, Box<dyn Error>> {
    Running::start(folder.command(words).args(more))
}

fn length(path: &Path) -> u64 {
    fs::metadata(path).map_or(0, |found| found.len())
}

/// The number of readings in a samples or timings file.
fn readings(folder: &Folder, name: &str) -> Result<usize, Box<dyn Error>> {
    let text = folder.read(name)?;
    assert!(text.ends_with('\n') && !text.contains('\0'), "{name} is damaged");
    Ok(text.lines().filter(|line| line.contains(",0,") && !line.ends_with(",,,")).count())
}

/// A change of the file of a campaign: its name, what it does to `s.csv`, and a part of the
/// message.
type Change = (&'static str, fn(&Folder) -> std::io::Result<()>, &'static str);

const CHANGES: [Change; 5] = [
    ("removed", |folder| fs::remove_file(folder.path("s.csv")), "another program removed it"),
    (
        "moved",
        |folder| fs::rename(folder.path("s.csv"), folder.path("t.csv")),
        "t.csv while the campaign",
    ),
    (
        "replaced",
        |folder| {
            folder.write("t.csv", "mine\n")?;
            fs::rename(folder.path("t.csv"), folder.path("s.csv"))
        },
        "another program replaced it",
    ),
    (
        "truncated",
        |folder| OpenOptions::new().write(true).open(folder.path("s.csv"))?.set_len(100),
        "another program truncated it from",
    ),
    (
        "appended to",
        |folder| OpenOptions::new().append(true).open(folder.path("s.csv"))?.write_all(b"# note\n"),
        "another program appended 7 bytes to it",
    ),
];

/// A campaign ends when its file is changed, writes nothing more to it, and names the file that has
/// all readings.
fn changed_under(campaign: &str) -> Outcome {
    for (name, change, part) in CHANGES {
        let folder = Folder::new()?;
        let mut running = start(&folder, campaign, &[])?;
        running.until(|| length(&folder.path("s.csv")) > 20_000)?;
        change(&folder)?;
        let left = folder.read("s.csv").unwrap_or_default();
        let (status, _, stderr) = running.end().map_err(|error| format!("{name}: {error}"))?;
        assert_eq!(status, Some(1), "{name}: {stderr}");
        let rescued = rescued(&stderr)?;
        assert!(rescued.starts_with("s.recovered-"), "{stderr}");
        assert_eq!(Path::new(rescued).extension(), Some("csv".as_ref()), "{stderr}");
        for part in
            ["s.csv: another program ", part, "while the campaign was writing to this file; all "]
        {
            assert!(stderr.contains(part), "{name}: {part:?} is not in {stderr}");
        }
        let now = folder.read("s.csv").unwrap_or_default();
        assert_eq!(now, left, "{name}: the campaign wrote to the file");
        let all = readings(&folder, rescued)?;
        assert!(stderr.contains(&format!("all {all} readings are in ")), "{name}: {stderr}");
        if name == "moved" {
            assert!(readings(&folder, "t.csv")? <= all);
        }
        let fewer = campaign.replace("000", "").replace("s.csv", rescued).replace("1..2048:1", "1");
        folder.done(&format!("{fewer} --resume"))?;
    }
    Ok(())
}

#[test]
fn a_changed_file_of_samples() -> Outcome {
    changed_under(COMM)
}

#[test]
fn a_changed_file_of_timings() -> Outcome {
    changed_under(SCHEMES)
}

/// The file of a message that has all readings; the message ends with how to continue it.
fn rescued(stderr: &str) -> Result<&str, Box<dyn Error>> {
    let name = stderr.split_once(" are in ").and_then(|(_, rest)| rest.split_once(','));
    let (name, rest) = name.ok_or_else(|| format!("no file is named in {stderr}"))?;
    assert_eq!(rest, format!(" continue with -o {name} --resume\n"), "{stderr}");
    Ok(name)
}

/// Readings survive the removal of their whole folder: in a file of this user that no other user
/// can foresee or read.
#[test]
fn a_removed_folder() -> Outcome {
    let folder = Folder::new()?;
    fs::create_dir(folder.path("results"))?;
    fs::create_dir(folder.path("temporary"))?;
    let mut command = folder.command(&COMM.replace("s.csv", "results/s.csv"));
    let mut running = Running::start(command.env("TMPDIR", folder.path("temporary")))?;
    running.until(|| length(&folder.path("results/s.csv")) > 20_000)?;
    fs::remove_dir_all(folder.path("results"))?;
    let (status, _, stderr) = running.end()?;
    assert!(status == Some(1) && stderr.contains("another program removed it"), "{stderr}");
    let rescued = Path::new(rescued(&stderr)?);
    let private = rescued.parent().ok_or("no folder")?;
    assert_eq!(private.parent(), Some(&*folder.path("temporary")), "{stderr}");
    for path in [private, rescued] {
        assert_eq!(fs::metadata(path)?.permissions().mode() & 0o077, 0, "{}", path.display());
    }
    let all = readings(&folder, rescued.to_str().ok_or("no text")?)?;
    assert!(stderr.contains(&format!("all {all} readings are in ")) && all > 100, "{stderr}");
    Ok(())
}

/// `--force` keeps the old readings until there are new ones.
#[test]
fn a_campaign_that_measures_nothing_replaces_nothing() -> Outcome {
    let folder = Folder::new()?;
    let words = "measure comm --machine sim:truth.json -o s.csv --min-reps 3 --max-reps 3";
    folder.done(words)?;
    let before = folder.read("s.csv")?;
    // The time is over after the comparison of pairs in parallel.
    let output = folder.run(&format!("{words} --force --max-time 0.000000001s"))?;
    let stderr = String::from_utf8(output.stderr)?;
    assert!(output.status.success() && stderr.ends_with("no readings were taken\n"), "{stderr}");
    assert_eq!(folder.read("s.csv")?, before);
    folder.done(&format!("{words} --force --seed 2"))?;
    assert_ne!(folder.read("s.csv")?, before);
    Ok(())
}

const PLAN: &str = "{\"format\": \"orrery-plan\", \"version\": 1, \"runs\": [\n\
    {\"variables\": {\"n\": 1, \"processes\": 1}},\n{\"variables\": {\"n\": 2, \"processes\": 1}}\n]}\n";

#[test]
fn two_campaigns_of_runs_on_one_file() -> Outcome {
    let folder = Folder::new()?;
    folder.write("plan.json", PLAN)?;
    let words = "scaling run plan.json -o r.json --wall";
    let waits = "touch {here}/begun; while test ! -e {here}/go; do sleep 0.02; done";
    for more in ["", " --resume"] {
        let _ = fs::remove_file(folder.path("begun"));
        let _ = fs::remove_file(folder.path("go"));
        let repetitions = if more.is_empty() { "" } else { " --repetitions 2" };
        let mut first =
            start(&folder, &format!("{words}{more}{repetitions}"), &["--command", waits])?;
        first.until(|| folder.path("begun").exists())?;
        for option in ["", "--resume", "--force"] {
            let (status, _, stderr) =
                start(&folder, &format!("{words} {option}"), &["--command", "true"])?.end()?;
            assert_eq!(status, Some(1), "{option}: {stderr}");
            let exists = option.is_empty() && !more.is_empty();
            let part = if exists {
                "this file already exists"
            } else {
                "another campaign is writing to this file"
            };
            assert!(stderr.contains(&format!("r.json: {part}")), "{option}: {stderr}");
        }
        folder.write("go", "")?;
        let (status, _, stderr) = first.end()?;
        assert_eq!(status, Some(0), "{stderr}");
        assert!(stderr.contains("2 runs made"), "{stderr}");
    }
    assert_eq!(folder.done("scaling show r.json --format csv")?.lines().count(), 5);
    Ok(())
}

#[test]
fn a_changed_file_of_runs() -> Outcome {
    for (change, part) in [
        ("rm {here}/r.json", "another program removed it"),
        ("mv {here}/r.json {here}/t.json", "another program moved it to "),
        (
            "cp {here}/r.json {here}/t.json; mv {here}/t.json {here}/r.json",
            "another program replaced it",
        ),
        (": > {here}/r.json", "another program truncated it from "),
        ("echo >> {here}/r.json", "another program appended a byte to it"),
    ] {
        let folder = Folder::new()?;
        folder.write("plan.json", PLAN)?;
        let command = format!("test {{n}} = 1 || {{ {change}; }}");
        let words = "scaling run plan.json -o r.json --wall";
        let (status, _, stderr) = start(&folder, words, &["--command", &command])?.end()?;
        assert_eq!(status, Some(1), "{change}: {stderr}");
        for part in [part, "all 2 runs are in r.recovered-"] {
            assert!(stderr.contains(part), "{part:?} is not in {stderr}");
        }
        let show = format!("scaling show {} --format csv", rescued(&stderr)?);
        assert_eq!(folder.done(&show)?.lines().count(), 3);
    }
    Ok(())
}

/// A trace of ten thousand sends and receives.
fn trace() -> String {
    let actions = (1..10_000).map(|size| format!("0 send 1 0 {size}\n1 recv 0 0 {size}\n"));
    format!("0 init\n1 init\n{}0 finalize\n1 finalize\n", actions.collect::<String>())
}

/// The names of the files in the folder that are temporary.
fn leftovers(folder: &Folder) -> Result<Vec<String>, Box<dyn Error>> {
    let names = fs::read_dir(folder.path("."))?
        .map(|entry| Ok(entry?.file_name().to_string_lossy().into_owned()));
    let names: Vec<String> = names.collect::<std::io::Result<_>>()?;
    Ok(names.into_iter().filter(|name| name.strip_suffix(".tmp").is_some()).collect())
}

#[test]
fn a_killed_conversion_leaves_no_part_under_the_final_name() -> Outcome {
    let folder = Folder::new()?;
    folder.write("in.tit", trace())?;
    let mut killed_while_writing = 0;
    for attempt in 0..20 {
        let old = if attempt % 2 == 0 { None } else { Some("0 init\n") };
        old.map_or(Ok(()), |old| folder.write("out.tit", old))?;
        let mut running = start(&folder, "trace convert in.tit out.tit --force", &[])?;
        let writes = || {
            Ok::<_, Box<dyn Error>>(
                !leftovers(&folder)?.is_empty() || folder.read("out.tit").ok().as_deref() != old,
            )
        };
        while running.0.try_wait()?.is_none() && !writes()? {}
        running.0.kill()?;
        running.0.wait()?;
        let now = folder.read("out.tit").ok();
        let is_new = now.as_ref().is_some_and(|now| now.len() > 1000);
        assert!(
            now.as_deref() == old || is_new && now.is_some_and(|now| now.ends_with("1 finalize\n")),
            "a part is left"
        );
        killed_while_writing += u32::from(!leftovers(&folder)?.is_empty());
        let _ = fs::remove_file(folder.path("out.tit"));
    }
    assert!(killed_while_writing > 0, "no conversion was killed while it wrote");
    folder.done("trace convert in.tit out.tit")?;
    assert_eq!(leftovers(&folder)?, [""; 0], "the next run removes what killed ones left");
    folder.done("trace profile out.tit")?;
    Ok(())
}

/// Runs shell commands, with the program as `$orrery`; the commands may limit resources.
fn shell(folder: &Folder, program: &str, script: &str) -> std::io::Result<Output> {
    let mut command = std::process::Command::new(program);
    let flags: &[&str] = if program == "unshare" { &["-m", "sh"] } else { &[] };
    command.args(flags).args(["-c", script]).current_dir(folder.path("."));
    command.env("orrery", env!("CARGO_BIN_EXE_orrery")).stdin(Stdio::null());
    output::of(command)
}

/// Inputs of the writers below, and old outputs that are longer than a small disk allows for new
/// ones.
fn inputs() -> Result<Folder, Box<dyn Error>> {
    let folder = Folder::new()?;
    folder.write("in.tit", trace())?;
    folder.done(
        "measure comm --machine sim:truth.json,noise=0.1 -o comm.csv --sizes 1K..64K --min-reps \
            100 --max-reps 100",
    )?;
    folder.done("fit comm.csv -o m.json")?;
    let osu: Vec<String> = (1..2000).map(|size| format!("{size} 1.5\n")).collect();
    let osu = osu.concat();
    folder.write(
        "osu.txt",
        format!("# OSU MPI Latency Test v7.0\n# Size          Latency (us)\n{osu}"),
    )?;
    Ok(folder)
}

/// Commands that write more than 16 KB, with the old content of their file.
const LARGE: [(&str, &str, &str); 4] = [
    ("trace convert in.tit", "out.tit", "0 init\n"),
    (
        "report m.json comm.csv -o",
        "page.html",
        "<!DOCTYPE html><meta name=\"generator\" content=\"Orrery\">\n",
    ),
    ("samples import osu.txt -o", "osu.csv", "# format: orrery-samples 1\n"),
    (
        "measure comm --machine sim:truth.json --min-reps 500 --max-reps 500 -o",
        "s.csv",
        "# format: orrery-samples 1\n",
    ),
];

/// A limit of the size of files fails like a full disk: old outputs stay, new ones do not appear,
/// nothing is left.
#[test]
fn a_failed_write_leaves_the_old_file() -> Outcome {
    let folder = inputs()?;
    for (words, name, old) in LARGE {
        for old in [None, Some(old)] {
            old.map_or(Ok(()), |old| folder.write(name, old))?;
            let script = format!("ulimit -f 16; exec \"$orrery\" {words} {name} --force --quiet");
            let output = shell(&folder, "sh", &script)?;
            let stderr = String::from_utf8(output.stderr)?;
            assert_eq!(output.status.code(), Some(1), "{words}: {stderr}");
            assert!(
                stderr.contains(name) && stderr.contains("File too large"),
                "{words}: {stderr}"
            );
            let is_campaign = words.starts_with("measure");
            match (folder.read(name).ok(), old) {
                (Some(now), _) if is_campaign => {
                    assert!(now.ends_with('\n') && now.len() < 17_000, "{words}");
                }
                (now, old) => assert_eq!(now.as_deref(), old, "{words}"),
            }
            assert_eq!(leftovers(&folder)?, [""; 0], "{words}");
            let _ = fs::remove_file(folder.path(name));
        }
    }
    Ok(())
}

/// The same limit for a result on stdout.
#[test]
fn a_limit_of_the_size_of_files_for_results() -> Outcome {
    let folder = Folder::new()?;
    for words in ["predict p2p truth.json --size 0..1M:1K", "completions bash", "--help"] {
        let output = shell(&folder, "sh", &format!("ulimit -f 1; exec \"$orrery\" {words} > out"))?;
        let stderr = String::from_utf8(output.stderr)?;
        assert_eq!(output.status.code(), Some(1), "{words}: {}: {stderr}", output.status);
        let begin =
            "orrery: cannot write the result: File too large (os error 27); raise the limit";
        assert!(stderr.starts_with(begin), "{words}: {stderr}");
    }
    Ok(())
}

/// The same on a small file system of its own, which only root may mount.
#[test]
fn a_full_disk_leaves_the_old_files() -> Outcome {
    let folder = inputs()?;
    fs::create_dir(folder.path("disk"))?;
    let mount = "mount -t tmpfs -o size=128k tmpfs disk";
    if !shell(&folder, "unshare", mount).is_ok_and(|output| output.status.success()) {
        skip("this user may not mount a file system");
        return Ok(());
    }
    for (words, name, old) in LARGE {
        folder.write("old", old)?;
        let script = format!(
            "{mount}; cp old disk/{name}; head -c 200000 /dev/zero > disk/fill 2> /dev/null; \
                truncate -s -16384 disk/fill
             \"$orrery\" {words} disk/{name} --force \
                --quiet; echo $?; ls -A disk; cp disk/{name} now"
        );
        let output = shell(&folder, "unshare", &script)?;
        let (stdout, stderr) =
            (String::from_utf8(output.stdout)?, String::from_utf8(output.stderr)?);
        assert_eq!(stdout, ["1", "fill", name, ""].join("\n"), "{words}: {stderr}");
        for part in [name, "No space left", "free some space"] {
            assert!(stderr.contains(part), "{words}: {stderr}");
        }
        let now = folder.read("now")?;
        let is_campaign = words.starts_with("measure");
        assert!(
            now == old || is_campaign && now.ends_with('\n') && now.len() > 1000,
            "{words}: {now}"
        );
    }
    Ok(())
}
