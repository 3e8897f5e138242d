use super::penalties::Penalties;
use super::port::{End, Member, Port, Seen};
use crate::sharing::ports::Ends;

/// A law by which a penalty is the greater one of what the two ports of a transfer do to it, and a port minds nobody farther
/// than the ports at the other ends of its transfers.
pub(in crate::sharing) trait Local {
    /// What a port tells its transfers.
    type Side: Copy + Default + std::fmt::Debug;

    /// What each transfer at a port of this degree adds to the tally of the port at its other end; tallies wrap around.
    fn weight(&self, end: End, degree: usize) -> u64;

    /// Whether a port may tell something else than before since the degree at the other end of one of its transfers, whose port
    /// told `other` so far, is this one now.
    fn minds(&self, own: &Self::Side, other: &Self::Side, degree: usize) -> bool;

    /// What a port tells.
    fn side(&self, end: End, port: &Seen<'_>) -> Self::Side;

    /// What a port does to a transfer, by what it tells and what the port at the other end does; `same` counts the transfers
    /// with the same ends. It is above 0.
    fn part(&self, own: &Self::Side, other: &Self::Side, same: impl FnOnce() -> usize) -> f64;
}

/// Penalties by a local law, found anew in the neighbourhood of a change.
#[derive(Debug, Clone)]
pub(super) struct Near<L: Local> {
    law: L,
    /// The out-port and the in-port of each node, one after the other.
    ports: Vec<Port<L::Side>>,
    /// The transfers of each port.
    members: Vec<Vec<Member>>,
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
        Self { law, ports: Vec::new(), members: Vec::new(), underway: Vec::new(), marked: Vec::new(), count: 0 }
    }

    #[inline]
    pub(super) fn start(&mut self, number: usize, ends: Ends) {
        let nodes = ends.out.max(ends.into) + 1;
        if self.underway.len() <= number || self.ports.len() < 2 * nodes {
            self.grow(number + 1, nodes);
        }
        let ports = [2 * ends.out as u32, 2 * ends.into as u32 + 1];
        let mut places = [0; 2];
        for end in 0..2 {
            let (own, other) = (ports[end], ports[1 - end]);
            let members = &mut self.members[own as usize];
            places[end] = members.len() as u32;
            members.push(Member { number: number as u32, other });
            self.hear(own, self.ports[other as usize].weight);
        }
        self.underway[number] = Some(Stand { ports, places });
    }

    #[inline]
    pub(super) fn stop(&mut self, number: usize) {
        let Some(Stand { ports, places }) = self.underway.get_mut(number).and_then(Option::take) else { return };
        for end in 0..2 {
            let (own, place) = (ports[end], places[end]);
            let members = &mut self.members[own as usize];
            members.swap_remove(place as usize);
            if let Some(moved) = members.get(place as usize)
                && let Some(moved) = &mut self.underway[moved.number as usize]
            {
                moved.places[end] = place;
            }
            self.hear(own, self.ports[ports[1 - end] as usize].weight.wrapping_neg());
        }
    }

    /// Makes room for transfers with numbers below this one, and for so many nodes.
    #[cold]
    fn grow(&mut self, transfers: usize, nodes: usize) {
        if self.underway.len() < transfers {
            self.underway.resize(transfers, None);
        }
        if self.ports.len() < 2 * nodes {
            self.ports.resize(2 * nodes, Port::default());
            self.members.resize(2 * nodes, Vec::new());
            // Each is marked once, and there is a place for one more that is not.
            self.marked.resize(2 * nodes + 1, 0);
        }
    }

    /// A port has one transfer more or less, whose other end has this weight.
    fn hear(&mut self, port: u32, weight: u64) {
        let Port { tally, is_marked, .. } = &mut self.ports[port as usize];
        *tally = tally.wrapping_add(weight);
        if !std::mem::replace(is_marked, true) {
            self.marked[self.count] = port;
            self.count += 1;
        }
    }

    /// Finds the penalties of the transfers that a change may concern. Its loops have all registers for themselves.
    #[inline(never)]
    pub(super) fn settle(&mut self, penalties: &mut Penalties) {
        let (law, members) = (&self.law, self.members.as_slice());
        let (ports, marked, mut count) = (self.ports.as_mut_slice(), self.marked.as_mut_slice(), self.count);
        for k in (0..self.count).rev() {
            let port = marked[k];
            if members[port as usize].is_empty() {
                // It has nobody to tell, and whoever comes marks it.
                ports[port as usize].is_marked = false;
                count -= 1;
                marked[k] = marked[count];
            } else {
                count = tell(law, members, port, ports, marked, count);
            }
        }
        let marked = &marked[..count];
        for &number in marked {
            let port = &mut ports[number as usize];
            port.is_marked = false;
            port.side = law.side(End::of(number), &Seen { tally: port.tally, port: number, members });
        }
        for &port in marked {
            let (own, members) = (ports[port as usize].side, members[port as usize].as_slice());
            for &Member { number, other } in members {
                let side = &ports[other as usize].side;
                let same = || members.iter().filter(|member| member.other == other).count();
                let parts = [law.part(&own, side, same), law.part(side, &own, same)];
                penalties.set(number as usize, parts[0].max(parts[1]));
            }
        }
        self.count = 0;
    }
}

/// Lets the ports at the other ends know what one weighs now that its transfers are others; gives how many are marked then.
#[inline]
fn tell<L: Local>(
    law: &L,
    all: &[Vec<Member>],
    port: u32,
    ports: &mut [Port<L::Side>],
    marked: &mut [u32],
    mut count: usize,
) -> usize {
    let members = all[port as usize].as_slice();
    let Port { weight, side, .. } = &mut ports[port as usize];
    let (before, degree) = (*side, members.len());
    let now = law.weight(End::of(port), degree);
    let change = now.wrapping_sub(std::mem::replace(weight, now));
    if change == 0 {
        return count;
    }
    for &Member { other, .. } in members {
        let port = &mut ports[other as usize];
        port.tally = port.tally.wrapping_add(change);
        if !port.is_marked && law.minds(&port.side, &before, degree) {
            port.is_marked = true;
            marked[count] = other;
            count += 1;
        }
    }
    count
}
