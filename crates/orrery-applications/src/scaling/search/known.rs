//! Known times of configurations, which replace those of the model.

use std::collections::{BTreeMap, BTreeSet};

use super::problem::Search;
use crate::run::Configuration;
use crate::scaling::Layout;
use orrery_base::units::Seconds;
use orrery_cluster::platform::Kind;

/// The time of a configuration that is known otherwise than from the model, such as from its own
/// runs.
#[derive(Debug, Clone, PartialEq)]
pub struct KnownTime {
    /// The elements that take part, and the processes on each.
    pub configuration: Configuration,
    /// The layout of the processes.
    pub layout: Layout,
    /// The time of the run.
    pub time: Seconds,
}

/// (elements, processes on each) of each kind; (0, 0) for a kind that does not take part.
pub(super) type Selection = Vec<(u32, u32)>;

/// The known times by layout and selection.
#[derive(Debug, Clone, Default)]
pub(super) struct KnownTimes {
    by_layout: BTreeMap<Layout, BTreeMap<Selection, f64>>,
}

impl KnownTimes {
    /// The known times of a search, without those of configurations and layouts that it does not
    /// consider.
    pub(super) fn new(search: &Search) -> Self {
        let mut by_layout: BTreeMap<Layout, BTreeMap<Selection, f64>> = BTreeMap::new();
        for KnownTime { configuration, layout, time } in &search.known {
            let processes = u32::try_from(configuration.processes()).ok();
            let considered = processes
                .is_some_and(|processes| search.layouts(processes).any(|own| own == *layout));
            if let Some(selection) = selection(search.kinds, configuration).filter(|_| considered) {
                by_layout.entry(*layout).or_default().insert(selection, time.get());
            }
        }
        Self { by_layout }
    }

    /// The known time of a selection in a layout, in seconds; `None` if it is unknown.
    pub(super) fn get(&self, layout: Layout, selection: &[(u32, u32)]) -> Option<f64> {
        self.by_layout.get(&layout)?.get(selection).copied()
    }

    /// The selections with known times in a layout.
    pub(super) fn selections(&self, layout: Layout) -> BTreeSet<Selection> {
        self.by_layout.get(&layout).map(|known| known.keys().cloned().collect()).unwrap_or_default()
    }

    /// All layouts and selections with known times.
    pub(super) fn iter(&self) -> impl Iterator<Item = (Layout, &Selection)> {
        self.by_layout
            .iter()
            .flat_map(|(layout, known)| known.keys().map(|selection| (*layout, selection)))
    }
}

/// The selection of a configuration; `None` if it has kinds that the cluster does not have, or too
/// many elements or processes of a kind.
fn selection(kinds: &[Kind], configuration: &Configuration) -> Option<Selection> {
    if configuration.shares.iter().any(|share| kinds.iter().all(|kind| kind.name != share.kind)) {
        return None;
    }
    let of_kind = |kind: &Kind| match configuration.share(&kind.name) {
        None => Some((0, 0)),
        Some(share) if share.elements <= kind.elements() && share.processes <= kind.processes => {
            Some((share.elements, share.processes))
        }
        Some(_) => None,
    };
    kinds.iter().map(of_kind).collect()
}
