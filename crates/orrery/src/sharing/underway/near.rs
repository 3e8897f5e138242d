use super::half::{Half, Port};
use super::penalties::Penalties;
use crate::sharing::ports::Ends;

/// A law by which a transfer minds nobody farther than the other ends of the transfers at its two ports.
pub(in crate::sharing) trait Local {
    /// What a port knows of the other ends of its transfers.
    type Tally: Copy + Default + PartialEq + std::fmt::Debug;
    /// What a port tells the transfers at it.
    type Side: Copy + Default + PartialEq + std::fmt::Debug;

    /// What is known of the other ends.
    fn tally(&self, end: End, port: Port<'_>) -> Self::Tally;

    /// What is known when the degree at one other end was `before` and is `after`; nothing where all have to be asked.
    fn shifted(&self, end: End, tally: Self::Tally, before: u32, after: u32) -> Option<Self::Tally>;

    /// What a port of this degree tells.
    fn side(&self, end: End, degree: u32, tally: Self::Tally) -> Self::Side;

    /// The penalty of a transfer by what its out-port and its in-port tell, and by their degrees; `same` counts the
    /// transfers with the same ends.
    fn penalty(&self, ends: [(Self::Side, u32); 2], same: impl FnOnce() -> usize) -> f64;
}

/// Where transfers leave, or where they come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::sharing) enum End {
    Source,
    Destination,
}

/// Penalties by a local law, found anew in the neighbourhood of a change.
#[derive(Debug, Clone)]
pub(super) struct Near<L: Local> {
    law: L,
    ends: Vec<Option<Ends>>,
    out: Half<L>,
    into: Half<L>,
}

impl<L: Local> Near<L> {
    pub(super) fn new(law: L) -> Self {
        Self { law, ends: Vec::new(), out: Half::new(End::Source), into: Half::new(End::Destination) }
    }

    pub(super) fn start(&mut self, number: usize, ends: Ends) {
        if self.ends.len() <= number {
            self.ends.resize(number + 1, None);
        }
        self.ends[number] = Some(ends);
        // A node has both, so that either can be asked for what the other end does.
        let nodes = ends.out.max(ends.into) + 1;
        self.out.add(number, nodes, ends.out, ends.into);
        self.into.add(number, nodes, ends.into, ends.out);
    }

    pub(super) fn stop(&mut self, number: usize) {
        if let Some(ends) = self.ends.get_mut(number).and_then(Option::take) {
            self.out.remove(number, ends.out);
            self.into.remove(number, ends.into);
        }
    }

    /// Finds the penalties of the transfers that a change may concern.
    pub(super) fn settle(&mut self, penalties: &mut Penalties) {
        let Self { law, out, into, .. } = self;
        out.tell(law, into);
        into.tell(law, out);
        out.find(law, into);
        into.find(law, out);
        for (number, port, other) in out.concerned() {
            penalties.set(number, law.penalty([out.at(port), into.at(other)], || out.joins(port, other)));
        }
        for (number, port, other) in into.concerned() {
            penalties.set(number, law.penalty([out.at(other), into.at(port)], || into.joins(port, other)));
        }
        out.rest();
        into.rest();
    }
}
