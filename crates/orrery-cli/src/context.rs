use std::fmt;

/// What every verb needs to know of the whole command.
#[derive(Debug, Clone, Copy)]
pub struct Context {
    /// Whether remarks and progress bars are unwanted.
    pub quiet: bool,
    /// The MPI job in which this process leads, when the command measures there.
    #[cfg(feature = "mpi")]
    pub job: Option<&'static orrery_mpi::Job>,
}

impl Context {
    /// The command, not in an MPI job so far.
    pub fn new(quiet: bool) -> Self {
        Self {
            quiet,
            #[cfg(feature = "mpi")]
            job: None,
        }
    }

    /// Says something to the person at the terminal.
    pub fn say(self, words: impl fmt::Display) {
        if !self.quiet {
            eprintln!("{words}");
        }
    }
}

/// Warns: also when remarks are unwanted.
pub fn warn(words: impl fmt::Display) {
    eprintln!("orrery: warning: {words}");
}

/// A command line whose parts do not go together: exit status 2.
#[derive(Debug)]
pub struct Usage(pub String);

impl fmt::Display for Usage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Usage {}

/// The words of the command line, as a shell would take them.
pub fn command_line() -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./:=,+%@".contains(c);
    let quote = |word: String| {
        if !word.is_empty() && word.chars().all(plain) { word } else { format!("'{}'", word.replace('\'', r"'\''")) }
    };
    let words = std::env::args().skip(1).map(quote);
    std::iter::once("orrery".to_owned()).chain(words).collect::<Vec<_>>().join(" ")
}
