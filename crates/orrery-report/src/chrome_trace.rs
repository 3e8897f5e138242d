//! Simulations and recorded runs in the trace format of Chrome and Perfetto.

use std::collections::BTreeMap;
use std::io::{self, Write};

use orrery::schedule::Rank;
use orrery::simulate::Outcome;
use orrery::trace::recording::{
    Body, CallClock, CallTimes, Header, MatchedMessage, Message, Peer, RankRecording, Record,
    RecordingError, TimedCall, for_each_message,
};
use serde_json::{Value, json};

use crate::tables::simulation::{conflict_kinds, operation_text};

/// The trace of a simulation as JSON for Chrome and Perfetto; times are in microseconds.
///
/// A host is a process and a task is one of its threads. Operations are slices (X) with their
/// `place` in the trace and the `penalty`, `conflicts` and `lost` time of the message that they
/// wait for, and with the `waiting` time before it started. Messages are arrows (s, f) from sender
/// to receiver. A counter (C) for each task shows the largest penalty of its current sends, 0
/// without sends. The outcome needs events and communications; `hosts` gives the host of each task
/// and `names` the name of each host.
///
/// Source: Google, *Trace Event Format*.
pub fn chrome_trace(
    outcome: &Outcome,
    hosts: &[u32],
    names: &[&str],
    place: impl Fn(Rank, u32) -> Option<String>,
) -> String {
    let process = |rank: Rank| hosts.get(rank.index()).copied().unwrap_or_default();
    let mut lines: Vec<Value> = Vec::new();
    let mut used: Vec<u32> = hosts.to_vec();
    used.sort_unstable();
    used.dedup();
    for host in used {
        let name = names.get(host as usize).copied().unwrap_or_default();
        lines.push(json!({"ph": "M", "name": "process_name", "pid": host, "tid": 0, "ts": 0, "args": {"name": name}}));
    }
    for rank in Rank::first(outcome.tasks.len()) {
        let args = json!({"name": format!("task {rank}")});
        lines.push(
            json!({"ph": "M", "name": "thread_name", "pid": process(rank), "tid": rank.0, "ts": 0, "args": args}),
        );
    }
    let mut timed: Vec<(f64, Value)> = Vec::new();
    for event in &outcome.events {
        let (start, took) = (event.start.get() * 1e6, (event.end - event.start).get() * 1e6);
        let mut args = json!({"place": place(event.rank, event.statement)});
        if let Some(one) = event.communication.map(|k| &outcome.communications[k]) {
            args["penalty"] = json!(one.mean_penalty());
            args["conflicts"] = json!(conflict_kinds(one));
            args["lost"] = json!(one.lost.get() * 1e6);
            let transfer = outcome.transfer_start(event).unwrap_or(event.start);
            args["waiting"] = json!((transfer - event.start).get() * 1e6);
        }
        let (pid, tid) = (process(event.rank), event.rank.0);
        timed.push((
            start,
            json!({"ph": "X", "name": operation_text(event.operation), "pid": pid, "tid": tid, "ts": start, "dur": took, "args": args}),
        ));
    }
    for (id, one) in outcome.communications.iter().enumerate() {
        let name = format!("{} from {} to {}", one.size, one.from, one.to);
        let ends = [("s", one.from, one.start), ("f", one.to, one.end)];
        for (phase, rank, at) in ends {
            let at = at.get() * 1e6;
            let mut arrow = json!({"ph": phase, "cat": "message", "name": name, "id": id, "ts": at, "pid": process(rank), "tid": rank.0});
            if phase == "f" {
                arrow["bp"] = json!("e");
            }
            timed.push((at, arrow));
        }
    }
    let mut sent: Vec<Vec<usize>> = vec![Vec::new(); outcome.tasks.len()];
    outcome.communications.iter().enumerate().for_each(|(k, one)| sent[one.from.index()].push(k));
    for (rank, sent) in Rank::first(outcome.tasks.len()).zip(&sent) {
        for (at, penalty) in largest_penalties(outcome, sent) {
            let name = format!("penalty of task {rank}");
            let pid = process(rank);
            timed.push((at, json!({"ph": "C", "name": name, "pid": pid, "ts": at, "args": {"penalty": penalty}})));
        }
    }
    timed.sort_by(|a, b| a.0.total_cmp(&b.0));
    lines.extend(timed.into_iter().map(|(_, line)| line));
    let lines: Vec<String> = lines.iter().map(ToString::to_string).collect();
    format!("{{\"displayTimeUnit\":\"ms\",\"traceEvents\":[\n{}\n]}}\n", lines.join(",\n"))
}

