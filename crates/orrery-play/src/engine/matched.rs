use orrery_base::units::Bytes;
use orrery_program::schedule::{Collective, Data, DataSizes, Rank, Step};

/// A collective operation whose messages are matched with their receives before it is played, at
/// any of its sizes.
///
/// The messages of a rank to another one are received in the order of sending, because they have
/// one tag.
#[derive(Debug, Clone)]
pub struct MatchedCollective {
    collective: Collective,
    pub(super) operations: Vec<Matched>,
    /// The index behind the last operation of each rank.
    pub(super) ends: Vec<u32>,
    pub(super) messages: Vec<MatchedMessage>,
    /// The sizes of the messages, then those of combinations.
    pub(super) sizes: Vec<Bytes>,
    /// These sizes at all sizes of the operation, if it is not divided into segments.
    data: DataSizes,
    /// The rank of each combination.
    pub(super) combining: Vec<u32>,
    /// The largest number of requests of a rank.
    pub(super) requests: usize,
}

/// The sender and the receiver of a message.
#[derive(Debug, Clone, Copy)]
pub(super) struct MatchedMessage {
    pub(super) from: u32,
    pub(super) to: u32,
}

/// An operation with the number of its message, and with its request if it is posted.
#[derive(Debug, Clone, Copy)]
pub(super) enum Matched {
    Send(u32),
    PostSend(u32, u32),
    Receive(u32),
    PostReceive(u32, u32),
    Wait(u32),
    /// The combination of data whose size has this index.
    Combine(u32),
}

impl Matched {
    /// Returns true for a combination.
    const fn is_combination(&self) -> bool {
        matches!(self, Self::Combine(_))
    }
}

/// The absence of a message or of a request.
pub(super) const NONE: u32 = u32::MAX;

impl MatchedCollective {
    /// Matches the messages of an operation; `None` if a message has no receive or a receive no
    /// message.
    pub fn new(collective: &Collective) -> Option<Self> {
        let ranks = collective.ranks;
        let mut new = Self {
            collective: *collective,
            operations: Vec::new(),
            ends: Vec::with_capacity(ranks),
            messages: Vec::new(),
            sizes: Vec::new(),
            data: DataSizes::default(),
            combining: Vec::new(),
            requests: 0,
        };
        // The last message of each pair of ranks so far, and the next one of each message.
        let (mut first, mut last, mut next) =
            (vec![NONE; ranks * ranks], vec![NONE; ranks * ranks], Vec::new());
        let (mut sent, mut combined) = (Vec::new(), Vec::new());
        for rank in 0..ranks {
            for step in collective.steps(Rank(rank as u32)) {
                let mut send = |to: usize, data: Data| {
                    let (number, pair) = (new.messages.len() as u32, rank * ranks + to);
                    match next.get_mut(last[pair] as usize) {
                        Some(next) => *next = number,
                        None => first[pair] = number,
                    }
                    last[pair] = number;
                    next.push(NONE);
                    new.messages.push(MatchedMessage { from: rank as u32, to: to as u32 });
                    sent.push(data);
                    number
                };
                let operation = match step {
                    Step::Send { to, data } | Step::PassOn { to, data, .. } => {
                        Matched::Send(send(to, data))
                    }
                    Step::PostSend { to, data, request } => {
                        Matched::PostSend(send(to, data), request)
                    }
                    // The sender takes the place of the message until all messages are known.
                    Step::Receive(arrival) => Matched::Receive(arrival.from as u32),
                    Step::PostReceive(arrival, request) => {
                        Matched::PostReceive(arrival.from as u32, request)
                    }
                    Step::Wait(request) => Matched::Wait(request),
                    Step::Combine { data, .. } => {
                        combined.push(data);
                        new.combining.push(rank as u32);
                        Matched::Combine(combined.len() as u32 - 1)
                    }
                };
                if let Matched::PostSend(_, request) | Matched::PostReceive(_, request) = operation
                {
                    new.requests = new.requests.max(request as usize + 1);
                }
                new.operations.push(operation);
            }
            new.ends.push(new.operations.len() as u32);
        }
        let messages = new.messages.len() as u32;
        let mut begin = 0;
        for (rank, &end) in new.ends.iter().enumerate() {
            for operation in &mut new.operations[begin..end as usize] {
                match operation {
                    Matched::Receive(place) | Matched::PostReceive(place, _) => {
                        let message = first.get_mut(*place as usize * ranks + rank)?;
                        *place = *message;
                        *message = *next.get(*message as usize)?;
                    }
                    Matched::Combine(place) => *place += messages,
                    _ => {}
                }
            }
            begin = end as usize;
        }
        if first.iter().any(|message| *message != NONE) {
            return None;
        }
        let data = sent.into_iter().chain(combined);
        if new.is_divided() {
            new.sizes = data.map(|data| collective.bytes(data)).collect();
        } else {
            new.data = DataSizes::new(collective, data);
            new.data.set(collective, &mut new.sizes);
        }
        Some(new)
    }

