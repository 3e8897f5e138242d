use super::near::{End, Local};

/// The out-ports, or the in-ports: the transfers at each, and what it tells them.
///
/// Ports have the numbers of their nodes.
#[derive(Debug, Clone)]
pub(super) struct Half<L: Local> {
    end: End,
    members: Vec<Vec<Member>>,
    /// Where each transfer stands among the members of its port, by number.
    places: Vec<u32>,
    /// How many members each port had when it was last at rest, and what was known of their other ends.
    degrees: Vec<u32>,
    tallies: Vec<L::Tally>,
    sides: Vec<L::Side>,
    marks: Vec<Mark>,
    marked: Vec<u32>,
}

/// A transfer at a port, and the port at its other end.
#[derive(Debug, Clone, Copy)]
struct Member {
    number: u32,
    other: u32,
}

/// What is to be done for a port.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
enum Mark {
    #[default]
    Nothing,
    /// A degree at an other end has changed, and the tally with it.
    Shifted,
    /// Other ends have to be asked.
    Unknown,
    /// Its transfers are others.
    Moved,
}

/// A port as a law sees it.
#[derive(Debug, Clone, Copy)]
pub(in crate::sharing) struct Port<'a> {
    members: &'a [Member],
    /// Of the ports at the other ends.
    degrees: &'a [u32],
}

impl<'a> Port<'a> {
    /// The degrees at the other ends of its transfers.
    pub(in crate::sharing) fn degrees(self) -> impl Iterator<Item = u32> + 'a {
        self.members.iter().map(move |member| self.degrees[member.other as usize])
    }

    /// The ports at the other ends of its transfers.
    pub(in crate::sharing) fn others(self) -> impl ExactSizeIterator<Item = usize> + Clone + 'a {
        self.members.iter().map(|member| member.other as usize)
    }
}

impl<L: Local> Half<L> {
    pub(super) fn new(end: End) -> Self {
        let (members, places, degrees, marked) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        let (tallies, sides, marks) = (Vec::new(), Vec::new(), Vec::new());
        Self { end, members, places, degrees, tallies, sides, marks, marked }
    }

    /// Adds a transfer at a port; there are so many nodes at least.
    pub(super) fn add(&mut self, number: usize, nodes: usize, port: usize, other: usize) {
        if self.members.len() < nodes {
            self.members.resize(nodes, Vec::new());
            self.degrees.resize(nodes, 0);
            self.tallies.resize(nodes, L::Tally::default());
            self.sides.resize(nodes, L::Side::default());
            self.marks.resize(nodes, Mark::Nothing);
        }
        if self.places.len() <= number {
            self.places.resize(number + 1, 0);
        }
        self.places[number] = self.members[port].len() as u32;
        self.members[port].push(Member { number: number as u32, other: other as u32 });
        self.mark(port, Mark::Moved);
    }

    /// Takes a transfer away from its port.
    pub(super) fn remove(&mut self, number: usize, port: usize) {
        let (place, members) = (self.places[number], &mut self.members[port]);
        members.swap_remove(place as usize);
        if let Some(moved) = members.get(place as usize) {
            self.places[moved.number as usize] = place;
        }
        self.mark(port, Mark::Moved);
    }

    fn mark(&mut self, port: usize, mark: Mark) {
        if self.marks[port] == Mark::Nothing {
            self.marked.push(port as u32);
        }
        self.marks[port] = mark;
    }

    /// Lets the ports at the other ends know how many members the moved ones have now.
    pub(super) fn tell(&mut self, law: &L, others: &mut Self) {
        for port in self.marked.iter().map(|&port| port as usize).filter(|&port| self.marks[port] == Mark::Moved) {
            let members = &self.members[port];
            let (before, after) = (self.degrees[port], members.len() as u32);
            self.degrees[port] = after;
            if before != after {
                members.iter().for_each(|member| others.hear(law, member.other as usize, before, after));
            }
        }
    }

    /// The degree at the other end of one of a port's transfers has changed.
    fn hear(&mut self, law: &L, port: usize, before: u32, after: u32) {
        if self.marks[port] >= Mark::Unknown {
            return;
        }
        match law.shifted(self.end, self.tallies[port], before, after) {
            Some(tally) if tally == self.tallies[port] => {}
            Some(tally) => {
                self.tallies[port] = tally;
                self.mark(port, Mark::Shifted);
            }
            None => self.mark(port, Mark::Unknown),
        }
    }

    /// Finds what the marked ports tell; those stay marked whose transfers may have other penalties.
    pub(super) fn find(&mut self, law: &L, others: &Self) {
        let mut kept = 0;
        for k in 0..self.marked.len() {
            let port = self.marked[k] as usize;
            let mark = std::mem::take(&mut self.marks[port]);
            if mark >= Mark::Unknown {
                self.tallies[port] =
                    law.tally(self.end, Port { members: &self.members[port], degrees: &others.degrees });
            }
            let side = law.side(self.end, self.degrees[port], self.tallies[port]);
            let stays = mark == Mark::Moved || side != self.sides[port];
            self.sides[port] = side;
            // No branch where it cannot be foreseen.
            self.marked[kept] = port as u32;
            kept += usize::from(stays);
        }
        self.marked.truncate(kept);
    }

    /// The transfers at marked ports: their numbers, the port, the one at the other end.
    pub(super) fn concerned(&self) -> impl Iterator<Item = (usize, usize, usize)> {
        self.marked.iter().flat_map(|&port| {
            let members = self.members[port as usize].iter();
            members.map(move |member| (member.number as usize, port as usize, member.other as usize))
        })
    }

    /// What a port tells, and its degree.
    pub(super) fn at(&self, port: usize) -> (L::Side, u32) {
        (self.sides[port], self.degrees[port])
    }

    /// How many transfers are between a port and one on the other side.
    pub(super) fn joins(&self, port: usize, other: usize) -> usize {
        self.members[port].iter().filter(|member| member.other as usize == other).count()
    }

    /// All penalties are found.
    pub(super) fn rest(&mut self) {
        self.marked.clear();
    }
}