/// The changes of the largest penalty of the current sends: times in microseconds and penalties.
fn largest_penalties(outcome: &Outcome, sent: &[usize]) -> Vec<(f64, f64)> {
    // Time, communication, and its penalty from then on; 0 at its end.
    let mut steps: Vec<(f64, usize, f64)> = Vec::new();
    for (k, one) in sent.iter().map(|&k| (k, &outcome.communications[k])) {
        steps.extend(one.penalties.iter().map(|(since, penalty)| (since.get() * 1e6, k, *penalty)));
        if !one.penalties.is_empty() {
            steps.push((one.end.get() * 1e6, k, 0.0));
        }
    }
    // Sorting is stable, so that the end of a message stays behind its last step.
    steps.sort_by(|a, b| a.0.total_cmp(&b.0));
    let mut current: Vec<(usize, f64)> = Vec::new();
    let mut changes: Vec<(f64, f64)> = Vec::new();
    for (at, k, penalty) in steps {
        current.retain(|(other, _)| *other != k);
        if penalty > 0.0 {
            current.push((k, penalty));
        }
        let largest = current.iter().map(|(_, penalty)| *penalty).fold(0.0, f64::max);
        match changes.last_mut() {
            Some(last) if last.0.total_cmp(&at).is_eq() => last.1 = largest,
            Some(last) if last.1.total_cmp(&largest).is_eq() => {}
            _ => changes.push((at, largest)),
        }
    }
    changes
}

/// The reason why a recorded run cannot be written.
#[derive(Debug, thiserror::Error)]
pub enum RecordedTraceError {
    /// The writer fails.
    #[error(transparent)]
    Write(#[from] io::Error),
    /// A damaged record.
    #[error(transparent)]
    Record(#[from] RecordingError),
}

/// The content of a written trace.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct RecordedTraceCounts {
    /// The number of calls.
    pub calls: u64,
    /// The number of messages, each of which is an arrow.
    pub messages: u64,
}

/// Writes the calls of all ranks, and arrows for messages, as JSON for Chrome and Perfetto; times
/// are in microseconds.
///
/// A host is a process and a rank is one of its threads. Calls are slices (X) with the `peer`,
/// `tag`, `size` and `communicator` of their message; consecutive calls without a result are one
/// slice. The clocks of hosts are joined by the time of day at the start of their first rank.
///
/// A message is an arrow (s, f) from the begin of the call that sent or started it to the last
/// nanosecond of the call in which its receive was complete ([`for_each_message`]). Within a host
/// no arrow goes back in time; between hosts one can, by as much as their clocks differ.
///
/// # Errors
///
/// A writer that fails, and a damaged record.
///
/// Source: Google, *Trace Event Format*.
pub fn recorded_chrome_trace(
    ranks: &[RankRecording],
    out: &mut impl Write,
) -> Result<RecordedTraceCounts, RecordedTraceError> {
    let mut hosts: BTreeMap<&str, (usize, &Header)> = BTreeMap::new();
    let mut names = Vec::new();
    for rank in ranks {
        let header = &rank.header;
        hosts.entry(&header.host).or_insert_with(|| {
            names.push(&header.host);
            (names.len() - 1, header)
        });
    }
    // The start of each rank in nanoseconds since 1970.
    let start = |header: &Header| {
        let first = hosts[header.host.as_str()].1;
        i128::from(first.started) + i128::from(header.clock) - i128::from(first.clock)
    };
    let origin = ranks.iter().map(|rank| start(&rank.header)).min().unwrap_or_default();
    let mut lines = Lines { out, is_first: true };
    lines.out.write_all(b"{\"displayTimeUnit\":\"ms\",\"traceEvents\":[")?;
    for (pid, name) in names.iter().enumerate() {
        lines.write(
            &json!({"ph": "M", "name": "process_name", "pid": pid, "tid": 0, "ts": 0, "args": {"name": name}}),
        )?;
    }
    let mut counts = RecordedTraceCounts::default();
    for rank in ranks {
        let (pid, tid) = (hosts[rank.header.host.as_str()].0, rank.header.rank);
        let name = format!("rank {tid}");
        lines.write(
            &json!({"ph": "M", "name": "thread_name", "pid": pid, "tid": tid, "ts": 0, "args": {"name": name}}),
        )?;
        let offset = (start(&rank.header) - origin) as f64 * 1e-3;
        let mut clock = CallClock::default();
        for record in rank.records() {
            let Record::Call(call) = record.map_err(RecordingError::from)? else { continue };
            let timed = clock.place(call);
            counts.calls = counts.calls.saturating_add(timed.call.calls());
            lines.write(&slice(&timed, pid, tid, offset))?;
        }
    }
    // Each arrow is behind the slices that it joins, so that readers that sort by time keep this
    // order.
    for_each_message(ranks, |message| {
        counts.messages += 1;
        let at = |rank: u32, nanoseconds: u64| {
            let header = &ranks[rank as usize].header;
            let time = (start(header) - origin) as f64 * 1e-3 + nanoseconds as f64 * 1e-3;
            (hosts[header.host.as_str()].0, rank, time)
        };
        let MatchedMessage { from, to, sent, received, .. } = message;
        lines.write(&arrow("s", counts.messages, at(from, sent.begin), &message))?;
        lines.write(&arrow("f", counts.messages, at(to, last_nanosecond(received)), &message))?;
        Ok::<(), RecordedTraceError>(())
    })?;
    lines.out.write_all(b"\n]}\n")?;
    Ok(counts)
}

/// The last nanosecond of a call: readers do not count the end of a slice as a part of it.
fn last_nanosecond(call: CallTimes) -> u64 {
    call.end.saturating_sub(1).max(call.begin)
}

/// The begin (s) or the end (f) of the arrow of a message: at a process, a thread and a time.
fn arrow(
    phase: &str,
    id: u64,
    (pid, tid, at): (usize, u32, f64),
    message: &MatchedMessage,
) -> Value {
    let MatchedMessage { from, to, tag, size, .. } = message;
    let args = json!({"from": from, "to": to, "tag": tag, "size": size});
    json!({"ph": phase, "bp": "e", "cat": "message", "name": "message", "id": id, "pid": pid, "tid": tid, "ts": at, "args": args})
}

/// Writes values that are separated by commas.
struct Lines<'a, W> {
    out: &'a mut W,
    is_first: bool,
}

