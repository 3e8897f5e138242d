//! `orrery scaling run` with a fake application of known time: plans are made, resumed, interrupted
//! and decided.

#[path = "common/mod.rs"]
mod common;
#[path = "common/running.rs"]
mod running;

use std::error::Error;
use std::os::unix::fs::PermissionsExt;
use std::thread::sleep;
use std::time::{Duration, Instant};

use common::{Folder, Outcome, output};
use running::{HANG, Running};
use rustix::process::{Pid, Signal, kill_process, test_kill_process};

/// Prints the output of HPL with a computed time: that of the slowest kind, with a deviation of up
/// to 4 %.
const APPLICATION: &str = r#"#!/bin/sh
# app.sh CONFIGURATION N P Q
awk -v configuration="$1" -v n="$2" -v p="$3" -v q="$4" 'BEGIN {
    np = p * q
    count = split(configuration, shares, ",")
    for (i = 1; i <= count; i++) {
        split(shares[i], share, "="); split(share[2], numbers, "x")
        m = numbers[2]; speed = share[1] == "fast" ? 4e-8 : 1.6e-7
        t = m * speed * n ^ 3 / np + 2e-7 * n * n * m + (np > m ? 5e-5 * n * n : 0)
        if (t > time) time = t
    }
    time *= 1 + 0.08 * ((n * 7919 + np * 104729 + length(configuration) * 31) % 101 / 100 - 0.5)
    if (time < 10) { printf "too small\n" > "/dev/stderr"; exit 3 }
    print "HPLinpack 2.3  --  High-Performance Linpack benchmark"
    print "T/V                N    NB     P     Q               Time                 Gflops"
    print "--------------------------------------------------------------------------------"
    printf "WR11C2R4 %d 64 %d %d %.2f %.4e\n", n, p, q, time, (2 / 3 * n ^ 3 + 3 / 2 * n * n) / time / 1e9
    print "--------------------------------------------------------------------------------"
    print "||Ax-b||_oo/(eps*(||A||_oo*||x||_oo+||b||_oo)*N)=        0.0020152 ...... PASSED"
}'
"#;

/// Prints its own time only.
const PLAIN: &str =
    "#!/bin/sh\necho \"n $1: time: $(awk -v n=$1 'BEGIN { print n * n * 1e-3 }') s\"\n";

const CLUSTER: &str = "[[hosts]]\nnames = \"f\"\nkind = \"fast\"\ncores = 1\nprocesses = 4\n\
    [[hosts]]\nnames = \"s[1-4]\"\nkind = \"slow\"\ncores = 1\nprocesses = 2\n";

fn folder() -> Result<Folder, Box<dyn Error>> {
    let folder = Folder::new()?;
    folder.write("cluster.toml", CLUSTER)?;
    for (name, text) in [("app.sh", APPLICATION), ("plain.sh", PLAIN)] {
        folder.write(name, text)?;
        std::fs::set_permissions(folder.path(name), std::fs::Permissions::from_mode(0o755))?;
    }
    Ok(folder)
}

fn plan(runs: &[&str]) -> String {
    format!(
        "{{\"format\": \"orrery-plan\", \"version\": 1, \"runs\": [\n{}\n]}}\n",
        runs.join(",\n")
    )
}

fn configured(n: u32, kind: &str, elements: u32, processes: u32) -> String {
    format!(
        "{{\"variables\": {{\"n\": {n}}}, \"configuration\": {{\"{kind}\": {{\"elements\": {elements}, \"processes\": \
         {processes}}}}}}}"
    )
}

/// Runs the command with an application in `--command`; returns the exit status and stderr.
fn make(folder: &Folder, words: &str, command: &str) -> Result<(i32, String), Box<dyn Error>> {
    let mut making = folder.command(words);
    making.args(["--command", command]);
    let output = output::of(making)?;
    Ok((output.status.code().unwrap_or(-1), String::from_utf8(output.stderr)?))
}

const HPL_COMMAND: &str = "{here}/app.sh {configuration} {n} {p} {q}";

