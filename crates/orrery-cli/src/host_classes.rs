//! Classes of equal hosts, of which some are measured.

use std::collections::BTreeSet;
use std::fmt;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use anyhow::Context as _;
use orrery::machine::host;
use orrery::machine::{Machine, SelectedProcessors};
use orrery::model::{ALL_HOSTS, HostClasses};
use orrery::platform::{Processor, host_names};
use orrery::units::Bytes;

use crate::applies;
use crate::context::{Context, warn};
use crate::hand_written;

/// A host of the campaign.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Host {
    /// Its name.
    pub name: String,
    /// The rank that measures.
    pub rank: usize,
    /// The name of its processor model; `None` if unknown.
    pub cpu: Option<String>,
    /// Its memory; `None` if unknown.
    pub memory: Option<Bytes>,
}

/// The hosts of the MPI job that this process leads, else this one. This host is the first one.
#[cfg_attr(not(feature = "mpi"), allow(unused_variables))]
pub fn hosts(context: Context) -> Vec<Host> {
    #[cfg(feature = "mpi")]
    if let Some(job) = context.job {
        let host =
            |orrery_mpi::JobHost { name, rank, cpu, memory }| Host { name, rank, cpu, memory };
        return job.hosts().into_iter().map(host).collect();
    }
    vec![Host { name: host::name(), rank: 0, cpu: host::cpu_model(), memory: host::memory() }]
}

/// Words about a host, with its name if there are others.
pub fn of(host: &str, words: impl fmt::Display, is_alone: bool) -> String {
    if is_alone { words.to_string() } else { format!("{host}: {words}") }
}

/// The value of `--classes`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ClassesWord {
    /// By the processor model and the memory.
    Auto,
    /// By a file.
    File(PathBuf),
}

impl FromStr for ClassesWord {
    type Err = std::convert::Infallible;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Ok(if text == "auto" { Self::Auto } else { Self::File(text.into()) })
    }
}

/// The classes of equal hosts. Kernels are measured on one host of each class, links between three.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Classes(Vec<Class>);

/// A measured host, and the hosts that equal it.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Class {
    measured: Host,
    others: Vec<String>,
}

/// The relative difference of the memory of equal hosts: the system reserves a part that varies.
const MEMORY_TOLERANCE: f64 = 0.02;

impl Classes {
    /// The classes of hosts; without a word each host is one.
    pub fn new(word: Option<&ClassesWord>, hosts: &[Host]) -> anyhow::Result<Self> {
        match word {
            None => Ok(Self::by(hosts, |_, _| false)),
            Some(ClassesWord::Auto) => Ok(Self::by(hosts, are_equal)),
            Some(ClassesWord::File(path)) => {
                let text = hand_written::read(path)
                    .with_context(|| format!("cannot read {}", path.display()))?;
                Ok(Self::of_lines(&lines(&text, path)?, hosts, path))
            }
        }
    }

    /// The classes of hosts by a test of equality.
    fn by(hosts: &[Host], are_equal: impl Fn(&Host, &Host) -> bool) -> Self {
        let mut classes: Vec<Class> = Vec::new();
        for host in hosts {
            match classes.iter_mut().find(|class| are_equal(&class.measured, host)) {
                Some(class) => class.others.push(host.name.clone()),
                None => classes.push(Class { measured: host.clone(), others: Vec::new() }),
            }
        }
        Self(classes)
    }

    /// The classes of a file: the first host of the job on a line is measured.
    fn of_lines(lines: &[(usize, Vec<String>)], hosts: &[Host], path: &Path) -> Self {
        let line_of = |host: &Host| lines.iter().position(|(_, names)| names.contains(&host.name));
        let mut classes =
            Self::by(hosts, |a, b| line_of(a).is_some_and(|line| line_of(b) == Some(line)));
        for (number, names) in lines {
            let class = classes.0.iter_mut().find(|class| names.contains(&class.measured.name));
            match class {
                Some(class) => {
                    // Also hosts outside the job.
                    class.others = names
                        .iter()
                        .filter(|name| **name != class.measured.name)
                        .cloned()
                        .collect();
                }
                None => warn(format_args!(
                    "{}:{number}: no host of this class is measured; the hosts are {}",
                    path.display(),
                    hosts.iter().map(|host| host.name.as_str()).collect::<Vec<_>>().join(", ")
                )),
            }
        }
        classes
    }

