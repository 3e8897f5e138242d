//! Series from files and from stdin.

use std::io::Read as _;
use std::path::Path;

use anyhow::{Context as _, anyhow};
use orrery::forecast::{ReadSeries, SeriesSelection, read};

use crate::context::warn;
use crate::hand_written;
use crate::output::counted;

/// The name of stdin on the command line.
const STDIN: &str = "-";

/// A series with the name of its file.
#[derive(Debug)]
pub struct Input {
    /// The name of the file, `stdin` for stdin.
    pub file: String,
    /// The name of the series: that of the file without its extension, and the column if the user
    /// named it.
    pub name: String,
    /// The series.
    pub read: ReadSeries,
}

/// Reads a series; warns of samples that are not in order or without a value.
pub fn load(path: &Path, selection: &SeriesSelection) -> anyhow::Result<Input> {
    let (file, text) = if path.as_os_str() == STDIN {
        let mut text = String::new();
        std::io::stdin()
            .read_to_string(&mut text)
            .context("stdin: cannot read the series; check that it is text")?;
        hand_written::check_end(Path::new("stdin"), text.as_bytes());
        ("stdin".to_owned(), text)
    } else {
        let file = path.display().to_string();
        let text = hand_written::read(path).with_context(|| {
            format!("{file}: cannot read the series; check its name, and that it is text")
        })?;
        (file, text)
    };
    let read = read(&text, selection).map_err(|error| anyhow!("{file}:{error}"))?;
    if read.series.values().is_empty() {
        return Err(anyhow!(
            "{file}: the series has no samples; add a line such as 2014-02-14 14:30:00,0.5"
        ));
    }
    if read.were_reordered {
        warn(format_args!("{file}: times decrease in the file: samples are sorted by time"));
    }
    if read.missing > 0 {
        let samples = counted(read.missing as u64, "sample");
        warn(format_args!("{file}: left out: {samples} without a value"));
    }
    let stem = path
        .file_stem()
        .filter(|_| path.as_os_str() != STDIN)
        .map(|stem| stem.to_string_lossy().into_owned());
    let name = stem.unwrap_or_else(|| file.clone());
    let name = if selection.value.is_some() { format!("{name} {}", read.name) } else { name };
    Ok(Input { file, name, read })
}
