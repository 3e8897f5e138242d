use std::fmt;

use crate::run::{Run, variable};
use orrery_base::file;

/// Content that is derived from a file may be this many times as long, which bounds the memory.
const MAX_EXPANSION: usize = 64;

/// Derived content of this many bytes is always allowed.
const ALLOWED_BYTES: usize = 1 << 20;

/// The bytes that content derived from a file may have.
pub(super) fn budget(content: &[u8]) -> usize {
    content.len().saturating_mul(MAX_EXPANSION).saturating_add(ALLOWED_BYTES)
}

/// The content of a text; each run and each remark has the byte at which it begins.
#[derive(Debug, Default)]
pub(super) struct Parsed {
    pub(super) runs: Vec<(usize, Run)>,
    pub(super) remarks: Vec<(usize, RemarkKind)>,
}

/// Returns the known properties of a run for messages:
/// `WR11C2R4 of n = 9600, block = 64, p = 1, q = 4`.
pub(super) fn describe(run: &Run) -> String {
    let variables = variable::text(&run.variables);
    let names = [run.labels.get("variant").map(String::as_str), Some(run.region.as_str())];
    let names: Vec<_> = names.into_iter().flatten().filter(|name| !name.is_empty()).collect();
    match (names.is_empty(), variables.is_empty()) {
        (false, false) => format!("{} of {variables}", names.join(" ")),
        (true, false) => format!("of {variables}"),
        _ => names.join(" "),
    }
}

/// A remark on an imported text.
pub type Remark = file::Remark<RemarkKind>;

/// The content of a remark: the reason why a run is left out, or an assumption about it.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum RemarkKind {
    /// Runs on unknown processing elements.
    #[error(
        "the output does not name the processing elements, which choices among configurations need"
    )]
    NoElements,
    /// A profile whose name contains no parameters of the run.
    #[error(
        "a profile does not contain the parameters of its run, except for the number of processes"
    )]
    NoParameters,
    /// A remark that is not to be suppressed.
    #[error("{0}")]
    Warning(String),
    /// Any other remark.
    #[error("{0}")]
    Note(String),
}

impl RemarkKind {
    /// Returns true for a warning, which is not to be suppressed.
    pub fn is_warning(&self) -> bool {
        matches!(self, Self::Warning(_))
    }

    /// A remark that may be suppressed.
    pub(super) fn note(remark: impl fmt::Display) -> Self {
        Self::Note(remark.to_string())
    }

    /// Variables in the name of a profile.
    pub(super) fn named_variables(variables: &[(String, f64)]) -> Self {
        let names: Vec<&str> = variables.iter().map(|(name, _)| name.as_str()).collect();
        Self::note(format_args!("variables in the name of the profile: {}", names.join(", ")))
    }

    /// Times of 0 or less of a region and a metric.
    pub(super) fn unusable(count: usize, region: &str) -> Self {
        let (times, are) = if count == 1 { ("time", "is") } else { ("times", "are") };
        Self::note(format_args!(
            "{count} {times} of 0 s or less of {region} {are} left out; a time is above 0"
        ))
    }
}

/// The offsets of the lines of a text, for line numbers of many bytes.
pub(super) struct LineStarts {
    starts: Vec<usize>,
}

impl LineStarts {
    /// The offsets of the lines of a text.
    pub(super) fn new(text: &str) -> Self {
        Self {
            starts: std::iter::once(0)
                .chain(text.match_indices('\n').map(|(byte, _)| byte + 1))
                .collect(),
        }
    }

    /// The number of the line with a byte, from 1.
    pub(super) fn line(&self, byte: usize) -> usize {
        self.starts.partition_point(|&start| start <= byte)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_have_lines() {
        let text = "a\nµb\r\n\nc";
        let starts = LineStarts::new(text);
        assert_eq!([0, 2, 4, 7, text.len()].map(|byte| starts.line(byte)), [1, 2, 2, 3, 4]);
    }
}
