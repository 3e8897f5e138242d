use std::collections::BTreeMap;

use crate::sharing::ports::{Ends, Ports};
use crate::sharing::{Law, Sharing as _, SharingError, Transfer};

/// So many components are remembered at most.
const REMEMBERED: usize = 1 << 12;

/// Penalties by any law, found anew for the components that changed, and remembered.
#[derive(Debug, Clone)]
pub(super) struct Whole {
    law: Law,
    known: BTreeMap<Vec<Transfer>, Vec<f64>>,
    /// By number: whether its component has been looked at.
    seen: Vec<bool>,
}

impl Whole {
    pub(super) fn new(law: Law) -> Self {
        Self { law, known: BTreeMap::new(), seen: Vec::new() }
    }

    /// The penalties of the components at these ports.
    pub(super) fn find(
        &mut self,
        ports: &Ports,
        moved: &[Ends],
        found: &mut Vec<(usize, f64)>,
    ) -> Result<(), SharingError> {
        self.seen.clear();
        self.seen.resize(ports.ends.len(), false);
        for ends in moved {
            for first in ports.out[ends.out].iter().chain(&ports.into[ends.into]) {
                let component = self.component(ports, *first);
                self.of_component(&component, found)?;
            }
        }
        Ok(())
    }

    /// The transfers that hang together with one, in ascending order, each with its number; none if they were seen.
    fn component(&mut self, ports: &Ports, first: usize) -> Vec<(Transfer, usize)> {
        let mut component = Vec::new();
        let mut open = vec![first];
        while let Some(k) = open.pop() {
            let Some(ends) = ports.ends[k].filter(|_| !std::mem::replace(&mut self.seen[k], true)) else { continue };
            component.push((Transfer::between(ends.out as u32, ends.into as u32), k));
            let others = ports.out[ends.out].iter().chain(&ports.into[ends.into]);
            open.extend(others.filter(|&&other| !self.seen[other]));
        }
        component.sort_unstable();
        component
    }

    fn of_component(
        &mut self,
        component: &[(Transfer, usize)],
        found: &mut Vec<(usize, f64)>,
    ) -> Result<(), SharingError> {
        if let [(_, lone)] = component {
            found.push((*lone, 1.0));
            return Ok(());
        }
        let transfers: Vec<Transfer> = component.iter().map(|(transfer, _)| *transfer).collect();
        if !self.known.contains_key(&transfers) {
            if self.known.len() >= REMEMBERED {
                self.known.clear();
            }
            self.known.insert(transfers.clone(), self.law.penalties(&transfers)?);
        }
        let penalties = self.known.get(&transfers).into_iter().flatten();
        found.extend(component.iter().map(|(_, k)| *k).zip(penalties.copied()));
        Ok(())
    }
}
