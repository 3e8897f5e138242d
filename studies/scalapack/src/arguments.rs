//! The options of the program.

use std::path::PathBuf;

use clap::Parser;

use crate::case::{Grid, Request, Routine, Size};
use crate::measurement::Plan;
use crate::output::Existing;

/// Measure routines of ScaLAPACK on the ranks of an MPI job.
///
/// All combinations of routines, variants, grids, sizes and blocks are measured. The time of a call
/// is the longest of its ranks from a common start. Each call has fresh operands, and its result is
/// checked.
#[derive(Debug, Parser)]
#[command(name = "orrery-scalapack", version, after_help = EXAMPLE, color = clap::ColorChoice::Never)]
pub(crate) struct Arguments {
    /// Write the times to this file, CSV in the format orrery-routines 1
    #[arg(short, long, value_name = "FILE", required_unless_present = "trace")]
    output: Option<PathBuf>,
    /// Measure these routines: pdgemm, pdtrsm, pdsyrk, pdgetrf, pdpotrf, pdgeqrf, pdgemr2d
    #[arg(long, value_name = "NAMES", value_delimiter = ',', default_value = "pdgemm")]
    routines: Vec<Routine>,
    /// Measure these variants: transpositions (nn, nt, tn, tt), side, triangle and transposition
    /// (lun), triangles (l, u), or all; by default the first one of each routine
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    variants: Vec<String>,
    /// Use these grids of processes, such as 1x4,2x2,4x1; a small grid has the first ranks.
    /// pdgemr2d copies between all pairs
    #[arg(long, value_name = "GRIDS", value_delimiter = ',', required = true)]
    grids: Vec<Grid>,
    /// Use these dimensions: a number for all, or three numbers for m, n and k, such as 512x64x512
    #[arg(long, value_name = "SIZES", value_delimiter = ',', required = true)]
    sizes: Vec<Size>,
    /// Distribute matrices in square blocks with this number of rows
    #[arg(long, value_name = "ROWS", value_delimiter = ',', default_value = "64", value_parser = clap::value_parser!(i32).range(1..=10_000))]
    block: Vec<i32>,
    /// Time this number of calls of each case; 0 with --trace only
    #[arg(long, value_name = "COUNT", default_value_t = 5, value_parser = clap::value_parser!(u32).range(..=1_000_000))]
    reps: u32,
    /// Make this number of calls before, which are not timed
    #[arg(long, value_name = "COUNT", default_value_t = 1, value_parser = clap::value_parser!(u32).range(..=1_000_000))]
    warm_up: u32,
    /// Record messages and kernels of one more call of each case, and write them to this file
    #[arg(long, value_name = "FILE")]
    trace: Option<PathBuf>,
    /// Add the times to an existing file, as those of another launch
    #[arg(long, conflicts_with = "force")]
    append: bool,
    /// Replace existing files
    #[arg(long)]
    force: bool,
}

/// What `--help` shows at its end.
const EXAMPLE: &str = "Example:\n  mpirun -n 4 orrery-scalapack -o routines.csv --routines \
    pdgemm,pdgetrf --grids 1x4,2x2,4x1 --sizes 256,512,1024";

impl Arguments {
    /// Checks what clap does not.
    ///
    /// # Errors
    ///
    /// When nothing would be written.
    pub fn check(&self) -> Result<(), String> {
        match (self.reps, &self.trace, &self.output) {
            (0, None, _) => Err("--reps must be above 0 without --trace".into()),
            (0, Some(_), Some(_)) => {
                Err("with --reps 0 there are no times; leave out --output".into())
            }
            (_, Some(trace), Some(output)) if trace == output => {
                Err("--output and --trace name the same file".into())
            }
            _ => Ok(()),
        }
    }

    /// What to measure.
    pub fn request(&self) -> Request {
        Request {
            routines: self.routines.clone(),
            variants: self.variants.clone(),
            grids: self.grids.clone(),
            sizes: self.sizes.clone(),
            blocks: self.block.clone(),
        }
    }

    /// How to measure.
    pub fn plan(&self) -> Plan {
        let repetitions = if self.output.is_some() { self.reps } else { 0 };
        Plan { repetitions, warm_up: self.warm_up, is_traced: self.trace.is_some() }
    }

    /// The file of times, and what happens to an existing one.
    pub fn output(&self) -> Option<(&PathBuf, Existing)> {
        let existing = match (self.append, self.force) {
            (true, _) => Existing::Append,
            (false, true) => Existing::Replace,
            (false, false) => Existing::Refuse,
        };
        self.output.as_ref().map(|path| (path, existing))
    }

    /// The trace, and whether an existing one is replaced.
    pub fn trace(&self) -> Option<(&PathBuf, bool)> {
        self.trace.as_ref().map(|path| (path, self.force))
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory as _;

    use super::*;

    #[test]
    fn options_are_consistent() {
        Arguments::command().debug_assert();
    }

    #[test]
    fn wrong_options_are_refused() {
        let parse = |options: &str| {
            let words = ["orrery-scalapack"].into_iter().chain(options.split_whitespace());
            let parsed = Arguments::try_parse_from(words).map_err(|error| error.to_string());
            parsed.and_then(|arguments| arguments.check())
        };
        assert_eq!(parse("-o x.csv --grids 2x2 --sizes 256"), Ok(()));
        for (options, expected) in [
            ("--grids 2x2 --sizes 256", "--output"),
            ("-o x.csv --grids 2x2 --sizes 0", "dimensions are 1 to"),
            ("-o x.csv --grids 0x2 --sizes 8", "a grid is ROWSxCOLUMNS"),
            ("-o x.csv --grids 2x2 --sizes 8 --block 0", "0 is not in 1..=10000"),
            ("-o x.csv --grids 2x2 --sizes 8 --routines dgemm", "the routines are pdgemm"),
            ("-o x.csv --grids 2x2 --sizes 8 --reps 0", "above 0 without --trace"),
            ("-o x.csv --trace x.csv --grids 2x2 --sizes 8", "the same file"),
            ("-o x.csv --grids 2x2 --sizes 8 --append --force", "cannot be used with"),
        ] {
            assert!(parse(options).is_err_and(|error| error.contains(expected)), "{options}");
        }
    }
}
