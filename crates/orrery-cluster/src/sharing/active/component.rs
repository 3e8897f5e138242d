//! Penalties of whole components, for laws that cannot be evaluated port by port.

use std::collections::{BTreeMap, BTreeSet};

use super::penalties::{IncrementalPenalties, Penalties};
use crate::sharing::ports::{PortTable, TransferPorts};
use crate::sharing::{SharingError, Transfer};

/// The largest number of components whose penalties are cached.
const MAX_CACHED_COMPONENTS: usize = 1 << 12;

/// The largest number of counting steps over all components: a quarter of a minute. One component
/// takes 2²³ at most, but a program may form thousands of different ones.
const MAX_TOTAL_STEPS: usize = 1 << 27;

/// A sharing law whose evaluation takes counting steps.
pub(in crate::sharing) trait StepLimitedLaw: std::fmt::Debug {
    /// As [`PenaltyModel::penalties`](crate::sharing::PenaltyModel::penalties), within a number of
    /// counting steps, from which those used are subtracted.
    fn penalties_within(
        &self,
        transfers: &[Transfer],
        steps: &mut usize,
    ) -> Result<Vec<f64>, SharingError>;
}

/// Penalties by any sharing law, recomputed for the components that changed, and cached.
#[derive(Debug, Clone)]
pub(in crate::sharing) struct ComponentPenalties<L> {
    law: L,
    ports: PortTable,
    /// The ports of the transfers that have started or stopped since the last update.
    changed: Vec<TransferPorts>,
    cache: BTreeMap<Vec<Transfer>, Vec<f64>>,
    /// The number of components that were evaluated.
    evaluated: usize,
    /// The counting steps that are left.
    steps: usize,
    /// By transfer number: true if its component is up to date.
    visited: Vec<bool>,
}

impl<L: StepLimitedLaw> ComponentPenalties<L> {
    /// Creates the penalties of a law without active transfers.
    pub(in crate::sharing) fn new(law: L) -> Self {
        let (ports, changed, cache, visited) =
            (PortTable::default(), Vec::new(), BTreeMap::new(), Vec::new());
        Self { law, ports, changed, cache, evaluated: 0, steps: MAX_TOTAL_STEPS, visited }
    }

    /// Updates the penalties in the component of a transfer unless this update has visited it.
    fn update_component_of(
        &mut self,
        number: usize,
        penalties: &mut Penalties,
    ) -> Result<(), SharingError> {
        let Some(ends) = self.ports.ends[number].filter(|_| !self.visited[number]) else {
            return Ok(());
        };
        if self.ports.out_degree(ends) == 1 && self.ports.in_degree(ends) == 1 {
            self.visited[number] = true;
            penalties.set(number, 1.0);
            return Ok(());
        }
        let component = self.component_of(number);
        self.update_component(&component, penalties)
    }

    /// Returns the unvisited transfers of a component, each with its number, in ascending order;
    /// marks them visited.
    fn component_of(&mut self, first: usize) -> Vec<(Transfer, usize)> {
        let mut component = Vec::new();
        let mut open = vec![first];
        // A port is expanded once, not once for each of its transfers.
        let (mut sources, mut destinations) = (BTreeSet::new(), BTreeSet::new());
        while let Some(k) = open.pop() {
            let Some(ends) =
                self.ports.ends[k].filter(|_| !std::mem::replace(&mut self.visited[k], true))
            else {
                continue;
            };
            component.push((Transfer::between(ends.out as u32, ends.into as u32), k));
            let out =
                sources.insert(ends.out).then(|| &self.ports.out[ends.out]).into_iter().flatten();
            let into = destinations
                .insert(ends.into)
                .then(|| &self.ports.into[ends.into])
                .into_iter()
                .flatten();
            open.extend(out.chain(into).filter(|&&other| !self.visited[other]));
        }
        component.sort_unstable();
        component
    }

    /// Sets the penalties of a component, from the cache where it holds them.
    fn update_component(
        &mut self,
        component: &[(Transfer, usize)],
        penalties: &mut Penalties,
    ) -> Result<(), SharingError> {
        let transfers: Vec<Transfer> = component.iter().map(|(transfer, _)| *transfer).collect();
        if !self.cache.contains_key(&transfers) {
            if self.cache.len() >= MAX_CACHED_COMPONENTS {
                self.cache.clear();
            }
            let found = self.evaluate(&transfers)?;
            self.cache.insert(transfers.clone(), found);
            self.evaluated += 1;
        }
        let found = self.cache.get(&transfers).into_iter().flatten();
        component
            .iter()
            .zip(found)
            .for_each(|((_, number), &penalty)| penalties.set(*number, penalty));
        Ok(())
    }

    /// Returns the penalties of a component within the steps that are left.
    fn evaluate(&mut self, transfers: &[Transfer]) -> Result<Vec<f64>, SharingError> {
        self.law.penalties_within(transfers, &mut self.steps).map_err(|error| match error {
            SharingError::TooLarge { .. } if self.steps == 0 => {
                SharingError::TooMany { components: self.evaluated }
            }
            error => error,
        })
    }
}

impl<L: StepLimitedLaw> IncrementalPenalties for ComponentPenalties<L> {
    fn start(&mut self, number: usize, ends: TransferPorts) {
        self.ports.add(number, ends);
        self.changed.push(ends);
    }

    fn stop(&mut self, number: usize) {
        self.changed.extend(self.ports.remove(number));
    }

    fn update(&mut self, penalties: &mut Penalties) -> Result<(), SharingError> {
        self.visited.clear();
        self.visited.resize(self.ports.ends.len(), false);
        let mut changed = std::mem::take(&mut self.changed);
        let (mut sources, mut destinations) = (BTreeSet::new(), BTreeSet::new());
        for ends in changed.drain(..) {
            if sources.insert(ends.out) {
                for k in 0..self.ports.out_degree(ends) {
                    self.update_component_of(self.ports.out[ends.out][k], penalties)?;
                }
            }
            if destinations.insert(ends.into) {
                for k in 0..self.ports.in_degree(ends) {
                    self.update_component_of(self.ports.into[ends.into][k], penalties)?;
                }
            }
        }
        self.changed = changed;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sharing::{Myrinet, SharingLaw};

    #[test]
    fn evaluation_stops_when_no_steps_are_left() {
        let mut component = ComponentPenalties::new(SharingLaw::Myrinet(Myrinet::default()));
        // A path of transfers whose ends alternate between sources and destinations.
        let path = |length: u32| -> Vec<Transfer> {
            (0..length).map(|k| Transfer::between(100 + k / 2 + k % 2, k / 2)).collect()
        };
        let before = component.steps;
        component.evaluate(&path(4)).unwrap();
        assert!(component.steps < before, "an evaluation takes steps");
        component.steps = 1;
        assert_eq!(component.evaluate(&path(5)), Err(SharingError::TooMany { components: 0 }));
    }
}
