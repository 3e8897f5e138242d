//! Rank-to-host mappings on the command line.

use std::path::PathBuf;
use std::str::FromStr;

use anyhow::{Context as _, anyhow};
use orrery::platform::{Host, HostId, MappingPolicy, Processor, RankMapping, Topology};

use crate::hand_written;

/// A mapping policy (`rrn`, `rrp`, `random[:SEED]`), or a file of a launcher.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MappingOption {
    Policy(MappingPolicy),
    File(PathBuf),
}

impl FromStr for MappingOption {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text.parse() {
            Ok(policy) => Ok(Self::Policy(policy)),
            Err(error) if text.starts_with("random:") || text.is_empty() => Err(error.to_string()),
            Err(_) => Ok(Self::File(text.into())),
        }
    }
}

impl std::fmt::Display for MappingOption {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Policy(policy) => policy.fmt(f),
            Self::File(path) => path.display().fmt(f),
        }
    }
}

impl MappingOption {
    /// The default mapping: round robin by host.
    pub const DEFAULT: Self = Self::Policy(MappingPolicy::RoundRobinNode);

    /// The host of each rank.
    pub fn hosts(&self, topology: &Topology, ranks: usize) -> anyhow::Result<Vec<HostId>> {
        match self {
            Self::Policy(policy) => Ok(policy.hosts(topology, ranks)),
            Self::File(path) => {
                let name = path.display().to_string();
                let text = hand_written::read(path).with_context(|| {
                    format!(
                        "cannot read {name}; a placement is rrn, rrp, random[:SEED] or a file with \
                            a host for each rank"
                    )
                })?;
                let places = RankMapping::parse(&text, &name)?;
                Ok(places.hosts(ranks, |host| topology.host(host))?)
            }
        }
    }
}

/// The processors of a model by host, and which of them have a rank.
pub struct FreeProcessors {
    /// The hosts, each with its number of processors as cores; without names each processor is a
    /// host.
    pub topology: Topology,
    of_host: Vec<Vec<Processor>>,
    /// By processor: true if it has a rank.
    is_taken: Vec<bool>,
}

impl FreeProcessors {
    /// The processors of a model; `names` has the host of each processor.
    pub fn new(names: &[String]) -> Self {
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

    /// Takes free processors for ranks: in order, or on the hosts of a mapping.
    pub fn take(
        &mut self,
        mapping: Option<&MappingOption>,
        ranks: usize,
    ) -> anyhow::Result<Vec<Processor>> {
        let all = self.is_taken.len();
        let free = self.is_taken.iter().filter(|taken| !**taken).count();
        if ranks > free {
            let left = if free < all { format!(", {free} of them free") } else { String::new() };
            return Err(anyhow!("{ranks} ranks need a processor each; the model has {all}{left}"));
        }
        let Some(mapping) = mapping else {
            let free: Vec<Processor> =
                Processor::first(all).filter(|p| !self.is_taken[p.index()]).take(ranks).collect();
            free.iter().for_each(|p| self.is_taken[p.index()] = true);
            return Ok(free);
        };
        let hosts = mapping.hosts(&self.topology, ranks)?;
        let mut taken = Vec::with_capacity(ranks);
        for host in hosts {
            let own = &self.of_host[host.index()];
            let free = own.iter().find(|p| !self.is_taken[p.index()]);
            let (name, count) = (&self.topology.hosts[host.index()].name, own.len());
            let processor = *free.ok_or_else(|| {
                anyhow!("the placement needs more than the {count} processors of host {name}")
            })?;
            self.is_taken[processor.index()] = true;
            taken.push(processor);
        }
        Ok(taken)
    }

    /// The host of a processor.
    pub fn host_of(&self, processor: Processor) -> &str {
        let place = self.of_host.iter().position(|own| own.contains(&processor));
        place.map_or("", |place| &self.topology.hosts[place].name)
    }
}
