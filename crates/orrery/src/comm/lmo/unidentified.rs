use super::{Layout, Lmo};
use crate::comm::{FitError, Observations, PointToPoint};
use crate::platform::Processor;
use crate::sample::Experiment;
use crate::units::Bytes;

/// The model that a layout is of.
pub(super) fn name(layout: Layout) -> &'static str {
    if layout.with_latency() { "lmo" } else { "lom" }
}

/// The experiments that a campaign has and these samples lack, or else the parameters that stay open.
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

/// What there is of a pair or a root: experiments with empty messages, experiments with others.
#[derive(Clone, Copy, Default)]
struct Found {
    empty: bool,
    full: bool,
}

impl Found {
    fn note(&mut self, size: Bytes) {
        if size == Bytes::ZERO { self.empty = true } else { self.full = true }
    }
}

/// The round trips and the one-to-two experiments that there are not, as people read them.
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
