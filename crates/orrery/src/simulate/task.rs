use super::flow::{End, Waiter};
use super::outcome::TaskTimes;
use crate::schedule::{Cursor, Operation, Rank, Tag};
use crate::units::Bytes;

/// A message or a receive that has not met its other side.
#[derive(Debug, Clone, Copy)]
pub(super) struct Offer {
    pub(super) end: End,
    /// The sender: of a receive, the one that it names.
    pub(super) from: Option<Rank>,
    pub(super) tag: Tag,
    pub(super) size: Bytes,
    /// The statement of the schedule of the rank whose offer it is.
    pub(super) statement: u32,
}

/// A request of a task.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum RequestState {
    /// Free to be posted.
    #[default]
    Free,
    /// Posted and not complete.
    Open,
    /// Complete and not waited for.
    Complete,
}

/// A rank of a run.
#[derive(Debug, Clone)]
pub(super) struct Task {
    pub(super) cursor: Cursor,
    /// The operation that it stands in, with its statement and its start; `None` before the first and after the last.
    pub(super) stands_in: Option<(Operation, u32, f64)>,
    pub(super) requests: Vec<RequestState>,
    /// Messages to it that no receive has taken, in the order of sending.
    pub(super) messages: Vec<Offer>,
    /// The bytes of those of them whose sends did not wait.
    pub(super) kept: Bytes,
    /// Its receives that have not met a message, in the order of posting.
    pub(super) receives: Vec<Offer>,
    pub(super) times: TaskTimes,
    /// Whether its host has more ranks than cores.
    pub(super) shares_host: bool,
}

impl Task {
    pub(super) fn new(shares_host: bool) -> Self {
        Self {
            cursor: Cursor::default(),
            stands_in: None,
            requests: Vec::new(),
            messages: Vec::new(),
            kept: Bytes::ZERO,
            receives: Vec::new(),
            times: TaskTimes::default(),
            shares_host,
        }
    }

    /// The state of a request, which need not have been named before.
    pub(super) fn request(&mut self, request: u32) -> &mut RequestState {
        let place = request as usize;
        if self.requests.len() <= place {
            self.requests.resize(place + 1, RequestState::Free);
        }
        &mut self.requests[place]
    }

    /// Whether it stands in a wait for this request, or in the transfer itself.
    pub(super) fn stands_for(&self, waiter: Waiter) -> bool {
        match (waiter, self.stands_in) {
            (Waiter::Program, Some((Operation::Do(_), ..))) => true,
            (Waiter::Request(request), Some((Operation::Wait(awaited), ..))) => request == awaited,
            _ => false,
        }
    }

    /// Takes out the first message that a receive takes.
    pub(super) fn take_message(&mut self, receive: &Offer) -> Option<Offer> {
        let fits =
            |message: &Offer| message.tag == receive.tag && receive.from.is_none_or(|from| message.from == Some(from));
        let place = self.messages.iter().position(fits)?;
        let message = self.messages.remove(place);
        if message.end.waiter == Waiter::Nobody {
            self.kept = self.kept - message.size;
        }
        Some(message)
    }

    /// Takes out the first receive that takes a message.
    pub(super) fn take_receive(&mut self, message: &Offer) -> Option<Offer> {
        let fits =
            |receive: &Offer| receive.tag == message.tag && receive.from.is_none_or(|from| message.from == Some(from));
        let place = self.receives.iter().position(fits)?;
        Some(self.receives.remove(place))
    }
}
