use crate::sharing::ports::{Ends, Ports};

/// A law by which a transfer minds nobody farther than the other ends of the transfers at its two ports.
pub(in crate::sharing) trait Local {
    /// What a port tells the transfers at it.
    type Side: Copy + PartialEq + std::fmt::Debug;

    /// What an out-port tells: it depends on its transfers, and on how many come to their destinations.
    fn sending(&self, ports: &Ports, port: usize) -> Self::Side;

    /// What an in-port tells: it depends on its transfers, and on how many leave their sources.
    fn receiving(&self, ports: &Ports, port: usize) -> Self::Side;

    /// The penalty of a transfer between ports that tell this. Besides, it depends on the transfers at its two ports.
    fn penalty(&self, ports: &Ports, ends: Ends, sending: Self::Side, receiving: Self::Side) -> f64;
}

/// Penalties by a local law, found anew in the neighbourhood of a change.
#[derive(Debug, Clone)]
pub(super) struct Near<L: Local> {
    law: L,
    out: Half<L::Side>,
    into: Half<L::Side>,
    /// By number: whether it is to be told.
    waits: Vec<bool>,
}

/// The out-ports, or the in-ports.
#[derive(Debug, Clone)]
struct Half<S> {
    sides: Vec<Option<S>>,
    /// How much each port is concerned.
    marks: Vec<Mark>,
    marked: Vec<usize>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Mark {
    None,
    /// Something changed at the other end of one of its transfers.
    Beside,
    /// Its own transfers are others.
    Moved,
}

impl<S: Copy + PartialEq> Half<S> {
    fn new() -> Self {
        Self { sides: Vec::new(), marks: Vec::new(), marked: Vec::new() }
    }

    fn mark(&mut self, port: usize, mark: Mark) {
        if self.marks.len() <= port {
            self.marks.resize(port + 1, Mark::None);
            self.sides.resize(port + 1, None);
        }
        if self.marks[port] == Mark::None {
            self.marked.push(port);
        }
        self.marks[port] = mark.max(self.marks[port]);
    }

    /// Finds the sides of all marked ports; the transfers of the ports that stay in `marked` may have other penalties.
    fn find(&mut self, side: impl Fn(usize) -> S) {
        let (sides, marks) = (&mut self.sides, &mut self.marks);
        self.marked.retain(|&port| {
            let found = Some(side(port));
            let stays = marks[port] == Mark::Moved || sides[port] != found;
            sides[port] = found;
            marks[port] = Mark::None;
            stays
        });
    }
}

impl<L: Local> Near<L> {
    pub(super) fn new(law: L) -> Self {
        Self { law, out: Half::new(), into: Half::new(), waits: Vec::new() }
    }

    /// The penalties of the transfers that a change at these ports may concern.
    pub(super) fn find(&mut self, ports: &Ports, moved: &[Ends], found: &mut Vec<(usize, f64)>) {
        for ends in moved {
            self.out.mark(ends.out, Mark::Moved);
            self.into.mark(ends.into, Mark::Moved);
        }
        // What leaves a port that is marked already has marked its other ends before.
        for &port in &self.out.marked[..] {
            for other in ports.out[port].iter().filter_map(|&k| ports.ends[k]) {
                self.into.mark(other.into, Mark::Beside);
            }
        }
        for k in 0..self.into.marked.len() {
            let port = self.into.marked[k];
            if self.into.marks[port] == Mark::Moved {
                for other in ports.into[port].iter().filter_map(|&k| ports.ends[k]) {
                    self.out.mark(other.out, Mark::Beside);
                }
            }
        }
        self.out.find(|port| self.law.sending(ports, port));
        self.into.find(|port| self.law.receiving(ports, port));
        self.waits.resize(ports.ends.len(), false);
        let leaving = self.out.marked.drain(..).flat_map(|port| &ports.out[port]);
        let coming = self.into.marked.drain(..).flat_map(|port| &ports.into[port]);
        for &k in leaving.chain(coming) {
            let Some(ends) = ports.ends[k] else { continue };
            let (Some(sending), Some(receiving)) = (self.out.sides[ends.out], self.into.sides[ends.into]) else {
                continue;
            };
            if !std::mem::replace(&mut self.waits[k], true) {
                found.push((k, self.law.penalty(ports, ends, sending, receiving)));
            }
        }
        found.iter().for_each(|&(k, _)| self.waits[k] = false);
    }
}
