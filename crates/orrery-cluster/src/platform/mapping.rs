//! The host of each rank: mapping policies, and mappings from files of launchers.

use std::fmt;
use std::iter::repeat_n;
use std::path::Path;
use std::str::FromStr;

use rand::SeedableRng;
use rand::rngs::ChaCha8Rng;
use rand::seq::SliceRandom;

use super::{HostId, Topology};
use orrery_base::file::{Fault, FileError, Position};
use orrery_base::names::advice;

/// A rule that maps ranks to the hosts of a topology.
///
/// ```
/// use orrery_cluster::platform::{Host, HostId, MappingPolicy, Topology};
/// let host = |name: &str| Host { name: name.into(), speed: 1e9, cores: 2 };
/// let two = Topology { hosts: vec![host("a"), host("b")], ..Topology::default() };
/// let numbers = |policy: MappingPolicy| policy.hosts(&two, 4).iter().map(|host| host.0).collect::<Vec<_>>();
/// assert_eq!(numbers(MappingPolicy::RoundRobinNode), [0, 1, 0, 1]);
/// assert_eq!(numbers(MappingPolicy::RoundRobinProcessor), [0, 0, 1, 1]);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MappingPolicy {
    /// Round robin by node: one rank on each host in turn. The name is `rrn`.
    RoundRobinNode,
    /// Round robin by core: all cores of a host, then those of the next host. The name is `rrp`.
    RoundRobinProcessor,
    /// Cores drawn without replacement with this seed. The name is `random:SEED`.
    Random(u64),
}

impl MappingPolicy {
    /// The host of each rank. After the last core, assignment starts again at the first.
    ///
    /// # Panics
    ///
    /// When the topology has no host.
    pub fn hosts(self, topology: &Topology, ranks: usize) -> Vec<HostId> {
        let hosts = || (0..topology.hosts.len() as u32).map(HostId);
        let cores =
            || hosts().flat_map(|host| repeat_n(host, topology.hosts[host.index()].cores as usize));
        assert!(cores().next().is_some(), "the topology has no host");
        match self {
            Self::RoundRobinNode => (0..).flat_map(|_| hosts()).take(ranks).collect(),
            Self::RoundRobinProcessor => (0..).flat_map(|_| cores()).take(ranks).collect(),
            Self::Random(seed) => {
                let mut drawn: Vec<HostId> = cores().collect();
                drawn.shuffle(&mut ChaCha8Rng::seed_from_u64(seed));
                drawn.into_iter().cycle().take(ranks).collect()
            }
        }
    }
}

impl FromStr for MappingPolicy {
    type Err = Fault;

    fn from_str(text: &str) -> Result<Self, Fault> {
        match text.split_once(':') {
            None if text == "rrn" => Ok(Self::RoundRobinNode),
            None if text == "rrp" => Ok(Self::RoundRobinProcessor),
            None if text == "random" => Ok(Self::Random(1)),
            Some(("random", seed)) => seed.parse().map(Self::Random).map_err(|_| {
                Fault::new(format!("{seed:?} is not a seed; give a whole number, 0 or more"))
            }),
            _ => {
                let advice = advice(text, "valid", ["rrn", "rrp", "random", "random:SEED"]);
                Err(Fault::new(format!("unknown placement {text:?}; {advice}")))
            }
        }
    }
}

impl fmt::Display for MappingPolicy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::RoundRobinNode => f.write_str("rrn"),
            Self::RoundRobinProcessor => f.write_str("rrp"),
            Self::Random(seed) => write!(f, "random:{seed}"),
        }
    }
}

/// The rank-to-host mapping of a launcher's file: hostfile, machinefile or rankfile.
///
/// | line | ranks on `node1` | format |
/// |---|---|---|
/// | `node1` | the next rank | one host per line |
/// | `node1 slots=4` | the next four ranks; `max_slots` is ignored | hostfile of Open MPI |
/// | `node1:4` | the next four ranks | machinefile of MPICH |
/// | `rank 3=node1 slot=0` | rank 3; the slot is ignored | rankfile of Open MPI |
///
/// `#` starts a comment. A file holds lines for ranks or lines for hosts, not both.
///
/// ```
/// use orrery_cluster::platform::{HostId, RankMapping};
/// let mapping = RankMapping::parse("a slots=2\nb\n", "hosts")?;
/// let find = |name: &str| ["a", "b"].iter().position(|host| *host == name).map(|index| HostId(index as u32));
/// assert_eq!(mapping.hosts(3, find, || vec!["a", "b"])?, [HostId(0), HostId(0), HostId(1)]);
///
/// let error = mapping.hosts(4, find, || vec!["a", "b"]).unwrap_err().to_string();
/// assert_eq!(error, "hosts:2:1: the file has slots for 3 ranks, but there are 4; add a line for each rank, or give hosts more slots");
/// # Ok::<(), orrery_base::file::FileError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RankMapping {
    file: String,
    lines: Vec<Line>,
}

