//! Extreme values of all options: each command ends with exit status 0 to 3, within 1 GiB and 10 s
//! of processor time.
//!
//! Tasks go through all options of all verbs that have an example; the option gets an extreme value
//! in place of its own, and sometimes a second option does, too. `SOAK_SEED`, and `SOAK_FIRST=n
//! SOAK_INPUTS=1`, repeat a task.

use std::collections::BTreeMap;
use std::os::unix::process::ExitStatusExt as _;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};
use std::thread;

use rand::rngs::ChaCha8Rng;
use rand::seq::IndexedRandom as _;
use rand::{RngExt as _, SeedableRng as _};

use crate::copy::copy;
use crate::example::{Section, removed, sections};
use crate::outcome::{Prepared, Result};
use crate::{Options, options, output, valued_options};

/// The address space of a command in KiB.
const MEMORY_LIMIT: u64 = 1 << 20;

/// The processor time of a command in seconds; builds with checks are several times slower.
const TIME_LIMIT: u64 = if cfg!(debug_assertions) { 60 } else { 10 };

/// Verbs that measure or serve as long as they are told, or that run programs of others.
const WITHOUT_LIMITS: [&str; 7] = [
    "demo",
    "measure kernels",
    "monitor agent",
    "monitor serve",
    "scaling run",
    "trace run",
    "tune verify",
];

/// Options that print a text, and that wait for a machine that does not respond.
const UNCHANGED: [&str; 3] = ["help", "version", "time-limit"];

/// Values at the ends of types, of the wrong kind, and those that request much work.
const EXTREMES: &[&str] = &[
    "0",
    "-1",
    "1",
    "2147483648",
    "4294967295",
    "4294967296",
    "4294967297",
    "9223372036854775807",
    "9223372036854775808",
    "18446744073709551615",
    "18446744073709551616",
    "1e308",
    "-1e308",
    "1e309",
    "5e-324",
    "NaN",
    "inf",
    "-inf",
    "",
    "-0",
    "0.5",
    "1e-300",
    "100%",
    "1..10000:1",
    "1..100000:1",
    "1..99999:1",
    "1,2,4..64",
    "0..16E",
    "16E",
    "1G",
    "16G",
    "1K..16G",
    "1:1",
    "1..2..3",
    "5..1",
    "1:0",
    "1e9",
    "1e18",
    "10000000",
    "100000000",
    "4294967295x4294967295",
    "65536x65536",
    "1x1000000",
    "pipeline:1",
    "binary:1",
    "pipeline:1K",
    "knomial-4294967295:1",
    "chain-1:1",
    "all",
    "none",
    ",",
    ",,",
    "=",
    "a=",
    "=1",
    "n=1..100000:1",
    "x=1e308",
    "n=1e308",
    "µ☃",
    "\u{1b}[31m",
    "a\tb",
    "../..",
    "/dev/null",
    "/dev/zero",
    "/dev/urandom",
    ".",
    "-",
    "--",
    "1s",
    "1e20d",
    "365000d",
    "1e-9s",
    "0-4294967295",
    "0,1,2,3,4,5",
    "[1-1000000000]",
    "n[1-99999999]",
    "3/0",
    "1/4294967296",
    "sim:",
];

/// An extreme value.
fn value(rng: &mut ChaCha8Rng) -> String {
    match rng.random_range(0..20) {
        0 => "x".repeat(100_000),
        1 => "9".repeat(1000),
        2 => vec!["0"; 10_000].join(","),
        _ => (*EXTREMES.choose(rng).unwrap_or(&"")).to_owned(),
    }
}

/// Numbers in place of those in the value of an example.
const NUMBERS: [&str; 16] = [
    "0",
    "1",
    "2",
    "7",
    "64",
    "1000",
    "10000",
    "65536",
    "1000000",
    "2147483647",
    "4294967296",
    "1e9",
    "1e15",
    "18446744073709551615",
    "1e308",
    "0.5",
];

/// The value of an example with other numbers, or a list of ten thousand such values.
fn near(own: &str, rng: &mut ChaCha8Rng) -> String {
    let once = |rng: &mut ChaCha8Rng, draw: &dyn Fn(&mut ChaCha8Rng) -> String| {
        let (mut text, mut is_number) = (String::new(), false);
        for letter in own.chars() {
            if letter.is_ascii_digit() && !is_number {
                text += &draw(rng);
            } else if !letter.is_ascii_digit() {
                text.push(letter);
            }
            is_number = letter.is_ascii_digit();
        }
        text
    };
    if rng.random_bool(0.2) {
        let short = |rng: &mut ChaCha8Rng| rng.random_range(1..3000).to_string();
        let all: Vec<String> = (0..10_000).map(|_| once(rng, &short)).collect();
        return all.join(",").chars().take(120_000).collect();
    }
    once(rng, &|rng| (*NUMBERS.choose(rng).unwrap_or(&"0")).to_owned())
}

/// All options, those with a value, and the commands of the examples by verb: the number of the
/// section, and the words.
struct Commands {
    options: Options,
    valued: Options,
    of_verb: BTreeMap<String, Vec<(usize, Vec<String>)>>,
}

impl Commands {
    fn all(sections: &[Section]) -> Result<Self> {
        let (options, valued) = (options()?, valued_options()?);
        let mut of_verb: BTreeMap<String, Vec<(usize, Vec<String>)>> = BTreeMap::new();
        for (number, section) in sections.iter().enumerate() {
            for example in &section.examples {
                for words in [&example.without, &example.with] {
                    let words = words.split_whitespace().map(str::to_owned).collect();
                    of_verb.entry(example.verb(&options)).or_default().push((number, words));
                }
            }
        }
        of_verb.retain(|verb, _| {
            options.contains_key(verb) && !WITHOUT_LIMITS.contains(&verb.as_str())
        });
        Ok(Self { options, valued, of_verb })
    }

