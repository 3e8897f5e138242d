use serde::{Deserialize, Serialize};

use super::{RequestError, check_answers, check_rank, kinds, request_of};
use crate::budget::Budget;
use crate::model::{
    Availability, KernelChoice, Model, ModelKind, RoutinePrediction, RoutinePredictor, RoutineShare,
};
use crate::platform::{Placement, Processor};
use crate::request::algorithms::words;
use crate::routine::{Grid, Routine, RoutineCall, RoutineCollectives, RoutineProgram};
use crate::schedule::{Algorithm, CollectiveKind};

/// The times of calls of a parallel routine: all combinations of the grids, blocks and dimensions.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RoutineRequest {
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
    /// Grids of processes, rows by columns.
    pub grids: Vec<[u32; 2]>,
    /// Rows and columns of a block; 64 by default.
    #[serde(default)]
    pub blocks: Vec<u64>,
    /// The processors of the processes, row by row of the grid; the first ones by default.
    pub processors: Option<Vec<Processor>>,
    /// The algorithm of the broadcasts of panels; a ring by default.
    #[serde(default)]
    pub broadcast: Option<Algorithm>,
    /// Which of the models of the kernels are meant.
    #[serde(default)]
    pub kernels: KernelChoice,
}

/// The operations of a prediction without steps.
const OPERATIONS_PER_PREDICTION: u64 = 100;

/// The default block.
pub(super) const BLOCK: u64 = 64;

/// A prediction, and the parts of its time along the critical path.
pub type ExplainedRoutine = (RoutinePrediction, Vec<RoutineShare>);

impl RoutineRequest {
    /// The request for a routine with these columns on these grids.
    pub fn new(routine: Routine, n: Vec<u64>, grids: Vec<[u32; 2]>) -> Self {
        Self {
            routine,
            models: Vec::new(),
            variant: None,
            m: Vec::new(),
            n,
            k: Vec::new(),
            grids,
            blocks: Vec::new(),
            processors: None,
            broadcast: None,
            kernels: KernelChoice::default(),
        }
    }

    /// Returns the calls.
    ///
    /// # Errors
    ///
    /// When a dimension or the grid is missing, or a dimension does not apply; when the routine has
    /// no such variant; when there are too many combinations.
    pub fn calls(&self) -> Result<Vec<RoutineCall>, RequestError> {
        let routine = self.routine;
        if self.grids.is_empty() && self.n.is_empty() {
            let (fields, subject) = (vec!["n", "grid"], routine.to_string());
            return Err(RequestError::Missing { fields, subject, content: "such as 1000 and 2x2" });
        }
        if self.grids.is_empty() {
            return Err(RequestError::missing("grid", routine, "such as 2x2"));
        }
        let blocks = or_block(&self.blocks);
        let dimensions = routine_dimensions(routine, [&self.m, &self.n, &self.k])?;
        check_count([self.grids.len(), blocks.len(), dimensions.len()])?;
        let variant = self.variant.as_deref().unwrap_or(routine.kind.variants()[0]);
        let mut calls = Vec::new();
        for &[rows, columns] in &self.grids {
            for &block in &blocks {
                for &dimensions in &dimensions {
                    let grid = Grid { rows, columns, block };
                    calls.push(RoutineCall::new(routine, variant, dimensions, grid)?);
                }
            }
        }
        Ok(calls)
    }

    /// Returns the first call, the only one of a request with single values.
    ///
    /// # Errors
    ///
    /// As [`RoutineRequest::calls`].
    pub fn call(&self) -> Result<RoutineCall, RequestError> {
        self.calls().map(|calls| calls[0])
    }

    /// Returns the processors of the processes of a call.
    ///
    /// # Errors
    ///
    /// When the model does not have them, or when they are not as many as the processes.
    pub fn placed(
        &self,
        call: &RoutineCall,
        model: &Model,
    ) -> Result<Vec<Processor>, RequestError> {
        let (grid, known) = (call.grid(), model.processors());
        let processes = grid.processes();
        let Some(processors) = &self.processors else {
            if processes <= known as u64 {
                return Ok(Processor::first(processes as usize).collect());
            }
            let reason = format!(
                "it has {processes} processes, more than the processors of the model, {known}; \
                    give a smaller one"
            );
            return Err(RequestError::invalid("grid", grid, reason));
        };
        let given = processors.len();
        if given as u64 != processes {
            let list: Vec<String> = processors.iter().map(ToString::to_string).collect();
            let reason =
                format!("these are {given}, but the grid {grid} needs {processes}; list as many");
            return Err(RequestError::invalid("processors", list.join(","), reason));
        }
        processors.iter().try_for_each(|&one| check_rank("processors", one, known))?;
        Ok(processors.clone())
    }

