use super::penalties::Penalties;
use super::port::{End, Member, Port, Seen};
use crate::sharing::ports::Ends;

/// A law by which a penalty is the greater one of what the two ports of a transfer do to it, and a port minds nobody farther
/// than the ports at the other ends of its transfers.
pub(in crate::sharing) trait Local {
    /// What a port tells its transfers.
    type Side: Copy + Default + PartialEq + std::fmt::Debug;

    /// What each transfer at a port of this degree adds to the tally of the port at its other end; tallies wrap around.
    fn weight(&self, end: End, degree: usize) -> u64;

    /// What a port tells.
    fn side(&self, end: End, port: &Seen<'_, Self::Side>) -> Self::Side;

    /// What a port does to a transfer, by what it tells and what the port at the other end does; `same` counts the transfers
    /// with the same ends.
    fn part(&self, own: &Self::Side, other: &Self::Side, same: impl FnOnce() -> usize) -> f64;
}

/// Penalties by a local law, found anew in the neighbourhood of a change.
#[derive(Debug, Clone)]
pub(super) struct Near<L: Local> {
    law: L,
    /// The out-port and the in-port of each node, one after the other.
    ports: Vec<Port<L::Side>>,
    /// By number.
    underway: Vec<Option<Stand>>,
    /// The first so many count: ports that something happened to since penalties were last found.
    marked: Vec<u32>,
    count: usize,
}

/// The ports of a transfer, and where it stands among their members.
#[derive(Debug, Clone, Copy)]
struct Stand {
    ports: [u32; 2],
    places: [u32; 2],
}

impl<L: Local> Near<L> {
    pub(super) fn new(law: L) -> Self {
        Self { law, ports: Vec::new(), underway: Vec::new(), marked: Vec::new(), count: 0 }
    }

    pub(super) fn start(&mut self, number: usize, ends: Ends) {
        self.grow(number + 1, ends.out.max(ends.into) + 1);
        let ports = [2 * ends.out as u32, 2 * ends.into as u32 + 1];
        let mut places = [0; 2];
        for end in 0..2 {
            let (own, other) = (ports[end], ports[1 - end]);
            let weight = self.ports[other as usize].weight;
            let Port { members, tally, .. } = &mut self.ports[own as usize];
            *tally = tally.wrapping_add(weight);
            places[end] = members.len() as u32;
            members.push(Member { number: number as u32, other });
            self.mark(own);
        }
        self.underway[number] = Some(Stand { ports, places });
    }

    pub(super) fn stop(&mut self, number: usize) {
        let Some(Stand { ports, places }) = self.underway.get_mut(number).and_then(Option::take) else { return };
        for end in 0..2 {
            let (own, place) = (ports[end], places[end]);
            let weight = self.ports[ports[1 - end] as usize].weight;
            let Port { members, tally, .. } = &mut self.ports[own as usize];
            *tally = tally.wrapping_sub(weight);
            members.swap_remove(place as usize);
            if let Some(moved) = members.get(place as usize)
                && let Some(moved) = &mut self.underway[moved.number as usize]
            {
                moved.places[end] = place;
            }
            self.mark(own);
        }
    }

    /// Makes room for transfers with numbers below this one, and for so many nodes.
    fn grow(&mut self, transfers: usize, nodes: usize) {
        if self.underway.len() < transfers {
            self.underway.resize(transfers, None);
        }
        if self.ports.len() < 2 * nodes {
            self.ports.resize(2 * nodes, Port::default());
            // Each is marked once, and there is a place for one more that is not.
            self.marked.resize(2 * nodes + 1, 0);
        }
    }

    /// Whether a port is marked already cannot be foreseen, so that nothing branches on it.
    fn mark(&mut self, port: u32) {
        let was_marked = std::mem::replace(&mut self.ports[port as usize].is_marked, true);
        self.marked[self.count] = port;
        self.count += usize::from(!was_marked);
    }

    /// Finds the penalties of the transfers that a change may concern.
    pub(super) fn settle(&mut self, penalties: &mut Penalties) {
        let moved = self.count;
        (0..moved).for_each(|k| self.tell(self.marked[k]));
        self.find(moved);
        let ports = self.ports.as_slice();
        for &port in &self.marked[..self.count] {
            let Port { members, side: own, .. } = &ports[port as usize];
            penalties.set(members.iter().map(|&Member { number, other }| {
                let side = &ports[other as usize].side;
                let same = || members.iter().filter(|member| member.other == other).count();
                let parts = [self.law.part(own, side, same), self.law.part(side, own, same)];
                (number as usize, if parts[0] > parts[1] { parts[0] } else { parts[1] })
            }));
        }
        self.count = 0;
    }

    /// Lets the ports at the other ends know what one weighs now that its transfers are others.
    fn tell(&mut self, port: u32) {
        let Port { members, weight, .. } = &mut self.ports[port as usize];
        let now = self.law.weight(End::of(port), members.len());
        let change = now.wrapping_sub(std::mem::replace(weight, now));
        if change == 0 {
            return;
        }
        let members = std::mem::take(members);
        for &Member { other, .. } in &members {
            let tally = &mut self.ports[other as usize].tally;
            *tally = tally.wrapping_add(change);
            self.mark(other);
        }
        self.ports[port as usize].members = members;
    }

    /// Finds what the marked ports tell. Those stay marked that tell something else than before, or have other transfers, as
    /// the first `moved` do.
    fn find(&mut self, moved: usize) {
        let (law, ports) = (&self.law, self.ports.as_mut_slice());
        let mut differs = |number: u32| {
            let Port { members, tally, .. } = &ports[number as usize];
            let side = law.side(End::of(number), &Seen { members, tally: *tally, ports });
            let port = &mut ports[number as usize];
            port.is_marked = false;
            std::mem::replace(&mut port.side, side) != side
        };
        let (others, told) = self.marked[..self.count].split_at_mut(moved);
        for &number in &*others {
            differs(number);
        }
        let mut kept = 0;
        for k in 0..told.len() {
            let number = told[k];
            // Whether it does cannot be foreseen, so that nothing branches on it.
            told[kept] = number;
            kept += usize::from(differs(number));
        }
        self.count = moved + kept;
    }
}
