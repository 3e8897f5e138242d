//! Links that groups of processors share in two models.

use std::collections::BTreeMap;

use super::change::{Change, Uncertain, test};
use super::{CommonProcessors, DiffOptions};
use crate::comm::Ports;
use crate::model::{Model, ModelKind};
use orrery_base::numeric::Estimate;
use orrery_cluster::platform::Processor;

/// A shared link in two models.
#[derive(Debug, Clone, PartialEq)]
pub struct SharedLinkChange {
    /// The common processors of its group, with their numbers in the old model.
    pub group: Vec<Processor>,
    /// Its delay per byte in the old model \[s/B\]; `None` if that has no such link.
    pub old: Option<f64>,
    /// Its delay per byte in the new model \[s/B\]; `None` if that has no such link.
    pub new: Option<f64>,
    /// The change of the delay, if both models have the link.
    pub change: Option<Change>,
}

impl SharedLinkChange {
    /// Returns true if only one of the models has the link, or if its delay changed.
    pub fn is_change(&self) -> bool {
        self.change.is_none_or(|change| change.is_change)
    }
}

/// Compares the shared links of two models with ports by the groups of their common processors;
/// none if a model has no ports.
///
/// A group and all other processors share the same link. Links that lead to lost or added
/// processors only are left out.
pub(super) fn changes(
    old: &Model,
    new: &Model,
    processors: &CommonProcessors,
    options: &DiffOptions,
) -> Vec<SharedLinkChange> {
    let ports = |model: &Model| model.get::<Ports>(ModelKind::Ports);
    let (Some(before), Some(after)) = (ports(old), ports(new)) else { return Vec::new() };
    let common = &processors.common;
    let old_links = links(&before, &common.iter().map(|&(old, _)| (old, old)).collect());
    let mut new_links = links(&after, &common.iter().map(|&(old, new)| (new, old)).collect());
    let mut found: Vec<SharedLinkChange> = Vec::new();
    for (key, (group, before)) in old_links {
        let after = new_links.remove(&key).map(|(_, after)| after);
        let change = after.map(|after| Change::between((&before).into(), Uncertain::from(&after)));
        found.push(SharedLinkChange {
            group,
            old: Some(before.value),
            new: after.map(|one| one.value),
            change,
        });
    }
    for (group, after) in new_links.into_values() {
        found.push(SharedLinkChange { group, old: None, new: Some(after.value), change: None });
    }
    test(
        found.iter_mut().filter_map(|link| link.change.as_mut()),
        options.level,
        options.tolerance,
    );
    found.sort_by(|one, other| one.group.cmp(&other.group));
    found
}

/// The links of a model by the side without the first common processor; `numbers` are those in the
/// old model.
fn links(
    ports: &Ports,
    numbers: &BTreeMap<Processor, Processor>,
) -> BTreeMap<Vec<Processor>, (Vec<Processor>, Estimate)> {
    let mut all: Vec<Processor> = numbers.values().copied().collect();
    all.sort_unstable();
    let of = |(group, delay): (&Vec<Processor>, &Estimate)| {
        let mut inside: Vec<Processor> =
            group.iter().filter_map(|one| numbers.get(one).copied()).collect();
        inside.sort_unstable();
        let outside: Vec<Processor> =
            all.iter().copied().filter(|one| inside.binary_search(one).is_err()).collect();
        let is_crossed = !inside.is_empty() && !outside.is_empty();
        let key = if inside.first() == all.first() { outside } else { inside.clone() };
        is_crossed.then_some((key, (inside, *delay)))
    };
    ports.uplinks.groups().iter().zip(ports.uplinks.byte_delay()).filter_map(of).collect()
}
