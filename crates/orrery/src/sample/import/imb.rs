//! Output of the Intel MPI Benchmarks: `# Benchmarking Scatter`, `# #processes = 4`, names of columns, rows.

use super::Fault;
use super::quantity::Quantity;
use super::row::{Located, Row, iterations, microseconds, size};
use crate::file::Word;
use crate::schedule::CollectiveKind;

/// The maximum number of processes.
const MAX_PROCESSES: usize = 1 << 20;

/// The name of the benchmark in a title line: `PingPong`.
pub(super) fn title(line: &str) -> Option<&str> {
    line.trim_start().strip_prefix("# Benchmarking ").map(str::trim).filter(|name| !name.is_empty())
}

/// The quantity that a benchmark measures; `None` if samples cannot represent it.
pub(super) fn measured(name: &str) -> Option<Quantity> {
    Some(match name.to_ascii_lowercase().as_str() {
        "pingpong" => Quantity::HALF_ROUND_TRIP,
        "pingping" => Quantity::EXCHANGE,
        "scatter" => Quantity::collective(CollectiveKind::Scatter),
        "gather" => Quantity::collective(CollectiveKind::Gather),
        _ => return None,
    })
}

/// The version in a header line: `Intel(R) MPI Benchmarks 2021.3, MPI-1 part`.
pub(super) fn version(line: &str) -> Option<&str> {
    let rest = line.trim_start_matches(['#', ' ']).strip_prefix("Intel")?;
    let version = rest.split_once("MPI Benchmark")?.1.trim_start_matches(['s', ' ']);
    let version = version.trim_start_matches("Suite ").trim_start_matches(['V', 'v', ' ']);
    let version = version.split([',', ' ']).next()?;
    version.starts_with(|c: char| c.is_ascii_digit()).then_some(version)
}

/// Returns true if the roots of collective operations change between iterations by default: before version 2018.
pub(super) fn roots_change(version: &str) -> bool {
    let major = version.split('.').next().and_then(|major| major.parse::<u32>().ok());
    major.is_some_and(|major| major < 2018)
}

/// The setting of changing roots in a line: the calling sequence with `-root_shift`.
pub(super) fn root_option(line: &str) -> Option<bool> {
    let after = line.split_once("-root_shift")?.1;
    Some(!after.split_whitespace().next().is_some_and(|word| ["off", "0", "disable", "no"].contains(&word)))
}

/// The number of processes: `# #processes = 4`.
pub(super) fn processes(line: &str) -> Option<usize> {
    let count = line.trim_start_matches(['#', ' ']).strip_prefix("processes = ")?.split_whitespace().next()?;
    count.parse().ok().filter(|count| (1..=MAX_PROCESSES).contains(count))
}

/// Returns true if a line announces several concurrent groups.
pub(super) fn several_groups(line: &str) -> bool {
    line.trim_start().starts_with('#') && line.contains(" groups of ") && line.contains("simultaneous")
}

/// Returns true if a row reports that its size was not measured.
pub(super) fn is_given_up(words: &[Word]) -> bool {
    words
        .iter()
        .any(|word| ["out-of-mem", "int-overflow", "time-out"].iter().any(|reason| word.text.starts_with(reason)))
}

/// The numbers of the relevant fields.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Columns {
    time: usize,
    iterations: Option<usize>,
}

impl Columns {
    /// Returns true if a line names columns.
    pub(super) fn are_named(line: &str) -> bool {
        line.trim_start().starts_with("#bytes")
    }

    /// Parses a line of column names: `#bytes #repetitions t[usec] Mbytes/sec`, or `t_min[usec] t_max[usec]
    /// t_avg[usec]`.
    pub(super) fn of(line: &str) -> Located<Self> {
        let names: Vec<&str> = line.split_whitespace().collect();
        let place = |wanted: &str| names.iter().position(|&name| name == wanted);
        let time = place("t_max[usec]").or(place("t[usec]"));
        let start = line.find('#').unwrap_or(0);
        let time = time.ok_or((start, Fault::NoTime { wanted: "time, t[usec] or t_max[usec]" }))?;
        Ok(Self { time, iterations: place("#repetitions") })
    }

    /// Parses a row of the table.
    pub(super) fn row(self, words: &[Word]) -> Located<Row> {
        let size = size(words[0])?;
        let seconds = microseconds(words, self.time, "t[usec]")?;
        let iterations = self.iterations.map(|place| iterations(words, place, "#repetitions")).transpose()?;
        Ok(Row { size, seconds, iterations })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn header_lines_are_parsed() {
        assert_eq!(version("#    Intel(R) MPI Benchmarks 2021.3, MPI-1 part"), Some("2021.3"));
        assert_eq!(version("#    Intel (R) MPI Benchmarks 4.0, MPI-1 part"), Some("4.0"));
        assert_eq!(version("#    Intel (R) MPI Benchmark Suite V3.1, MPI-1 part"), Some("3.1"));
        assert!(roots_change("4.0") && roots_change("2017") && !roots_change("2019.6"));
        assert_eq!(root_option("# IMB-MPI1 -root_shift on Scatter"), Some(true));
        assert_eq!(root_option("# IMB-MPI1 -root_shift off"), Some(false));
        assert_eq!(processes("# #processes = 2 "), Some(2));
        assert!(several_groups("# ( 2 groups of 2 processes each running simultaneous ) "));
    }
}
