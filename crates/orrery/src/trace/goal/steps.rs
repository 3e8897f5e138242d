//! A graph of operations as one thing after the other, for each rank.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use super::graph::FOR_START;
use super::{GoalGraph, OperationKind};
use crate::schedule::Request;

/// What a program does next; operations by their numbers in the graph.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Step {
    /// Computes.
    Compute(u32),
    /// Begins a message.
    Begin(u32, Request),
    /// Waits for a message, which another operation waits for; `None` at the end, where all are waited for.
    Wait(u32, Request, Option<u32>),
}

/// The steps of a rank, and what each of its operations waits for.
#[derive(Debug)]
pub(super) struct Steps {
    pub(super) list: Vec<Step>,
    first: u32,
    waits: Vec<Vec<u32>>,
}

impl Steps {
    /// Of the operations that could be next, the first as written; messages are waited for where something does.
    ///
    /// # Errors
    ///
    /// An operation that waits for operations that wait for it.
    pub(super) fn new(goal: &GoalGraph, own: Range<u32>) -> Result<Self, u32> {
        let first = own.start;
        let mut waits: Vec<Vec<u32>> = vec![Vec::new(); own.len()];
        for number in own.clone() {
            for (follower, for_start) in goal.followers(number) {
                waits[(follower - first) as usize].push(if for_start { number | FOR_START } else { number });
            }
        }
        let order = in_order(goal, own, &waits)?;
        let mut told = Self { list: Vec::with_capacity(2 * order.len()), first, waits };
        let (mut open, mut free, mut requests) = (BTreeMap::new(), Vec::new(), 0);
        for number in order {
            for awaited in &told.waits[(number - first) as usize] {
                // For its start nobody has to wait: it stands before.
                if let Some(request) = open.remove(awaited) {
                    free.push(request);
                    told.list.push(Step::Wait(*awaited, request, Some(number)));
                }
            }
            if goal.operations()[number as usize].kind == OperationKind::Calculate {
                told.list.push(Step::Compute(number));
                continue;
            }
            let request = free.pop().unwrap_or_else(|| {
                requests += 1;
                Request(requests - 1)
            });
            open.insert(number, request);
            told.list.push(Step::Begin(number, request));
        }
        told.list.extend(open.into_iter().map(|(number, request)| Step::Wait(number, request, None)));
        Ok(told)
    }

    /// What an operation waits for: the end of another, or (with the highest bit set) its start.
    pub(super) fn waits(&self, number: u32) -> &[u32] {
        &self.waits[(number - self.first) as usize]
    }
}

/// The operations of a rank so that each stands behind those that it waits for; otherwise as they stand in the text.
fn in_order(goal: &GoalGraph, own: Range<u32>, waits: &[Vec<u32>]) -> Result<Vec<u32>, u32> {
    let first = own.start;
    let mut left: Vec<usize> = waits.iter().map(Vec::len).collect();
    let mut order = Vec::with_capacity(own.len());
    let mut free: BTreeSet<u32> = own.filter(|number| left[(number - first) as usize] == 0).collect();
    while let Some(number) = free.pop_first() {
        order.push(number);
        for (follower, _) in goal.followers(number) {
            let left = &mut left[(follower - first) as usize];
            *left -= 1;
            if *left == 0 {
                free.insert(follower);
            }
        }
    }
    match (first..).zip(left).find(|(_, left)| *left > 0) {
        Some((stuck, _)) => Err(stuck),
        None => Ok(order),
    }
}
