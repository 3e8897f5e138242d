//! What subcommands read: files or stdin, and those of their runs that meet conditions.

use std::io::Read as _;
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use orrery::run::{Filter, Run, Runs, file};

/// The name that stands for stdin.
const STDIN: &str = "-";

/// The content of a file or of stdin, and its name in messages.
pub fn content(path: &Path) -> anyhow::Result<(Vec<u8>, PathBuf)> {
    if path.as_os_str() == STDIN {
        let mut content = Vec::new();
        std::io::stdin().lock().read_to_end(&mut content).context("cannot read from stdin")?;
        return Ok((content, "stdin".into()));
    }
    let content = std::fs::read(path).with_context(|| format!("cannot read {}", path.display()))?;
    Ok((content, path.to_owned()))
}

/// The runs of a runs file that meet all conditions.
pub fn runs(path: &Path, conditions: &[Filter]) -> anyhow::Result<Runs> {
    let mut runs = if path.as_os_str() == STDIN {
        let (content, name) = content(path)?;
        file::parse(content, name)?
    } else {
        file::read(path)?
    };
    runs.runs = filtered(runs.runs, conditions)?;
    Ok(runs)
}

/// The runs that meet all conditions.
pub fn filtered(runs: Vec<Run>, conditions: &[Filter]) -> anyhow::Result<Vec<Run>> {
    Ok(conditions.iter().try_fold(runs, |runs, filter| filter.apply(runs))?)
}
