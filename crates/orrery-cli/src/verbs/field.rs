//! Which layouts and how much memory are in question: options of all verbs that search configurations.

use clap::{Args, ValueEnum};
use orrery::run::variable;
use orrery::scaling::search::Grids;
use orrery::scaling::{TermFamily, TermModel};
use orrery::units::NumberList;

use crate::context::Usage;

/// Layouts and memory.
#[derive(Debug, Clone, Args)]
pub struct FieldOptions {
    /// Process grids: all, flat (P ≤ Q), none, or some such as 2x4,4x4 [default: all where the model was fitted to
    /// different grids, else none]
    #[arg(long, value_name = "GRIDS", value_parser = grids)]
    grid: Option<Grids>,
    /// Block sizes to choose from, where the model knows them
    #[arg(long, value_name = "LIST", allow_hyphen_values = true)]
    block: Option<NumberList>,
    /// What processes need of the memory of their hosts: the matrix of order n, dealt out evenly, or nothing
    /// [default: matrix for the terms of dense solvers, else none]
    #[arg(long, value_enum)]
    memory: Option<MemoryWord>,
    /// What is needed beside the matrix, as a part of it
    #[arg(long, value_name = "PART", default_value_t = 0.1, value_parser = part)]
    memory_overhead: f64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum MemoryWord {
    Matrix,
    None,
}

fn part(text: &str) -> Result<f64, String> {
    let part = text.parse().ok().filter(|part: &f64| part.is_finite() && *part >= 0.0);
    part.ok_or_else(|| "write a part, such as 0.1".to_owned())
}

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
            shapes.map(Grids::Given).ok_or_else(|| "write all, flat, none, or shapes such as 2x4,4x4".to_owned())
        }
    }
}

impl FieldOptions {
    /// The grids in question: those that were asked for, else all where the model was fitted to different ones.
    pub fn grids(&self, model: Option<&TermModel>) -> Grids {
        let different = range(model, variable::GRID_ROWS).is_some_and(|(least, most)| least < most);
        self.grid.clone().unwrap_or(if different { Grids::All } else { Grids::None })
    }

    /// The block sizes in question: those that were asked for, else the one that was measured.
    pub fn blocks(&self, model: Option<&TermModel>) -> Result<Vec<u32>, Usage> {
        let whole = |value: &f64| {
            let block = (value.fract().abs() < f64::EPSILON && *value >= 1.0).then_some(*value as u32);
            block.ok_or_else(|| Usage(format!("--block {value}: a block size is a whole number from 1")))
        };
        match (&self.block, range(model, variable::BLOCK_SIZE)) {
            (Some(list), _) => list.as_slice().iter().map(whole).collect(),
            (None, Some((least, most))) if least < most => Err(Usage(format!(
                "the model was fitted to block sizes from {least} to {most}; name those to choose from with --block"
            ))),
            (None, Some((least, _))) => Ok(vec![whole(&least)?]),
            (None, None) => Ok(Vec::new()),
        }
    }

    /// What is needed beside the matrix, as a part of it; nothing where memory is no limit.
    pub fn memory_overhead(&self, model: Option<&TermModel>) -> Option<f64> {
        let general = model.is_some_and(|model| model.family == TermFamily::General);
        let word = self.memory.unwrap_or(if general { MemoryWord::None } else { MemoryWord::Matrix });
        (word == MemoryWord::Matrix).then_some(self.memory_overhead)
    }
}

/// The smallest and the largest measured value of a variable.
fn range(model: Option<&TermModel>, name: &str) -> Option<(f64, f64)> {
    model?.ranges.get(name).copied()
}
