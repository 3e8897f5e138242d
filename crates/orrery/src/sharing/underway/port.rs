/// An out-port or an in-port.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Port<S> {
    /// What it adds to the tally at the other end of each of its transfers.
    pub(super) weight: u64,
    /// The sum of what those ends add to its own.
    pub(super) tally: u64,
    pub(super) side: S,
    pub(super) is_marked: bool,
}

/// A transfer at a port, and the port at its other end.
#[derive(Debug, Clone, Copy)]
pub(super) struct Member {
    pub(super) number: u32,
    pub(super) other: u32,
}

/// A port as a law sees it.
#[derive(Debug)]
pub(in crate::sharing) struct Seen<'a> {
    /// The sum of what the ports at the other ends of its transfers weigh.
    pub(in crate::sharing) tally: u64,
    pub(super) port: u32,
    /// Of each port.
    pub(super) members: &'a [Vec<Member>],
}

impl Seen<'_> {
    /// How many transfers there are at it.
    pub(in crate::sharing) fn degree(&self) -> usize {
        self.members[self.port as usize].len()
    }

    /// The ports at the other ends of its transfers.
    pub(in crate::sharing) fn others(&self) -> impl ExactSizeIterator<Item = usize> + Clone {
        self.members[self.port as usize].iter().map(|member| member.other as usize)
    }

    /// Their degrees.
    pub(in crate::sharing) fn degrees(&self) -> impl Iterator<Item = usize> {
        self.others().map(|other| self.members[other].len())
    }
}

/// Where transfers leave, or where they come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::sharing) enum End {
    Source,
    Destination,
}

impl End {
    /// That of a port.
    pub(super) const fn of(port: u32) -> Self {
        if port.is_multiple_of(2) { Self::Source } else { Self::Destination }
    }
}
