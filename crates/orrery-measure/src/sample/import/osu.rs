//! Output of the OSU micro-benchmarks: `# OSU MPI Scatter Latency Test v5.9`, names of columns,
//! rows.

use super::quantity::Quantity;
use super::row::{Row, iterations, microseconds, no_time, size};
use orrery_base::file::{Result, Word};
use orrery_base::units::Bytes;
use orrery_program::schedule::CollectiveKind;

/// The name of the benchmark in a title line, without its `#`: `OSU MPI Latency Test v7.4`; `None`
/// for other lines.
pub(super) fn title(line: &str) -> Option<&str> {
    let line = line.trim_start_matches(['#', ' ', '\t']).trim_end();
    (line.starts_with("OSU ") && line.contains(" Test")).then_some(line)
}

/// The quantity that a benchmark measures; `None` if samples cannot represent it (buffers on an
/// accelerator among them: MPI-CUDA). Before version 4 the names of most collective operations
/// follow `OSU` without `MPI`.
///
/// Sizes are those of the vector of bcast, reduce, allreduce and reduce-scatter, and those of a
/// block of the others. Before version 7.1, which prints the data type, reductions combine floats.
/// Source: c/mpi/collective of the benchmarks.
pub(super) fn measured(title: &str) -> Option<Quantity> {
    let name = title.strip_prefix("OSU ")?.split(" Test").next()?;
    let kind = match name.strip_prefix("MPI ").unwrap_or(name) {
        "Latency" => return Some(Quantity::HALF_ROUND_TRIP),
        "Multi Latency" | "Multi-Pair Latency" => return Some(Quantity::HALF_ROUND_TRIP_OF_PAIRS),
        "Scatter Latency" => CollectiveKind::Scatter,
        "Gather Latency" => CollectiveKind::Gather,
        "Allgather Latency" => CollectiveKind::Allgather,
        "All-to-All Personalized Exchange Latency" => CollectiveKind::Alltoall,
        "Barrier Latency" => CollectiveKind::Barrier,
        "Broadcast Latency" => CollectiveKind::Broadcast,
        "Reduce Latency" => CollectiveKind::Reduce,
        "Allreduce Latency" => CollectiveKind::Allreduce,
        "Reduce_scatter_block Latency" => CollectiveKind::ReduceScatter,
        _ => return None,
    };
    let quantity = Quantity::collective(kind).of_elements(if kind.is_reduction() { 4 } else { 1 });
    Some(if kind == CollectiveKind::ReduceScatter { quantity.divided() } else { quantity })
}

/// Returns true if a benchmark calls `MPI_Reduce_scatter`.
pub(super) fn is_reduce_scatter(title: &str) -> bool {
    title.contains("Reduce_scatter Latency") && !title.contains("Non-blocking")
}

/// The data type that a line announces: `# Datatype: MPI_CHAR.`; `None` for other lines.
pub(super) fn datatype(line: &str) -> Option<&str> {
    Some(
        line.trim_start_matches(['#', ' ', '\t'])
            .strip_prefix("Datatype:")?
            .trim()
            .trim_end_matches('.'),
    )
}

/// The numbers of the relevant fields.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Columns {
    /// True if the first field is the size; barriers have none.
    is_sized: bool,
    time: usize,
    iterations: Option<usize>,
    /// True if the time of a collective operation is the mean over the ranks; the maximum is
    /// printed with `-f` only.
    pub(super) mean: bool,
    /// True if the data have a derived data type, whose bytes are another column.
    pub(super) is_derived: bool,
}

impl Columns {
    /// Returns true if a line names columns.
    pub(super) fn are_named(line: &str) -> bool {
        let line = line.trim_start_matches(['#', ' ', '\t']);
        line.strip_prefix("Size").is_some_and(|rest| rest.starts_with([' ', '\t']))
            || line.starts_with("Avg Lat")
    }

    /// Parses a line of column names:
    /// `# Size       Avg Latency(us)   Min Latency(us)   Max Latency(us)  Iterations`, with
    /// optional percentiles; of barriers without the size. A name is followed by its unit, with or
    /// without a blank.
    ///
    /// The time is the maximum over the ranks for collective operations, where it is printed, else
    /// the mean. Up to version 3.5 the only time is not a mean over the ranks, but read at the root
    /// when the last rank has answered, or at rank 0 in operations for which all ranks wait.
    pub(super) fn of(line: &str, collective: bool) -> Result<Self> {
        let start = line.len() - line.trim_start_matches(['#', ' ', '\t']).len();
        let sized = line[start..].strip_prefix("Size");
        let mut names: Vec<String> = Vec::new();
        for piece in sized.unwrap_or(&line[start..]).split("(us)") {
            let mut name = piece.split_whitespace().peekable();
            // Names without unit precede a name with one.
            while let Some(word) =
                name.next_if(|word| word.starts_with("Iter") || word.starts_with("Valid"))
            {
                names.push(word.to_owned());
            }
            let name: Vec<_> = name.collect();
            if !name.is_empty() {
                names.push(name.join(" ").replace("Latency", "Lat"));
            }
        }
        // The size is the first field of a row.
        let field = |position: usize| position + usize::from(sized.is_some());
        let place = |wanted: &str| names.iter().position(|name| name == wanted).map(field);
        let (max, mean, only) = (place("Max Lat"), place("Avg Lat"), place("Lat"));
        let time = if collective { max.or(mean).or(only) } else { mean.or(only).or(max) };
        let time = time.ok_or_else(|| no_time("latency in microseconds").at(start))?;
        let mean = collective && max.is_none() && mean.is_some();
        let iterations = names.iter().position(|name| name.starts_with("Iter")).map(field);
        let is_derived = place("Transmit Size").is_some();
        Ok(Self { is_sized: sized.is_some(), time, iterations, mean, is_derived })
    }

