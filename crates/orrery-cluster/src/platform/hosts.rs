use std::collections::BTreeMap;
use std::fmt;

use super::Processor;
use orrery_base::file::Fault;

/// The class of the links of an experiment: within a host or across hosts.
///
/// Messages within a host pass through memory, messages across hosts through the network. The two
/// classes differ in times, in noise, and in the parameters of a model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum LinkClass {
    /// Both ends are on the same host.
    WithinHost,
    /// The ends are on different hosts.
    AcrossHosts,
    /// The experiment has links of both classes.
    Both,
}

impl LinkClass {
    /// The name in tables: `within`, `across`, `both`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::WithinHost => "within",
            Self::AcrossHosts => "across",
            Self::Both => "both",
        }
    }
}

/// In sentences: `within a host`, `across hosts`, `within and across hosts`.
impl fmt::Display for LinkClass {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::WithinHost => "within a host",
            Self::AcrossHosts => "across hosts",
            Self::Both => "within and across hosts",
        })
    }
}

/// The host of each processor, by number.
///
/// ```
/// use orrery_cluster::platform::{Hosts, LinkClass, Processor};
/// let hosts = Hosts::new(["a", "a", "b"]);
/// assert_eq!(hosts.class(Processor(0), Processor(1)), Some(LinkClass::WithinHost));
/// assert_eq!(hosts.class(Processor(1), Processor(2)), Some(LinkClass::AcrossHosts));
/// // All links are across hosts, so they have no class.
/// assert_eq!(Hosts::new(["a", "b"]).class(Processor(0), Processor(1)), None);
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Hosts {
    /// The number of each processor's host; `None` if unknown.
    numbers: Vec<Option<usize>>,
    /// True if there are links within a host and links across hosts.
    are_mixed: bool,
}

impl Hosts {
    /// The hosts of processors 0, 1, … by name; an empty name means that the host is unknown.
    pub fn new<S: AsRef<str>>(names: impl IntoIterator<Item = S>) -> Self {
        let mut known: BTreeMap<String, usize> = BTreeMap::new();
        let mut number = |name: S| {
            let next = known.len();
            (!name.as_ref().is_empty())
                .then(|| *known.entry(name.as_ref().to_owned()).or_insert(next))
        };
        let numbers: Vec<Option<usize>> = names.into_iter().map(&mut number).collect();
        let named = numbers.iter().flatten().count();
        Self { numbers, are_mixed: known.len() > 1 && named > known.len() }
    }

    /// Returns true if there are links within a host and links across hosts. Otherwise links have
    /// no class.
    pub fn are_mixed(&self) -> bool {
        self.are_mixed
    }

    /// The number of a processor's host, in the order in which hosts are first named; `None` if
    /// unknown.
    pub fn number(&self, processor: Processor) -> Option<usize> {
        self.numbers.get(processor.index()).copied().flatten()
    }

    /// The processors of each host that has several, if there are links within a host and links
    /// across hosts: groups that may share a link.
    ///
    /// ```
    /// use orrery_cluster::platform::{Hosts, Processor};
    /// assert_eq!(Hosts::new(["a", "b", "a", "c"]).groups(), [[0, 2].map(Processor)]);
    /// ```
    pub fn groups(&self) -> Vec<Vec<Processor>> {
        let mut groups: BTreeMap<usize, Vec<Processor>> = BTreeMap::new();
        for (place, host) in self.numbers.iter().enumerate().filter(|_| self.are_mixed) {
            host.iter()
                .for_each(|&host| groups.entry(host).or_default().push(Processor(place as u32)));
        }
        groups.into_values().filter(|group| group.len() > 1).collect()
    }

    /// The class of a link; `None` if all links are of one class, or if one of the hosts is
    /// unknown.
    pub fn class(&self, a: Processor, b: Processor) -> Option<LinkClass> {
        let (a, b) = (self.number(a)?, self.number(b)?);
        let class = if a == b { LinkClass::WithinHost } else { LinkClass::AcrossHosts };
        self.are_mixed.then_some(class)
    }

