use std::ffi::OsStr;
use std::fmt::{self, Write as _};
use std::os::unix::process::ExitStatusExt as _;
use std::process::{self, ExitStatus};
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
            printable::report(&words.to_string());
        }
    }
}

/// Prints a warning to stderr, also if remarks are suppressed.
pub fn warn(words: impl fmt::Display) {
    printable::report(&format!("orrery: warning: {words}"));
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

/// The end of a program that this command started; the exit status is the program's own.
#[derive(Debug)]
pub struct ProgramFailed {
    /// The name of the program.
    pub name: String,
    pub status: ExitStatus,
}

impl ProgramFailed {
    /// The exit status of a shell for such a program: 128 and the number of a signal.
    pub fn code(&self) -> u8 {
        let signal = || self.status.signal().map(|signal| 128 + signal);
        self.status.code().or_else(signal).and_then(|code| code.try_into().ok()).unwrap_or(1)
    }
}

impl fmt::Display for ProgramFailed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ended with {}", self.name, self.status)
    }
}

impl std::error::Error for ProgramFailed {}

/// A word quoted for a shell, if it needs to be; bytes that no text has are escaped for `printf`.
pub fn shell_word(word: impl AsRef<OsStr>) -> String {
    let word = word.as_ref();
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./:=,+%@".contains(c);
    let quoted = |text: &str| format!("'{}'", text.replace('\'', r"'\''"));
    match word.to_str() {
        Some(text) if !text.is_empty() && text.chars().all(plain) => text.to_owned(),
        Some(text) if !text.contains(char::is_control) => quoted(text),
        // A shell leaves out the line breaks at the end of what a command prints.
        Some(text) if text.ends_with('\n') => quoted(text),
        _ => format!("\"{}\"", printf(word)),
    }
}

/// The command of a shell that prints a word of any bytes.
fn printf(word: &OsStr) -> String {
    let mut format = String::new();
    for chunk in word.as_encoded_bytes().utf8_chunks() {
        for character in chunk.valid().chars() {
            match character {
                '%' => format.push_str("%%"),
                '\\' | '\'' | '"' | '$' | '`' => {
                    let _ = write!(format, "\\{:03o}", u32::from(character));
                }
                _ if character.is_control() => {
                    character.encode_utf8(&mut [0; 4]).bytes().for_each(|byte| {
                        let _ = write!(format, "\\{byte:03o}");
                    });
                }
                _ => format.push(character),
            }
        }
        chunk.invalid().iter().for_each(|byte| {
            let _ = write!(format, "\\{byte:03o}");
        });
    }
    format!("$(printf -- '{format}')")
}

/// The command line of this process, quoted for a shell.
pub fn command_line() -> String {
    let words = std::env::args_os().skip(1).map(shell_word);
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

#[cfg(test)]
mod tests {
    use std::os::unix::ffi::OsStrExt as _;
    use std::process::Command;

    use super::*;

    #[test]
    fn statuses_of_programs_are_those_of_a_shell() {
        for (raw, code) in [(7 << 8, 7), (255 << 8, 255), (9, 137), (11, 139), (0x8b, 139)] {
            let failed =
                ProgramFailed { name: "./app".to_owned(), status: ExitStatus::from_raw(raw) };
            assert_eq!(failed.code(), code, "{failed}");
            assert!(failed.to_string().starts_with("./app ended with "), "{failed}");
        }
    }

    #[test]
    fn words_for_a_shell_are_read_back() {
        for word in [
            &b"plain-1.csv"[..],
            b"two words",
            b"it's",
            b"",
            b"w\xff.csv",
            b"\x1b[31m",
            b"100%\\\"$HOME`\xfe'",
            "\u{e9} \u{b5}\x01".as_bytes(),
            "\u{9b}".as_bytes(),
            b"-x\xff",
            b"a\n",
        ] {
            let quoted = shell_word(OsStr::from_bytes(word));
            let output = Command::new("sh").arg("-c").arg(format!("printf %s {quoted}")).output();
            assert_eq!(output.unwrap().stdout, word, "{quoted}");
            assert!(word.ends_with(b"\n") || !quoted.contains(char::is_control), "{quoted}");
        }
    }
}