    /// Parses a row of the table.
    pub(super) fn row(self, words: &[Word]) -> Result<Row> {
        let size = if self.is_sized { size(words[0])? } else { Bytes::ZERO };
        let seconds = microseconds(words, self.time, "latency")?;
        let iterations =
            self.iterations.map(|place| iterations(words, place, "iterations")).transpose()?;
        Ok(Row { size, seconds, iterations })
    }
}

/// Returns true if the validation of a row failed.
pub(super) fn has_failed(words: &[Word]) -> bool {
    words.iter().any(|word| word.text == "Fail")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_of_all_versions_are_found() {
        for (line, time, iterations) in [
            ("# Size       Avg Latency(us)", 1, None),
            (
                "  Size       Avg Latency(us)   Min Latency(us)   Max Latency(us)  Iterations",
                3,
                Some(4),
            ),
            ("# Size       Avg Latency(us)   Min Latency(us)   Max Latency(us)  Iter", 3, Some(4)),
            (
                "# Size           Avg Lat(us)  P50 Tail Lat(us)  P90 Tail Lat(us)  P99 Tail \
                    Lat(us)",
                1,
                None,
            ),
            (
                "# Size  Avg Lat(us) Min Lat(us) Max Lat(us) Iterations P50 Tail Lat(us) P90 Tail \
                    Lat(us)",
                3,
                Some(4),
            ),
            (
                "# Size  Avg Latency(us) Min Latency(us) Max Latency(us) Iterations  Validation  \
                    P50 Tail Lat(us)",
                3,
                Some(4),
            ),
        ] {
            assert!(Columns::are_named(line));
            let expected =
                Columns { is_sized: true, time, iterations, mean: time == 1, is_derived: false };
            assert_eq!(Columns::of(line, true), Ok(expected), "{line}");
            assert_eq!(
                Columns::of(line, false),
                Ok(Columns { time: 1, mean: false, ..expected }),
                "{line}"
            );
        }
        let of = |line| Columns::of(line, true).unwrap();
        let columns = of("# Size          Latency (us)        Validation");
        assert_eq!(
            (columns.time, columns.mean),
            (1, false),
            "up to version 3.5 the root waits for the last rank"
        );
        let columns = of("# Avg Latency(us)   Min Latency(us)   Max Latency(us)  Iterations");
        assert_eq!(
            (columns.is_sized, columns.time, columns.iterations),
            (false, 2, Some(3)),
            "a barrier"
        );
        assert_eq!((of("# Avg Latency(us)").time, of("# Avg Latency(us)").mean), (0, true));
        assert!(of("# Size    Avg Latency(us)     Transmit Size").is_derived);
        assert_eq!(Columns::of("# Size      Bandwidth (MB/s)", false).unwrap_err().byte(), Some(2));
        assert!(
            !Columns::are_named("# Sizes are in bytes")
                && !Columns::are_named("# Datatype: MPI_CHAR.")
        );
    }

    #[test]
    fn benchmarks_are_recognised_by_their_titles() {
        let operation = |title| measured(title).and_then(Quantity::operation);
        assert_eq!(title("# OSU MPI Latency Test v5.0"), Some("OSU MPI Latency Test v5.0"));
        assert_eq!(title("# Datatype: MPI_CHAR."), None);
        assert_eq!(datatype("# Datatype: MPI_CHAR."), Some("MPI_CHAR"));
        assert_eq!(
            measured("OSU MPI Multi Latency Test v7.1"),
            Some(Quantity::HALF_ROUND_TRIP_OF_PAIRS)
        );
        assert_eq!(operation("OSU Broadcast Latency Test v3.6"), Some(CollectiveKind::Broadcast));
        assert_eq!(
            operation("OSU MPI All-to-All Personalized Exchange Latency Test v7.3"),
            Some(CollectiveKind::Alltoall)
        );
        assert!(is_reduce_scatter("OSU MPI Reduce_scatter Latency Test v7.4"));
        for other in [
            "OSU MPI-CUDA Latency Test v7.0",
            "OSU MPI Non-blocking Allreduce Latency Test v7.4",
            "OSU MPI Allgatherv Latency Test v7.4",
            "OSU MPI Broadcast Persistent Latency Test v7.4",
            "OSU MPI Neighborhood Allgather Latency Test v7.4",
            "OSU UPC++ Reduce Latency Test v5.3",
            "OSU MPI Reduce_scatter Latency Test v7.4",
        ] {
            assert_eq!(measured(other), None, "{other}");
        }
    }
}
