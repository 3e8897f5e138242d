//! A graph of operations as a list for each rank.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use super::{ANY, Goal, Kind, Operation};
use crate::schedule::{Rank, Request, Tag};
use crate::trace::actions::{Action, Mistake, Recorder, Trace};
use crate::units::Bytes;

/// What a list cannot say of a graph, or a mistake in it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{file}:{line}:1: {reason}")]
pub struct SequenceError {
    /// The name of the file.
    pub file: String,
    /// The line of the operation.
    pub line: u32,
    /// What cannot be said.
    pub reason: String,
}

impl Goal {
    /// The operations as a trace: of those that could be next, the first as written. A message that something waits
    /// for is begun and waited for there; a nanosecond of computation is one floating-point operation, as on a host of
    /// 1 Gf. `file` is the name of the text.
    ///
    /// # Errors
    ///
    /// Operations that wait for each other, computation beside other computation (`cpu 1`), and receives of any tag.
    pub fn trace(&self, file: &str) -> Result<Trace, SequenceError> {
        let at = |line: u32, reason: String| SequenceError { file: file.to_owned(), line, reason };
        let mut recorder = Recorder::new(self.ranks);
        let source = recorder.file(file);
        let mut of_ranks: BTreeMap<u32, Range<u32>> = BTreeMap::new();
        for (place, operation) in (0..).zip(&self.operations) {
            of_ranks.entry(operation.rank).or_insert(place..place).end = place + 1;
        }
        for rank in 0..self.ranks {
            recorder.rank(Some(source)).map_err(|mistake| at(1, mistake.to_string()))?;
            let places = of_ranks.get(&rank).cloned().unwrap_or(0..0);
            let mut sequence = Sequence::new(self, places);
            while let Some(place) = sequence.next() {
                let line = self.operations[place as usize].line;
                sequence.record(place, &mut recorder).map_err(|reason| at(line, reason))?;
            }
            if let Some(stuck) = sequence.stuck() {
                let line = self.operations[stuck as usize].line;
                return Err(at(line, "this waits for what waits for it; remove one of the requires".into()));
            }
            let open: Vec<Request> = sequence.open.into_values().collect();
            if !open.is_empty() {
                recorder.wait_all(&open, 0).map_err(|mistake| at(1, mistake.to_string()))?;
            }
        }
        recorder.finish().map_err(|mistake| at(1, mistake.to_string()))
    }
}

/// The operations of one rank on their way into a list.
struct Sequence<'a> {
    goal: &'a Goal,
    first: u32,
    /// For each operation those that have to end before it starts.
    needs: Vec<Vec<u32>>,
    /// For how many operations each waits.
    waits: Vec<u32>,
    ready: BTreeSet<u32>,
    /// Messages that were begun and not waited for.
    open: BTreeMap<u32, Request>,
    free: Vec<Request>,
    requests: u32,
}

impl<'a> Sequence<'a> {
    fn new(goal: &'a Goal, places: Range<u32>) -> Self {
        let first = places.start;
        let (mut needs, mut waits) = (vec![Vec::new(); places.len()], vec![0; places.len()]);
        for place in places.clone() {
            for (follower, is_for_start) in goal.followers(place) {
                waits[(follower - first) as usize] += 1;
                if !is_for_start {
                    needs[(follower - first) as usize].push(place);
                }
            }
        }
        let ready = places.filter(|place| waits[(place - first) as usize] == 0).collect();
        Self { goal, first, needs, waits, ready, open: BTreeMap::new(), free: Vec::new(), requests: 0 }
    }

    fn next(&mut self) -> Option<u32> {
        let place = self.ready.pop_first()?;
        for (follower, _) in self.goal.followers(place) {
            let waits = &mut self.waits[(follower - self.first) as usize];
            *waits -= 1;
            if *waits == 0 {
                self.ready.insert(follower);
            }
        }
        Some(place)
    }

    /// An operation that still waits when nothing is ready.
    fn stuck(&self) -> Option<u32> {
        self.waits.iter().position(|&waits| waits > 0).map(|place| self.first + place as u32)
    }

    fn record(&mut self, place: u32, recorder: &mut Recorder) -> Result<(), String> {
        let Operation { size, peer, tag, line, cpu, kind, .. } = self.goal.operations[place as usize];
        if cpu != 0 && kind == Kind::Calculate {
            return Err("a trace cannot say that this is computed beside other operations; use cpu 0".into());
        }
        if tag == ANY {
            return Err("a trace cannot say that this receives any tag; name one".into());
        }
        let told = |mistake: Mistake| mistake.to_string();
        for before in std::mem::take(&mut self.needs[(place - self.first) as usize]) {
            if let Some(request) = self.open.remove(&before) {
                self.free.push(request);
                recorder.push(Action::Wait { request }, line).map_err(told)?;
            }
        }
        let (peer, tag, bytes) = (Rank(peer), Tag(tag), Bytes::new(size));
        if kind == Kind::Calculate {
            return recorder.push(Action::Compute { flops: size as f64 }, line).map_err(told);
        }
        let next = self.ready.first().map(|&next| &self.needs[(next - self.first) as usize]);
        let action = if next.is_some_and(|needs| needs.contains(&place)) {
            // What comes next would wait for it at once.
            match kind {
                Kind::Send => Action::Send { to: peer, tag, size: bytes },
                _ => Action::Receive { from: peer, tag, size: bytes },
            }
        } else {
            let request = self.free.pop().unwrap_or_else(|| {
                self.requests += 1;
                Request(self.requests - 1)
            });
            self.open.insert(place, request);
            match kind {
                Kind::Send => Action::PostSend { to: peer, tag, request, size: bytes },
                _ => Action::PostReceive { from: peer, tag, request, size: bytes },
            }
        };
        recorder.push(action, line).map_err(told)
    }
}
