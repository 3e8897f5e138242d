//! The switches of Slurm's `topology.conf` as groups of processors that may share links.

use std::path::{Path, PathBuf};

use anyhow::bail;
use orrery::model::{GroupVerdict, SharedLinks};
use orrery::platform::slurm_topology::{self, SwitchTree};
use orrery::platform::{Processor, processor_name};

use super::fit_links::names;
use crate::context::{Context, warn};

/// The switches of a file with the processors of their hosts.
#[derive(Debug)]
pub struct Switches {
    path: PathBuf,
    tree: SwitchTree,
    /// The processors below each switch.
    pub groups: Vec<Vec<Processor>>,
}

impl Switches {
    /// Reads a `topology.conf` for processors on these hosts.
    pub fn read(path: &Path, hosts: &[&str]) -> anyhow::Result<Self> {
        let tree = slurm_topology::read(path)?;
        if hosts.iter().all(|host| host.is_empty()) {
            bail!(
                "--topology: the hosts of the processors are not known, so that the switches in {} \
                    say nothing about them; leave it out",
                path.display()
            );
        }
        let groups = tree.processors_below(hosts);
        let is_known =
            |number: usize| groups.iter().any(|group| group.contains(&Processor(number as u32)));
        let mut unknown: Vec<&str> =
            (0..hosts.len()).filter(|&one| !is_known(one)).map(|one| hosts[one]).collect();
        unknown.dedup();
        let unknown_names = || names(unknown.iter().map(ToString::to_string));
        if groups.iter().all(Vec::is_empty) {
            bail!(
                "{}: none of the processors is on a host of these switches; their hosts are {}",
                path.display(),
                unknown_names()
            );
        }
        if !unknown.is_empty() {
            warn(format!("{}: no switch has the hosts {}", path.display(), unknown_names()));
        }
        Ok(Self { path: path.to_owned(), tree, groups })
    }

    /// Prints which switches the measurements confirm, contradict, or cannot judge.
    pub fn report(&self, context: Context, found: &SharedLinks, hosts: &[String]) {
        let path = self.path.display();
        let (mut confirmed, mut untested, mut unloaded, mut idle) =
            (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        let mut most = 0;
        for (switch, verdict) in self.tree.switches().iter().zip(&found.stated) {
            let name = switch.name.clone();
            match *verdict {
                GroupVerdict::Confirmed(_) => confirmed.push(name),
                GroupVerdict::Contradicted(link) => {
                    let group =
                        found.links[link].group.iter().map(|one| processor_name(hosts, *one));
                    warn(format!(
                        "{path}: the measurements contradict switch {name}: the link that {} share \
                            divides its hosts",
                        names(group)
                    ));
                }
                GroupVerdict::Open { pairs: 0 } => untested.push(name),
                GroupVerdict::Open { pairs: 1 } => unloaded.push(name),
                GroupVerdict::Open { pairs } => {
                    most = most.max(pairs);
                    idle.push(name);
                }
            }
        }
        let say = |switches: &[String], before: &str, after: String| {
            if !switches.is_empty() {
                let noun = if switches.len() == 1 { "switch" } else { "switches" };
                context.say(format!("{path}: {before} {noun} {}{after}", switches.join(", ")));
            }
        };
        let open = "the measurements cannot judge";
        say(&confirmed, "shared links confirm", String::new());
        say(
            &idle,
            open,
            format!(": up to {most} pairs pass at the same time and are not slowed there"),
        );
        say(
            &unloaded,
            open,
            ": no two pairs pass at the same time; use orrery measure comm --topology".into(),
        );
        say(&untested, open, ": all measured hosts are below, or none".into());
    }
}
