//! The commands of all transcripts with mutated files and arguments: each ends with exit status 0
//! to 3, within 10 s and 2 GiB, and prints no control sequence of its input.

use std::error::Error;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::sleep;
use std::time::{Duration, Instant};

use rand::RngExt;
use rand::rngs::ChaCha8Rng;
use tempfile::TempDir;

use crate::common::Outcome;
use crate::copy::copy;
use crate::{mutation, number, random};

/// The time within which any input is answered or refused.
const TIME_LIMIT: Duration = Duration::from_secs(10);

/// The time after which a command as it is hangs; a loaded machine may be slow.
const HANG: Duration = Duration::from_secs(120);

/// The memory in which any input is answered or refused, in KiB.
const MEMORY_LIMIT: u64 = 2 << 20;

/// The largest file that is mutated.
const MAX_FILE: u64 = 1 << 20;

/// A folder with all files of a transcript, and its commands.
struct Transcript {
    folder: TempDir,
    /// The files before the first command.
    inputs: Vec<PathBuf>,
    commands: Vec<Vec<String>>,
}

#[test]
#[ignore = "takes minutes, run by make soak"]
fn mutated_inputs() -> Outcome {
    // SOAK_FIRST=n SOAK_INPUTS=1 repeats input n.
    let (first, trials) = (number("SOAK_FIRST", 0), number("SOAK_INPUTS", 20_000));
    let transcripts: Vec<Transcript> = files(Path::new("tests/transcripts"))?
        .iter()
        .filter(|path| path.extension().is_some_and(|extension| extension == "trycmd"))
        .map(|path| Transcript::of(path))
        .collect::<Result<_, _>>()?;
    let transcripts: Vec<Transcript> =
        transcripts.into_iter().filter(|t| !t.commands.is_empty()).collect();
    let (next, tally, findings) =
        (AtomicU64::new(first), Arc::new(Mutex::new([0_u64; 4])), Mutex::new(Vec::new()));
    let work = || {
        loop {
            let task = next.fetch_add(1, Ordering::Relaxed);
            if task >= first + trials {
                break;
            }
            let mut rng = random(task);
            let transcript = &transcripts[rng.random_range(0..transcripts.len())];
            match transcript.trial(&mut rng) {
                Ok(status) => tally.lock().unwrap()[status] += 1,
                Err(error) => {
                    eprintln!("input {task}: {error}");
                    findings.lock().unwrap().push(task);
                }
            }
        }
    };
    let threads = std::thread::available_parallelism()?.get();
    std::thread::scope(|scope| (0..threads).for_each(|_| drop(scope.spawn(work))));
    let [success, failure, usage, changed] = *tally.lock().unwrap();
    eprintln!(
        "{trials} mutated inputs: {success} answered, {failure} refused, {usage} wrong usage, \
            {changed} with a change"
    );
    let findings = findings.into_inner()?;
    assert!(findings.is_empty(), "inputs {findings:?} end otherwise");
    assert!(
        trials < 100 || success > trials / 20 && failure > trials / 20,
        "mutations do not reach the verbs"
    );
    Ok(())
}

impl Transcript {
    /// Runs the commands of a transcript in a folder of their own.
    fn of(path: &Path) -> Result<Self, Box<dyn Error>> {
        let folder = tempfile::tempdir()?;
        let source = path.with_extension("in");
        if source.exists() {
            copy(&source, folder.path())?;
        }
        let inputs = files(folder.path())?;
        let text = fs::read_to_string(path)?.replace("\n> ", " ");
        let commands = text.lines().filter_map(|line| line.strip_prefix("$ orrery ")).map(words);
        // Commands of users would be mutated, too.
        let commands: Vec<Vec<String>> =
            commands.filter(|words| !words.contains(&"--command".to_owned())).collect();
        for words in &commands {
            run(folder.path(), words, HANG)?;
        }
        Ok(Self { folder, inputs, commands })
    }

