//! The law by which messages share a simulated cluster.

use std::str::FromStr;

use anyhow::anyhow;
use orrery::machine::SlowdownModel;
use orrery::model::Model;
use orrery::platform::{Hosts, Processor};
use orrery::sharing::{GigabitEthernet, Infiniband, MaxMinPorts, Myrinet, PenaltyModel, Transfer};

/// A law as it is named on the command line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Law {
    Maxmin,
    Gige,
    Myrinet,
    Infiniband,
}

const WORDS: [(&str, Law); 4] =
    [("maxmin", Law::Maxmin), ("gige", Law::Gige), ("myrinet", Law::Myrinet), ("infiniband", Law::Infiniband)];

impl FromStr for Law {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let found = WORDS.iter().find(|(word, _)| *word == text).map(|(_, law)| *law);
        found.ok_or_else(|| format!("unknown law {text:?} of sharing; known are maxmin, gige, myrinet and infiniband"))
    }
}

/// A law with its parameters, between the hosts of a model.
#[derive(Debug, Clone)]
pub struct SimulatedLaw {
    law: WithParameters,
    hosts: Hosts,
}

#[derive(Debug, Clone)]
enum WithParameters {
    Maxmin,
    Gige(GigabitEthernet),
    Myrinet,
    Infiniband(Infiniband),
    /// The model holds more than one, and none was chosen.
    Several,
}

impl SimulatedLaw {
    /// The law that is asked for, or the only one of the model; none where it holds none.
    pub fn of(asked: Option<Law>, model: &Model) -> anyhow::Result<Option<Self>> {
        let (gige, infiniband) = (model.sharing.gige, model.sharing.infiniband);
        let absent =
            |word| anyhow!("no parameters of {word} are in it; fit them with orrery fit, or leave sharing out");
        let law = match (asked, gige, infiniband) {
            (Some(Law::Maxmin), ..) => WithParameters::Maxmin,
            (Some(Law::Myrinet), ..) => WithParameters::Myrinet,
            (Some(Law::Gige), gige, _) => WithParameters::Gige(gige.ok_or_else(|| absent("gige"))?.law()?),
            (Some(Law::Infiniband), _, infiniband) => {
                WithParameters::Infiniband(infiniband.ok_or_else(|| absent("infiniband"))?.law()?)
            }
            (None, Some(gige), None) => WithParameters::Gige(gige.law()?),
            (None, None, Some(infiniband)) => WithParameters::Infiniband(infiniband.law()?),
            (None, Some(_), Some(_)) => WithParameters::Several,
            (None, None, None) => return Ok(None),
        };
        let mixed = model.shared_hosts();
        let hosts = if mixed.are_mixed() { mixed } else { Hosts::default() };
        Ok(Some(Self { law, hosts }))
    }

    /// The word for it.
    pub const fn words(&self) -> &'static str {
        match self.law {
            WithParameters::Maxmin => "maxmin",
            WithParameters::Gige(_) => "gige",
            WithParameters::Myrinet => "myrinet",
            WithParameters::Infiniband(_) => "infiniband",
            WithParameters::Several => "several",
        }
    }

    /// Processors on one host are one node.
    fn node(&self, processor: Processor) -> u32 {
        self.hosts.number(processor).map_or(processor.0, |number| number as u32)
    }
}

impl SlowdownModel for SimulatedLaw {
    fn slowdowns(&self, messages: &[(Processor, Processor)]) -> Result<Vec<f64>, String> {
        let transfers: Vec<Transfer> =
            messages.iter().map(|&(from, to)| Transfer::between(self.node(from), self.node(to))).collect();
        let penalties = match &self.law {
            WithParameters::Maxmin => MaxMinPorts.penalties(&transfers),
            WithParameters::Gige(law) => law.penalties(&transfers),
            WithParameters::Myrinet => Myrinet::default().penalties(&transfers),
            WithParameters::Infiniband(law) => law.penalties(&transfers),
            WithParameters::Several => {
                return Err(
                    "the model holds several; choose one with sim:MODEL,sharing=gige or sharing=infiniband".into()
                );
            }
        };
        penalties.map_err(|error| error.to_string())
    }
}