    /// The hosts to measure; this host is the first one.
    pub fn measured(&self) -> impl Iterator<Item = &Host> {
        self.0.iter().map(|class| &class.measured)
    }

    /// At most this number of hosts of each class, of those in `hosts`, in their order.
    pub fn representatives<'a>(&self, hosts: &'a [Host], most: usize) -> Vec<&'a Host> {
        let mut taken = vec![0; self.0.len()];
        let is_taken = |host: &&Host| {
            self.number(&host.name).is_some_and(|class| {
                taken[class] += 1;
                taken[class] <= most
            })
        };
        hosts.iter().filter(is_taken).collect()
    }

    /// The hosts, then those of the classes that are not among them, each with the number of its
    /// class, from 1.
    pub fn numbered(&self, hosts: &[Host]) -> HostClasses {
        let own = hosts.iter().map(|host| host.name.clone());
        let all = self
            .0
            .iter()
            .flat_map(|class| [&class.measured.name].into_iter().chain(&class.others))
            .cloned();
        let others = all.filter(|name| hosts.iter().all(|host| host.name != *name));
        let numbered = own.chain(others).filter_map(|name| Some((self.number(&name)? + 1, name)));
        HostClasses::new(numbered.map(|(class, name)| (name, class)).collect())
    }

    /// The index of the class of a host; `None` if no class has it.
    fn number(&self, name: &str) -> Option<usize> {
        self.0.iter().position(|class| {
            class.measured.name == name || class.others.iter().any(|other| other == name)
        })
    }

    /// The classes with several hosts as text for the file; `None` if there are none.
    pub fn words(&self) -> Option<String> {
        let class = |class: &Class| format!("{} {}", class.measured.name, class.others.join(" "));
        let classes: Vec<String> =
            self.0.iter().filter(|class| !class.others.is_empty()).map(class).collect();
        (!classes.is_empty()).then(|| classes.join("; "))
    }

    /// A remark about each class with several hosts.
    pub fn remarks(&self) -> impl Iterator<Item = String> {
        let several = self.0.iter().filter(|class| !class.others.is_empty());
        several.map(|class| {
            format!("{} is measured for {}", class.measured.name, class.others.join(", "))
        })
    }
}

/// The number of hosts of each class between which links are measured: one-to-two experiments need
/// three.
const REPRESENTATIVES: usize = 3;

/// The machine of at most three hosts of each class; its samples name the others, for fits of the
/// whole cluster.
pub fn representatives(
    context: Context,
    machine: Box<dyn Machine>,
    word: &ClassesWord,
) -> anyhow::Result<Box<dyn Machine>> {
    let provenance = machine.provenance();
    let names = provenance.hosts();
    let mut hosts = hosts(context);
    if hosts.len() != names.len() || hosts.iter().zip(&names).any(|(host, name)| host.name != *name)
    {
        // Other machines than MPI jobs know the names of their hosts only.
        let host = |(rank, name): (usize, &&str)| Host {
            name: (*name).to_owned(),
            rank,
            cpu: None,
            memory: None,
        };
        hosts = names.iter().enumerate().map(host).collect();
    }
    let different: BTreeSet<&str> = names.iter().copied().collect();
    if different.len() < machine.processors() {
        let subject = "hosts without names, or with several ranks, of which --ppn 1 selects one";
        applies::refuse(&["--classes"], subject)?;
    }
    let classes = Classes::new(Some(word), &hosts)?;
    let chosen = classes.representatives(&hosts, REPRESENTATIVES);
    context.say(format!(
        "{} of {} hosts are measured for their classes: {}",
        chosen.len(),
        hosts.len(),
        chosen.iter().map(|host| host.name.as_str()).collect::<Vec<_>>().join(", ")
    ));
    let processors = chosen.iter().map(|host| Processor(host.rank as u32)).collect();
    let all = classes.numbered(&hosts).to_string();
    Ok(Box::new(SelectedProcessors::new(machine, processors)?.describing(ALL_HOSTS, all)))
}

