//! Placements as launchers take them: host files, machine files, rank files.

use super::HostId;

/// Where ranks stand, as a file for a launcher says: a line for each place.
///
/// | line | what it says | whose it is |
/// |---|---|---|
/// | `node1` | the next rank | one host a line |
/// | `node1 slots=4` | the next four ranks; `max_slots` is passed over | hostfile of Open MPI |
/// | `node1:4` | the next four ranks | machinefile of MPICH |
/// | `rank 3=node1 slot=0` | rank 3; which core is passed over | rankfile of Open MPI |
///
/// `#` begins a remark. A file is of ranks or of hosts, not of both.
///
/// ```
/// use orrery::platform::{HostId, RankMapping};
/// let places = RankMapping::parse("a slots=2\nb\n", "hosts")?;
/// let known = |name: &str| ["a", "b"].iter().position(|host| *host == name).map(|place| HostId(place as u32));
/// assert_eq!(places.hosts(3, known)?, [HostId(0), HostId(0), HostId(1)]);
///
/// let error = places.hosts(4, known).unwrap_err().to_string();
/// assert_eq!(error, "hosts:2:1: here end 3 places, but there are 4 ranks; give each a line, or a host more slots");
/// # Ok::<(), orrery::platform::RankMappingError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RankMapping {
    file: String,
    lines: Vec<Line>,
}

/// A line that names a host.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Line {
    host: String,
    ranks: Ranks,
    number: usize,
    /// The character where the host stands, from 1.
    column: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Ranks {
    Next(usize),
    One(usize),
}

/// A placement that cannot be read, or does not fit the ranks and the cluster.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{file}:{line}:{column}: {fault}")]
pub struct RankMappingError {
    /// The name of the file.
    pub file: String,
    /// The line, from 1.
    pub line: usize,
    /// The character of the line, from 1.
    pub column: usize,
    /// What is wrong.
    pub fault: RankMappingFault,
}

/// What is wrong with a placement.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RankMappingFault {
    /// There is no line.
    #[error("there is no host; write one on a line for each rank, or a hostfile, machinefile or rankfile")]
    Empty,
    /// A word that should not stand there.
    #[error(
        "{found:?} is not understood; lines are \"node1\", \"node1 slots=4\", \"node1:4\" or \"rank 3=node1 slot=0\""
    )]
    Word {
        /// The word.
        found: String,
    },
    /// Lines for ranks and lines for hosts.
    #[error("lines for ranks and lines for hosts stand in one file; write it in one of the two ways")]
    Mixed,
    /// A rank that stands twice.
    #[error("rank {0} stands twice")]
    Twice(usize),
    /// A rank without a line.
    #[error("here ends the file, but rank {lacking} of {ranks} has no line")]
    Lacking {
        /// The rank.
        lacking: usize,
        /// How many there are.
        ranks: usize,
    },
    /// Fewer places than ranks.
    #[error("here end {places} places, but there are {ranks} ranks; give each a line, or a host more slots")]
    TooFew {
        /// How many places there are.
        places: usize,
        /// How many ranks.
        ranks: usize,
    },
    /// A host that the cluster has not.
    #[error("there is no host {0:?} in the cluster")]
    NoSuchHost(String),
}

/// More ranks on a host, or a rank beyond this, are a slip.
const MOST: usize = 1 << 20;

impl RankMapping {
    /// Reads a placement; `file` is its name in errors.
    ///
    /// # Errors
    ///
    /// What is wrong, with line and column.
    pub fn parse(text: &str, file: &str) -> Result<Self, RankMappingError> {
        let error = |line, column, fault| RankMappingError { file: file.to_owned(), line, column, fault };
        let mut lines: Vec<Line> = Vec::new();
        for (k, whole) in text.lines().enumerate() {
            let told = &whole[..whole.find('#').unwrap_or(whole.len())];
            if told.trim().is_empty() {
                continue;
            }
            let line = line(told, k + 1).map_err(|(byte, found)| {
                error(k + 1, whole[..byte].chars().count() + 1, RankMappingFault::Word { found: found.to_owned() })
            })?;
            if lines.first().is_some_and(|first| is_next(first) != is_next(&line)) {
                return Err(error(line.number, line.column, RankMappingFault::Mixed));
            }
            lines.push(line);
        }
        if lines.is_empty() {
            return Err(error(1, 1, RankMappingFault::Empty));
        }
        Ok(Self { file: file.to_owned(), lines })
    }

