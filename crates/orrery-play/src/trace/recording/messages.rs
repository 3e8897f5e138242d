//! The messages between ranks: which send each receive has matched.

use std::collections::BTreeMap;

use super::convert::definitions;
use super::function::{Function, Shape};
use super::numbering::{Communicator, Communicators, Tags};
use super::rank::{CallClock, RankRecording, RecordingError, TimedCall, at_call};
use super::record::{Body, Matched, Message, Outcome, Peer, Record};
use super::requests::{End, RequestEnd, ends};
use crate::trace::actions::TraceBuilder;
use orrery_program::schedule::{MatchQueue, Rank, Tag};

/// The begin and the end of a call in nanoseconds since the start of its rank's record.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct CallTimes {
    /// The begin.
    pub begin: u64,
    /// The end.
    pub end: u64,
}

impl From<&TimedCall> for CallTimes {
    fn from(call: &TimedCall) -> Self {
        Self { begin: call.begin, end: call.end() }
    }
}

/// A message that was sent and received.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MatchedMessage {
    /// The sender.
    pub from: u32,
    /// The receiver.
    pub to: u32,
    /// The tag.
    pub tag: u32,
    /// The size in bytes, as the sender named it.
    pub size: u64,
    /// The call that sent it or, for a nonblocking or persistent send, that started it.
    pub sent: CallTimes,
    /// The call in which the receive was complete: the receive itself, or the wait or test for its
    /// request.
    pub received: CallTimes,
}

/// Calls `take` with each point-to-point message that was received, in the order in which each rank
/// posted its receives. `ranks` holds all ranks in order.
///
/// Messages with one sender, communicator and tag are received in the order of their sends, by
/// receives in the order in which they were posted; what receives of any source or any tag have
/// matched is recorded. A message that a matched probe has found is taken by the probe. Cancelled
/// transfers, and receives that were freed or were not complete when the record ended, are omitted.
///
/// If sends are missing in the record, this order shows nothing, and there are no messages: after
/// calls of several threads at a time, and with `MPI_Isendrecv`, of which only times are recorded.
///
/// # Errors
///
/// A damaged file, and errors of `take`.
pub fn for_each_message<E: From<RecordingError>>(
    ranks: &[RankRecording],
    mut take: impl FnMut(MatchedMessage) -> Result<(), E>,
) -> Result<(), E> {
    let Some(mut matching) = Matching::of_sends(ranks)? else { return Ok(()) };
    for rank in ranks {
        matching.receive(rank, &mut take)?;
    }
    Ok(())
}

/// A message that was sent.
#[derive(Debug, Clone, Copy)]
struct Sent {
    from: u32,
    tag: u32,
    size: u64,
    call: CallTimes,
}

/// The messages that are sent and not received yet.
struct Matching {
    /// The communicators of each rank by their numbers at this rank.
    communicators: Vec<BTreeMap<u32, Communicator>>,
    tags: Tags,
    /// The messages by receiver.
    sent: Vec<MatchQueue<Sent>>,
}

impl Matching {
    /// The sends of all ranks; `None` if some of them are not recorded.
    fn of_sends(ranks: &[RankRecording]) -> Result<Option<Self>, RecordingError> {
        let (mut builder, mut known) =
            (TraceBuilder::new(ranks.len() as u32), Communicators::default());
        let communicators = ranks.iter().map(|rank| definitions(rank, &mut builder, &mut known));
        let communicators = communicators.collect::<Result<_, _>>()?;
        let sent = ranks.iter().map(|_| MatchQueue::default()).collect();
        let mut matching = Self { communicators, tags: Tags::default(), sent };
        for rank in ranks {
            if !matching.send(rank)? {
                return Ok(None);
            }
        }
        Ok(Some(matching))
    }

    /// Adds the sends of a rank; returns false if some of them are not recorded.
    fn send(&mut self, rank: &RankRecording) -> Result<bool, RecordingError> {
        let mut transfers = Transfers::new(rank)?;
        for record in rank.records() {
            let call = match record? {
                Record::Call(call) => call,
                Record::Overlapping(_) => return Ok(false),
                _ => continue,
            };
            if matches!(call.function, Function::Isendrecv | Function::Isendrecv_replace) {
                return Ok(false);
            }
            let timed = transfers.clock.place(call);
            let times = CallTimes::from(&timed);
            match &timed.call.body {
                Body::Send(message) | Body::Exchange(message, ..) => {
                    self.add(rank, message, times)?;
                }
                _ => {
                    for (sends, message, end) in transfers.started(&timed) {
                        if sends && end.end != End::Completed(Outcome::Cancelled) {
                            self.add(rank, &message, times)?;
                        }
                    }
                }
            }
        }
        Ok(true)
    }

    /// Adds a message that a rank sends; one to no process, or to a process outside of the job, is
    /// omitted.
    fn add(
        &mut self,
        rank: &RankRecording,
        message: &Message,
        call: CallTimes,
    ) -> Result<(), RecordingError> {
        let (Peer::Rank(to), Some(tag)) = (message.peer, message.tag) else { return Ok(()) };
        let Some(key) = self.tag(rank, message.communicator, tag)? else { return Ok(()) };
        let from = rank.header.rank;
        if let Some(queue) = self.sent.get_mut(to as usize) {
            queue.push(Some(Rank(from)), key, Sent { from, tag, size: message.size, call });
        }
        Ok(())
    }

