//! Where the ranks of an application are.

use std::fmt::Display;

use crate::platform::{Host, HostId, MappingPolicy, Processor, RankMapping, Topology};
use crate::request::RequestError;

/// A rule that places ranks on hosts, or a list of places.
#[derive(Debug, Clone)]
pub enum RankPlacement {
    /// A rule.
    Policy(MappingPolicy),
    /// The list in a file of a launcher.
    Listed(RankMapping),
}

impl RankPlacement {
    /// The default placement: round robin by host.
    pub const DEFAULT: Self = Self::Policy(MappingPolicy::RoundRobinNode);

    /// The host of each rank.
    ///
    /// # Errors
    ///
    /// A list that does not fit the hosts or the ranks.
    pub fn hosts(&self, topology: &Topology, ranks: usize) -> Result<Vec<HostId>, RequestError> {
        match self {
            Self::Policy(policy) => Ok(policy.hosts(topology, ranks)),
            Self::Listed(list) => list
                .hosts(
                    ranks,
                    |host| topology.host(host),
                    || topology.hosts.iter().map(|host| host.name.as_str()).collect(),
                )
                .map_err(|error| RequestError::failed(error.to_string())),
        }
    }
}

/// The processors of a model by host, and which of them have a rank.
pub(super) struct FreeProcessors {
    /// The hosts, each with its number of processors as cores; without names each processor is a
    /// host.
    topology: Topology,
    of_host: Vec<Vec<Processor>>,
    /// By processor: true if it has a rank.
    is_taken: Vec<bool>,
}

impl FreeProcessors {
    /// The processors of a model; `names` has the host of each processor.
    pub(super) fn new(names: &[String]) -> Self {
        let mut topology = Topology::default();
        let mut of_host: Vec<Vec<Processor>> = Vec::new();
        for (number, name) in names.iter().enumerate() {
            let name = if name.is_empty() { format!("processor {number}") } else { name.clone() };
            let place =
                topology.hosts.iter().position(|host| host.name == name).unwrap_or_else(|| {
                    topology.hosts.push(Host { name, speed: 0.0, cores: 0 });
                    of_host.push(Vec::new());
                    topology.hosts.len() - 1
                });
            topology.hosts[place].cores += 1;
            of_host[place].push(Processor(number as u32));
        }
        Self { topology, of_host, is_taken: vec![false; names.len()] }
    }

    /// Takes free processors for the ranks of an application: in order, or on the hosts of a
    /// placement.
    pub(super) fn take(
        &mut self,
        name: &str,
        placement: Option<&RankPlacement>,
        ranks: usize,
    ) -> Result<Vec<Processor>, RequestError> {
        let failure = |text: &dyn Display| RequestError::failed(format!("{name}: {text}"));
        let all = self.is_taken.len();
        let free: Vec<Processor> =
            Processor::first(all).filter(|one| !self.is_taken[one.index()]).collect();
        if ranks > free.len() {
            let left = match free.len() {
                free if free < all => format!(", {free} of them free"),
                _ => String::new(),
            };
            let need = format!(
                "each of the {ranks} ranks needs a processor, but the model has {all}{left}; \
                    simulate fewer ranks"
            );
            return Err(failure(&need));
        }
        let Some(placement) = placement else {
            let taken = free[..ranks].to_vec();
            taken.iter().for_each(|one| self.is_taken[one.index()] = true);
            return Ok(taken);
        };
        let hosts = placement.hosts(&self.topology, ranks);
        let hosts = hosts.map_err(|error| failure(&error))?;
        let mut taken = Vec::with_capacity(ranks);
        for host in hosts {
            let own = &self.of_host[host.index()];
            let Some(&processor) = own.iter().find(|one| !self.is_taken[one.index()]) else {
                let (host, count) = (&self.topology.hosts[host.index()].name, own.len());
                return Err(failure(&format!(
                    "the placement needs more than the {count} processors of host {host}; place \
                        fewer ranks there"
                )));
            };
            self.is_taken[processor.index()] = true;
            taken.push(processor);
        }
        Ok(taken)
    }

    /// The host of a processor.
    pub(super) fn host_of(&self, processor: Processor) -> &str {
        let place = self.of_host.iter().position(|own| own.contains(&processor));
        place.map_or("", |place| &self.topology.hosts[place].name)
    }
}
