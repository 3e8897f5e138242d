use super::Data;

/// A step of a rank in a collective operation: an operation with the blocks that it moves. Ranks
/// are absolute.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Step {
    /// A blocking send.
    Send {
        /// The receiver.
        to: usize,
        /// The blocks.
        data: Data,
    },
    /// A blocking send of blocks that were received and not yet combined with own ones.
    PassOn {
        /// The receiver.
        to: usize,
        /// The blocks.
        data: Data,
        /// The rank that sent them.
        origin: usize,
    },
    /// A blocking receive.
    Receive(Arrival),
    /// A posted send.
    PostSend {
        /// The receiver.
        to: usize,
        /// The blocks.
        data: Data,
        /// The request.
        request: u32,
    },
    /// A posted receive.
    PostReceive(Arrival, u32),
    /// The wait for a posted transfer.
    Wait(u32),
    /// The combination of blocks received from a rank with those of this rank.
    Combine {
        /// The sender of the blocks.
        from: usize,
        /// The blocks.
        data: Data,
    },
}

/// The blocks that a rank receives.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Arrival {
    /// The sender.
    pub from: usize,
    /// The blocks.
    pub data: Data,
    /// True if a later step combines them with those of this rank; false if they replace them.
    pub is_combined: bool,
}

impl Step {
    /// A receive of blocks that replace those of this rank.
    pub(super) const fn receive(from: usize, data: Data) -> Self {
        Self::Receive(Arrival { from, data, is_combined: false })
    }

    /// A posted receive of blocks that replace those of this rank.
    pub(super) const fn post_receive(from: usize, data: Data, request: u32) -> Self {
        Self::PostReceive(Arrival { from, data, is_combined: false }, request)
    }
}
