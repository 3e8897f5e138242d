//! Input of the subcommands: files or stdin, and the selection of runs.

use std::io::Read as _;
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use orrery::model::Model;
use orrery::request::RequestError;
use orrery::run::{Filter, Run, Runs, file};
use orrery::scaling::Application;

use crate::refusal;

/// The path that means stdin.
const STDIN: &str = "-";

/// Reads a file or stdin; returns the content and the name for messages.
pub fn content(path: &Path) -> anyhow::Result<(Vec<u8>, PathBuf)> {
    if path.as_os_str() == STDIN {
        let mut content = Vec::new();
        std::io::stdin().lock().read_to_end(&mut content).context("cannot read from stdin")?;
        return Ok((content, "stdin".into()));
    }
    let content = std::fs::read(path).with_context(|| format!("cannot read {}", path.display()))?;
    Ok((content, path.to_owned()))
}

/// Reads the runs of a runs file that meet all conditions.
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

/// The application model of a model file.
pub fn application<'a>(model: &'a Model, path: &Path) -> anyhow::Result<&'a Application> {
    let application = model.application.as_ref();
    application.ok_or_else(|| refusal::failure(RequestError::NoApplication, path))
}
