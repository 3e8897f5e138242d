//! What rank 0 tells the others and they tell it: JSON, on a communicator of its own.

use std::ffi::c_int;
use std::time::{Duration, Instant};

use orrery::machine::Batch;
use orrery::machine::clock::LateStart;
use orrery::units::Seconds;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::MpiError;
use crate::calls::{self, ANY_SOURCE, Comm};
use crate::patience::Patience;
use crate::plan::Sends;
use crate::seat::Seat;

/// What rank 0 tells another rank; it lends the batch, the other one owns it.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) enum Order<B = Batch> {
    /// Run these batches, one after the other.
    Run(Vec<(B, Sends)>),
    /// Do not serve any longer.
    Dismiss,
}

/// What a rank tells rank 0.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) enum Report {
    /// It runs here.
    Seat(Seat),
    /// It has got on with its batch.
    Progress,
    /// It has run its batches; these are its readings of each.
    Done(Vec<Vec<Seconds>>),
    /// Ranks of its batch were too late, time and again.
    LateStart(LateStart),
    /// It cannot go on.
    Failed(String),
}

const ORDER: c_int = 1;
const REPORT: c_int = 2;
/// The tag of numbers that ranks of a batch tell each other.
pub(crate) const NUMBER: c_int = 3;
/// Tags from here on are those of the barrier.
pub(crate) const BARRIER: c_int = 16;

/// Where rank 0 and the others talk to each other.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Control {
    pub comm: Comm,
}

impl Control {
    /// Gives an order.
    pub fn order(self, to: usize, order: &Order<&Batch>) -> Result<(), MpiError> {
        self.tell(to, ORDER, order)
    }

    /// Reports to rank 0.
    pub fn report(self, report: &Report) -> Result<(), MpiError> {
        self.tell(0, REPORT, report)
    }

    fn tell<T: Serialize>(self, to: usize, tag: c_int, message: &T) -> Result<(), MpiError> {
        let bytes = serde_json::to_vec(message).map_err(|error| MpiError::impossible(error.to_string()))?;
        calls::send_bytes(&bytes, to, tag, self.comm)
    }

    /// Waits for an order; nothing when none has come within the time, where there is one.
    pub fn next_order(self, limit: Option<Duration>) -> Result<Option<Order>, MpiError> {
        let begin = Instant::now();
        let mut patience = Patience::default();
        loop {
            if let Some((_, order)) = self.hear(0, ORDER)? {
                return Ok(Some(order));
            }
            if limit.is_some_and(|limit| begin.elapsed() > limit) {
                return Ok(None);
            }
            patience.wait();
        }
    }

    /// A report that is here already, and whose it is.
    pub fn next_report(self) -> Result<Option<(usize, Report)>, MpiError> {
        self.hear(ANY_SOURCE, REPORT)
    }

    fn hear<T: DeserializeOwned>(self, from: c_int, tag: c_int) -> Result<Option<(usize, T)>, MpiError> {
        let Some((source, length)) = calls::probe(from, tag, self.comm)? else { return Ok(None) };
        let mut bytes = vec![0; length];
        calls::receive_into(&mut bytes, source, tag, self.comm)?;
        let message = serde_json::from_slice(&bytes);
        let riddle = |error| MpiError::impossible(format!("rank {source} speaks in riddles: {error}"));
        Ok(Some((source, message.map_err(riddle)?)))
    }
}
