use serde::{Deserialize, Serialize};

use super::grid::OPERATIONS_PER_CHOICE;
use super::routine::routine_dimensions;
use super::{RequestError, check_answers, kinds};
use crate::grid::{PlacedMatrix, PlanChoice, Plans, choose_plan};
use crate::model::{Availability, KernelChoice, Model, ModelKind};
use crate::platform::Processor;
use crate::routine::{Grid, Routine, RoutineKind};
use crate::units::Bytes;

/// The choice of the processors on which two matrices on different grids are multiplied.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PlanRequest {
    /// The product.
    pub routine: Routine,
    /// The kinds of models of the communication; all for an empty list.
    #[serde(default)]
    pub models: Vec<ModelKind>,
    /// Rows of the result; n by default.
    #[serde(default)]
    pub m: Vec<u64>,
    /// Columns of the result.
    pub n: Vec<u64>,
    /// Products for each element of the result; n by default.
    #[serde(default)]
    pub k: Vec<u64>,
    /// Rows and columns of a block.
    pub block: u64,
    /// The grid of the first operand.
    pub a: [u32; 2],
    /// The grid of the second operand.
    pub b: [u32; 2],
    /// The first processor of the grid of the first operand.
    #[serde(default)]
    pub a_from: u32,
    /// The first processor of the grid of the second operand; the one after the first grid by
    /// default.
    pub b_from: Option<u32>,
    /// The memory of a process; that of the hosts, where the model has it, by default.
    pub memory: Option<Bytes>,
    /// Which of the models of the kernels are meant.
    #[serde(default)]
    pub kernels: KernelChoice,
}

impl PlanRequest {
    /// Returns the plans for all combinations of the dimensions by each kind of model.
    ///
    /// # Errors
    ///
    /// When the routine is no product, when the model does not have the processors, when the grids
    /// have processors in common, when a kernel has no model, or when the operands exceed the
    /// memory in all plans.
    pub fn answers(
        &self,
        model: &Model,
        availability: &Availability,
    ) -> Result<Vec<Plans>, RequestError> {
        let (routine, memory, processors) = (self.routine, self.memory, model.processors());
        if routine.kind != RoutineKind::Gemm {
            let reason = "plans are for products, such as pdgemm";
            return Err(RequestError::invalid("routine", routine, reason));
        }
        let kinds = kinds(&self.models, model)?;
        let a = self.matrix("a", self.a, self.a_from, processors)?;
        let after = self.a_from.saturating_add(a.processors.len() as u32);
        let b = self.matrix("b", self.b, self.b_from.unwrap_or(after), processors)?;
        if a.processors.iter().any(|processor| b.processors.contains(processor)) {
            let reason = "the grids of both operands have processors in common; choose another";
            return Err(RequestError::invalid("b_from", b.processors[0], reason));
        }
        let (kernels, availability) = (self.kernels.clone(), availability.clone());
        let choice =
            PlanChoice { routine, dimensions: [0; 3], a, b, memory, kernels, availability };
        let dimensions = routine_dimensions(routine, [&self.m, &self.n, &self.k])?;
        check_answers([dimensions.len(), kinds.len()], "choice", OPERATIONS_PER_CHOICE)?;
        let mut all = Vec::new();
        for dimensions in dimensions {
            let choice = PlanChoice { dimensions, ..choice.clone() };
            for &kind in &kinds {
                let found = choose_plan(model, kind, &choice)?;
                if found.plans.is_empty() {
                    return Err(RequestError::ExceedsMemory { limit: memory });
                }
                all.push(found);
            }
        }
        Ok(all)
    }

    /// A matrix on successive processors, `from` being the first one; an error if the model does
    /// not have as many. `field` is the field of the grid.
    fn matrix(
        &self,
        field: &'static str,
        [rows, columns]: [u32; 2],
        from: u32,
        processors: usize,
    ) -> Result<PlacedMatrix, RequestError> {
        let grid = Grid { rows, columns, block: self.block };
        let end = u64::from(from).saturating_add(grid.processes());
        if end > processors as u64 {
            let reason = format!(
                "from processor {from} on, it exceeds the {processors} processors of the model; \
                    give a smaller one"
            );
            return Err(RequestError::invalid(field, grid, reason));
        }
        Ok(PlacedMatrix { grid, processors: (from..end as u32).map(Processor).collect() })
    }
}