#[test]
fn from_the_first_runs_to_a_decision() -> Outcome {
    let folder = folder()?;
    let mut pilot = Vec::new();
    for n in [800, 1200, 1600] {
        for (kind, elements) in [("fast", 1), ("slow", 1), ("slow", 2), ("slow", 4)] {
            pilot.extend([1, 2].map(|processes| configured(n, kind, elements, processes)));
        }
    }
    folder.write("pilot.json", plan(&pilot.iter().map(String::as_str).collect::<Vec<_>>()))?;
    let (status, stderr) = make(
        &folder,
        "scaling run pilot.json -o pilot-runs.json --cluster cluster.toml",
        HPL_COMMAND,
    )?;
    assert_eq!(status, 0, "{stderr}");
    assert!(stderr.contains("plan completed: 24 runs made, 24 in pilot-runs.json"), "{stderr}");
    for file in ["HPL.dat", "hostfile", "rankfile", "machinefile", "stdout", "stderr"] {
        assert!(folder.path(&format!("pilot-runs-runs/0001/{file}")).exists(), "{file}");
    }
    assert!(folder.read("pilot-runs-runs/0024/HPL.dat")?.contains("\n1600 "));

    // With this many production runs, even a run that improves the choice by little pays.
    let question = "--cluster cluster.toml --grid none --budget 100h --uses 1000000";
    folder.done("scaling fit pilot-runs.json -o model.json")?;
    let advise =
        format!("scaling advise pilot-runs.json --n 2600 {question} -o plan.json --format json");
    let advised: serde_json::Value = serde_json::from_str(&folder.done(&advise)?)?;
    let now = advised["decisions"][0]["probability"].as_f64().ok_or("a probability")?;
    let last = advised["runs"]
        .as_array()
        .and_then(|runs| runs.last()?["probability"].as_f64())
        .ok_or("runs")?;
    assert!(now < 0.95 && last >= 0.95, "{advised}");
    let of_model: serde_json::Value = serde_json::from_str(
        &folder.done(&format!("scaling advise model.json --n 2600 {question} --format json"))?,
    )?;
    assert_eq!(of_model, advised, "no run has this size, so the model is sufficient");

    // The revised plan ends earlier than the original one, with the true best configuration.
    let words = format!(
        "scaling run plan.json -o more.json --with pilot-runs.json --decide n=2600 {question}"
    );
    let (status, stderr) = make(&folder, &words, HPL_COMMAND)?;
    assert_eq!(status, 0, "{stderr}");
    assert!(stderr.contains("decided: n = 2600, block = 64: fast=1x4,slow=4x1 in "), "{stderr}");
    let made = folder.done("scaling show more.json --format csv")?.lines().count() - 1;
    assert!(
        (1..advised["runs"].as_array().map_or(0, Vec::len)).contains(&made),
        "{made} runs made: {stderr}"
    );

    // The choice from a model of the same runs is the decided one.
    folder.done("scaling import pilot-runs.json more.json -o all.json")?;
    folder.done("scaling fit all.json -o all-model.json")?;
    let choose = "choose configuration all-model.json --cluster cluster.toml --grid none --n 2600 \
        --format json";
    let chosen: serde_json::Value = serde_json::from_str(&folder.done(choose)?)?;
    assert_eq!(chosen["choices"][0]["configuration"], "fast=1x4,slow=4x1", "{chosen}");
    Ok(())
}

