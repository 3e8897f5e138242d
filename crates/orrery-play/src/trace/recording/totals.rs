//! Totals of a rank's recorded calls.

use std::collections::BTreeMap;

use super::function::{Function, Shape};
use super::rank::{Ending, RankRecording};
use super::record::{Body, Message, Peer, Record};
use orrery_base::file::FileError;
use orrery_base::units::Seconds;

/// Totals of the calls of one function.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct FunctionTotals {
    /// The number of calls.
    pub calls: u64,
    /// The sum of their durations in nanoseconds.
    pub nanoseconds: u64,
    /// The bytes of the messages that they send, without those of collective operations.
    pub sent_bytes: u64,
}

/// Totals of a rank, from the end of `MPI_Init` to the begin of `MPI_Finalize` or the last recorded
/// call.
#[derive(Debug, Clone, PartialEq)]
pub struct RankTotals {
    /// The rank.
    pub rank: u32,
    /// The name of its host.
    pub host: String,
    /// The time between calls, Ta.
    pub computation: Seconds,
    /// The time within calls, Tc.
    pub communication: Seconds,
    /// The totals of each function.
    pub functions: BTreeMap<Function, FunctionTotals>,
    /// The number of calls of other threads during a call, which are not recorded.
    pub overlapping: u64,
    /// How the record ends.
    pub ending: Ending,
}

impl RankTotals {
    /// The sum of both times.
    pub fn seconds(&self) -> Seconds {
        self.computation + self.communication
    }

    /// The number of calls of all functions.
    pub fn calls(&self) -> u64 {
        self.functions.values().fold(0, |sum, totals| sum.saturating_add(totals.calls))
    }

    /// The bytes of all sent messages, without those of collective operations.
    pub fn sent_bytes(&self) -> u64 {
        self.functions.values().fold(0, |sum, totals| sum.saturating_add(totals.sent_bytes))
    }
}

impl RankRecording {
    /// The totals of the rank.
    ///
    /// # Errors
    ///
    /// A damaged record.
    pub fn totals(&self) -> Result<RankTotals, FileError> {
        let (mut gaps, mut durations, mut overlapping) = (0_u64, 0_u64, 0_u64);
        let mut functions: BTreeMap<Function, FunctionTotals> = BTreeMap::new();
        let mut sizes: BTreeMap<u32, u64> = BTreeMap::new();
        let mut ending = Ending::Unfinished;
        for record in self.records() {
            match record? {
                Record::Call(call) => {
                    gaps = gaps.saturating_add(call.gap);
                    // The library ends there, which takes long and transfers nothing.
                    if call.function != Function::Finalize {
                        durations = durations.saturating_add(call.duration);
                    }
                    let totals = functions.entry(call.function).or_default();
                    totals.nanoseconds = totals.nanoseconds.saturating_add(call.duration);
                    totals.calls = totals.calls.saturating_add(call.calls());
                    totals.sent_bytes = totals.sent_bytes.saturating_add(sent_bytes(
                        call.function,
                        &call.body,
                        &mut sizes,
                    ));
                }
                Record::Communicator { .. } => {}
                Record::Stopped(code) => ending = Ending::Stopped(code),
                Record::Overlapping(calls) => overlapping = overlapping.saturating_add(calls),
                Record::End => ending = Ending::Finalized,
            }
        }
        let seconds = |nanoseconds: u64| Seconds::new(nanoseconds as f64 / 1e9);
        let (computation, communication) = (seconds(gaps), seconds(durations));
        let Self { header, .. } = self;
        Ok(RankTotals {
            rank: header.rank,
            host: header.host.clone(),
            computation,
            communication,
            functions,
            overlapping,
            ending,
        })
    }
}

/// The bytes that a call sends to a process; `sizes` holds those of persistent sends by request.
fn sent_bytes(function: Function, body: &Body<'_>, sizes: &mut BTreeMap<u32, u64>) -> u64 {
    let size = |message: &Message| if message.peer == Peer::None { 0 } else { message.size };
    match (function.shape(), body) {
        (_, Body::Send(message) | Body::Exchange(message, ..))
        | (Shape::PostSend, Body::Post(_, message)) => size(message),
        (Shape::PersistentSend, Body::Post(request, message)) => {
            sizes.insert(*request, size(message));
            0
        }
        (Shape::PersistentReceive, Body::Post(request, _)) => {
            sizes.remove(request);
            0
        }
        (_, Body::Start(requests)) => requests.iter().fold(0, |sum, request| {
            sum.saturating_add(sizes.get(request).copied().unwrap_or_default())
        }),
        _ => 0,
    }
}