    /// The host of each of so many ranks; places beyond are passed over. `known` finds a host by its name.
    ///
    /// # Errors
    ///
    /// A host that is not known, a rank without a place, a rank with two.
    pub fn hosts(&self, ranks: usize, known: impl Fn(&str) -> Option<HostId>) -> Result<Vec<HostId>, RankMappingError> {
        let mut hosts = vec![None; ranks];
        let mut next = 0;
        for line in &self.lines {
            let unknown = || self.error(line, RankMappingFault::NoSuchHost(line.host.clone()));
            let host = known(&line.host).ok_or_else(unknown)?;
            let (first, count) = match line.ranks {
                Ranks::Next(count) => (next, count),
                Ranks::One(rank) => (rank, 1),
            };
            next = first + count;
            for place in hosts.iter_mut().skip(first).take(count) {
                if place.replace(host).is_some() {
                    return Err(self.error(line, RankMappingFault::Twice(first)));
                }
            }
        }
        let lacking = hosts.iter().position(Option::is_none);
        let last = self.lines.last();
        match (lacking, last) {
            (Some(lacking), Some(last)) if is_next(last) => {
                Err(self
                    .error(&Line { column: 1, ..last.clone() }, RankMappingFault::TooFew { places: lacking, ranks }))
            }
            (Some(lacking), Some(last)) => {
                Err(self.error(&Line { column: 1, ..last.clone() }, RankMappingFault::Lacking { lacking, ranks }))
            }
            _ => Ok(hosts.into_iter().flatten().collect()),
        }
    }

    fn error(&self, line: &Line, fault: RankMappingFault) -> RankMappingError {
        RankMappingError { file: self.file.clone(), line: line.number, column: line.column, fault }
    }
}

fn is_next(line: &Line) -> bool {
    matches!(line.ranks, Ranks::Next(_))
}

/// A line without its remark; else the word that is wrong, and the byte where it stands.
fn line(text: &str, number: usize) -> Result<Line, (usize, &str)> {
    let byte = |word: &str| word.as_ptr() as usize - text.as_ptr() as usize;
    let wrong = |word: &'_ str| byte(word);
    let at = |host: &str, ranks| {
        Ok(Line { host: host.to_owned(), ranks, number, column: text[..byte(host)].chars().count() + 1 })
    };
    let count = |word: &str| word.trim().parse::<usize>().ok().filter(|count| *count < MOST);
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
        Some((host, told)) => (host, count(told).ok_or((wrong(first), first))?),
        None => (first, 1),
    };
    for word in words {
        match word.split_once('=') {
            Some(("slots", told)) => ranks = count(told).ok_or((wrong(word), word))?,
            Some(("max_slots" | "max-slots", _)) => {}
            _ => return Err((wrong(word), word)),
        }
    }
    if is_name(host) { at(host, Ranks::Next(ranks)) } else { Err((wrong(first), first)) }
}

fn is_name(host: &str) -> bool {
    !host.is_empty() && !host.contains(|c: char| c.is_control() || "=[],\"'".contains(c))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn placed(text: &str, ranks: usize) -> Result<Vec<u32>, String> {
        let known = |name: &str| name.strip_prefix('n')?.parse().ok().map(HostId);
        let places = RankMapping::parse(text, "f").map_err(|error| error.to_string())?;
        let hosts = places.hosts(ranks, known).map_err(|error| error.to_string())?;
        Ok(hosts.into_iter().map(|host| host.0).collect())
    }

    #[test]
    fn the_files_of_launchers_are_read() {
        for (text, hosts) in [
            ("n1\nn0\nn1\n", [1, 0, 1]),
            ("# ranks\n\n  n2   # the first\nn0 slots=2 max_slots=4\n", [2, 0, 0]),
            ("n1:2\nn0:8\n", [1, 1, 0]),
            ("rank 2=n5 slot=1\nrank 0=n7 slot=0:1\nrank 1=n6\n", [7, 6, 5]),
            ("n0 slots=0\nn3 slots=3\n", [3, 3, 3]),
        ] {
            assert_eq!(placed(text, 3), Ok(hosts.to_vec()), "{text}");
        }
    }

    #[test]
    fn what_is_wrong_is_told_with_its_place() {
        for (text, message) in [
            ("", "f:1:1: there is no host"),
            ("n0 slot=1\n", "f:1:4: \"slot=1\" is not understood"),
            ("n0\n é slots=x\n", "f:2:4: \"slots=x\" is not"),
            ("n0:many\n", "f:1:1: \"n0:many\" is not"),
            ("n[0-3]\n", "f:1:1: \"n[0-3]\" is not"),
            ("rank x=n0 slot=0\n", "f:1:6: \"x\" is not"),
            ("rank 0=n0 core=0\n", "f:1:11: \"core=0\" is not"),
            ("rank 0=\n", "f:1:8: \"\" is not"),
            ("n0\nrank 0=n0\n", "f:2:8: lines for ranks and lines for hosts"),
            ("rank 0=n0\nrank 0=n1\n", "f:2:8: rank 0 stands twice"),
            ("rank 0=n0\nrank 2=n1\n", "f:2:1: here ends the file, but rank 1 of 3 has no line"),
            ("n0\nn1\n", "f:2:1: here end 2 places, but there are 3 ranks"),
            ("n0\n  host\nn1", "f:2:3: there is no host \"host\" in the cluster"),
        ] {
            let told = placed(text, 3).unwrap_err();
            assert!(told.starts_with(message), "{told}\nfor {message}");
        }
    }
}
