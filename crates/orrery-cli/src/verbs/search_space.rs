//! Options of verbs that search configurations: process grids, block sizes, memory, and the values
//! of `--set`, which are numbers of variables and levels of categories.

use clap::{Args, ValueEnum};
use orrery::request::{RegionAtLevels, SearchRequest};
use orrery::scaling::Levels;
use orrery::scaling::search::Grids;

use super::whole_numbers::WholeNumbers;
use crate::context::Context;

/// Options for process grids, block sizes and memory.
#[derive(Debug, Clone, Args)]
pub struct SearchSpaceOptions {
    /// Process grids P×Q: all, flat (P ≤ Q), none, or a list such as 2x4,4x4 [default: all if the
    /// model was fitted to different grids, else none]
    #[arg(long, value_name = "GRIDS")]
    grid: Option<Grids>,
    /// Block sizes to choose from, if the model depends on the block size: 64,128
    #[arg(long, value_name = "LIST", allow_hyphen_values = true, value_parser = block_sizes)]
    block: Option<WholeNumbers>,
    /// Memory that processes need: matrix (of order n, distributed evenly) or none [default: matrix
    /// for models of dense solvers, else none]
    #[arg(long, value_enum)]
    memory: Option<MemoryNeed>,
    /// Memory needed in addition to the matrix, as a fraction of it [default: 0.1]
    #[arg(long, value_name = "FRACTION", value_parser = fraction)]
    memory_overhead: Option<f64>,
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

impl SearchSpaceOptions {
    /// The request for these options and the values of other variables and levels.
    pub fn request(&self, set: &[(String, String)]) -> SearchRequest {
        SearchRequest {
            set: set.to_vec(),
            grid: self.grid.clone(),
            block: self
                .block
                .iter()
                .flat_map(|list| list.0.iter().map(|&size| size as u32))
                .collect(),
            needs_matrix: self.memory.map(|need| need == MemoryNeed::Matrix),
            memory_overhead: self.memory_overhead,
        }
    }
}

/// Parses NAME=VALUE.
pub fn named(text: &str) -> Result<(String, String), String> {
    let (name, value) = text.split_once('=').ok_or("write NAME=VALUE, such as steps=100")?;
    Ok((name.trim().to_owned(), value.trim().to_owned()))
}

/// Reports the levels at which a model is used.
pub fn report_levels(context: Context, known: &RegionAtLevels) {
    let RegionAtLevels { levels, factor, has_run, .. } = known;
    if let Some(factor) = factor {
        let never = if *has_run { "" } else { "; no run has all of them" };
        context.say(format!("levels {}: {factor:.3} of the mean time{never}", levels_text(levels)));
    }
}

/// Levels as text: `broadcast = 2rM, depth = 1`.
pub fn levels_text(levels: &Levels) -> String {
    levels.iter().map(|(name, level)| format!("{name} = {level}")).collect::<Vec<_>>().join(", ")
}
