//! A case on the ranks of its grids: repetitions with times, and a recorded call.

use std::time::Instant;

use crate::calls::{Comm, MpiError, Record, Reduction, SystemHandle, record};
use crate::case::Case;
use crate::operands::{Grids, Operands};

/// How a case is measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Plan {
    /// The number of timed repetitions.
    pub repetitions: u32,
    /// The number of calls before, which are not timed.
    pub warm_up: u32,
    /// True if one more call is recorded.
    pub is_traced: bool,
}

/// What was measured.
#[derive(Debug, Default, Clone, PartialEq)]
pub(crate) struct Outcome {
    /// The time of each repetition.
    pub seconds: Vec<f64>,
    /// What this rank did in a call.
    pub records: Vec<Record>,
}

/// Measures a case; all ranks must call this. Ranks outside the grids sleep until the others have
/// finished.
///
/// Returns an error of the case, such as a wrong result, on all ranks.
pub(crate) fn measure(
    world: &Comm,
    case: &Case,
    plan: Plan,
) -> Result<Result<Outcome, String>, MpiError> {
    let members = world.of_first(case.processes())?;
    let outcome = match &members {
        Some(comm) => on_members(comm, case, plan)?,
        None => Ok(Outcome::default()),
    };
    drop(members);
    world.idle_barrier()?;
    // Members have the same error, and rank 0 is one of them.
    let reason = world.broadcast(outcome.as_ref().err().map_or("", String::as_str), 0)?;
    Ok(if reason.is_empty() { outcome } else { Err(reason) })
}

/// Measures a case on the ranks that take part.
fn on_members(comm: &Comm, case: &Case, plan: Plan) -> Result<Result<Outcome, String>, MpiError> {
    let system = SystemHandle::new(comm);
    let grids = match comm.agree(Grids::new(case, &system))? {
        Ok(grids) => grids,
        Err(reason) => return Ok(Err(reason)),
    };
    let mut operands = match comm.agree(Operands::new(*case, &grids))? {
        Ok(operands) => operands,
        Err(reason) => return Ok(Err(reason)),
    };
    let mut outcome = Outcome::default();
    for call in 0..plan.warm_up + plan.repetitions + u32::from(plan.is_traced) {
        operands.fill();
        let is_timed = (plan.warm_up..plan.warm_up + plan.repetitions).contains(&call);
        let is_traced = call >= plan.warm_up + plan.repetitions;
        comm.barrier()?;
        let begin = Instant::now();
        let result = if is_traced {
            record(|| operands.call()).and_then(|(result, records)| {
                outcome.records = records;
                result
            })
        } else {
            operands.call()
        };
        let seconds = begin.elapsed().as_secs_f64();
        let longest = comm.all_reduce(seconds, Reduction::Max)?;
        if is_timed {
            outcome.seconds.push(longest);
        }
        // No rank checks a result that another one does not have.
        if let Err(reason) = comm.agree(result)? {
            return Ok(Err(reason));
        }
        let is_right = operands.check(comm)?;
        if let Err(reason) = comm.agree(is_right)? {
            return Ok(Err(reason));
        }
    }
    Ok(Ok(outcome))
}
