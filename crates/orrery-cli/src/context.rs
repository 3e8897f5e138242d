use std::fmt;
use std::process;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use orrery::sample::Provenance;

use crate::printable;

/// The settings of the command that apply to all verbs.
#[derive(Debug, Clone, Copy)]
pub struct Context {
    /// True if remarks and progress bars are suppressed.
    pub quiet: bool,
    /// The MPI job that this process leads, if the command measures there.
    #[cfg(feature = "mpi")]
    pub job: Option<&'static orrery_mpi::Job>,
}

impl Context {
    /// A context outside of an MPI job.
    pub fn new(quiet: bool) -> Self {
        Self {
            quiet,
            #[cfg(feature = "mpi")]
            job: None,
        }
    }

    /// Prints a remark to stderr, unless remarks are suppressed.
    pub fn say(self, words: impl fmt::Display) {
        if !self.quiet {
            eprintln!("{}", printable::message(&words.to_string()));
        }
    }
}

/// Prints a warning to stderr, also if remarks are suppressed.
pub fn warn(words: impl fmt::Display) {
    eprintln!("orrery: warning: {}", printable::message(&words.to_string()));
}

/// An error in the usage of the command line; the exit status is 2.
#[derive(Debug)]
pub struct Usage(pub String);

impl fmt::Display for Usage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Usage {}

/// The answer of a comparison that found a change; the exit status is 3 and nothing is printed
/// besides the result.
#[derive(Debug)]
pub struct Changed;

impl fmt::Display for Changed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("something changed")
    }
}

impl std::error::Error for Changed {}

/// A word quoted for a shell, if it needs to be.
pub fn shell_word(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./:=,+%@".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

/// The command line of this process, quoted for a shell.
pub fn command_line() -> String {
    let words = std::env::args().skip(1).map(|word| shell_word(&word));
    std::iter::once("orrery".to_owned()).chain(words).collect::<Vec<_>>().join(" ")
}

/// The provenance of a file that this process writes, with entries of what it is made of.
pub fn provenance(of: &Provenance) -> Provenance {
    let mut head =
        Provenance::new().with("orrery", env!("CARGO_PKG_VERSION")).with("command", command_line());
    let others = of.iter().filter(|(key, _)| !["orrery", "command"].contains(key));
    others.for_each(|(key, value)| head.set(key, value));
    head
}

/// A flag that the first Ctrl-C or termination signal sets; the second exits immediately.
pub fn interrupt_flag() -> anyhow::Result<Arc<AtomicBool>> {
    let flag = Arc::new(AtomicBool::new(false));
    let raised = Arc::clone(&flag);
    ctrlc::set_handler(move || {
        if raised.swap(true, Ordering::SeqCst) {
            process::exit(130);
        }
    })?;
    Ok(flag)
}
