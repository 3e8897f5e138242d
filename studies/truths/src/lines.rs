//! Programs as lines of text, which players read.
//!
//! A batch is `batch RANKS`, then for each rank `rank PROCESSOR OPERATIONS` and one line for each
//! operation: `KIND PEER SIZE TAG REQUEST SECONDS`. Fields without a meaning are 0; a peer of −1
//! is any sender; the request of a timer is its number. Tags are numbered from 0 on.

use std::collections::BTreeSet;
use std::io::{self, Write};

use orrery::machine::Batch;
use orrery::schedule::{Operation, Program, Rank, Schedule, Tag, Transfer, operations};

/// Writes a batch.
pub(crate) fn write_batch(out: &mut impl Write, batch: &Batch) -> io::Result<()> {
    let ranks = batch.program.ranks();
    let tags = tags(&batch.program);
    writeln!(out, "batch {ranks}")?;
    for (rank, processor) in Rank::first(ranks).zip(batch.placement.processors()) {
        let all: Vec<Operation> = operations(&batch.program, rank).collect();
        writeln!(out, "rank {} {}", processor.index(), all.len())?;
        for operation in all {
            let Line { kind, peer, size, tag, request, seconds } = Line::of(operation, &tags);
            writeln!(out, "{kind} {peer} {size} {tag} {request} {seconds:e}")?;
        }
    }
    out.flush()
}

/// The fields of an operation.
#[derive(Default)]
struct Line {
    kind: &'static str,
    peer: i64,
    size: u64,
    tag: usize,
    request: u32,
    seconds: f64,
}

impl Line {
    /// The fields of an operation, given the tags of its program.
    fn of(operation: Operation, tags: &[Tag]) -> Self {
        let of_transfer = |transfer| Self::of_transfer(transfer, tags);
        let of_request = |kind, request| Self { kind, request, ..Self::default() };
        match operation {
            Operation::Do(transfer) => of_transfer(transfer),
            Operation::Post(transfer, request) => {
                let line = of_transfer(transfer);
                let kind = if line.kind == "send" { "post-send" } else { "post-receive" };
                Self { kind, request: request.0, ..line }
            }
            Operation::Wait(request) => of_request("wait", request.0),
            Operation::Test(request) => of_request("test", request.0),
            Operation::Compute(time) | Operation::Spin(time) => {
                Self { kind: "spin", seconds: time.get(), ..Self::default() }
            }
            Operation::Start(timer) => of_request("start", timer.0.into()),
            Operation::Stop(timer) => of_request("stop", timer.0.into()),
            Operation::Combine(size) => {
                Self { kind: "combine", size: size.get(), ..Self::default() }
            }
        }
    }

    /// The fields of a blocking transfer.
    fn of_transfer(transfer: Transfer, tags: &[Tag]) -> Self {
        let number = |tag| tags.partition_point(|known| *known < tag);
        match transfer {
            Transfer::Send { to, size, tag } => Self {
                kind: "send",
                peer: to.0.into(),
                size: size.get(),
                tag: number(tag),
                ..Self::default()
            },
            Transfer::Receive { from, size, tag } => Self {
                kind: "receive",
                peer: from.0.into(),
                size: size.get(),
                tag: number(tag),
                ..Self::default()
            },
            Transfer::ReceiveAny { size, tag } => Self {
                kind: "receive",
                peer: -1,
                size: size.get(),
                tag: number(tag),
                ..Self::default()
            },
        }
    }
}

/// The tags of a program, ascending.
fn tags(program: &Program) -> Vec<Tag> {
    let all = Rank::first(program.ranks()).flat_map(|rank| operations(program, rank));
    let tags: BTreeSet<Tag> = all
        .filter_map(|operation| match operation {
            Operation::Do(transfer) | Operation::Post(transfer, _) => Some(match transfer {
                Transfer::Send { tag, .. }
                | Transfer::Receive { tag, .. }
                | Transfer::ReceiveAny { tag, .. } => tag,
            }),
            _ => None,
        })
        .collect();
    tags.into_iter().collect()
}