    /// Runs a command with a mutated file or argument; its exit status, or what went wrong.
    fn trial(&self, rng: &mut ChaCha8Rng) -> Result<usize, Box<dyn Error>> {
        let outer = tempfile::tempdir()?;
        // The folder above is empty, too.
        let folder = outer.path().join("trial");
        fs::create_dir(&folder)?;
        copy(self.folder.path(), &folder)?;
        let mut words = self.commands[rng.random_range(0..self.commands.len())].clone();
        let files: Vec<PathBuf> =
            words.iter().map(|word| folder.join(word)).filter(|path| path.is_file()).collect();
        let written = words
            .iter()
            .skip_while(|word| !matches!(word.as_str(), "-o" | "--output" | "--write"))
            .nth(1);
        if let Some(output) = written.map(|word| folder.join(word)) {
            let is_input = self.inputs.iter().any(|input| input.file_name() == output.file_name());
            if output.is_file() && !is_input {
                fs::remove_file(output)?;
            }
        }
        let readable: Vec<&PathBuf> = files
            .iter()
            .filter(|path| path.metadata().is_ok_and(|data| data.len() <= MAX_FILE))
            .collect();
        if readable.is_empty() || rng.random_bool(0.2) {
            let place = rng.random_range(0..words.len());
            // Who allows more work than the budget wants it done, however long it takes.
            let is_budget = place > 0 && words[place - 1].starts_with("--max-");
            if !is_budget {
                words[place] = mutation::of_argument(&words[place], rng);
            }
        } else {
            let [file, other] = [0, 1].map(|_| readable[rng.random_range(0..readable.len())]);
            fs::write(file, mutation::of_content(&fs::read(file)?, &fs::read(other)?, rng))?;
        }
        run(&folder, &words, TIME_LIMIT).inspect_err(|_| {
            // What was tried stays for a look at it.
            eprintln!("kept: {}", outer.keep().display());
        })
    }
}

/// Runs the command with limits of time and memory; its exit status, or what went wrong.
fn run(folder: &Path, words: &[String], limit: Duration) -> Result<usize, Box<dyn Error>> {
    let results = tempfile::tempdir()?;
    let [stdout, stderr] = ["stdout", "stderr"].map(|name| results.path().join(name));
    let mut child = Command::new("sh")
        .args([
            "-c",
            &format!("ulimit -v {MEMORY_LIMIT}; exec \"$0\" \"$@\""),
            env!("CARGO_BIN_EXE_orrery"),
        ])
        .args(words)
        .current_dir(folder)
        .env("COLUMNS", "100")
        .stdin(Stdio::null())
        .stdout(File::create(&stdout)?)
        .stderr(File::create(&stderr)?)
        .spawn()?;
    let begin = Instant::now();
    let status = loop {
        if let Some(status) = child.try_wait()? {
            break status;
        }
        if begin.elapsed() > limit {
            child.kill()?;
            child.wait()?;
            return Err(format!(
                "orrery {} takes longer than {} s",
                words.join(" "),
                limit.as_secs()
            )
            .into());
        }
        sleep(Duration::from_millis(1));
    };
    let [stdout, stderr] = [fs::read(stdout)?, fs::read(stderr)?];
    let said = String::from_utf8_lossy(&stderr);
    let wrong = |what: &str| {
        format!(
            "orrery {}: {what}: {}",
            words.join(" "),
            said.chars().take(500).collect::<String>()
        )
    };
    match status.code() {
        _ if said.contains("panicked") => Err(wrong("panic").into()),
        _ if stdout.contains(&0x1b) || stderr.contains(&0x1b) => Err(wrong("prints an ESC").into()),
        Some(code @ 0..=3) => Ok(code as usize),
        _ => Err(wrong(&status.to_string()).into()),
    }
}

/// The words of a command line; single and double quotes keep blanks.
fn words(line: &str) -> Vec<String> {
    let (mut words, mut word, mut quote) = (Vec::new(), None::<String>, None);
    for letter in line.chars() {
        match quote {
            Some(end) if letter == end => quote = None,
            None if letter == '\'' || letter == '"' => {
                quote = Some(letter);
                word.get_or_insert_default();
            }
            None if letter == ' ' => words.extend(word.take()),
            _ => word.get_or_insert_default().push(letter),
        }
    }
    words.extend(word);
    words
}

/// The files of a folder, sorted.
fn files(folder: &Path) -> std::io::Result<Vec<PathBuf>> {
    let mut files: Vec<PathBuf> =
        fs::read_dir(folder)?.map(|entry| Ok(entry?.path())).collect::<std::io::Result<_>>()?;
    files.sort_unstable();
    Ok(files)
}
