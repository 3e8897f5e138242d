use super::{Layout, LmoNetwork};
use crate::comm::Observation;
use crate::comm::rows::play;
use crate::engine::EngineError;
use crate::numeric::{SparseRows, parallel_map};

/// At least so many observations are played one after the other, whatever the number of threads, and at least this part
/// of all: each piece has a network of its own, which is as large as the parameters are many.
const PIECE: usize = 1 << 15;
const PIECES: usize = 16;

/// The rows of observations along their critical paths for these parameters, weighted by their standard deviations.
pub(super) fn trace(
    layout: Layout,
    parameters: &[f64],
    observations: &[&Observation],
    before: Option<&SparseRows>,
) -> Result<SparseRows, EngineError> {
    let size = PIECE.max(observations.len().div_ceil(PIECES));
    let piece = |piece: usize| {
        let network = LmoNetwork::from_parameters(layout, parameters.to_vec());
        let first = piece * size;
        play(network, parameters, &observations[first..observations.len().min(first + size)], before, first)
    };
    let pieces = parallel_map(observations.len().div_ceil(size), piece);
    let mut rows = SparseRows::new();
    for piece in pieces {
        rows.append(&piece?);
    }
    Ok(rows)
}
