use std::collections::BTreeMap;

use super::{Layout, Lmo};
use crate::comm::{FitError, Observations, PointToPoint};
use orrery_base::units::Bytes;
use orrery_cluster::platform::Processor;
use orrery_measure::sample::Experiment;

/// Returns the name of the model that a layout belongs to.
pub(super) fn name(layout: Layout) -> &'static str {
    if layout.with_latency() { "lmo" } else { "lom" }
}

/// Returns the error that lists the experiments missing from a usual campaign, or else the
/// parameters that are not identified.
pub(super) fn unidentified(
    observations: &Observations,
    layout: Layout,
    unidentified: &[usize],
) -> FitError {
    let model = name(layout);
    if let Some(missing) = missing(model, observations, layout) {
        return missing;
    }
    let network = Lmo::from_estimates(
        layout,
        &vec![0.0; layout.count()],
        None,
        &vec![0; layout.count()],
        0.95,
    );
    let network = network.network();
    let parameters =
        unidentified.iter().map(|&p| network.parameter(p as u32).to_string()).collect();
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

/// Returns the error that lists the missing round trips and one-to-two experiments; `None` if there
/// are none.
///
/// The work grows with the number of observations, not with that of the pairs of processors.
pub(in crate::comm) fn missing(
    model: &'static str,
    observations: &Observations,
    layout: Layout,
) -> Option<FitError> {
    let mut trips: BTreeMap<(Processor, Processor), Found> = BTreeMap::new();
    let mut roots: BTreeMap<Processor, Found> = BTreeMap::new();
    for observation in observations.iter() {
        match observation.experiment {
            Experiment::RoundTrip { i, j, size, reply } => {
                trips.entry((i.min(j), i.max(j))).or_default().note(size + reply);
            }
            Experiment::OneToTwo { i, size, .. } => roots.entry(i).or_default().note(size),
            _ => {}
        }
    }
    let needs_empty = layout.with_latency();
    let found = trips
        .values()
        .map(|found| usize::from(found.empty) + usize::from(found.full))
        .sum::<usize>()
        + roots
            .values()
            .map(|found| usize::from(found.empty && needs_empty) + usize::from(found.full))
            .sum::<usize>();
    let needed = 2 * layout.pairs().count() + layout.processors() * if needs_empty { 2 } else { 1 };
    if found == needed {
        return None;
    }
    let size =
        observations.iter().map(|o| o.experiment.size()).max().filter(|size| *size > Bytes::ZERO);
    let words = size.map_or("a size above 0".to_owned(), |size| format!("{size}"));
    let of_pair = |(a, b): (Processor, Processor)| {
        let found = trips.get(&(a, b)).copied().unwrap_or_default();
        let empty = (!found.empty).then(|| format!("round trip {a}-{b} (0 out, 0 back)"));
        empty.into_iter().chain((!found.full).then(|| format!("round trip {a}-{b} ({words} out)")))
    };
    let of_root = |root: Processor| {
        let found = roots.get(&root).copied().unwrap_or_default();
        let empty = (!found.empty && needs_empty).then(|| format!("one-to-two from {root} (0)"));
        empty.into_iter().chain((!found.full).then(|| format!("one-to-two from {root} ({words})")))
    };
    let names = layout.pairs().iter().flat_map(of_pair);
    let names = names.chain(Processor::first(layout.processors()).flat_map(of_root));
    Some(FitError::missing(model, needed - found, names, "comm"))
}

/// Returns the error for fewer than three processors, which LMO and LOM need.
pub(in crate::comm) fn too_few(model: &'static str, given: usize) -> FitError {
    let why = "round trips of two processors cannot separate the delays of a processor from those \
        of its link; \
               one-to-two experiments can, and they have three";
    FitError::Processors { model, needed: 3, given, why }
}
