//! Commands that are killed at random moments: nothing acknowledged is lost, no torn file is under
//! a final name, and no temporary file or worker stays.

use std::error::Error;
use std::fs;
use std::io::Read as _;
use std::process::Stdio;
use std::thread::sleep;
use std::time::{Duration, Instant};

use rand::RngExt;
use rand::rngs::ChaCha8Rng;
use serde_json::Value;

use crate::common::{Folder, Outcome};
use crate::{number, random};

/// A command with the file that it writes.
struct Victim {
    words: &'static str,
    output: &'static str,
    is_campaign: bool,
}

const VICTIMS: [Victim; 6] = [
    Victim::document("trace convert in.tit out.tit --force", "out.tit"),
    Victim::document("fit comm.csv -o out.json --force", "out.json"),
    Victim::document("report m.json comm.csv -o out.html --force", "out.html"),
    Victim::campaign(
        "measure comm --machine local:3 -o local.csv --min-reps 200 --max-reps 200 --sizes 1K..64K",
        "local.csv",
    ),
    Victim::campaign(
        "measure comm --machine sim:truth.json,noise=0.1 -o sim.csv --min-reps 20000 --max-reps \
            20000 --sizes 1K..64K",
        "sim.csv",
    ),
    Victim::campaign("scaling run plan.json -o r.json --wall --command true", "r.json"),
];

impl Victim {
    const fn document(words: &'static str, output: &'static str) -> Self {
        Self { words, output, is_campaign: false }
    }

    const fn campaign(words: &'static str, output: &'static str) -> Self {
        Self { words, output, is_campaign: true }
    }

    /// The time of the command without disturbance; its output is removed.
    fn duration(&self, folder: &Folder) -> Result<Duration, Box<dyn Error>> {
        let begin = Instant::now();
        folder.done(self.words)?;
        let duration = begin.elapsed();
        fs::remove_file(folder.path(self.output))?;
        Ok(duration)
    }

    /// Starts the command, kills it within `longest`, and checks what is left. Returns true if it
    /// was running.
    fn kill(
        &self,
        folder: &Folder,
        longest: Duration,
        rng: &mut ChaCha8Rng,
    ) -> Result<bool, Box<dyn Error>> {
        let path = folder.path(self.output);
        if path.exists() && rng.random_bool(0.3) {
            fs::remove_file(&path)?;
        }
        let before = fs::read_to_string(&path).unwrap_or_default();
        let mut command = folder.command(self.words);
        if self.is_campaign && path.exists() {
            command.arg("--resume");
        }
        let mut child = command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn()?;
        sleep(longest.mul_f64(rng.random_range(0.0..1.1)));
        let seen = fs::read_to_string(&path).unwrap_or_default();
        child.kill()?;
        let mut said = String::new();
        child.stderr.take().ok_or("no stderr")?.read_to_string(&mut said)?;
        let was_running = child.wait()?.code().is_none();
        let after = fs::read_to_string(&path).unwrap_or_default();
        let context =
            format!("{}: {} bytes before, {} after", self.words, before.len(), after.len());
        match self.output.rsplit_once('.').map(|(_, extension)| extension) {
            Some("tit") => assert!(after == before || after.ends_with("1 finalize\n"), "{context}"),
            Some("html") => {
                assert!(after == before || after.trim_end().ends_with("</html>"), "{context}");
            }
            Some("csv") => {
                let whole = |text: &str| text.rfind('\n').map_or(0, |end| end + 1);
                assert!(!after.contains('\0'), "{context}");
                assert!(after.starts_with(&seen[..whole(&seen)]), "{context}");
                assert!(after.starts_with(&before[..whole(&before)]), "{context}");
            }
            _ if self.is_campaign => {
                let acknowledged = said
                    .lines()
                    .filter(|line| line.starts_with("n = ") && !line.contains(" failed"));
                let least = count_runs(&before)? + acknowledged.count();
                assert!(count_runs(&after)? >= least, "{context}, {least} runs acknowledged");
            }
            _ => assert!(
                after == before || serde_json::from_str::<Value>(&after).is_ok(),
                "{context}"
            ),
        }
        Ok(was_running)
    }
}

/// The number of runs in a runs file, 0 without one.
fn count_runs(text: &str) -> Result<usize, Box<dyn Error>> {
    if text.is_empty() {
        return Ok(0);
    }
    let file: Value = serde_json::from_str(text)?;
    Ok(file["runs"].as_array().ok_or("no runs")?.len())
}

#[test]
#[ignore = "takes minutes, run by make soak"]
fn kills() -> Outcome {
    let folder = Folder::new()?;
    let actions = |rank: u32, action: &str, peer: u32| -> String {
        let lines: Vec<String> =
            (1..20_000).map(|size| format!("{rank} {action} {peer} 0 {size}\n")).collect();
        lines.concat()
    };
    let trace = format!(
        "0 init\n1 init\n{}{}0 finalize\n1 finalize\n",
        actions(0, "send", 1),
        actions(1, "recv", 0)
    );
    folder.write("in.tit", trace)?;
    let runs: Vec<String> =
        (1..60).map(|n| format!(r#"{{"variables": {{"n": {n}, "processes": 1}}}}"#)).collect();
    folder.write(
        "plan.json",
        format!(
            "{{\"format\": \"orrery-plan\", \"version\": 1, \"runs\": [\n{}\n]}}\n",
            runs.join(",\n")
        ),
    )?;
    folder.done(
        "measure comm --machine sim:truth.json,noise=0.1 -o comm.csv --sizes 1K..64K --min-reps \
            100 --max-reps 100",
    )?;
    folder.done("fit comm.csv -o m.json")?;
    let (kills, mut running) = (number("SOAK_KILLS", 200), 0);
    let mut rng = random(0);
    let durations =
        VICTIMS.iter().map(|victim| victim.duration(&folder)).collect::<Result<Vec<_>, _>>()?;
    for _ in 0..kills {
        let chosen = rng.random_range(0..VICTIMS.len());
        let (victim, duration) = (&VICTIMS[chosen], durations[chosen]);
        let was_running = victim.kill(&folder, duration, &mut rng)?;
        running += u64::from(was_running);
        if victim.is_campaign && !was_running {
            // A complete campaign would end at once.
            fs::remove_file(folder.path(victim.output))?;
        }
    }
    // The next run of the same output removes what a killed one has left.
    for victim in VICTIMS {
        let path = folder.path(victim.output);
        if victim.is_campaign && path.exists() {
            fs::remove_file(path)?;
        }
        if victim.output != "local.csv" && victim.output != "sim.csv" {
            folder.done(victim.words)?;
        }
    }
    let left: Vec<_> = fs::read_dir(folder.path(""))?
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.extension().is_some_and(|extension| extension == "tmp"))
        .collect();
    eprintln!("{kills} kills, {running} of a running command");
    assert!(left.is_empty(), "left behind: {left:?}");
    assert!(running > kills / 3, "most commands had ended before they were killed");
    no_workers()
}

/// Fails if a worker of this program still runs.
fn no_workers() -> Outcome {
    let begin = Instant::now();
    loop {
        let processes = fs::read_dir("/proc")?
            .filter_map(|entry| fs::read_link(entry.ok()?.path().join("exe")).ok());
        let workers =
            processes.filter(|program| program.ends_with(env!("CARGO_BIN_EXE_orrery"))).count();
        if workers == 0 {
            return Ok(());
        }
        assert!(begin.elapsed() < Duration::from_secs(10), "{workers} workers still run");
        sleep(Duration::from_millis(50));
    }
}