impl<W: Write> Lines<'_, W> {
    /// Writes a value on a line of its own, after a comma unless it is the first one.
    fn write(&mut self, value: &Value) -> io::Result<()> {
        let separator: &[u8] = if std::mem::take(&mut self.is_first) { b"\n" } else { b",\n" };
        self.out.write_all(separator)?;
        serde_json::to_writer(&mut self.out, value).map_err(io::Error::from)
    }
}

/// The slice of a call.
fn slice(timed: &TimedCall, pid: usize, tid: u32, offset: f64) -> Value {
    let (begin, duration) = (timed.begin as f64 * 1e-3 + offset, timed.call.duration as f64 * 1e-3);
    let name = timed.call.function.name();
    let args = match &timed.call.body {
        Body::Plain => json!({}),
        Body::Polls(calls) => json!({"calls": calls}),
        Body::Send(message) => of_message(message),
        Body::Receive(message, matched) | Body::Exchange(_, message, matched) => {
            let mut args = of_message(message);
            if let Some(matched) = matched {
                args["peer"] = of_peer(matched.source);
                args["tag"] = json!(matched.tag);
            }
            if let Body::Exchange(sent, ..) = &timed.call.body {
                args["sent"] = of_message(sent);
            }
            args
        }
        Body::Post(request, message) => {
            let mut args = of_message(message);
            args["request"] = json!(request);
            args
        }
        Body::Start(requests) => json!({"requests": &requests[..]}),
        Body::Complete(completions) => {
            json!({"requests": completions.iter().map(|one| one.request).collect::<Vec<_>>()})
        }
        Body::Probe(_, matched) => json!({"peer": of_peer(matched.source), "tag": matched.tag}),
        Body::Request(request) => json!({"request": request}),
        Body::Collective { communicator, root, size, .. } => {
            json!({"communicator": communicator, "root": root, "size": size})
        }
    };
    json!({"ph": "X", "name": name, "cat": "mpi", "pid": pid, "tid": tid, "ts": begin, "dur": duration, "args": args})
}

/// The properties of a message.
fn of_message(message: &Message) -> Value {
    let Message { communicator, peer, tag, size } = message;
    json!({"peer": of_peer(*peer), "tag": tag, "size": size, "communicator": communicator})
}

/// The rank of a peer; null if there is none.
fn of_peer(peer: Peer) -> Value {
    match peer {
        Peer::Rank(rank) => json!(rank),
        Peer::None | Peer::Any | Peer::Foreign => Value::Null,
    }
}
