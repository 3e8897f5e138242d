//! Campaigns of worker processes on this host: interrupted ones, and ones whose workers are killed.

mod common;
#[path = "common/running.rs"]
mod running;

use std::fs;
use std::os::unix::process::CommandExt as _;
use std::thread::sleep;
use std::time::{Duration, Instant};

use common::{Folder, Outcome};
use running::{HANG, Running};
use rustix::process::{Pid, Signal, kill_process, kill_process_group};
use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};

/// More than anyone waits for, unless it is resumed with less.
const LONG: &str =
    "measure comm --machine local:3 -o s.csv --sizes 64K,256K,1M --min-reps 2000 --max-reps 2000";

/// The same on an emulated cluster of three hosts, with quick links.
const EMULATED: &str = "local:quick.toml";

/// Its cluster file.
const QUICK: &str = r#"
hosts = [{ names = "n[1-3]", kind = "k", cores = 1, speed = "1Gf", fixed_delay = "20us" }]
links = { bandwidth = "2GBps", latency = "20us" }
"#;

/// The variable by which the processes of a test are found.
const MARK: &str = "ORRERY_TEST_CAMPAIGN";

/// How many readings are in the file.
fn rows(folder: &Folder) -> usize {
    let text = folder.read("s.csv").unwrap_or_default();
    let names = ["roundtrip", "one-to-two", "two-to-one"];
    text.lines().filter(|line| names.iter().any(|name| line.starts_with(name))).count()
}

/// A campaign under way, in a process group of its own.
struct Campaign {
    folder: Folder,
    parent: Running,
    mark: String,
}

impl Campaign {
    /// Starts a campaign and waits until some experiments are measured.
    fn under_way(name: &str) -> Result<Self, Box<dyn std::error::Error>> {
        Self::on("local:3", name)
    }

    /// The same on a machine.
    fn on(machine: &str, name: &str) -> Result<Self, Box<dyn std::error::Error>> {
        let folder = Folder::new()?;
        folder.write("quick.toml", QUICK)?;
        let mark = format!("{name}-{}", std::process::id());
        let mut command = folder.command(&LONG.replace("local:3", machine));
        let mut parent = Running::start(command.env(MARK, &mark).process_group(0))?;
        parent.until(|| rows(&folder) >= 2000)?;
        Ok(Self { folder, parent, mark })
    }

    fn pid(&self) -> Pid {
        Pid::from_child(&self.parent.0)
    }

    /// The processes of this campaign that live, its parent aside.
    fn workers(&self) -> Vec<Pid> {
        let marked = format!("{MARK}={}", self.mark);
        let processes = fs::read_dir("/proc").into_iter().flatten().flatten();
        let numbers = processes.filter_map(|entry| entry.file_name().to_str()?.parse::<i32>().ok());
        let ours = numbers.filter(|number| {
            let environment = fs::read(format!("/proc/{number}/environ")).unwrap_or_default();
            environment.split(|&byte| byte == 0).any(|variable| variable == marked.as_bytes())
        });
        ours.filter_map(Pid::from_raw).filter(|&worker| worker != self.pid()).collect()
    }

    /// Waits for the end of the workers.
    fn workers_end(&self) {
        let begin = Instant::now();
        while !self.workers().is_empty() {
            assert!(begin.elapsed() < HANG, "workers are left: {:?}", self.workers());
            sleep(Duration::from_millis(5));
        }
    }

    /// The campaign has failed with one message, left no worker, and goes on where it stopped.
    fn ends_well(&mut self, parts: &[&str]) -> Outcome {
        let (status, stdout, stderr) = self.parent.end()?;
        assert_eq!(status, Some(1), "{stderr}");
        assert_eq!(stdout, "");
        // Where the three workers share cores, that is reported first.
        let is_about_cores = |line: &&str| {
            line.starts_with("orrery: warning: ranks ") && line.contains(" share core")
        };
        assert_eq!(stderr.lines().filter(|line| !is_about_cores(line)).count(), 1, "{stderr}");
        for part in parts.iter().chain(&["orrery: ", "are kept", "--resume"]) {
            assert!(stderr.contains(part), "{part:?} is not told by {stderr}");
        }
        self.workers_end();
        let (kept, before) = (rows(&self.folder), self.folder.read("s.csv")?);
        assert!(kept >= 2000);
        let fewer = LONG.replace("2000", "5");
        self.folder.done(&format!("{fewer} --resume"))?;
        assert!(
            self.folder.read("s.csv")?.starts_with(&before),
            "what was measured is kept as it was"
        );
        assert!(rows(&self.folder) > kept);
        self.folder.done("fit s.csv -o m.json")?;
        Ok(())
    }
}