    /// Returns a prediction for each kind of model and call.
    ///
    /// # Errors
    ///
    /// As [`RoutineRequest::calls`], and when the model lacks a kernel or processors.
    pub fn answers(
        &self,
        model: &Model,
        availability: &Availability,
    ) -> Result<Vec<RoutinePrediction>, RequestError> {
        self.each(model, availability, |predictor, call, placement| {
            Ok(predictor.predict_on(call, placement, &self.kernels)?)
        })
    }

    /// Returns the predictions with the parts of their times.
    ///
    /// # Errors
    ///
    /// As [`RoutineRequest::answers`].
    pub fn explained(
        &self,
        model: &Model,
        availability: &Availability,
    ) -> Result<Vec<ExplainedRoutine>, RequestError> {
        self.each(model, availability, |predictor, call, placement| {
            Ok(predictor.explain_on(call, placement, &self.kernels)?)
        })
    }

    /// Answers each call by each kind of model.
    fn each<T>(
        &self,
        model: &Model,
        availability: &Availability,
        answer: impl Fn(&mut RoutinePredictor, &RoutineCall, &Placement) -> Result<T, RequestError>,
    ) -> Result<Vec<T>, RequestError> {
        let broadcast = CollectiveKind::Broadcast;
        if let Some(wrong) = self.broadcast.filter(|algorithm| !broadcast.has(*algorithm)) {
            let reason = format!("known algorithms are {}", words(broadcast.algorithms()));
            return Err(RequestError::invalid("broadcast", wrong, reason));
        }
        let (kinds, calls) = (kinds(&self.models, model)?, self.calls()?);
        let collectives = self.broadcast.map_or_else(RoutineCollectives::default, |ring| {
            RoutineCollectives { ring, ..RoutineCollectives::default() }
        });
        check_programs(&calls, kinds.len(), collectives)?;
        let mut all = Vec::with_capacity(kinds.len() * calls.len());
        for kind in kinds {
            let mut predictor =
                RoutinePredictor::new(model, kind)?.with_availability(availability.clone());
            predictor = predictor.with_collectives(collectives);
            for call in &calls {
                let placement = Placement::new(self.placed(call, model)?);
                all.push(answer(&mut predictor, call, &placement)?);
            }
        }
        Ok(all)
    }
}

/// The blocks, or the default one.
pub(super) fn or_block(blocks: &[u64]) -> Vec<u64> {
    if blocks.is_empty() { vec![BLOCK] } else { blocks.to_vec() }
}

/// Checks that there are not too many combinations of lists of these lengths.
pub(super) fn check_count(lengths: impl IntoIterator<Item = usize>) -> Result<(), RequestError> {
    check_answers(lengths, "prediction", OPERATIONS_PER_PREDICTION).map(drop)
}

/// Checks that the programs of calls are played in the operations that an input may request.
fn check_programs(
    calls: &[RoutineCall],
    kinds: usize,
    collectives: RoutineCollectives,
) -> Result<(), RequestError> {
    /// The memory in bytes of an operation of a program that is played.
    const MEMORY: f64 = 144.0;
    let budget = Budget::of_input(0);
    let mut operations = 0.0;
    for call in calls {
        let own = RoutineProgram::new(call)?.with_collectives(collectives).operations();
        budget
            .check_memory(format_args!("one run of {}", call.routine()), (own * MEMORY) as u64)?;
        operations += own * kinds as f64;
    }
    let what = request_of((calls.len() * kinds) as u64, "prediction");
    budget.check_operations(what, operations as u64)?;
    Ok(())
}

/// Returns all combinations of the dimensions m, n and k of a routine; m and k are n unless they
/// are given.
///
/// # Errors
///
/// When n is missing, or when a dimension does not apply.
pub(super) fn routine_dimensions(
    routine: Routine,
    [m, n, k]: [&[u64]; 3],
) -> Result<Vec<[u64; 3]>, RequestError> {
    let fields = [("m", m), ("n", n), ("k", k)];
    for ((field, values), exists) in fields.into_iter().zip(routine.kind.dimensions()) {
        if !values.is_empty() && !exists {
            return Err(RequestError::inapplicable(field, routine));
        }
    }
    if n.is_empty() {
        return Err(RequestError::missing("n", routine, "such as 1000"));
    }
    check_count([n.len(), m.len().max(1), k.len().max(1)])?;
    let mut all = Vec::new();
    for &n in n {
        let or_n = |values: &[u64]| if values.is_empty() { vec![n] } else { values.to_vec() };
        for m in or_n(m) {
            all.extend(or_n(k).into_iter().map(|k| [m, n, k]));
        }
    }
    Ok(all)
}
