/// An out-port or an in-port.
#[derive(Debug, Clone, Default)]
pub(super) struct Port<S> {
    pub(super) members: Vec<Member>,
    /// What each of them adds to the tally at its other end.
    pub(super) weight: u64,
    /// The sum of what they are given by their other ends.
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
pub(in crate::sharing) struct Seen<'a, S> {
    pub(super) members: &'a [Member],
    /// The sum of what the ports at the other ends of its transfers weigh.
    pub(in crate::sharing) tally: u64,
    pub(super) ports: &'a [Port<S>],
}

impl<S> Seen<'_, S> {
    /// How many transfers there are at it.
    pub(in crate::sharing) fn degree(&self) -> usize {
        self.members.len()
    }

    /// The ports at the other ends of its transfers.
    pub(in crate::sharing) fn others(&self) -> impl ExactSizeIterator<Item = usize> + Clone {
        self.members.iter().map(|member| member.other as usize)
    }

    /// Their degrees.
    pub(in crate::sharing) fn degrees(&self) -> impl Iterator<Item = usize> {
        self.others().map(|other| self.ports[other].members.len())
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
