//! Recovery of the readings of a campaign after another program has changed its file.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use anyhow::anyhow;
use orrery::file::FileError;

/// The error of a campaign that writes to the file at `path`.
///
/// If another program has changed the file, `write` writes all of `readings`, such as
/// `20 readings`, to a new file beside it or in the folder of temporary files, and the error names
/// that file. Other errors are returned as they are.
pub fn rescue(
    error: anyhow::Error,
    path: &Path,
    readings: &str,
    write: impl Fn(&Path) -> anyhow::Result<()>,
) -> anyhow::Error {
    let is_change =
        error.chain().any(|cause| matches!(cause.downcast_ref(), Some(FileError::Changed { .. })));
    if !is_change {
        return error;
    }
    // The folder may be gone, too.
    let elsewhere = std::env::temp_dir().join(path.file_name().unwrap_or_default());
    let mut failure = None;
    for name in [free_name(path), free_name(&elsewhere)] {
        let file = name.display();
        match write(&name) {
            Ok(()) => {
                return anyhow!(
                    "{error:#}; all {readings} are in {file}, continue with -o {file} --resume"
                );
            }
            Err(other) => failure = Some(other),
        }
    }
    let failure = failure.map(|other| format!(": {other:#}")).unwrap_or_default();
    anyhow!("{error:#}; its {readings} cannot be written to another file{failure}")
}

/// A name that no file has: `samples.recovered-1.csv` for `samples.csv`.
fn free_name(path: &Path) -> PathBuf {
    let name = |number: u32| {
        let mut name = OsString::from(path.file_stem().unwrap_or_default());
        name.push(format!(".recovered-{number}"));
        if let Some(extension) = path.extension() {
            name.push(".");
            name.push(extension);
        }
        path.with_file_name(name)
    };
    let mut names = (1..).map(name);
    names.find(|name| name.symlink_metadata().is_err()).unwrap_or_else(|| name(0))
}