impl Drop for Campaign {
    fn drop(&mut self) {
        // A test that failed leaves nothing behind either.
        let _ = self.parent.0.kill();
        for worker in self.workers() {
            let _ = kill_process(worker, Signal::KILL);
        }
    }
}

#[test]
fn a_short_campaign() -> Outcome {
    let folder = Folder::new()?;
    folder.done("measure comm --machine local:3 -o s.csv --size 4K --min-reps 3 --max-reps 3")?;
    folder.done(
        "measure collectives --machine local:3 -o c.csv --sizes 1K,4K --min-reps 3 --max-reps 3",
    )?;
    let samples = folder.read("s.csv")?;
    // Three pairs at two sizes, one of them with an empty reply too; three roots at two sizes.
    let count = |begin: &str| samples.lines().filter(|line| line.starts_with(begin)).count();
    let counts = ["roundtrip,", "one-to-two,", "two-to-one,"].map(count);
    assert_eq!(counts, [3 * 3 * 3, 3 * 2 * 3, 3 * 3]);
    assert!(samples.contains("# date: ") && samples.contains("# hosts: "));
    folder.done("fit s.csv -o m.json")?;
    folder.done("validate m.json s.csv c.csv")?;
    Ok(())
}

/// Times between ranks on one core are those of its scheduler: `measure`, `fit` and the report say
/// so.
#[test]
fn ranks_that_share_a_core_are_reported() -> Outcome {
    let folder = Folder::new()?;
    let usable = sched_getaffinity(None)?;
    let core = (0..CpuSet::MAX_CPU).find(|&core| usable.is_set(core)).ok_or("no core")?;
    let mut set = CpuSet::new();
    set.set(core);
    // The worker processes inherit the affinity of this thread.
    sched_setaffinity(None, &set)?;
    folder.write("two.scheme", "a: 0 -> 1 1K\nb: 0 -> 2 1K\n")?;
    let warning = format!(
        "ranks 0 to 2 share core {core}: times between them are those of one core's scheduler, not \
            of a link"
    );
    let stderr = |arguments: &str| -> Result<String, Box<dyn std::error::Error>> {
        let output = folder.command(arguments).output()?;
        let stderr = String::from_utf8(output.stderr)?;
        if output.status.success() { Ok(stderr) } else { Err(stderr.into()) }
    };
    for arguments in [
        "measure comm --machine local:3 -o s.csv --size 4K --min-reps 3 --max-reps 3 \
            --parallel off",
        "fit s.csv -o m.json",
        "measure scheme two.scheme --machine local:3 -o t.csv --min-reps 3 --max-reps 3",
    ] {
        let said = stderr(arguments)?;
        assert!(said.contains(&format!("orrery: warning: {warning}")), "{arguments}: {said}");
    }
    folder.done("report m.json s.csv -o r.html")?;
    let page = folder.read("r.html")?.replace("&#39;", "'").replace("&#x27;", "'");
    assert!(page.contains(&warning), "the report does not name ranks that share a core");
    Ok(())
}

/// As a terminal does it on Ctrl-C, to the parent or the group, and a batch system when the time is
/// over.
#[test]
fn an_interrupted_campaign() -> Outcome {
    for (name, signal) in [("parent", Signal::INT), ("terminated", Signal::TERM)] {
        let mut campaign = Campaign::under_way(name)?;
        kill_process(campaign.pid(), signal)?;
        campaign.ends_well(&["interrupted"])?;
    }
    let mut campaign = Campaign::under_way("group")?;
    kill_process_group(campaign.pid(), Signal::INT)?;
    campaign.ends_well(&["interrupted"])
}

#[test]
fn a_killed_worker() -> Outcome {
    let mut campaign = Campaign::under_way("killed")?;
    let workers = campaign.workers();
    assert!(workers.len() >= 3, "{workers:?}");
    kill_process(workers[1], Signal::KILL)?;
    campaign.ends_well(&["worker ", "died", "signal 9"])
}

