use crate::file::{FileError, FileFault};
use crate::platform::HostlistError;

/// The reason why a `topology.conf` cannot be read.
pub type SlurmTopologyError = FileError<Fault>;

impl FileFault for Fault {
    const FILE: &'static str = "topology.conf";
}

/// A problem of a `topology.conf`.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Fault {
    /// The file is not text.
    #[error("the file is not UTF-8 text; Slurm's topology.conf is")]
    NotText,
    /// A word without `=`.
    #[error("{0:?} is no KEY=VALUE; a line is SwitchName=NAME with Nodes=HOSTS or Switches=NAMES")]
    Syntax(String),
    /// A quote that is not closed.
    #[error("the quote is not closed on its line")]
    Quote,
    /// An unknown key.
    #[error("unknown key {0:?}; valid keys are SwitchName, Switches, Nodes and LinkSpeed")]
    UnknownKey(String),
    /// A key of another topology plugin.
    #[error("{0} belongs to topology/block; the switches of topology/tree can be read")]
    Block(String),
    /// Another file is included.
    #[error("files are not included; put the lines of {0:?} in its place")]
    Include(String),
    /// A key occurs twice on a line.
    #[error("{0} occurs twice on this line; remove one")]
    KeyTwice(&'static str),
    /// A line does not begin with the name of a switch.
    #[error("the line does not begin with SwitchName=NAME")]
    NoName,
    /// The name of a switch is a list.
    #[error("SwitchName is one name, not a list")]
    NameIsList,
    /// A switch has both hosts and switches below it.
    #[error("switch {0:?} has Nodes and Switches; give the nodes a switch of their own")]
    BothChildren(String),
    /// A switch has several lines.
    #[error("switch {name:?} is defined in line {line} already; remove one")]
    SwitchTwice {
        /// Its name.
        name: String,
        /// The line of its first definition.
        line: usize,
    },
    /// A switch is named that has no line.
    #[error("there is no switch {0:?}; add its line, or correct the name")]
    Undefined(String),
    /// A switch is below two switches.
    #[error("switch {name:?} is below switch {first:?} already; a tree has one switch above each")]
    TwoParents {
        /// The lower switch.
        name: String,
        /// The switch above it that comes first.
        first: String,
    },
    /// A host is on two switches.
    #[error("host {host:?} is on switch {first:?} already; a tree has one switch for each host")]
    HostTwice {
        /// The host.
        host: String,
        /// The switch that comes first.
        first: String,
    },
    /// Switches are below each other in a circle.
    #[error("switch {0:?} is below itself; remove one of the links of this circle")]
    Cycle(String),
    /// An invalid list of names.
    #[error(transparent)]
    Names(#[from] HostlistError),
    /// There are too many hosts or switches.
    #[error("there are more than {0} hosts and switches; correct the ranges in brackets")]
    TooMany(usize),
    /// There is no switch.
    #[error("there is no switch; a line is SwitchName=NAME with Nodes=HOSTS or Switches=NAMES")]
    Empty,
}
