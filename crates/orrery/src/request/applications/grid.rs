use serde::{Deserialize, Serialize};

use super::routine::{or_block, routine_dimensions};
use super::{RequestError, check_answers, check_work, kinds};
use crate::grid::{ChosenGrids, GridChoice, choose_grid};
use crate::model::{Availability, KernelChoice, Model, ModelKind, left_out};
use crate::routine::{Routine, RoutineError};
use crate::units::Bytes;

/// The choice of the grid and the block with which a routine is fastest.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GridRequest {
    /// The routine.
    pub routine: Routine,
    /// The kinds of models of the communication; all for an empty list.
    #[serde(default)]
    pub models: Vec<ModelKind>,
    /// Transpositions, side and triangle; the first variant by default.
    pub variant: Option<String>,
    /// Rows of the result; n by default.
    #[serde(default)]
    pub m: Vec<u64>,
    /// Columns of the result.
    pub n: Vec<u64>,
    /// Products for each element of the result; n by default.
    #[serde(default)]
    pub k: Vec<u64>,
    /// The candidates for the rows and columns of a block; 64 by default.
    #[serde(default)]
    pub blocks: Vec<u64>,
    /// The candidates for the number of processes; 1 to all processors by default.
    #[serde(default)]
    pub procs: Vec<u64>,
    /// The memory of a process; that of the hosts, where the model has it, by default.
    pub memory: Option<Bytes>,
    /// Which of the models of the kernels are meant.
    #[serde(default)]
    pub kernels: KernelChoice,
    /// True to take hosts whose load is not known now, too; by default they are left out.
    #[serde(default)]
    pub unmonitored: bool,
    /// The number of grids that are returned, the fastest first.
    pub top: usize,
}

/// The least number of grids that are predicted by their programs, the best ones by closed forms:
/// the fastest of a few returned ones is the fastest of more.
const MIN_PREDICTED: usize = 12;

/// The operations of a choice, whose best grids are predicted.
pub(super) const OPERATIONS_PER_CHOICE: u64 = 10_000;

/// The operations of the estimate of a grid.
const OPERATIONS_PER_ESTIMATE: u64 = 10;

impl GridRequest {
    /// Returns the best grids for all combinations of the dimensions by each kind of model.
    ///
    /// # Errors
    ///
    /// When a dimension does not apply, when the routine has no such variant or the model fewer
    /// processors, when the load of no host is known, when a kernel has no model, or when the
    /// operands exceed the memory on all grids.
    pub fn answers(
        &self,
        model: &Model,
        availability: &Availability,
    ) -> Result<Vec<ChosenGrids>, RequestError> {
        let (kinds, routine) = (kinds(&self.models, model)?, self.routine);
        let candidates = availability.candidates(model, self.unmonitored);
        let valid = 1..=candidates.processors.len() as u64;
        if valid.is_empty() && model.processors() > 0 {
            let reason = format!("no host is left; {}", left_out(&candidates.excluded));
            return Err(RequestError::failed_with(reason, "unmonitored", None));
        }
        if let Some(wrong) = self.procs.iter().find(|procs| !valid.contains(procs)) {
            let mut reason = format!("valid numbers of processes are 1 to {}", valid.end());
            if *valid.end() < model.processors() as u64 {
                reason = format!("{reason}; {}", left_out(&candidates.excluded));
            }
            return Err(RequestError::invalid("procs", wrong, reason));
        }
        let procs = if self.procs.is_empty() { valid.collect() } else { self.procs.clone() };
        let choice = GridChoice {
            routine,
            variant: self.variant()?,
            dimensions: [0; 3],
            processes: procs.into_iter().map(|procs| procs as u32).collect(),
            blocks: or_block(&self.blocks),
            memory: self.memory,
            kernels: self.kernels.clone(),
            availability: availability.clone(),
            unmonitored: self.unmonitored,
            predicted: self.top.max(MIN_PREDICTED),
        };
        let dimensions = routine_dimensions(routine, [&self.m, &self.n, &self.k])?;
        check_answers([dimensions.len(), kinds.len()], "choice", OPERATIONS_PER_CHOICE)?;
        let lengths = [dimensions.len(), kinds.len(), choice.processes.len(), choice.blocks.len()];
        let estimates = lengths.into_iter().fold(1_u64, |all, one| all.saturating_mul(one as u64));
        check_work(estimates, "estimate", OPERATIONS_PER_ESTIMATE)?;
        let mut all = Vec::new();
        for dimensions in dimensions {
            let choice = GridChoice { dimensions, ..choice.clone() };
            for &kind in &kinds {
                let mut chosen = choose_grid(model, kind, &choice)?;
                chosen.best.truncate(self.top.max(1));
                if chosen.best.is_empty() {
                    return Err(RequestError::ExceedsMemory { limit: self.memory });
                }
                all.push(chosen);
            }
        }
        Ok(all)
    }

    /// The variant of the routine.
    fn variant(&self) -> Result<&'static str, RequestError> {
        let (routine, known) = (self.routine, self.routine.kind.variants());
        let variant = self.variant.as_deref().unwrap_or(known[0]);
        let found = known.iter().find(|one| **one == variant).copied();
        found.ok_or_else(|| {
            let (variant, known) = (variant.to_owned(), known.join(", "));
            RoutineError::Variant { routine, variant, known }.into()
        })
    }
}
