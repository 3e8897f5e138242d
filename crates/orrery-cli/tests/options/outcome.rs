//! What a command prints and writes.

use std::collections::{BTreeMap, BTreeSet};
use std::error::Error;
use std::ffi::OsString;
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::{fs, io};

use tempfile::TempDir;

use crate::copy::copy;
use crate::example::{Example, Section};
use crate::output;
use crate::variants::few_or_all;

pub type Result<T> = std::result::Result<T, Box<dyn Error>>;

/// The options whose value names a file to write.
const OUTPUTS: [&str; 6] = ["--output", "--svg", "--chrome", "--report", "--write", "--workdir"];

/// A folder with the files of a section.
pub struct Prepared(TempDir);

/// The answer of a command.
#[derive(Debug, PartialEq)]
struct Outcome {
    status: Option<i32>,
    stdout: String,
    stderr: String,
    /// The content of all files.
    files: BTreeMap<PathBuf, String>,
}

impl Prepared {
    /// Copies the files of a section and runs its preparations.
    pub fn new(section: &Section) -> Result<Self> {
        let folder = tempfile::tempdir()?;
        let project = Path::new(env!("CARGO_MANIFEST_DIR"));
        for name in &section.folders {
            let transcripts = project.join("tests/transcripts").join(name);
            let from =
                if transcripts.exists() { transcripts } else { project.join("../..").join(name) };
            copy(&from, folder.path()).map_err(|error| format!("{}: {error}", from.display()))?;
        }
        let prepared = Self(folder);
        for words in &section.preparations {
            let outcome = run(prepared.0.path(), words)?;
            if outcome.status != Some(0) {
                return Err(format!("orrery {words}: {}", outcome.stderr).into());
            }
        }
        Ok(prepared)
    }

    /// The folder.
    pub fn path(&self) -> &Path {
        self.0.path()
    }

    /// The examples whose option changes nothing, and those that cannot be judged.
    pub fn failures(&self, section: &Section) -> Result<Vec<String>> {
        let mut failures = Vec::new();
        let mut known: BTreeMap<&str, Outcome> = BTreeMap::new();
        for example in &section.examples {
            let Example { option, without, with, is_random } = example;
            // These options are about the files of an earlier run.
            let repeats = matches!(option.as_str(), "force" | "resume" | "new-launch");
            if !known.contains_key(without.as_str()) {
                let outcome = self.outcome(without, false, *is_random)?;
                if few_or_all(false, true) && outcome != self.outcome(without, false, *is_random)? {
                    failures.push(format!("orrery {without}: the answer differs between two runs"));
                }
                failures.extend(self.failure_with_odd_names(without, outcome.status)?);
                known.insert(without, outcome);
            }
            let again;
            let before = if repeats {
                again = self.outcome(without, true, *is_random)?;
                &again
            } else {
                &known[without.as_str()]
            };
            let after = self.outcome(with, repeats, *is_random)?;
            let has_succeeded = |outcome: &Outcome| matches!(outcome.status, Some(0 | 3));
            if after == *before {
                failures.push(format!("orrery {with}: --{option} changes nothing"));
            } else if !has_succeeded(before) && !has_succeeded(&after) {
                failures.push(format!("orrery {without}: {}", before.stderr.trim_end()));
            } else if after.status != before.status && std::env::var("ORRERY_SHOW").is_ok() {
                eprintln!("orrery {with}: {:?} {}", after.status, after.stderr.trim_end());
            }
        }
        Ok(failures)
    }

    /// What is wrong with a command if the names of its files are no text and change the color of a
    /// terminal: another exit status, or such bytes in its output.
    fn failure_with_odd_names(&self, words: &str, status: Option<i32>) -> Result<Option<String>> {
        let folder = tempfile::tempdir()?;
        copy(self.0.path(), folder.path())?;
        let odd = |name: &[u8]| OsString::from_vec([b"\x1b[31m\xff", name].concat());
        let mut names = BTreeSet::new();
        for entry in fs::read_dir(folder.path())? {
            let name = entry?.file_name();
            fs::rename(folder.path().join(&name), folder.path().join(odd(name.as_bytes())))?;
            names.insert(name.into_vec());
        }
        let mut command = Command::new(env!("CARGO_BIN_EXE_orrery"));
        let mut is_output = false;
        for word in words.split_whitespace() {
            // A word may be a name, or contain one: sim:model.json,seed=1.
            let parts = word.as_bytes().split_inclusive(|byte| b":=,".contains(byte));
            let mut odd_word = Vec::new();
            for part in parts {
                let name = part.strip_suffix(b":").or(part.strip_suffix(b"=")).unwrap_or(part);
                let name = name.strip_suffix(b",").unwrap_or(name);
                if names.contains(name) || is_output {
                    odd_word.extend(odd(b"").as_bytes());
                }
                odd_word.extend(part);
            }
            command.arg(OsString::from_vec(odd_word));
            is_output = OUTPUTS.contains(&word);
        }
        command.current_dir(folder.path()).stdin(Stdio::null());
        let output = output::of(command)?;
        let stderr = String::from_utf8_lossy(&output.stderr);
        // Patterns of names, and names that describe the content.
        let has_meaning = words.contains('*') || words.contains("_ring_ompi_int32.csv");
        let is_raw = |text: &[u8]| text.contains(&0x1b);
        let words_of = |what: String| {
            Some(format!("orrery {words}: names of files that are no text: {what}: {stderr}"))
        };
        Ok(if output.status.code() != status && !has_meaning {
            words_of(format!("exit status {:?}, not {status:?}", output.status.code()))
        } else if is_raw(&output.stdout) || is_raw(&output.stderr) {
            words_of("a control character is printed".to_owned())
        } else {
            None
        })
    }

