//! What the tests of the command share: running it in a folder of its own.

pub mod output;

use std::error::Error;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::{fs, io};

use tempfile::TempDir;

pub type Outcome = Result<(), Box<dyn Error>>;

/// Four processors, all parameters different; written by hand, so without intervals.
pub const LMO: &str = r#"{"format": "orrery-model", "version": 1, "models": {
  "lmo": {
    "fixed_delay": {"value": [2e-5, 2.5e-5, 4e-5, 3e-5]},
    "byte_delay": {"value": [1e-9, 2e-9, 3e-9, 4e-9]},
    "link_latency": {"value": [1e-5, 2e-5, 3e-5, 4e-5, 5e-5, 6e-5]},
    "link_byte_delay": {"value": [8e-9, 8.5e-9, 8e-8, 9e-9, 9.5e-9, 1e-8]}
  }
}}
"#;

/// A folder in which the command runs.
pub struct Folder(TempDir);

impl Folder {
    /// A folder that holds the model `truth.json`.
    pub fn new() -> Result<Self, Box<dyn Error>> {
        let folder = Self(tempfile::tempdir()?);
        folder.write("truth.json", LMO)?;
        Ok(folder)
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    pub fn write(&self, name: &str, content: impl AsRef<[u8]>) -> io::Result<()> {
        fs::write(self.path(name), content)
    }

    #[allow(dead_code, reason = "some tests read no text")]
    pub fn read(&self, name: &str) -> io::Result<String> {
        fs::read_to_string(self.path(name))
    }

    /// The command with these words, separated by blanks, not yet started.
    pub fn command(&self, words: &str) -> Command {
        let mut command = Command::new(program());
        command.args(words.split_whitespace()).current_dir(self.0.path()).stdin(Stdio::null());
        command.env_remove("COLUMNS").env_remove("RUST_BACKTRACE");
        command
    }

    /// Runs the command to its end.
    pub fn run(&self, words: &str) -> io::Result<Output> {
        output::of(self.command(words))
    }

    /// Runs the command, which must succeed; its stdout.
    pub fn done(&self, words: &str) -> Result<String, Box<dyn Error>> {
        let output = self.run(words)?;
        let (stdout, stderr) =
            (String::from_utf8(output.stdout)?, String::from_utf8_lossy(&output.stderr));
        assert!(output.status.success(), "orrery {words}: {}\n{stderr}", output.status);
        assert!(!stderr.contains("panicked"), "orrery {words}: {stderr}");
        Ok(stdout)
    }
}

fn program() -> &'static Path {
    Path::new(env!("CARGO_BIN_EXE_orrery"))
}