/// Nobody is left to say a word, but the workers do not live on, and the samples do.
#[test]
fn a_killed_parent() -> Outcome {
    let mut campaign = Campaign::under_way("orphans")?;
    kill_process(campaign.pid(), Signal::KILL)?;
    campaign.parent.end()?;
    campaign.workers_end();
    campaign.folder.done(&format!("{} --resume", LONG.replace("2000", "5")))?;
    Ok(())
}

/// The switch of an emulated cluster dies with its command, and the workers do not wait for it.
#[test]
fn a_killed_parent_of_an_emulated_cluster() -> Outcome {
    let mut campaign = Campaign::on(EMULATED, "emulated")?;
    assert_eq!(campaign.workers().len(), 3);
    kill_process(campaign.pid(), Signal::KILL)?;
    campaign.parent.end()?;
    campaign.workers_end();
    // A campaign is not continued on another machine.
    let resumed = LONG.replace("2000", "5") + " --resume";
    let refused = campaign.folder.run(&resumed)?;
    let stderr = String::from_utf8(refused.stderr)?;
    assert!(!refused.status.success() && stderr.contains("this machine has hosts"), "{stderr}");
    campaign.folder.done(&resumed.replace("local:3", EMULATED))?;
    assert!(campaign.folder.read("s.csv")?.contains("# cluster: quick.toml"));
    Ok(())
}

#[test]
fn the_demonstration_of_a_cluster() -> Outcome {
    let folder = Folder::new()?;
    folder.write("quick.toml", QUICK)?;
    let printed = folder.done("demo --machine local:quick.toml --min-reps 3 -o d")?;
    for table in
        ["Algorithm and root by size", "Mean errors on scatter and gather", "d/report.html"]
    {
        assert!(printed.contains(table), "{table:?} is missing in {printed}");
    }
    let samples = folder.read("d/samples.csv")?;
    assert!(samples.contains("# cluster: quick.toml"));
    // A fit to the other rows alone gives the printed errors.
    let is_held_out = |row: &&str| {
        (row.starts_with("scatter/") || row.starts_with("gather/")) && row.contains(",32768,")
    };
    let others: Vec<&str> = samples.lines().filter(|row| !is_held_out(row)).collect();
    assert!(others.len() < samples.lines().count());
    folder.write("others.csv", others.join("\n") + "\n")?;
    folder.done("fit others.csv -o others.json")?;
    let ranking = folder.done("validate others.json d/samples.csv --only ranking --format csv")?;
    let headline = printed.lines().find(|line| line.contains("which the fit has not seen"));
    let headline = headline.ok_or("no headline")?;
    for (place, row) in ranking.lines().skip(1).enumerate() {
        let cells: Vec<&str> = row.split(',').collect();
        let [_, model, "collectives", _, mean_error, _, "false"] = cells[..] else {
            return Err(format!("{row} is not about held-out collectives").into());
        };
        let error = format!("{model} {:.0} %", 100.0 * mean_error.parse::<f64>()?);
        let is_shown = place == 0 || model.starts_with("hockney");
        assert!(!is_shown || headline.contains(&error), "{error:?} is missing in {headline}");
    }
    assert!(folder.read("d/report.html")?.contains("quick.toml"));
    folder.done("model check d/model.json")?;
    Ok(())
}

#[test]
fn clusters_that_cannot_be_measured() -> Outcome {
    let folder = Folder::new()?;
    folder.write("speed.toml", QUICK.replace(", speed = \"1Gf\"", ""))?;
    folder.write("one.toml", QUICK.replace("n[1-3]", "n1"))?;
    folder.write("torn.toml", "hosts = [{ names = ")?;
    for (machine, message) in [
        ("none.toml", "cannot read none.toml"),
        ("speed.toml", "speed.toml:2:12: \"speed\" is missing here"),
        ("one.toml", "one.toml: the number of hosts is 1; an emulated cluster has 2 to 24"),
        ("torn.toml", "torn.toml:1:"),
        ("x", "\"x\" is neither a number of workers from 2 to 256 nor a file with a name in .toml"),
    ] {
        let output = folder.run(&format!("measure comm --machine local:{machine} -o s.csv"))?;
        let stderr = String::from_utf8(output.stderr)?;
        assert!(!output.status.success() && stderr.contains(message), "{machine}: {stderr}");
        assert!(!folder.path("s.csv").exists());
    }
    Ok(())
}
