use crate::comm::Observation;
use crate::engine::{Engine, EngineError, Network};
use crate::numeric::SparseRows;

/// A path is longer than another by more than noise when the difference exceeds so many standard deviations of the
/// observation.
const WITHIN_NOISE: f64 = 2.0;

/// The rows of observations along their critical paths on a network with these parameters, weighted by their standard
/// deviations; those that they had before begin with the row `first`.
///
/// An observation keeps the path that it had before as long as the new one is not longer by more than noise. Of paths
/// that take equally long (two equal partners of a one-to-two experiment) the one whose parameters happen to be
/// overestimated would be taken else, time and again, and what the two paths do not share would come out too small.
pub(super) fn play<N: Network>(
    mut network: N,
    parameters: &[f64],
    observations: &[&Observation],
    before: Option<&SparseRows>,
    first: usize,
) -> Result<SparseRows, EngineError> {
    let mut engine = Engine::new();
    let mut rows = SparseRows::new();
    for (place, observation) in (first..).zip(observations) {
        let program = observation.experiment.program();
        let (program, placement) = program.unwrap_or_else(|| unreachable!("no call of the MPI library is observed"));
        let reading = program.reading();
        let outcome = engine.trace(&program, &placement, &mut network)?;
        let residual = (outcome.read(reading).get() - observation.seconds) / observation.deviation;
        let is_kept = |before: &&SparseRows| residual - before.residual(place, parameters) <= WITHIN_NOISE;
        if let Some(before) = before.filter(is_kept) {
            rows.push_from(before, place);
        } else {
            let row = outcome.row(reading);
            let terms = row.terms.iter().map(|term| (term.parameter as usize, term.factor));
            rows.push(terms, observation.seconds - row.constant.get(), 1.0 / observation.deviation);
        }
    }
    Ok(rows)
}
