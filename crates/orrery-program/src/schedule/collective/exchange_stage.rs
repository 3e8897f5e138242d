use super::data::Layout;
use super::exchange::{Exchange, Pattern};
use super::space::Space;
use super::step::{Arrival, Step};

/// The order of the operations of one exchange.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Order {
    /// The receive is posted, the message sent, the receive awaited.
    ReceiveFirst,
    /// The send and the receive are posted and awaited in this order (`MPI_Sendrecv` of SimGrid).
    SendFirst,
}

/// A rank in a stage of exchanges.
#[derive(Debug, Clone, Copy)]
pub(super) struct Participant<'a> {
    pub(super) pattern: Pattern,
    pub(super) order: Order,
    pub(super) space: Space,
    pub(super) layout: Layout<'a>,
    /// The number of the rank in the space.
    pub(super) node: usize,
}

impl Participant<'_> {
    /// The number of operations of an exchange, without combinations.
    const fn operations(&self, exchange: &Exchange) -> usize {
        match (exchange.to.is_some(), exchange.from.is_some(), self.order) {
            (true, true, Order::ReceiveFirst) => 3,
            (true, true, Order::SendFirst) => 4,
            (false, false, _) => 0,
            _ => 1,
        }
    }

    /// The number of steps of each round; `None` if rounds have different numbers.
    fn uniform_length(&self) -> Option<usize> {
        let operations = match self.order {
            Order::ReceiveFirst => 3,
            Order::SendFirst => 4,
        };
        self.pattern.is_uniform().then(|| operations + usize::from(self.pattern.combines()))
    }

    /// The exchange with an index of a round.
    fn exchange(&self, round: usize, index: usize) -> Exchange {
        self.pattern.exchange(self.node, round, index, self.space, &self.layout)
    }

    /// The number of steps of a round.
    fn length(&self, round: usize) -> usize {
        match self.pattern.count(self.space, round) {
            0 => 0,
            1 => {
                let exchange = self.exchange(round, 0);
                self.operations(&exchange) + exchange.combination.map_or(0, |(.., times)| times)
            }
            count => 4 * count,
        }
    }

    /// The number of steps.
    pub(super) fn len(&self) -> usize {
        let rounds = self.pattern.rounds(self.space, &self.layout);
        match self.uniform_length() {
            Some(length) => rounds.saturating_mul(length),
            None => (0..rounds).map(|round| self.length(round)).sum(),
        }
    }

    /// The step with an index; `None` after the last one.
    pub(super) fn step(&self, index: usize) -> Option<Step> {
        if let Some(length) = self.uniform_length() {
            return self.step_of_exchange(self.exchange(index / length, 0), index % length);
        }
        let mut index = index;
        for round in 0..self.pattern.rounds(self.space, &self.layout) {
            let length = self.length(round);
            if index >= length {
                index -= length;
                continue;
            }
            let count = self.pattern.count(self.space, round);
            if count == 1 {
                return self.step_of_exchange(self.exchange(round, 0), index);
            }
            // All receives and sends of the round are posted, then all are awaited.
            if index >= 2 * count {
                return Some(Step::Wait((index - 2 * count) as u32));
            }
            let exchange = self.exchange(round, index / 2);
            return if index.is_multiple_of(2) {
                let (from, data) = exchange.from?;
                Some(Step::post_receive(self.space.rank(from), data, index as u32))
            } else {
                let (to, data) = exchange.to?;
                Some(Step::PostSend { to: self.space.rank(to), data, request: index as u32 })
            };
        }
        None
    }

    /// A step of a round that is one exchange: the transfers by `index`, then combinations; `None`
    /// if there is none.
    fn step_of_exchange(&self, exchange: Exchange, index: usize) -> Option<Step> {
        let is_combined = exchange.is_combined;
        let arrival = exchange.from.map(|(from, data)| Arrival {
            from: self.space.rank(from),
            data,
            is_combined,
        });
        if index >= self.operations(&exchange) {
            return exchange
                .combination
                .map(|(from, data, _)| Step::Combine { from: self.space.rank(from), data });
        }
        let target = exchange.to.map(|(to, data)| (self.space.rank(to), data));
        match (target, arrival) {
            (Some((to, data)), Some(arrival)) => Some(match (self.order, index) {
                (Order::ReceiveFirst, 0) => Step::PostReceive(arrival, 0),
                (Order::ReceiveFirst, 1) => Step::Send { to, data },
                (Order::ReceiveFirst, _) => Step::Wait(0),
                (Order::SendFirst, 0) => Step::PostSend { to, data, request: 0 },
                (Order::SendFirst, 1) => Step::PostReceive(arrival, 1),
                (Order::SendFirst, index) => Step::Wait(index as u32 - 2),
            }),
            (Some((to, data)), None) => Some(match exchange.origin {
                Some(origin) => Step::PassOn { to, data, origin: self.space.rank(origin) },
                None => Step::Send { to, data },
            }),
            (None, Some(arrival)) => Some(Step::Receive(arrival)),
            (None, None) => None,
        }
    }
}
