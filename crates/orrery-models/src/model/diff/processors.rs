//! The processors that two models have in common.

use std::collections::BTreeMap;

use crate::model::Model;
use orrery_cluster::platform::Processor;

/// The processors of two models that correspond to each other.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CommonProcessors {
    /// Each common processor by its numbers in the old and in the new model, in the order of the
    /// old model.
    pub common: Vec<(Processor, Processor)>,
    /// The processors that only the old model has, by their numbers there.
    pub lost: Vec<Processor>,
    /// The processors that only the new model has, by their numbers there.
    pub added: Vec<Processor>,
}

impl CommonProcessors {
    /// Matches processors by host, the k-th of a host with the k-th; by number if a host is unknown
    /// or `by_number` is set.
    ///
    /// By number, processors on different known hosts do not correspond unless `by_number` is set.
    pub fn of(old: &Model, new: &Model, by_number: bool) -> Self {
        let is_known = |model: &Model| model.hosts.iter().all(|host| !host.is_empty());
        if !by_number && is_known(old) && is_known(new) {
            Self::by_host(old, new)
        } else {
            Self::by_number(old, new, by_number)
        }
    }

    /// Matches processors by host.
    fn by_host(old: &Model, new: &Model) -> Self {
        let mut places: BTreeMap<&str, Vec<Processor>> = BTreeMap::new();
        for (index, host) in new.hosts.iter().enumerate().rev() {
            places.entry(host).or_default().push(Processor(index as u32));
        }
        let mut matched = Self::default();
        for (host, processor) in old.hosts.iter().zip(Processor::first(old.processors())) {
            match places.get_mut(host.as_str()).and_then(Vec::pop) {
                Some(other) => matched.common.push((processor, other)),
                None => matched.lost.push(processor),
            }
        }
        matched.added = places.into_values().flatten().collect();
        matched.added.sort_unstable();
        matched
    }

    /// Matches processors by number.
    fn by_number(old: &Model, new: &Model, any_host: bool) -> Self {
        let mut matched = Self::default();
        let (before, now) = (old.processors(), new.processors());
        for processor in Processor::first(before.max(now)) {
            let index = processor.index();
            let is_same = || {
                let (old, new) = (&old.hosts[index], &new.hosts[index]);
                any_host || old.is_empty() || new.is_empty() || old == new
            };
            if index < before.min(now) && is_same() {
                matched.common.push((processor, processor));
                continue;
            }
            matched.lost.extend((index < before).then_some(processor));
            matched.added.extend((index < now).then_some(processor));
        }
        matched
    }
}