/// Returns true if two hosts have the same known processor model and about the same memory.
fn are_equal(a: &Host, b: &Host) -> bool {
    let memory = |host: &Host| host.memory.map_or(0.0, |memory| memory.get() as f64);
    let difference = (memory(a) - memory(b)).abs();
    a.cpu.is_some() && a.cpu == b.cpu && difference <= MEMORY_TOLERANCE * memory(a).max(memory(b))
}

/// The names on each line of a file, with the number of the line.
fn lines(text: &str, path: &Path) -> anyhow::Result<Vec<(usize, Vec<String>)>> {
    let mut known = BTreeSet::new();
    let mut lines = Vec::new();
    for (number, line) in (1..).zip(text.lines()) {
        let words = line.split('#').next().unwrap_or_default().split_whitespace();
        let list = words
            .map(|word| word.trim_matches(','))
            .filter(|word| !word.is_empty())
            .collect::<Vec<_>>()
            .join(",");
        if list.is_empty() {
            continue;
        }
        let place = || format!("{}:{number}", path.display());
        let names = host_names(&list).with_context(place)?;
        if let Some(twice) = names.iter().find(|name| !known.insert((*name).clone())) {
            anyhow::bail!("{}: {twice} is named twice; name each host in one class", place());
        }
        lines.push((number, names));
    }
    Ok(lines)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hosts(all: &[(&str, &str, u64)]) -> Vec<Host> {
        let host = |(rank, &(name, cpu, memory)): (usize, &(&str, &str, u64))| Host {
            name: name.to_owned(),
            rank,
            cpu: (!cpu.is_empty()).then(|| cpu.to_owned()),
            memory: Some(Bytes::new(memory)),
        };
        all.iter().enumerate().map(host).collect()
    }

    fn measured(classes: &Classes) -> Vec<usize> {
        classes.measured().map(|host| host.rank).collect()
    }

    #[test]
    fn equal_hosts_have_the_same_processor_model_and_memory() {
        let all = hosts(&[
            ("a", "x", 1000),
            ("b", "x", 1015),
            ("c", "x", 2000),
            ("d", "y", 1000),
            ("e", "", 1000),
        ]);
        let classes = Classes::new(Some(&ClassesWord::Auto), &all).unwrap();
        assert_eq!(measured(&classes), [0, 2, 3, 4]);
        assert_eq!(classes.words().as_deref(), Some("a b"));
        assert_eq!(classes.remarks().collect::<Vec<_>>(), ["a is measured for b"]);
        let each = Classes::new(None, &all).unwrap();
        assert_eq!((measured(&each).len(), each.words()), (5, None));
        // An unknown processor model is equal to none.
        let unknown = hosts(&[("a", "", 1000), ("b", "", 1000)]);
        assert_eq!(measured(&Classes::new(Some(&ClassesWord::Auto), &unknown).unwrap()), [0, 1]);
    }

    #[test]
    fn a_file_names_the_hosts_of_each_class() {
        let hosts = hosts(&[("n1", "x", 1), ("n2", "y", 2), ("n3", "x", 1), ("n9", "x", 1)]);
        let path = Path::new("classes");
        let text = "# fast ones\nn[2-3], n7\nn1 n4 # slow\n\nn[5-6]\n";
        let lines = lines(text, path).unwrap();
        assert_eq!(lines.iter().map(|line| line.0).collect::<Vec<_>>(), [2, 3, 5]);
        let classes = Classes::of_lines(&lines, &hosts, path);
        assert_eq!(measured(&classes), [0, 1, 3]);
        assert_eq!(classes.words().as_deref(), Some("n1 n4; n2 n3 n7"));
        let twice = super::lines("a b\nc a\n", path).unwrap_err().to_string();
        assert_eq!(twice, "classes:2: a is named twice; name each host in one class");
    }
}
