//! Operations in which all ranks do the same.

use super::matched::{Matched, MatchedCollective, MatchedMessage};

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