/// No run shows how fast the fast kind is: the plan measures it alone, and is continued after that.
#[test]
fn a_kind_that_is_never_the_slowest_is_measured() -> Outcome {
    let folder = folder()?;
    let mixed = |n: u32, elements: u32| {
        format!(
            "{{\"variables\": {{\"n\": {n}}}, \"configuration\": {{\"fast\": {{\"elements\": 1, \
             \"processes\": 1}}, \"slow\": {{\"elements\": {elements}, \"processes\": 1}}}}}}"
        )
    };
    let pilot = [800, 1200, 1600].map(|n| [1, 2, 4].map(|elements| mixed(n, elements))).concat();
    folder.write("pilot.json", plan(&pilot.iter().map(String::as_str).collect::<Vec<_>>()))?;
    let (status, stderr) = make(
        &folder,
        "scaling run pilot.json -o pilot-runs.json --cluster cluster.toml",
        HPL_COMMAND,
    )?;
    assert_eq!(status, 0, "{stderr}");
    folder.done("scaling fit pilot-runs.json -o model.json")?;
    let question = "--cluster cluster.toml --grid none --budget 100h";
    let advise = "scaling advise pilot-runs.json --n 2600 -o plan.json --format json";
    let advised: serde_json::Value =
        serde_json::from_str(&folder.done(&format!("{advise} {question}"))?)?;
    assert_eq!(advised["plan"][0]["ends"], "unidentified kind", "{advised}");
    assert_eq!(advised["decisions"].as_array().map(Vec::len), Some(0), "{advised}");
    let run = &advised["runs"][0];
    assert_eq!((&run["configuration"], &run["n"]), (&"fast=1x1".into(), &1200.into()), "{run}");
    // The choice is refused, with the same run.
    let choose = "choose configuration model.json --cluster cluster.toml --grid none --n 2600";
    let refused = output::of(folder.command(choose))?;
    let refused = String::from_utf8(refused.stderr)?;
    assert!(refused.contains("measure it alone, as fast=1x1"), "{refused}");

    let words = format!(
        "scaling run plan.json -o more.json --with pilot-runs.json --decide n=2600 {question}"
    );
    let (status, stderr) = make(&folder, &words, HPL_COMMAND)?;
    assert_eq!(status, 0, "{stderr}");
    let (first, rest) = stderr.split_once('\n').ok_or("lines")?;
    assert!(first.contains("limited to") || first.contains("no choice yet"), "{stderr}");
    assert!(rest.contains("fast=1x1: "), "{stderr}");
    assert!(stderr.contains("current choice n = 2600") || stderr.contains("decided: "), "{stderr}");
    Ok(())
}

#[test]
fn resume_makes_the_missing_runs() -> Outcome {
    let folder = folder()?;
    let runs = [
        "{\"variables\": {\"n\": 100, \"processes\": 1}}",
        "{\"variables\": {\"n\": 200, \"processes\": 1}}",
    ];
    folder.write("first.json", plan(&runs[..1]))?;
    folder.write("both.json", plan(&[runs[0], runs[1], runs[0]]))?;
    let command = "{here}/plain.sh {n}";
    let after = "--seconds-after time:";
    let go = |plan: &str, more: &str, command: &str| {
        let words = format!("scaling run {plan} -o r.json {more}");
        make(&folder, &words, command).map_err(|error| error.to_string())
    };
    let after_twice = format!("{after} --repetitions 2");
    assert_eq!(go("first.json", &after_twice, command)?.0, 0);
    let (status, stderr) = go("both.json", &after_twice, command)?;
    assert!(
        status == 1
            && stderr
                .contains("r.json: this file already exists; continue its campaign with --resume"),
        "{stderr}"
    );
    let (status, stderr) = go("both.json", &format!("{after_twice} --resume"), "true")?;
    assert!(
        status == 1 && stderr.contains("made with --command '{here}/plain.sh {n}'"),
        "{stderr}"
    );
    let (status, stderr) = go("both.json", &format!("{after_twice} --resume"), command)?;
    assert!(status == 0 && stderr.contains("2 runs of the plan exist already"), "{stderr}");
    assert!(stderr.contains("4 runs made, 6 in r.json"), "{stderr}");
    let shown = folder.done("scaling show r.json --format csv")?;
    let times: Vec<&str> =
        shown.lines().skip(1).filter_map(|line| line.split(',').nth(2)).collect();
    assert_eq!(times, ["10", "10", "40", "40", "10", "10"], "{shown}");
    let (status, stderr) = go("both.json", &format!("{after_twice} --resume"), command)?;
    assert!(status == 0 && stderr.contains(": 0 runs made, 6 in r.json"), "{stderr}");
    Ok(())
}

