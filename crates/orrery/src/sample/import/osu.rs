//! Output of the OSU micro-benchmarks: `# OSU MPI Scatter Latency Test v5.9`, names of columns, rows.

use super::Fault;
use super::quantity::Quantity;
use super::row::{Located, Row, iterations, microseconds, size};
use crate::file::Word;
use crate::schedule::CollectiveKind;

/// The name of the benchmark in a title line, without its `#`: `OSU MPI Latency Test v7.4`.
pub(super) fn title(line: &str) -> Option<&str> {
    let line = line.trim_start_matches(['#', ' ', '\t']).trim_end();
    (line.starts_with("OSU ") && line.contains(" Test")).then_some(line)
}

/// The quantity that a benchmark measures; `None` if samples cannot represent it (buffers on an accelerator among them:
/// MPI-CUDA).
pub(super) fn measured(title: &str) -> Option<Quantity> {
    let name = title.strip_prefix("OSU MPI ")?.split(" Test").next()?;
    Some(match name {
        "Latency" => Quantity::HALF_ROUND_TRIP,
        "Multi Latency" | "Multi-Pair Latency" => Quantity::HALF_ROUND_TRIP_OF_PAIRS,
        "Scatter Latency" => Quantity::collective(CollectiveKind::Scatter),
        "Gather Latency" => Quantity::collective(CollectiveKind::Gather),
        _ => return None,
    })
}

/// The numbers of the relevant fields.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Columns {
    time: usize,
    iterations: Option<usize>,
    /// True if the time of a collective operation is the mean over the ranks; the maximum is printed with `-f` only.
    pub(super) mean: bool,
}

impl Columns {
    /// Returns true if a line names columns.
    pub(super) fn are_named(line: &str) -> bool {
        let line = line.trim_start_matches(['#', ' ', '\t']);
        line.strip_prefix("Size").is_some_and(|rest| rest.starts_with([' ', '\t']))
    }

    /// Parses a line of column names: `# Size       Avg Latency(us)   Min Latency(us)   Max Latency(us)  Iterations`,
    /// with optional percentiles. A name is followed by its unit, with or without a blank.
    ///
    /// The time is the maximum over the ranks for collective operations, where it is printed, else the mean.
    pub(super) fn of(line: &str, collective: bool) -> Located<Self> {
        let start = line.find("Size").unwrap_or(0);
        let mut names: Vec<String> = Vec::new();
        for piece in line[start..].trim_start_matches("Size").split("(us)") {
            let mut name = piece.split_whitespace().peekable();
            // Names without unit precede a name with one.
            while let Some(word) = name.next_if(|word| word.starts_with("Iter") || word.starts_with("Valid")) {
                names.push(word.to_owned());
            }
            let name: Vec<_> = name.collect();
            if !name.is_empty() {
                names.push(name.join(" ").replace("Latency", "Lat"));
            }
        }
        // The size is the first field of a row.
        let place = |wanted: &str| names.iter().position(|name| name == wanted).map(|place| place + 1);
        let (max, mean) = (place("Max Lat"), place("Avg Lat").or(place("Lat")));
        let time = if collective { max.or(mean) } else { mean.or(max) };
        let time = time.ok_or((start, Fault::NoTime { wanted: "latency in microseconds" }))?;
        let iterations = names.iter().position(|name| name.starts_with("Iter")).map(|place| place + 1);
        Ok(Self { time, iterations, mean: collective && max.is_none() })
    }

    /// Parses a row of the table.
    pub(super) fn row(self, words: &[Word]) -> Located<Row> {
        let size = size(words[0])?;
        let seconds = microseconds(words, self.time, "latency")?;
        let iterations = self.iterations.map(|place| iterations(words, place, "iterations")).transpose()?;
        Ok(Row { size, seconds, iterations })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_of_all_versions_are_found() {
        for (line, time, iterations) in [
            ("# Size          Latency (us)", 1, None),
            ("# Size       Avg Latency(us)", 1, None),
            ("  Size       Avg Latency(us)   Min Latency(us)   Max Latency(us)  Iterations", 3, Some(4)),
            ("# Size       Avg Latency(us)   Min Latency(us)   Max Latency(us)  Iter", 3, Some(4)),
            ("# Size           Avg Lat(us)  P50 Tail Lat(us)  P90 Tail Lat(us)  P99 Tail Lat(us)", 1, None),
            ("# Size  Avg Lat(us) Min Lat(us) Max Lat(us) Iterations P50 Tail Lat(us) P90 Tail Lat(us)", 3, Some(4)),
            ("# Size          Latency (us)        Validation", 1, None),
        ] {
            assert!(Columns::are_named(line));
            assert_eq!(Columns::of(line, true), Ok(Columns { time, iterations, mean: time == 1 }), "{line}");
            assert_eq!(Columns::of(line, false), Ok(Columns { time: 1, iterations, mean: false }), "{line}");
        }
        assert_eq!(Columns::of("# Size      Bandwidth (MB/s)", false).unwrap_err().0, 2);
        assert!(!Columns::are_named("# Sizes are in bytes") && !Columns::are_named("# Datatype: MPI_CHAR."));
    }

    #[test]
    fn benchmarks_are_recognised_by_their_titles() {
        assert_eq!(title("# OSU MPI Latency Test v5.0"), Some("OSU MPI Latency Test v5.0"));
        assert_eq!(measured("OSU MPI Multi Latency Test v7.1"), Some(Quantity::HALF_ROUND_TRIP_OF_PAIRS));
        assert_eq!(measured("OSU MPI-CUDA Latency Test v7.0"), None);
        assert_eq!(measured("OSU MPI All-to-All Personalized Exchange Latency Test v7.3"), None);
        assert_eq!(title("# Datatype: MPI_CHAR."), None);
    }
}