/// A line of the file: a host and its ranks.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Line {
    host: String,
    ranks: Ranks,
    /// The number of the line, from 1.
    number: usize,
    /// The column of the host, from 1.
    column: usize,
}

/// The ranks that a line maps to its host.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Ranks {
    /// The next ranks, this many.
    Next(usize),
    /// The rank of this number.
    One(usize),
}

/// The limit of slots of a host and of rank numbers; larger numbers are typing errors.
const MAX_SLOTS: usize = 1 << 20;

impl RankMapping {
    /// Parses the text of a mapping; `file` is its name in errors.
    ///
    /// # Errors
    ///
    /// A line that no format allows, and a file that names no host, with line and column.
    pub fn parse(text: &str, file: &str) -> Result<Self, FileError> {
        let error = |line, column, fault: String| {
            FileError::at(Path::new(file), Position { line, column }, fault.into())
        };
        let mut lines: Vec<Line> = Vec::new();
        for (k, whole) in text.lines().enumerate() {
            let content = &whole[..whole.find('#').unwrap_or(whole.len())];
            if content.trim().is_empty() {
                continue;
            }
            let line = parse_line(content, k + 1).map_err(|(byte, found)| {
                let message = format!(
                    "{found:?} is not valid here; lines are \"node1\", \"node1 slots=4\", \
                        \"node1:4\" or \"rank 3=node1 slot=0\""
                );
                error(k + 1, whole[..byte].chars().count() + 1, message)
            })?;
            if lines.first().is_some_and(|first| is_next(first) != is_next(&line)) {
                let message =
                    "the file mixes lines for ranks and lines for hosts; use one of the two forms";
                return Err(error(line.number, line.column, message.to_owned()));
            }
            lines.push(line);
        }
        if lines.is_empty() {
            let message = "the file names no host; write one host per line for each rank, or a \
                hostfile, machinefile or rankfile";
            return Err(error(1, 1, message.to_owned()));
        }
        Ok(Self { file: file.to_owned(), lines })
    }

    /// The host of each of the first `ranks` ranks; lines of higher ranks are ignored. `find` looks
    /// up a host by name, and returns `None` for a name that the cluster does not have; `names`
    /// returns those that it has, for the error.
    ///
    /// # Errors
    ///
    /// A host that `find` does not know, a rank without a host, a rank with two.
    pub fn hosts<N: AsRef<str>>(
        &self,
        ranks: usize,
        find: impl Fn(&str) -> Option<HostId>,
        names: impl Fn() -> Vec<N>,
    ) -> Result<Vec<HostId>, FileError> {
        let mut hosts = vec![None; ranks];
        let mut next = 0;
        for line in &self.lines {
            let host = find(&line.host).ok_or_else(|| {
                let host = &line.host;
                let advice = advice(host, "its hosts", names());
                let message = format!("the cluster has no host {host:?}; {advice}");
                self.error(line, line.column, message)
            })?;
            let (first, count) = match line.ranks {
                Ranks::Next(count) => (next, count),
                Ranks::One(rank) => (rank, 1),
            };
            next = first + count;
            for place in hosts.iter_mut().skip(first).take(count) {
                if place.replace(host).is_some() {
                    let message = format!("rank {first} has two lines; keep one");
                    return Err(self.error(line, line.column, message));
                }
            }
        }
        let missing = hosts.iter().position(Option::is_none);
        let (Some(rank), Some(last)) = (missing, self.lines.last()) else {
            return Ok(hosts.into_iter().flatten().collect());
        };
        let message = if is_next(last) {
            format!(
                "the file has slots for {rank} ranks, but there are {ranks}; add a line for each \
                    rank, or give hosts more slots"
            )
        } else {
            format!("rank {rank} of {ranks} has no line; add one")
        };
        Err(self.error(last, 1, message))
    }

    /// Returns an error at a line and a column of the file.
    fn error(&self, line: &Line, column: usize, message: String) -> FileError {
        let position = Position { line: line.number, column };
        FileError::at(Path::new(&self.file), position, message.into())
    }
}

/// Returns true if a line maps the next ranks, false if it names one rank.
fn is_next(line: &Line) -> bool {
    matches!(line.ranks, Ranks::Next(_))
}

