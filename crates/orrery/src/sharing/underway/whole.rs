use std::collections::BTreeMap;

use super::penalties::Penalties;
use crate::sharing::ports::{Ends, Ports};
use crate::sharing::{PenaltyModel as _, SharingError, SharingLaw, Transfer};

/// So many components are remembered at most.
const REMEMBERED: usize = 1 << 12;

/// So many steps are taken for counting in all: a quarter of a minute. A component takes 2^23 at most, but a program may
/// make thousands of different ones.
const STEPS: usize = 1 << 27;

/// Penalties by any law, found anew for the components that changed, and remembered.
#[derive(Debug, Clone)]
pub(super) struct Whole {
    law: SharingLaw,
    ports: Ports,
    /// The ports of those that started or stopped since penalties were last found.
    moved: Vec<Ends>,
    known: BTreeMap<Vec<Transfer>, Vec<f64>>,
    /// How many components were found, and the steps that are left for others.
    found: usize,
    steps: usize,
    /// By number: whether its component has been looked at.
    seen: Vec<bool>,
}

impl Whole {
    pub(super) fn new(law: SharingLaw) -> Self {
        let ports = Ports { ends: Vec::new(), out: Vec::new(), into: Vec::new() };
        let (known, moved, seen) = (BTreeMap::new(), Vec::new(), Vec::new());
        Self { law, ports, moved, known, found: 0, steps: STEPS, seen }
    }

    pub(super) fn start(&mut self, number: usize, ends: Ends) {
        self.ports.add(number, ends);
        self.moved.push(ends);
    }

    pub(super) fn stop(&mut self, number: usize) {
        self.moved.extend(self.ports.remove(number));
    }

    /// Finds the penalties of the components that changed.
    pub(super) fn settle(&mut self, penalties: &mut Penalties) -> Result<(), SharingError> {
        self.seen.clear();
        self.seen.resize(self.ports.ends.len(), false);
        let mut moved = std::mem::take(&mut self.moved);
        for ends in moved.drain(..) {
            for k in 0..self.ports.out_degree(ends) {
                self.of_one(self.ports.out[ends.out][k], penalties)?;
            }
            for k in 0..self.ports.in_degree(ends) {
                self.of_one(self.ports.into[ends.into][k], penalties)?;
            }
        }
        self.moved = moved;
        Ok(())
    }

    /// Finds the penalties of the component of a transfer, unless it has been looked at.
    fn of_one(&mut self, number: usize, penalties: &mut Penalties) -> Result<(), SharingError> {
        let Some(ends) = self.ports.ends[number].filter(|_| !self.seen[number]) else { return Ok(()) };
        if self.ports.out_degree(ends) == 1 && self.ports.in_degree(ends) == 1 {
            self.seen[number] = true;
            penalties.set(number, 1.0);
            return Ok(());
        }
        let component = self.component(number);
        self.of_component(&component, penalties)
    }

    /// The transfers that hang together with one, in ascending order, each with its number; none if they were seen.
    fn component(&mut self, first: usize) -> Vec<(Transfer, usize)> {
        let mut component = Vec::new();
        let mut open = vec![first];
        while let Some(k) = open.pop() {
            let Some(ends) = self.ports.ends[k].filter(|_| !std::mem::replace(&mut self.seen[k], true)) else {
                continue;
            };
            component.push((Transfer::between(ends.out as u32, ends.into as u32), k));
            let others = self.ports.out[ends.out].iter().chain(&self.ports.into[ends.into]);
            open.extend(others.filter(|&&other| !self.seen[other]));
        }
        component.sort_unstable();
        component
    }

    fn of_component(&mut self, component: &[(Transfer, usize)], penalties: &mut Penalties) -> Result<(), SharingError> {
        let transfers: Vec<Transfer> = component.iter().map(|(transfer, _)| *transfer).collect();
        if !self.known.contains_key(&transfers) {
            if self.known.len() >= REMEMBERED {
                self.known.clear();
            }
            let found = self.penalties(&transfers)?;
            self.known.insert(transfers.clone(), found);
            self.found += 1;
        }
        let found = self.known.get(&transfers).into_iter().flatten();
        component.iter().zip(found).for_each(|((_, k), &penalty)| penalties.set(*k, penalty));
        Ok(())
    }

    fn penalties(&mut self, transfers: &[Transfer]) -> Result<Vec<f64>, SharingError> {
        let SharingLaw::Myrinet(law) = self.law else { return self.law.penalties(transfers) };
        law.penalties_within(transfers, &mut self.steps).map_err(|error| match error {
            SharingError::TooLarge { .. } if self.steps == 0 => SharingError::TooMany { components: self.found },
            error => error,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sharing::Myrinet;

    #[test]
    fn counting_ends_with_the_steps_that_are_left() {
        let mut whole = Whole::new(SharingLaw::Myrinet(Myrinet::default()));
        // A path of transfers, one longer each time.
        let path = |length: u32| -> Vec<Transfer> {
            (0..length).map(|k| Transfer::between(100 + k / 2 + k % 2, k / 2)).collect()
        };
        let before = whole.steps;
        whole.penalties(&path(4)).unwrap();
        assert!(whole.steps < before, "a count takes steps");
        whole.steps = 1;
        assert_eq!(whole.penalties(&path(5)), Err(SharingError::TooMany { components: 0 }));
    }
}
