//! Output of the Intel MPI Benchmarks: `# Benchmarking Scatter`, `# #processes = 4`, names of
//! columns, rows.

use super::quantity::Quantity;
use super::row::{Row, element, iterations, microseconds, no_time, size};
use orrery_base::file::{Result, Word};
use orrery_base::units::Bytes;
use orrery_program::schedule::CollectiveKind;

/// The maximum number of processes.
const MAX_PROCESSES: usize = 1 << 20;

/// The name of the benchmark in a title line such as `# Benchmarking PingPong`; `None` for other
/// lines.
pub(super) fn title(line: &str) -> Option<&str> {
    line.trim_start().strip_prefix("# Benchmarking ").map(str::trim).filter(|name| !name.is_empty())
}

/// The quantity that a benchmark measures; `None` if samples cannot represent it.
///
/// Sizes are those of the vector of bcast, reduce and allreduce, and those of a block of the
/// others. Source: src_c of the benchmarks.
pub(super) fn measured(name: &str) -> Option<Quantity> {
    let kind = match name.to_ascii_lowercase().as_str() {
        "pingpong" => return Some(Quantity::HALF_ROUND_TRIP),
        "pingping" => return Some(Quantity::EXCHANGE),
        "scatter" => CollectiveKind::Scatter,
        "gather" => CollectiveKind::Gather,
        "allgather" => CollectiveKind::Allgather,
        "alltoall" => CollectiveKind::Alltoall,
        "barrier" => CollectiveKind::Barrier,
        "bcast" => CollectiveKind::Broadcast,
        "reduce" => CollectiveKind::Reduce,
        "allreduce" => CollectiveKind::Allreduce,
        "reduce_scatter_block" => CollectiveKind::ReduceScatter,
        _ => return None,
    };
    Some(Quantity::collective(kind))
}

/// Returns true if a benchmark calls `MPI_Reduce_scatter`.
pub(super) fn is_reduce_scatter(name: &str) -> bool {
    name.eq_ignore_ascii_case("reduce_scatter")
}

/// What the header of a run says of all its benchmarks.
#[derive(Debug, Clone, Default)]
pub(super) struct Settings {
    pub(super) version: String,
    /// True if the roots of collective operations change between iterations.
    pub(super) roots_change: bool,
    /// True if no barrier is between the calls of collective operations.
    pub(super) is_unsynchronised: bool,
    /// True if the buffers are on an accelerator.
    pub(super) on_accelerator: bool,
    /// The data type of reductions; empty if it is not printed.
    reduction_type: String,
}

impl Settings {
    /// Updates the settings by a line of the header.
    ///
    /// By default roots change and no barrier is between calls before version 2017; options of the
    /// calling sequence set both from version 4.1 on. Source: ReadMe_IMB.txt.
    pub(super) fn update(&mut self, line: &str) {
        if let Some(version) = version(line) {
            let major = version.split('.').next().and_then(|major| major.parse::<u32>().ok());
            let is_old = major.is_some_and(|major| major < 2017);
            let on_accelerator = line.trim_end().ends_with("(GPU)");
            *self = Self {
                version: version.to_owned(),
                roots_change: is_old,
                is_unsynchronised: is_old,
                on_accelerator,
                reduction_type: String::new(),
            };
        }
        if let Some(is_on) = option(line, "-root_shift") {
            self.roots_change = is_on;
        }
        if let Some(is_on) = option(line, "-sync") {
            self.is_unsynchronised = !is_on;
        }
        if let Some((_, name)) = line
            .split_once("MPI_Datatype for reductions")
            .and_then(|(_, rest)| rest.split_once(':'))
        {
            name.trim().clone_into(&mut self.reduction_type);
        }
    }

    /// The bytes of an element of reductions; 4 if its type is unknown.
    pub(super) fn reduction_element(&self) -> u64 {
        element(&self.reduction_type).unwrap_or(4)
    }
}

/// The version in a header line such as `Intel(R) MPI Benchmarks 2021.3, MPI-1 part`; `None` for
/// other lines.
fn version(line: &str) -> Option<&str> {
    let rest = line.trim_start_matches(['#', ' ']).strip_prefix("Intel")?;
    let version = rest.split_once("MPI Benchmark")?.1.trim_start_matches(['s', ' ']);
    let version = version.trim_start_matches("Suite ").trim_start_matches(['V', 'v', ' ']);
    let version = version.split([',', ' ']).next()?;
    version.starts_with(|c: char| c.is_ascii_digit()).then_some(version)
}

