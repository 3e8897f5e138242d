use super::SimulatedClusterError;
use crate::model::Model;
use orrery_cluster::platform::{Hosts, Processor};
use orrery_cluster::sharing::{LawKind, PenaltyModel as _, SharingLaw, Transfer};
use orrery_measure::machine::{NotModelled, SlowdownModel};

/// The sharing law of a simulated cluster, and the hosts of its processors.
#[derive(Debug, Clone)]
pub(super) struct SimulatedLaw {
    law: Choice,
    hosts: Hosts,
}

/// The law, or the names of those among which the user has to choose.
#[derive(Debug, Clone)]
enum Choice {
    Law(SharingLaw),
    Ambiguous(Vec<&'static str>),
}

impl SimulatedLaw {
    /// The requested law, or the only one of the model; `None` if the model has none.
    pub(super) fn of(
        requested: Option<&'static LawKind>,
        model: &Model,
    ) -> Result<Option<Self>, SimulatedClusterError> {
        let fitted: Vec<_> = model.sharing.iter().collect();
        let law = match (requested, fitted.as_slice()) {
            (Some(kind), _) if kind.parameters.is_empty() => Choice::Law(kind.law(&[])?),
            (Some(kind), _) => Choice::Law(
                model.sharing.get(kind.name).ok_or(SimulatedClusterError::NoLaw(kind.name))?.law(),
            ),
            (None, []) => return Ok(None),
            (None, [only]) => Choice::Law(only.law()),
            (None, several) => {
                Choice::Ambiguous(several.iter().map(|law| law.kind().name).collect())
            }
        };
        let mixed = model.shared_hosts();
        let hosts = if mixed.are_mixed() { mixed } else { Hosts::default() };
        Ok(Some(Self { law, hosts }))
    }

    /// The name of the law; "several" if none was chosen among those of the model.
    pub(super) fn name(&self) -> &'static str {
        match &self.law {
            Choice::Law(law) => law.name(),
            Choice::Ambiguous(_) => "several",
        }
    }

    /// The node of a processor: processors of one host are one node.
    fn node(&self, processor: Processor) -> u32 {
        self.hosts.number(processor).map_or(processor.0, |number| number as u32)
    }
}

impl SlowdownModel for SimulatedLaw {
    fn slowdowns(&self, messages: &[(Processor, Processor)]) -> Result<Vec<f64>, NotModelled> {
        let transfers: Vec<Transfer> = messages
            .iter()
            .map(|&(from, to)| Transfer::between(self.node(from), self.node(to)))
            .collect();
        match &self.law {
            Choice::Law(law) => {
                law.penalties(&transfers).map_err(|error| NotModelled(error.to_string()))
            }
            Choice::Ambiguous(names) => {
                let names = names.join(" or ");
                Err(NotModelled(format!(
                    "the model holds several sharing laws; choose one with sharing={names}"
                )))
            }
        }
    }
}