#[test]
fn failed_runs_are_reported_and_the_campaign_continues() -> Outcome {
    let folder = folder()?;
    let small = configured(10, "fast", 1, 1);
    let fine = configured(1000, "fast", 1, 1);
    folder.write("plan.json", plan(&[&small, &fine, &small, &small]))?;
    let (status, stderr) =
        make(&folder, "scaling run plan.json -o r.json --max-failures 2", HPL_COMMAND)?;
    assert_eq!(status, 1, "{stderr}");
    for part in [
        "n = 10 on fast=1x1 failed: exit status: 3",
        "app.sh fast=1x1 10 1 1\n  too small",
        "1 succeeded and are in r.json",
    ] {
        assert!(stderr.contains(part), "{part:?} is not in {stderr}");
    }
    assert_eq!(folder.done("scaling show r.json --format csv")?.lines().count(), 2);

    let failing = [
        ("nowhere-at-all {n}", "failed: exit status: 127"),
        ("{here}/app.sh {configuration} 2000 {p} {q}", "it ran n = 2000 instead of n = 1000"),
        (
            "{here}/app.sh {configuration} {n} {p} {q} | sed s/PASSED/FAILED/",
            "FAILED its residual check",
        ),
        ("{here}/app.sh {configuration} {n} {p} {q} | head -n 4", "the file ends within this run"),
    ];
    folder.write("one.json", plan(&[&fine]))?;
    for (command, part) in failing {
        let (_, stderr) =
            make(&folder, "scaling run one.json -o other.json --max-failures 1", command)?;
        assert!(stderr.contains(part), "{part:?} is not in {stderr}");
        assert!(!folder.path("other.json").exists(), "{stderr}");
    }
    Ok(())
}

#[test]
fn interruption_keeps_completed_runs() -> Outcome {
    let folder = folder()?;
    folder.write("plan.json", plan(&[&configured(1, "a", 1, 1), &configured(2, "a", 1, 1)]))?;
    // The second run would take a minute.
    let command =
        "echo time: 1; test {n} -lt 2 || { touch {here}/begun; sleep 60; touch {here}/ended; }";
    let words = "scaling run plan.json -o r.json --seconds-after time:";
    let mut running = Running::start(folder.command(words).args(["--command", command]))?;
    running.until(|| folder.path("begun").exists())?;
    kill_process(Pid::from_child(&running.0), Signal::INT)?;
    let (status, _, stderr) = running.end()?;
    assert_eq!(status, Some(1), "{stderr}");
    assert!(
        stderr.contains("interrupted; continue with --resume: 1 runs made, 1 in r.json"),
        "{stderr}"
    );
    assert!(!folder.path("ended").exists(), "the command and its children were terminated");
    assert_eq!(folder.done("scaling show r.json --format csv")?.lines().count(), 2);
    Ok(())
}

/// The process of the campaign is killed, so that it cannot end its command; the supervisor does.
#[test]
fn a_killed_campaign_leaves_no_process() -> Outcome {
    let folder = folder()?;
    folder.write("plan.json", plan(&[&configured(1, "a", 1, 1)]))?;
    // A process in the background of the command, with its number in a file; one ends on SIGTERM,
    // the other does not.
    for (name, trap) in [("ends", ""), ("stays", "trap '' TERM; ")] {
        let command = format!(
            "{trap}sh -c '{trap}echo $$ >{{here}}/{name}; while :; do sleep 0.1; done' & wait; wait"
        );
        let words = format!("scaling run plan.json -o {name}.json --wall");
        let mut campaign = Running::start(folder.command(&words).args(["--command", &command]))?;
        let process =
            || folder.read(name).ok()?.strip_suffix('\n')?.parse().ok().and_then(Pid::from_raw);
        campaign.until(|| process().is_some())?;
        let process = process().ok_or("a process")?;
        assert!(is_running(process), "the command runs");
        drop(campaign);
        let begin = Instant::now();
        while is_running(process) {
            assert!(begin.elapsed() < HANG, "the process does not end");
            sleep(Duration::from_millis(20));
        }
    }
    Ok(())
}

/// Returns true if a process runs; one that has ended and that nobody waits for does not.
fn is_running(process: Pid) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{}/stat", process.as_raw_nonzero()))
        .unwrap_or_default();
    let state = stat.rsplit(") ").next().and_then(|rest| rest.chars().next());
    test_kill_process(process).is_ok() && state != Some('Z')
}

/// A supervisor that is killed cannot report the end of its command: the campaign ends with an
/// error.
#[test]
fn a_killed_supervisor_ends_the_campaign() -> Outcome {
    let folder = folder()?;
    folder.write("plan.json", plan(&[&configured(1, "a", 1, 1), &configured(2, "a", 1, 1)]))?;
    // The parent of the shell is the supervisor.
    let command = "kill -KILL $PPID; touch {here}/{n}; true";
    let (status, stderr) = make(&folder, "scaling run plan.json -o r.json --wall", command)?;
    assert_eq!(status, 1, "{stderr}");
    assert!(stderr.contains("the supervisor of the command was killed"), "{stderr}");
    assert!(!folder.path("2").exists(), "no further run is made");
    Ok(())
}