    /// The answer of a command in a copy of the folder, perhaps after an earlier run.
    fn outcome(&self, words: &str, has_run: bool, is_random: bool) -> Result<Outcome> {
        let folder = tempfile::tempdir()?;
        copy(self.0.path(), folder.path())?;
        if has_run {
            let flags = [" --force", " --resume", " --new-launch"];
            run(
                folder.path(),
                &flags.iter().fold(words.to_owned(), |w, flag| w.replace(flag, "")),
            )?;
        }
        let mut outcome = run(folder.path(), words)?;
        if is_random {
            // The number of rows is random, too.
            outcome.stdout = without_numbers(outcome.stdout.lines().next().unwrap_or_default());
            if outcome.status == Some(0) {
                // Warnings depend on the load of the host.
                outcome.stderr.clear();
            }
            outcome.stderr = without_numbers(&outcome.stderr);
            outcome.files.values_mut().for_each(|text| *text = without_numbers(text));
        }
        Ok(outcome)
    }
}

/// The completions for a shell.
pub fn completions(shell: &str) -> Result<String> {
    let folder = tempfile::tempdir()?;
    Ok(run(folder.path(), &format!("completions {shell}"))?.stdout)
}

/// Runs a command in a folder.
fn run(folder: &Path, words: &str) -> Result<Outcome> {
    let mut command = Command::new(env!("CARGO_BIN_EXE_orrery"));
    command.args(words.split_whitespace()).current_dir(folder).stdin(Stdio::null());
    command.env("COLUMNS", "200").env_remove("RUST_BACKTRACE");
    let output = output::of(command)?;
    let mut files = BTreeMap::new();
    collect(folder, folder, &mut files)?;
    let place = folder.display().to_string();
    let text = |content: &[u8]| {
        without_command(&String::from_utf8_lossy(content).replace(&place, ""), words)
    };
    Ok(Outcome {
        status: output.status.code(),
        stdout: text(&output.stdout),
        stderr: text(&output.stderr),
        files: files.into_iter().map(|(path, content)| (path, text(&content))).collect(),
    })
}

/// A text without the command line and the stopping rule that its provenance records: an option has
/// an effect on something else.
fn without_command(text: &str, words: &str) -> String {
    let is_record = |line: &str| {
        let entry = line.trim_start().trim_start_matches(['#', ' ', '"']);
        entry.starts_with("command") || entry.starts_with("precision")
    };
    let lines: Vec<&str> = text.lines().filter(|line| !is_record(line)).collect();
    lines.join("\n").replace(words, "")
}

/// The different lines of a text, whose numbers are replaced by one mark, units of times by seconds,
/// and runs of blanks by one.
fn without_numbers(text: &str) -> String {
    let is_number = |c: char| c.is_ascii_digit() || ".-+e–×".contains(c);
    let mut marked = String::new();
    for letter in text.chars() {
        let mark = if is_number(letter) { '#' } else { letter };
        if !(matches!(mark, '#' | ' ') && marked.ends_with(mark)) {
            marked.push(mark);
        }
    }
    for unit in ["ms", "µs", "ns"] {
        marked = marked.replace(&format!(" {unit}"), " s");
    }
    let lines: BTreeSet<&str> = marked.lines().collect();
    lines.into_iter().collect::<Vec<_>>().join("\n")
}

/// Reads the files of a folder and of those below it.
fn collect(folder: &Path, top: &Path, files: &mut BTreeMap<PathBuf, Vec<u8>>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            collect(&path, top, files)?;
        } else {
            let name = path.strip_prefix(top).unwrap_or(&path).to_owned();
            files.insert(name, fs::read(&path)?);
        }
    }
    Ok(())
}
