//! The tree of switches in Slurm's `topology.conf` (plugin `topology/tree`).
//!
//! ```
//! use orrery_cluster::platform::slurm_topology::parse;
//! let tree = parse("SwitchName=leaf0 Nodes=n[0-1]\nSwitchName=leaf1 Nodes=n2\nSwitchName=root Switches=leaf[0-1]\n", "t")?;
//! let [root] = tree.roots() else { panic!() };
//! assert_eq!(tree.hosts_below(*root), ["n0", "n1", "n2"]);
//!
//! let error = parse("SwitchName=root Switches=leaf0\n", "topology.conf").unwrap_err().to_string();
//! assert_eq!(error, "topology.conf:1:26: there is no switch \"leaf0\"; add its line, or correct the name");
//! # Ok::<(), orrery_base::file::FileError>(())
//! ```

mod reader;
mod statements;

use std::collections::BTreeMap;

use crate::platform::Processor;

pub use reader::{parse, read};

/// The number of a switch in a [`SwitchTree`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct SwitchId(pub u32);

impl SwitchId {
    /// The number as an index.
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// A switch with what is connected to it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Switch {
    /// Its name.
    pub name: String,
    /// The switch above it; `None` for a root.
    pub parent: Option<SwitchId>,
    /// The switches below it, in the order of the file.
    pub switches: Vec<SwitchId>,
    /// Its hosts, in the order of the file; empty if it has switches below it.
    pub hosts: Vec<String>,
}

/// The switches of a cluster: one tree, or several if the file does not join them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SwitchTree {
    /// The switches in the order of the file.
    switches: Vec<Switch>,
    roots: Vec<SwitchId>,
}

impl SwitchTree {
    /// All switches, in the order of their numbers.
    pub fn switches(&self) -> &[Switch] {
        &self.switches
    }

    /// The switch with this number.
    ///
    /// # Panics
    ///
    /// When the number is that of another tree.
    pub fn switch(&self, id: SwitchId) -> &Switch {
        &self.switches[id.index()]
    }

    /// The switches without a switch above them.
    pub fn roots(&self) -> &[SwitchId] {
        &self.roots
    }

    /// The group of hosts of a switch: its own and those of all switches below it, depth first.
    pub fn hosts_below(&self, id: SwitchId) -> Vec<&str> {
        let (mut hosts, mut stack) = (Vec::new(), vec![id]);
        while let Some(id) = stack.pop() {
            let switch = self.switch(id);
            hosts.extend(switch.hosts.iter().map(String::as_str));
            stack.extend(switch.switches.iter().rev());
        }
        hosts
    }

    /// The processors of the hosts of each switch and of all switches below it, in the order of the
    /// switches; `hosts` are the hosts of the processors. A host has the same name with and without
    /// its domain.
    pub fn processors_below<S: AsRef<str>>(&self, hosts: &[S]) -> Vec<Vec<Processor>> {
        let mut known: BTreeMap<&str, Vec<(&str, SwitchId)>> = BTreeMap::new();
        for (switch, id) in self.switches.iter().zip((0..).map(SwitchId)) {
            switch
                .hosts
                .iter()
                .for_each(|host| known.entry(short(host)).or_default().push((host, id)));
        }
        let mut groups = vec![Vec::new(); self.switches.len()];
        for (host, processor) in hosts.iter().map(AsRef::as_ref).zip((0..).map(Processor)) {
            let alike = known.get(short(host)).map_or(&[][..], Vec::as_slice);
            let is_short = |name: &str| name == short(name);
            let same = alike.iter().find(|(name, _)| *name == host);
            let same =
                same.or_else(|| alike.iter().find(|(name, _)| is_short(name) || is_short(host)));
            let lowest = same.map(|&(_, id)| id);
            for id in std::iter::successors(lowest, |&id| self.switch(id).parent) {
                groups[id.index()].push(processor);
            }
        }
        groups
    }

    /// The number of switches above a switch.
    pub fn depth(&self, id: SwitchId) -> usize {
        std::iter::successors(self.switch(id).parent, |&above| self.switch(above).parent).count()
    }
}

/// The name of a host without its domain.
fn short(host: &str) -> &str {
    host.split('.').next().unwrap_or(host)
}