    /// The tag that a communicator and a tag have in the whole run; `None` if the communicator is
    /// not defined.
    fn tag(
        &mut self,
        rank: &RankRecording,
        communicator: u32,
        tag: u32,
    ) -> Result<Option<Tag>, RecordingError> {
        let of_rank = self.communicators.get(rank.header.rank as usize);
        let Some(communicator) = of_rank.and_then(|all| all.get(&communicator)) else {
            return Ok(None);
        };
        let found = self.tags.tag(communicator.id, tag);
        Ok(Some(found.map_err(at_call(rank.header.rank, 0))?))
    }

    /// Matches the receives of a rank with the sends, and calls `take` with each message.
    fn receive<E: From<RecordingError>>(
        &mut self,
        rank: &RankRecording,
        take: &mut impl FnMut(MatchedMessage) -> Result<(), E>,
    ) -> Result<(), E> {
        let to = rank.header.rank;
        let mut receive = |sent: Option<Sent>, received: CallTimes| match sent {
            Some(Sent { from, tag, size, call }) => {
                take(MatchedMessage { from, to, tag, size, sent: call, received })
            }
            None => Ok(()),
        };
        let mut transfers = Transfers::new(rank)?;
        // Messages that a matched probe has found.
        let mut probed = MatchQueue::default();
        for record in rank.records() {
            let Record::Call(call) = record.map_err(RecordingError::from)? else { continue };
            let timed = transfers.clock.place(call);
            let times = CallTimes::from(&timed);
            match &timed.call.body {
                Body::Probe(message, matched) if takes_message(timed.call.function) => {
                    if let Some((source, tag)) = self.source(rank, message, Some(*matched))?
                        && let Some(sent) = self.sent[to as usize].take_from(Some(source), tag)
                    {
                        probed.push(Some(source), tag, sent);
                    }
                }
                Body::Receive(message, matched) | Body::Exchange(_, message, matched) => {
                    if let Some((source, tag)) = self.source(rank, message, *matched)? {
                        let by_handle = timed.call.function == Function::Mrecv;
                        let queue =
                            if by_handle { &mut probed } else { &mut self.sent[to as usize] };
                        receive(queue.take_from(Some(source), tag), times)?;
                    }
                }
                _ => {
                    for (sends, message, end) in transfers.started(&timed) {
                        let matched = match end.end {
                            _ if sends => continue,
                            End::Completed(Outcome::Cancelled) => continue,
                            End::Completed(Outcome::Matched(matched)) => Some(matched),
                            End::Completed(Outcome::Done) | End::Freed | End::Unknown => None,
                        };
                        let Some((source, tag)) = self.source(rank, &message, matched)? else {
                            continue;
                        };
                        let by_handle = timed.call.function == Function::Imrecv;
                        let queue =
                            if by_handle { &mut probed } else { &mut self.sent[to as usize] };
                        let sent = queue.take_from(Some(source), tag);
                        // One that was freed, or that was in progress at the end, has taken its
                        // message, too.
                        if matches!(end.end, End::Completed(_)) {
                            receive(sent, end.call)?;
                        }
                    }
                }
            }
        }
        Ok(())
    }

    /// The source and the tag of a received message; `None` if there is none, or if it was never
    /// received.
    fn source(
        &mut self,
        rank: &RankRecording,
        message: &Message,
        matched: Option<Matched>,
    ) -> Result<Option<(Rank, Tag)>, RecordingError> {
        let (peer, tag) =
            matched.map_or((message.peer, message.tag), |one| (one.source, Some(one.tag)));
        let (Peer::Rank(source), Some(tag)) = (peer, tag) else { return Ok(None) };
        Ok(self.tag(rank, message.communicator, tag)?.map(|tag| (Rank(source), tag)))
    }
}

/// Returns true for a probe that takes its message: only a receive by its handle can receive it.
fn takes_message(function: Function) -> bool {
    matches!(function, Function::Mprobe | Function::Improbe)
}

/// The nonblocking transfers of a rank in the order in which they start.
struct Transfers {
    clock: CallClock,
    /// The persistent requests: true for sends, and their messages.
    templates: BTreeMap<u32, (bool, Message)>,
    /// The ends of the transfers that have not started.
    ends: std::vec::IntoIter<RequestEnd>,
}

impl Transfers {
    /// Those of a rank, before its first call.
    fn new(rank: &RankRecording) -> Result<Self, RecordingError> {
        Ok(Self {
            clock: CallClock::default(),
            templates: BTreeMap::new(),
            ends: ends(rank)?.into_iter(),
        })
    }

    /// The transfers that a call starts: true for sends, the message, and the end of the request.
    fn started(&mut self, timed: &TimedCall) -> Vec<(bool, Message, RequestEnd)> {
        let shape = timed.call.function.shape();
        let mut next = || self.ends.next().unwrap_or_default();
        match (&timed.call.body, shape) {
            (Body::Post(request, message), Shape::PersistentSend | Shape::PersistentReceive) => {
                self.templates.insert(*request, (shape == Shape::PersistentSend, *message));
                Vec::new()
            }
            (Body::Post(_, message), _) => vec![(shape == Shape::PostSend, *message, next())],
            (Body::Start(requests), _) => {
                let started =
                    requests.iter().map(|request| (self.templates.get(request).copied(), next()));
                started
                    .filter_map(|(template, end)| {
                        template.map(|(sends, message)| (sends, message, end))
                    })
                    .collect()
            }
            _ => Vec::new(),
        }
    }
}