    /// The common class of several links; `None` without links, or if the class of one is unknown.
    pub fn class_of(&self, links: &[(Processor, Processor)]) -> Option<LinkClass> {
        let mut classes = links.iter().map(|&(a, b)| self.class(a, b));
        let first = classes.next()??;
        classes
            .try_fold(first, |all, class| Some(if class? == all { all } else { LinkClass::Both }))
    }
}

/// Returns the first `ranks` processors of each host, ascending. `hosts` names the host of each
/// processor.
///
/// Ranks are numbered as the processors are: by blocks if the processors of a host follow each
/// other, in turn over the hosts if the processors are.
///
/// # Errors
///
/// When no rank is wanted, when the host of a processor is unknown, and when a host has fewer
/// processors than ranks.
///
/// ```
/// use orrery_cluster::platform::{Processor, ranks_per_host};
/// let hosts = ["a", "a", "a", "b", "b"];
/// assert_eq!(ranks_per_host(&hosts, 2)?, [0, 1, 3, 4].map(Processor));
/// assert_eq!(ranks_per_host(&["a", "b", "a", "b"], 1)?, [0, 1].map(Processor));
/// let error = ranks_per_host(&hosts, 3).unwrap_err();
/// assert!(error.to_string().starts_with("host b has fewer processors (2) than the 3 ranks per host"));
/// # Ok::<(), orrery_base::file::Fault>(())
/// ```
pub fn ranks_per_host<S: AsRef<str>>(hosts: &[S], ranks: usize) -> Result<Vec<Processor>, Fault> {
    if ranks == 0 {
        return Err(Fault::new("the number of ranks per host is 0; give 1 or more"));
    }
    if let Some(unknown) = hosts.iter().position(|host| host.as_ref().is_empty()) {
        let processor = Processor(unknown as u32);
        return Err(Fault::new(format!(
            "the host of processor {processor} is not known; without it, give no ranks per host"
        )));
    }
    let mut by_host: Vec<(&str, Processor)> =
        hosts.iter().map(AsRef::as_ref).zip((0..).map(Processor)).collect();
    by_host.sort_unstable();
    let mut chosen = Vec::with_capacity(hosts.len());
    for of_host in by_host.chunk_by(|(one, _), (other, _)| one == other) {
        let (host, processors) = (of_host[0].0, of_host.len());
        if processors < ranks {
            return Err(Fault::new(format!(
                "host {host} has fewer processors ({processors}) than the {ranks} ranks per host; \
                 request fewer"
            )));
        }
        chosen.extend(of_host[..ranks].iter().map(|(_, processor)| *processor));
    }
    chosen.sort_unstable();
    Ok(chosen)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_have_classes_if_both_classes_exist() {
        for names in [&["a", "a", "a"][..], &["a", "b", "c"], &["", "", "a"], &["a", "a", ""], &[]]
        {
            assert!(!Hosts::new(names).are_mixed(), "{names:?}");
            assert_eq!(Hosts::new(names).class(Processor(0), Processor(1)), None);
        }
        let hosts = Hosts::new(["a", "b", "a", "", "b"]);
        assert!(hosts.are_mixed());
        assert_eq!(hosts.class(Processor(0), Processor(3)), None);
        assert_eq!(hosts.class(Processor(0), Processor(9)), None);
        assert_eq!(hosts.class(Processor(4), Processor(1)), Some(LinkClass::WithinHost));
    }

    #[test]
    fn links_of_different_classes_have_class_both() {
        let hosts = Hosts::new(["a", "a", "a", "b", "b", ""]);
        let class = |links: &[(u32, u32)]| {
            hosts.class_of(
                &links.iter().map(|&(a, b)| (Processor(a), Processor(b))).collect::<Vec<_>>(),
            )
        };
        assert_eq!(class(&[(0, 1), (0, 2)]), Some(LinkClass::WithinHost));
        assert_eq!(class(&[(0, 3), (0, 4)]), Some(LinkClass::AcrossHosts));
        assert_eq!(class(&[(0, 1), (0, 4)]), Some(LinkClass::Both));
        assert_eq!(class(&[(0, 3), (0, 1), (0, 2)]), Some(LinkClass::Both));
        assert_eq!((class(&[(0, 1), (0, 5)]), class(&[])), (None, None));
    }
}