/// Parses a line without its comment; the error is the invalid word and its byte offset.
fn parse_line(text: &str, number: usize) -> Result<Line, (usize, &str)> {
    let byte = |word: &str| word.as_ptr() as usize - text.as_ptr() as usize;
    let wrong = |word: &'_ str| byte(word);
    let at = |host: &str, ranks| {
        Ok(Line {
            host: host.to_owned(),
            ranks,
            number,
            column: text[..byte(host)].chars().count() + 1,
        })
    };
    let count = |word: &str| word.trim().parse::<usize>().ok().filter(|count| *count < MAX_SLOTS);
    let mut words = text.split_whitespace();
    let first = words.next().unwrap_or_default();
    if first == "rank" && text.contains('=') {
        let rest = text[byte(first) + first.len()..].trim();
        let (rank, rest) = rest.split_once('=').unwrap_or((rest, ""));
        let rank = count(rank).ok_or((wrong(rank), rank))?;
        let mut words = rest.split_whitespace();
        let host = words.next().unwrap_or(rest);
        if let Some(word) = words.find(|word| !word.starts_with("slot=")) {
            return Err((wrong(word), word));
        }
        return if is_name(host) { at(host, Ranks::One(rank)) } else { Err((wrong(host), host)) };
    }
    let (host, mut ranks) = match first.split_once(':') {
        Some((host, slots)) => (host, count(slots).ok_or((wrong(first), first))?),
        None => (first, 1),
    };
    for word in words {
        match word.split_once('=') {
            Some(("slots", slots)) => ranks = count(slots).ok_or((wrong(word), word))?,
            Some(("max_slots" | "max-slots", _)) => {}
            _ => return Err((wrong(word), word)),
        }
    }
    if is_name(host) { at(host, Ranks::Next(ranks)) } else { Err((wrong(first), first)) }
}

/// Returns true if a word can be the name of a host.
fn is_name(host: &str) -> bool {
    !host.is_empty() && !host.contains(|c: char| c.is_control() || "=[],\"'".contains(c))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mapped(text: &str, ranks: usize) -> Result<Vec<u32>, String> {
        let find = |name: &str| name.strip_prefix('n')?.parse().ok().map(HostId);
        let mapping = RankMapping::parse(text, "f").map_err(|error| error.to_string())?;
        let hosts =
            mapping.hosts(ranks, find, || vec!["n0", "n1"]).map_err(|error| error.to_string())?;
        Ok(hosts.into_iter().map(|host| host.0).collect())
    }

    #[test]
    fn files_of_launchers_are_read() {
        for (text, hosts) in [
            ("n1\nn0\nn1\n", [1, 0, 1]),
            ("# ranks\n\n  n2   # the first\nn0 slots=2 max_slots=4\n", [2, 0, 0]),
            ("n1:2\nn0:8\n", [1, 1, 0]),
            ("rank 2=n5 slot=1\nrank 0=n7 slot=0:1\nrank 1=n6\n", [7, 6, 5]),
            ("n0 slots=0\nn3 slots=3\n", [3, 3, 3]),
        ] {
            assert_eq!(mapped(text, 3), Ok(hosts.to_vec()), "{text}");
        }
    }

    #[test]
    fn errors_have_line_and_column() {
        for (text, message) in [
            ("", "f:1:1: the file names no host"),
            ("n0 slot=1\n", "f:1:4: \"slot=1\" is not valid here"),
            ("n0\n é slots=x\n", "f:2:4: \"slots=x\" is not"),
            ("n0:many\n", "f:1:1: \"n0:many\" is not"),
            ("n[0-3]\n", "f:1:1: \"n[0-3]\" is not"),
            ("rank x=n0 slot=0\n", "f:1:6: \"x\" is not"),
            ("rank 0=n0 core=0\n", "f:1:11: \"core=0\" is not"),
            ("rank 0=\n", "f:1:8: \"\" is not"),
            ("n0\nrank 0=n0\n", "f:2:8: the file mixes lines"),
            ("rank 0=n0\nrank 0=n1\n", "f:2:8: rank 0 has two lines"),
            ("rank 0=n0\nrank 2=n1\n", "f:2:1: rank 1 of 3 has no line"),
            ("n0\nn1\n", "f:2:1: the file has slots for 2 ranks, but there are 3"),
            ("n0\n  host\nn1", "f:2:3: the cluster has no host \"host\""),
        ] {
            let error = mapped(text, 3).unwrap_err();
            assert!(error.starts_with(message), "{error}\nfor {message}");
        }
    }
}
