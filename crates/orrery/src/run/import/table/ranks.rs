//! One row for each rank of each run, as tracers print them: T = max over the ranks, and of each kind the slowest rank.

use std::collections::BTreeMap;

use super::super::{Fault, Refused, Result};
use super::row::Row;
use crate::run::{KindTimes, Run, variable};
use crate::units::Seconds;

/// Brings the ranks of runs together, runs in the order of their first ranks. A rank without kind is of `kind`.
pub(super) fn together(rows: Vec<Row>, kind: &str) -> Result<Vec<(usize, Run)>> {
    let mut places: BTreeMap<String, usize> = BTreeMap::new();
    let mut groups: Vec<Vec<Row>> = Vec::new();
    for row in rows {
        let place = *places.entry(row.of.clone()).or_insert(groups.len());
        if place == groups.len() {
            groups.push(Vec::new());
        }
        groups[place].push(row);
    }
    groups.into_iter().map(|ranks| run(ranks, kind)).collect()
}

/// The run of these ranks, one at least.
fn run(ranks: Vec<Row>, kind: &str) -> Result<(usize, Run)> {
    let count = ranks.len() as f64;
    let mut ranks = ranks.into_iter();
    let Some(first) = ranks.next() else { unreachable!("a group begins with a rank") };
    let of = first.of.clone();
    let (byte, mut run) = first.run(kind);
    for rank in ranks {
        agree(&of, &run, &rank)?;
        let (_, rank) = rank.run(kind);
        run.seconds = run.seconds.max(rank.seconds);
        run.labels.retain(|name, word| rank.labels.get(name) == Some(word));
        for part in rank.parts {
            match run.parts.iter_mut().find(|other| other.kind == part.kind) {
                Some(slowest) if time(&part) > time(slowest) => *slowest = part,
                Some(_) => {}
                None => run.parts.push(part),
            }
        }
    }
    run.labels.insert("run".to_owned(), of);
    // Without a grid, which is checked against the ranks, the ranks are all that is known.
    run.variables.entry(variable::PROCESSES.to_owned()).or_insert(count);
    Ok((byte, run))
}

fn time(part: &KindTimes) -> Seconds {
    part.computation + part.communication
}

/// Ranks of a run have the same variables.
fn agree(of: &str, run: &Run, rank: &Row) -> Result<()> {
    for (name, &second) in &rank.run.variables {
        let first = run.variables.get(name).copied().unwrap_or(f64::NAN);
        if first.total_cmp(&second).is_ne() {
            let fault = Fault::Ranks { run: of.to_owned(), name: name.clone(), first, second };
            return Err(Refused { byte: rank.byte, fault });
        }
    }
    Ok(())
}
