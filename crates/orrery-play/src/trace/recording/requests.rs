//! The requests of a rank's recorded calls.

use std::collections::BTreeMap;

use super::function::Shape;
use super::messages::CallTimes;
use super::rank::{CallClock, RankRecording};
use super::record::{Body, Outcome, Record};
use orrery_base::file::FileError;
use orrery_program::schedule::Request;

/// The end of a nonblocking transfer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum End {
    /// Its request was completed.
    Completed(Outcome),
    /// Its request was freed while it was in progress.
    Freed,
    /// The record ends before.
    #[default]
    Unknown,
}

/// The end of a nonblocking transfer and the call that completed it or freed its request.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct RequestEnd {
    pub(super) end: End,
    pub(super) call: CallTimes,
}

/// The transfers in progress by request, numbered in the order in which they start.
#[derive(Debug, Default)]
struct Starts {
    open: BTreeMap<u32, usize>,
    ends: Vec<RequestEnd>,
}

impl Starts {
    /// Records that a transfer starts under a request.
    fn start(&mut self, request: u32) {
        self.open.insert(request, self.ends.len());
        self.ends.push(RequestEnd::default());
    }

    /// Records the end of the transfer of a request, in this call; other requests are ignored.
    fn end(&mut self, request: u32, end: End, call: CallTimes) {
        if let Some(number) = self.open.remove(&request) {
            self.ends[number] = RequestEnd { end, call };
        }
    }
}

/// The ends of all nonblocking transfers of a rank, in the order in which they start.
pub(super) fn ends(rank: &RankRecording) -> Result<Vec<RequestEnd>, FileError> {
    let (mut starts, mut clock) = (Starts::default(), CallClock::default());
    for record in rank.records() {
        let Record::Call(call) = record? else { continue };
        let timed = clock.place(call);
        let times = CallTimes::from(&timed);
        match (timed.call.function.shape(), &timed.call.body) {
            (Shape::PostSend | Shape::PostReceive, Body::Post(request, _)) => {
                starts.start(*request);
            }
            (_, Body::Start(requests)) => {
                requests.iter().for_each(|&request| starts.start(request));
            }
            (_, Body::Complete(completions)) => {
                completions
                    .iter()
                    .for_each(|one| starts.end(one.request, End::Completed(one.outcome), times));
            }
            (Shape::Free, Body::Request(request)) => starts.end(*request, End::Freed, times),
            _ => {}
        }
    }
    Ok(starts.ends)
}

/// The requests of a rank in the trace, numbered from 0; free ones are used again.
#[derive(Debug, Default)]
pub(super) struct TraceRequests {
    count: u32,
    free: Vec<Request>,
    /// By recorded request; `None` for a transfer that the trace omits.
    open: BTreeMap<u32, Option<Request>>,
}

impl TraceRequests {
    /// Takes a free request, or a new one if there is none.
    pub(super) fn take(&mut self) -> Request {
        self.free.pop().unwrap_or_else(|| {
            self.count += 1;
            Request(self.count - 1)
        })
    }

    /// Adds a request that was waited for to the free ones.
    pub(super) fn release(&mut self, request: Request) {
        self.free.push(request);
    }

    /// Sets the request in the trace of a recorded one.
    pub(super) fn open(&mut self, recorded: u32, request: Option<Request>) {
        self.open.insert(recorded, request);
    }

    /// Removes a recorded request and returns its request in the trace; `None` if the trace omits
    /// it.
    pub(super) fn close(&mut self, recorded: u32) -> Option<Request> {
        self.open.remove(&recorded).flatten()
    }
}
