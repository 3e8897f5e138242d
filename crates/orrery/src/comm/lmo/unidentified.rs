use super::{Layout, Lmo};
use crate::comm::{FitError, Observations, PointToPoint};
use crate::platform::Processor;
use crate::sample::Experiment;
use crate::units::Bytes;

/// Returns the name of the model that a layout belongs to.
pub(super) fn name(layout: Layout) -> &'static str {
    if layout.with_latency() { "lmo" } else { "lom" }
}

/// Returns the error that lists the experiments missing from a usual campaign, or else the parameters that are not
/// identified.
pub(super) fn unidentified(observations: &Observations, layout: Layout, unidentified: &[usize]) -> FitError {
    let model = name(layout);
    let missing = missing(observations, layout);
    if !missing.is_empty() {
        return FitError::Missing { model, count: missing.len(), missing, campaign: "comm" };
    }
    let network = Lmo::from_estimates(layout, &vec![0.0; layout.count()], None, &vec![0; layout.count()], 0.95);
    let network = network.network();
    let parameters = unidentified.iter().map(|&p| network.parameter(p as u32).to_string()).collect();
    FitError::Unidentified { model, parameters }
}

/// The sizes measured for a pair or a root: empty messages, messages with content.
#[derive(Clone, Copy, Default)]
struct Found {
    empty: bool,
    full: bool,
}

impl Found {
    /// Records an experiment with messages of this size.
    fn note(&mut self, size: Bytes) {
        if size == Bytes::ZERO { self.empty = true } else { self.full = true }
    }
}

/// Returns descriptions of the missing round trips and one-to-two experiments.
fn missing(observations: &Observations, layout: Layout) -> Vec<String> {
    let mut trips = vec![Found::default(); layout.pairs().count()];
    let mut roots = vec![Found::default(); layout.processors()];
    for observation in observations.iter() {
        match observation.experiment {
            Experiment::RoundTrip { i, j, size, reply } => trips[layout.pairs().index(i, j)].note(size + reply),
            Experiment::OneToTwo { i, size, .. } => roots[i.index()].note(size),
            _ => {}
        }
    }
    let size = observations.iter().map(|o| o.experiment.size()).max().filter(|size| *size > Bytes::ZERO);
    let words = size.map_or("a size above 0".to_owned(), |size| format!("{size}"));
    let mut missing = Vec::new();
    for ((a, b), found) in layout.pairs().iter().zip(trips) {
        if !found.empty {
            missing.push(format!("round trip {a}-{b} (0 out, 0 back)"));
        }
        if !found.full {
            missing.push(format!("round trip {a}-{b} ({words} out)"));
        }
    }
    for (root, found) in Processor::first(layout.processors()).zip(roots) {
        if !found.empty && layout.with_latency() {
            missing.push(format!("one-to-two from {root} (0)"));
        }
        if !found.full {
            missing.push(format!("one-to-two from {root} ({words})"));
        }
    }
    missing
}
