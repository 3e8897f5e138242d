//! Which ranks stand where, as it is named on the command line.

use std::path::PathBuf;
use std::str::FromStr;

use anyhow::{Context as _, anyhow};
use orrery::platform::{Host, HostId, MappingPolicy, Processor, RankMapping, Topology};

/// `rrn`, `rrp`, `random[:SEED]`, or a file for a launcher.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Placing {
    MappingPolicy(MappingPolicy),
    File(PathBuf),
}

impl FromStr for Placing {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text.parse() {
            Ok(seating) => Ok(Self::MappingPolicy(seating)),
            Err(error) if text.starts_with("random:") || text.is_empty() => Err(error),
            Err(_) => Ok(Self::File(text.into())),
        }
    }
}

impl std::fmt::Display for Placing {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::MappingPolicy(seating) => seating.fmt(f),
            Self::File(path) => path.display().fmt(f),
        }
    }
}

impl Placing {
    /// What is taken where none is named: hosts in turn.
    pub const FIRST: Self = Self::MappingPolicy(MappingPolicy::RoundRobinNode);

    /// The host of each of so many ranks.
    pub fn hosts(&self, topology: &Topology, ranks: usize) -> anyhow::Result<Vec<HostId>> {
        match self {
            Self::MappingPolicy(seating) => Ok(seating.hosts(topology, ranks)),
            Self::File(path) => {
                let name = path.display().to_string();
                let text = std::fs::read_to_string(path).with_context(|| {
                    format!(
                        "cannot read {name}; a placement is rrn, rrp, random[:SEED] or a file with a host for each rank"
                    )
                })?;
                let places = RankMapping::parse(&text, &name)?;
                Ok(places.hosts(ranks, |host| topology.host(host))?)
            }
        }
    }
}

/// The processors of a model by host, to be dealt out to ranks: each is the place of one.
pub struct Processors {
    /// Its hosts, with as many cores as processors; without names each processor is a host.
    pub topology: Topology,
    of_host: Vec<Vec<Processor>>,
    is_taken: Vec<bool>,
}

impl Processors {
    /// Those of a model, whose hosts are named for each processor.
    pub fn new(names: &[String]) -> Self {
        let mut topology = Topology::default();
        let mut of_host: Vec<Vec<Processor>> = Vec::new();
        for (number, name) in names.iter().enumerate() {
            let name = if name.is_empty() { format!("processor {number}") } else { name.clone() };
            let place = topology.hosts.iter().position(|host| host.name == name).unwrap_or_else(|| {
                topology.hosts.push(Host { name, speed: 0.0, cores: 0 });
                of_host.push(Vec::new());
                topology.hosts.len() - 1
            });
            topology.hosts[place].cores += 1;
            of_host[place].push(Processor(number as u32));
        }
        Self { topology, of_host, is_taken: vec![false; names.len()] }
    }

    /// The processors of so many ranks that nobody has yet: in order, or on the hosts that a placement names.
    pub fn take(&mut self, placing: Option<&Placing>, ranks: usize) -> anyhow::Result<Vec<Processor>> {
        let all = self.is_taken.len();
        let free = self.is_taken.iter().filter(|taken| !**taken).count();
        if ranks > free {
            let left = if free < all { format!(", of which {free} are left") } else { String::new() };
            return Err(anyhow!("{ranks} ranks need a processor each; the model has {all}{left}"));
        }
        let Some(placing) = placing else {
            let free: Vec<Processor> =
                Processor::first(all).filter(|p| !self.is_taken[p.index()]).take(ranks).collect();
            free.iter().for_each(|p| self.is_taken[p.index()] = true);
            return Ok(free);
        };
        let hosts = placing.hosts(&self.topology, ranks)?;
        let mut taken = Vec::with_capacity(ranks);
        for host in hosts {
            let own = &self.of_host[host.index()];
            let free = own.iter().find(|p| !self.is_taken[p.index()]);
            let (name, count) = (&self.topology.hosts[host.index()].name, own.len());
            let processor =
                *free.ok_or_else(|| anyhow!("the placement needs more than the {count} processors of host {name}"))?;
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