/// The value of an option in a line of the calling sequence: false for `off`, `0`, `disable` and
/// `no`, otherwise true; `None` if the line does not have it.
fn option(line: &str, name: &str) -> Option<bool> {
    let mut words = line.split_whitespace();
    words.find(|word| *word == name)?;
    Some(!words.next().is_some_and(|word| ["off", "0", "disable", "no"].contains(&word)))
}

/// The number of processes in a line such as `# #processes = 4`; `None` for other lines.
pub(super) fn processes(line: &str) -> Option<usize> {
    let count = line
        .trim_start_matches(['#', ' '])
        .strip_prefix("processes = ")?
        .split_whitespace()
        .next()?;
    count.parse().ok().filter(|count| (1..=MAX_PROCESSES).contains(count))
}

/// Returns true if a line announces several concurrent groups.
pub(super) fn several_groups(line: &str) -> bool {
    line.trim_start().starts_with('#')
        && line.contains(" groups of ")
        && line.contains("simultaneous")
}

/// Returns true if a row reports that its size was not measured.
pub(super) fn is_given_up(words: &[Word]) -> bool {
    words.iter().any(|word| {
        ["out-of-mem", "int-overflow", "time-out"]
            .iter()
            .any(|reason| word.text.starts_with(reason))
    })
}

/// The numbers of the relevant fields.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Columns {
    /// True if the first field is the size; barriers have none.
    is_sized: bool,
    time: usize,
    iterations: Option<usize>,
}

impl Columns {
    /// Returns true if a line names columns.
    pub(super) fn are_named(line: &str) -> bool {
        ["#bytes", "#repetitions"].iter().any(|name| line.trim_start().starts_with(name))
    }

    /// Parses a line of column names: `#bytes #repetitions t[usec] Mbytes/sec`, or
    /// `t_min[usec] t_max[usec] t_avg[usec]`; of barriers without `#bytes`.
    pub(super) fn of(line: &str) -> Result<Self> {
        let names: Vec<&str> = line.split_whitespace().collect();
        let place = |wanted: &str| names.iter().position(|&name| name == wanted);
        let time = place("t_max[usec]").or(place("t[usec]"));
        let start = line.find('#').unwrap_or(0);
        let time = time.ok_or_else(|| no_time("time, t[usec] or t_max[usec]").at(start))?;
        Ok(Self {
            is_sized: names.first() == Some(&"#bytes"),
            time,
            iterations: place("#repetitions"),
        })
    }

    /// Parses a row of the table.
    pub(super) fn row(self, words: &[Word]) -> Result<Row> {
        let size = if self.is_sized { size(words[0])? } else { Bytes::ZERO };
        let seconds = microseconds(words, self.time, "t[usec]")?;
        let iterations =
            self.iterations.map(|place| iterations(words, place, "#repetitions")).transpose()?;
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
        assert_eq!(option("# IMB-MPI1 -root_shift on Scatter", "-root_shift"), Some(true));
        assert_eq!(option("# IMB-MPI1 -sync off", "-sync"), Some(false));
        assert_eq!(option("# /home/me-sync/IMB-MPI1", "-sync"), None);
        assert_eq!(processes("# #processes = 2 "), Some(2));
        assert!(several_groups("# ( 2 groups of 2 processes each running simultaneous ) "));
    }

    #[test]
    fn defaults_depend_on_the_version() {
        let of = |lines: &[&str]| {
            let mut settings = Settings::default();
            lines.iter().for_each(|line| settings.update(line));
            (
                settings.roots_change,
                settings.is_unsynchronised,
                settings.on_accelerator,
                settings.reduction_element(),
            )
        };
        assert_eq!(
            of(&["#    Intel (R) MPI Benchmarks 4.1 Update 1, MPI-1 part"]),
            (true, true, false, 4)
        );
        assert_eq!(
            of(&["#    Intel (R) MPI Benchmarks 2017, MPI-1 part"]),
            (false, false, false, 4)
        );
        let gpu =
            ["#    Intel(R) MPI Benchmarks 2021.11, MPI-1 part (GPU)", "# IMB-MPI1-GPU -sync off"];
        assert_eq!(of(&gpu), (false, true, true, 4));
        assert_eq!(
            of(&["# MPI_Datatype for reductions    :   MPI_DOUBLE "]),
            (false, false, false, 8)
        );
    }

    #[test]
    fn columns_of_barriers_have_no_size() {
        let columns = Columns::of(" #repetitions  t_min[usec]  t_max[usec]  t_avg[usec]");
        assert_eq!(columns, Ok(Columns { is_sized: false, time: 2, iterations: Some(0) }));
        assert_eq!(
            measured("Reduce_scatter"),
            None,
            "its blocks may be unequal, and it is another function of MPI"
        );
    }
}
