//! Options of verbs that search configurations: process grids, block sizes and memory.

use std::collections::BTreeMap;

use clap::{Args, ValueEnum};
use orrery::platform::Cluster;
use orrery::run::variable;
use orrery::scaling::search::{Grids, SearchSpace};
use orrery::scaling::{ExecutionTimeModel, TermFamily, TermModel};

use super::whole_numbers::WholeNumbers;
use crate::applies;
use crate::context::Usage;

/// Options for process grids, block sizes and memory.
#[derive(Debug, Clone, Args)]
pub struct SearchSpaceOptions {
    /// Process grids P×Q: all, flat (P ≤ Q), none, or a list such as 2x4,4x4 [default: all if the
    /// model was fitted to different grids, else none]
    #[arg(long, value_name = "GRIDS", value_parser = grids)]
    grid: Option<Grids>,
    /// Block sizes to choose from, if the model depends on the block size
    #[arg(long, value_name = "LIST", allow_hyphen_values = true, value_parser = block_sizes)]
    block: Option<WholeNumbers>,
    /// Memory that processes need: matrix (of order n, distributed evenly) or none [default: matrix
    /// for models of dense solvers, else none]
    #[arg(long, value_enum)]
    memory: Option<MemoryNeed>,
    /// Memory needed in addition to the matrix, as a fraction of it
    #[arg(long, value_name = "FRACTION", default_value_t = 0.1, value_parser = fraction)]
    memory_overhead: f64,
}

/// The values of `--memory`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum MemoryNeed {
    Matrix,
    None,
}

/// Parses a fraction that is finite and not negative.
fn fraction(text: &str) -> Result<f64, String> {
    let fraction =
        text.parse().ok().filter(|fraction: &f64| fraction.is_finite() && *fraction >= 0.0);
    fraction.ok_or_else(|| "write a fraction of 0 or more, such as 0.1".to_owned())
}

/// Parses block sizes of 1 or more.
fn block_sizes(text: &str) -> Result<WholeNumbers, String> {
    let sizes: WholeNumbers = text.parse()?;
    let is_valid = sizes.0.iter().all(|&size| (1..=u32::MAX.into()).contains(&size));
    is_valid.then_some(sizes).ok_or_else(|| "a block size is an integer of 1 or more".to_owned())
}

/// Parses process grids: all, flat, none or a list of grids.
fn grids(text: &str) -> Result<Grids, String> {
    let shape = |shape: &str| {
        let (rows, columns) = shape.trim().split_once(['x', '×'])?;
        let side = |text: &str| text.parse::<u32>().ok().filter(|side| *side > 0);
        Some((side(rows)?, side(columns)?))
    };
    match text {
        "all" => Ok(Grids::All),
        "flat" => Ok(Grids::Flat),
        "none" => Ok(Grids::None),
        _ => {
            let shapes: Option<Vec<_>> = text.split(',').map(shape).collect();
            shapes
                .map(Grids::Given)
                .ok_or_else(|| "write all, flat, none, or shapes such as 2x4,4x4".to_owned())
        }
    }
}

impl SearchSpaceOptions {
    /// The configurations of a cluster to choose from; `fixed` are the values of other variables.
    pub fn space<'a>(
        &self,
        model: &ExecutionTimeModel,
        cluster: &'a Cluster,
        fixed: BTreeMap<String, f64>,
    ) -> Result<SearchSpace<'a>, Usage> {
        let terms = model.as_terms();
        Ok(SearchSpace {
            kinds: cluster.kinds(),
            grids: self.grids(terms),
            blocks: self.blocks(terms)?,
            memory_overhead: self.memory_overhead(terms)?,
            fixed,
        })
    }

    /// The process grids to search: those given, else all if the model was fitted to different
    /// ones.
    fn grids(&self, model: Option<&TermModel>) -> Grids {
        let different = range(model, variable::GRID_ROWS).is_some_and(|(least, most)| least < most);
        self.grid.clone().unwrap_or(if different { Grids::All } else { Grids::None })
    }

    /// The block sizes to search: those given, else the only one that was measured.
    fn blocks(&self, model: Option<&TermModel>) -> Result<Vec<u32>, Usage> {
        let measured = range(model, variable::BLOCK_SIZE);
        if model.is_some() && measured.is_none() {
            applies::refuse(&["--block"], "models that do not depend on the block size")?;
        }
        match (&self.block, measured) {
            (Some(list), _) => Ok(list.0.iter().map(|&size| size as u32).collect()),
            (None, Some((least, most))) if least < most => Err(Usage(format!(
                "the model was fitted to block sizes from {least} to {most}; list those to choose \
                    from with --block"
            ))),
            (None, Some((least, _))) => Ok(vec![least as u32]),
            (None, None) => Ok(Vec::new()),
        }
    }

    /// The memory needed in addition to the matrix, as a fraction of it; `None` if memory is no
    /// limit.
    fn memory_overhead(&self, model: Option<&TermModel>) -> Result<Option<f64>, Usage> {
        let general = model.is_some_and(|model| model.family == TermFamily::General);
        let need =
            self.memory.unwrap_or(if general { MemoryNeed::None } else { MemoryNeed::Matrix });
        if need == MemoryNeed::None {
            applies::refuse(&["--memory-overhead"], "choices without a need of memory")?;
            return Ok(None);
        }
        Ok(Some(self.memory_overhead))
    }
}

/// The smallest and the largest measured value of a variable.
fn range(model: Option<&TermModel>, name: &str) -> Option<(f64, f64)> {
    model?.ranges.get(name).copied()
}
