//! Simulations in the trace format of Chrome and Perfetto.

use serde_json::{Value, json};

use crate::tables::simulation::{conflict_kinds, operation_text};
use orrery::schedule::Rank;
use orrery::simulate::Outcome;

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