    /// All verbs with each of their options.
    fn pairs(&self) -> Vec<(&str, &str)> {
        let of = |verb: &'_ String| self.options[verb].iter().map(String::as_str);
        let all = self.of_verb.keys().flat_map(|verb| of(verb).map(move |one| (&**verb, one)));
        all.filter(|(_, option)| !UNCHANGED.contains(option)).collect()
    }

    /// A command with an extreme value of an option.
    fn with_extreme(
        &self,
        words: &[String],
        (verb, option): (&str, &str),
        rng: &mut ChaCha8Rng,
    ) -> Vec<String> {
        let name = format!("--{option}");
        let has_value = self.valued.get(verb).is_some_and(|valued| valued.contains(option));
        let own = || {
            let all = self.of_verb[verb].iter().map(|(_, words)| words.as_slice());
            std::iter::once(words).chain(all).find_map(|words| {
                words.get(words.iter().position(|word| *word == name)? + 1).cloned()
            })
        };
        let own = own().filter(|own| own.contains(|letter: char| letter.is_ascii_digit()));
        let mut words = removed(words, &name);
        words.push(match own.filter(|_| rng.random_bool(0.6)) {
            _ if !has_value => name,
            Some(own) => format!("{name}={}", near(&own, rng)),
            None => format!("{name}={}", value(rng)),
        });
        words
    }

    /// The section and the words of a task.
    fn task(&self, task: u64, pairs: &[(&str, &str)]) -> (usize, Vec<String>) {
        let mut rng = ChaCha8Rng::seed_from_u64(number("SOAK_SEED", 1));
        rng.set_stream(task);
        // A step without a common divisor visits all, and seldom a verb twice in a row.
        let (verb, option) = pairs[(task as usize * 7919) % pairs.len()];
        let (section, words) = &self.of_verb[verb][rng.random_range(0..self.of_verb[verb].len())];
        let mut words = self.with_extreme(words, (verb, option), &mut rng);
        if rng.random_bool(0.3) {
            let others: Vec<&(&str, &str)> = pairs
                .iter()
                .filter(|(own, other)| {
                    *own == verb && *other != option && !other.starts_with("max-")
                })
                .collect();
            if let Some(other) = others.choose(&mut rng) {
                words = self.with_extreme(&words, **other, &mut rng);
            }
        }
        (*section, words)
    }
}

/// Runs a command within the limits; what is wrong with its end.
fn failure(folder: &Path, words: &[String]) -> Result<Option<String>> {
    let limits = format!("ulimit -v {MEMORY_LIMIT}; ulimit -t {TIME_LIMIT}");
    let script = format!("{limits}; exec \"$0\" \"$@\"");
    let mut command = Command::new("sh");
    command.args(["-c", &script, env!("CARGO_BIN_EXE_orrery")]).args(words).current_dir(folder);
    // One thread, since each reserves address space.
    command.env("RAYON_NUM_THREADS", "1").env("RUST_BACKTRACE", "0").stdin(Stdio::null());
    let ended = output::of(command)?;
    // A campaign takes as long as its options say: only its memory is limited.
    let is_campaign = words.first().is_some_and(|verb| verb == "measure");
    let is_out_of_time = ended.status.signal() == Some(9);
    if matches!(ended.status.code(), Some(0..=3)) || is_campaign && is_out_of_time {
        return Ok(None);
    }
    let shown: Vec<String> = words.iter().map(|word| word.chars().take(80).collect()).collect();
    let stderr = String::from_utf8_lossy(&ended.stderr);
    let end: String = stderr.chars().take(400).collect();
    Ok(Some(format!("{}: orrery {}: {}", ended.status, shown.join(" "), end.trim_end())))
}

/// A number from the environment.
fn number(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}

/// Runs a part of the tasks, and fails with those that do not end as they must.
fn check(first: u64, count: u64) -> Result<()> {
    let sections = sections(include_str!("examples.txt"));
    let commands = Commands::all(&sections)?;
    let pairs = commands.pairs();
    assert!(pairs.len() > 400, "{} options have examples", pairs.len());
    let prepared: Vec<OnceLock<Option<Prepared>>> =
        sections.iter().map(|_| OnceLock::new()).collect();
    let (next, failures) = (AtomicU64::new(first), Mutex::new(Vec::new()));
    let one = |task: u64| -> Result<Option<String>> {
        let (section, words) = commands.task(task, &pairs);
        let files = prepared[section].get_or_init(|| Prepared::new(&sections[section]).ok());
        let files = files.as_ref().ok_or("the section has no files")?;
        let folder = tempfile::tempdir()?;
        copy(files.path(), folder.path())?;
        Ok(failure(folder.path(), &words)?.map(|end| format!("task {task}: {end}")))
    };
    thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                loop {
                    let task = next.fetch_add(1, Ordering::Relaxed);
                    if task >= first + count {
                        break;
                    }
                    let found = one(task).unwrap_or_else(|error| Some(format!("{task}: {error}")));
                    failures.lock().unwrap_or_else(PoisonError::into_inner).extend(found);
                }
            });
        }
    });
    let failures = failures.into_inner().unwrap_or_else(PoisonError::into_inner);
    assert!(failures.is_empty(), "\n{}\n", failures.join("\n"));
    Ok(())
}

#[test]
fn some_extreme_values_are_answered_or_refused() -> Result<()> {
    check(0, 100)
}

#[test]
#[ignore = "takes minutes, run by make soak"]
fn all_extreme_values_are_answered_or_refused() -> Result<()> {
    check(number("SOAK_FIRST", 0), number("SOAK_INPUTS", 5000))
}