    /// Sets the size of the operation: that of a block, or of the vector.
    ///
    /// Returns false, and changes nothing, if the operation consists of other messages at this
    /// size: if it has segments.
    pub fn set_block(&mut self, block: Bytes) -> bool {
        if self.is_divided() {
            return self.collective.block == block;
        }
        self.collective.block = block;
        self.data.set(&self.collective, &mut self.sizes);
        true
    }

    /// Returns true if messages that have equal sizes have them at all sizes of the operation.
    pub(super) fn has_equal_blocks(&self) -> bool {
        self.collective.kind.has_blocks() && self.collective.block != Bytes::ZERO
    }

    /// Returns these operations and messages of rank 0 as an operation of one rank; the messages
    /// must be the first ones of this operation.
    pub(super) fn with_messages(
        &self,
        operations: Vec<Matched>,
        messages: Vec<MatchedMessage>,
    ) -> Self {
        let combined = operations.iter().filter(|one| one.is_combination()).count();
        let chosen =
            || (0..messages.len()).chain(self.messages.len()..self.messages.len() + combined);
        let sizes = chosen().map(|index| self.sizes[index]).collect();
        let data =
            if self.is_divided() { DataSizes::default() } else { self.data.select(chosen()) };
        let (ends, combining) = (vec![operations.len() as u32], vec![0; combined]);
        Self {
            collective: self.collective,
            operations,
            ends,
            messages,
            sizes,
            data,
            combining,
            requests: self.requests,
        }
    }

    /// Returns true if the operation may have segments.
    fn is_divided(&self) -> bool {
        self.collective.algorithm.segment() != Bytes::ZERO
    }

    /// The number of messages.
    pub fn messages(&self) -> usize {
        self.messages.len()
    }
}

impl MatchedCollective {
    /// Returns the operation of rank 0 alone, if all ranks do the same with other partners;
    /// otherwise `None`.
    ///
    /// All ranks do the same if they have the same operations with messages of the same sizes, and
    /// if the message that any rank receives by an operation is that of the same operation of
    /// another rank. On a network with equal processors and links all ranks then are at the same
    /// point at all times. What rank 0 sends arrives when it receives the message of its own
    /// sender, so that it is matched with this receive.
    #[must_use]
    pub fn of_one_rank(&self) -> Option<Self> {
        if !self.has_equal_blocks() {
            return None;
        }
        let ranks = self.ends.len();
        let length = self.operations.len() / ranks;
        if (0..ranks).any(|rank| self.ends[rank] as usize != (rank + 1) * length) {
            return None;
        }
        // The place of each message among the operations of its sender.
        let mut places = vec![0; self.messages.len()];
        for (index, operation) in self.operations.iter().enumerate() {
            if let Matched::Send(message) | Matched::PostSend(message, _) = operation {
                places[*message as usize] = (index % length) as u32;
            }
        }
        let size = |index: &u32| self.sizes[*index as usize];
        let place = |message: &u32| places[*message as usize];
        let is_same = |one: &Matched, other: &Matched| match (one, other) {
            (Matched::Send(a), Matched::Send(b)) | (Matched::Combine(a), Matched::Combine(b)) => {
                size(a) == size(b)
            }
            (Matched::PostSend(a, one), Matched::PostSend(b, other)) => {
                size(a) == size(b) && one == other
            }
            (Matched::Receive(a), Matched::Receive(b)) => place(a) == place(b),
            (Matched::PostReceive(a, one), Matched::PostReceive(b, other)) => {
                place(a) == place(b) && one == other
            }
            (Matched::Wait(one), Matched::Wait(other)) => one == other,
            _ => false,
        };
        let (first, others) = self.operations.split_at(length);
        if others
            .chunks(length)
            .any(|of_rank| !first.iter().zip(of_rank).all(|(one, other)| is_same(one, other)))
        {
            return None;
        }
        let messages = self.messages.iter().take_while(|message| message.from == 0).count();
        let own = |message: u32| match first[place(&message) as usize] {
            Matched::Send(own) | Matched::PostSend(own, _) => own,
            _ => message,
        };
        let combinations = self.messages.len();
        let operations = first.iter().map(|operation| match *operation {
            Matched::Receive(message) => Matched::Receive(own(message)),
            Matched::PostReceive(message, request) => Matched::PostReceive(own(message), request),
            Matched::Combine(size) => Matched::Combine(size - (combinations - messages) as u32),
            other => other,
        });
        let operations = operations.collect();
        Some(self.with_messages(operations, vec![MatchedMessage { from: 0, to: 0 }; messages]))
    }
}
