use std::fmt;

/// A node of a network, by its number.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Node(pub u32);

impl fmt::Display for Node {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// A message on its way from one node to another: an arc of a directed multigraph.
///
/// ```
/// use orrery::sharing::{Node, Transfer};
/// let transfer = Transfer::between(0, 1);
/// assert_eq!(transfer.source, Node(0));
/// assert!(!transfer.is_local());
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Transfer {
    /// The node that sends.
    pub source: Node,
    /// The node that receives.
    pub destination: Node,
}

impl Transfer {
    /// From one node to another, by their numbers.
    pub const fn between(source: u32, destination: u32) -> Self {
        Self { source: Node(source), destination: Node(destination) }
    }

    /// Whether it does not leave its node: then it uses no network, delays nobody and has the penalty 1.
    pub fn is_local(&self) -> bool {
        self.source == self.destination
    }
}