#[test]
fn the_budget_ends_a_campaign() -> Outcome {
    let folder = folder()?;
    let run = "{\"variables\": {\"n\": 100, \"processes\": 1}, \"seconds\": 1000}";
    folder.write("plan.json", plan(&[run]))?;
    let (status, stderr) =
        make(&folder, "scaling run plan.json -o r.json --wall --budget 10m", "true")?;
    assert!(status == 0 && stderr.contains("budget used before n = 100"), "{stderr}");
    assert!(stderr.contains("0 runs made"), "{stderr}");
    Ok(())
}

#[test]
fn preset_plans_have_the_runs_of_the_study() -> Outcome {
    let folder = Folder::new()?;
    folder.write(
        "cluster.toml",
        "[[hosts]]\nnames = \"a\"\nkind = \"athlon\"\ncores = 1\nprocesses = 6\n\
         [[hosts]]\nnames = \"p[1-4]\"\nkind = \"pentium-ii\"\ncores = 2\nprocesses = 6\n",
    )?;
    for (name, count) in [("basic", 486), ("nl", 120), ("ns", 120)] {
        let stderr = folder.done(&format!(
            "scaling advise --plan {name} --cluster cluster.toml -o {name}.json --format csv"
        ))?;
        assert_eq!(stderr.lines().count(), count + 1, "{name}");
        assert_eq!(
            folder.read(&format!("{name}.json"))?.matches("\"variables\"").count(),
            count,
            "{name}"
        );
    }
    Ok(())
}

#[test]
fn hpl_dat_of_a_run_has_the_given_or_the_earlier_variant() -> Outcome {
    let folder = folder()?;
    folder.write(
        "plan.json",
        plan(&["{\"variables\": {\"n\": 1600, \"p\": 1, \"q\": 1, \"processes\": 1}}"]),
    )?;
    folder.write(
        "earlier.json",
        "{\"format\": \"orrery-runs\", \"version\": 1, \"runs\": [{\"variables\": {\"n\": 800, \"p\": 1, \"q\": 1}, \"seconds\": 9, \
         \"labels\": {\"variant\": \"WC03R3L16\", \"swap\": \"mix:80\"}}]}",
    )?;
    let made = |more: &str, output: &str| -> Result<String, Box<dyn Error>> {
        let words = format!("scaling run plan.json -o {output}.json --wall {more}");
        let (status, stderr) = make(&folder, &words, "true")?;
        assert_eq!(status, 0, "{stderr}");
        Ok(folder.read(&format!("{output}-runs/0001/HPL.dat"))?)
    };
    let values = |text: &str| -> Vec<String> {
        let first = |line: &str| line.split_whitespace().next().unwrap_or_default().to_owned();
        text.lines().skip(12).map(first).collect()
    };
    let distributed = made("", "first")?;
    assert_eq!(
        values(&distributed),
        "16.0 1 2 1 4 1 2 1 1 1 1 1 1 2 64 0 0 1 8".split(' ').collect::<Vec<_>>()
    );
    let earlier = made("--with earlier.json", "second")?;
    assert_eq!(
        values(&earlier),
        "16.0 1 0 1 16 1 3 1 2 1 3 1 0 2 80 0 0 1 8".split(' ').collect::<Vec<_>>()
    );
    let other =
        distributed.replace("1            BCASTs", "5            BCASTs").replace("192 ", "32 ");
    folder.write("HPL.dat", other)?;
    let given = made("--with earlier.json --hpl-dat HPL.dat", "third")?;
    assert_eq!(values(&given)[10], "5");
    // A plan without block size takes that of HPL.dat.
    let block = |text: &str| {
        text.lines().find_map(|line| line.strip_suffix(" NBs")?.trim().parse::<u32>().ok())
    };
    assert_eq!([block(&distributed), block(&given)], [Some(192), Some(32)]);
    Ok(())
}
