//! The runs of a table with a row for each rank: the time of a run is the maximum over the ranks,
//! and the times of a kind are those of its slowest rank.

use std::collections::BTreeMap;

use super::Row;
use crate::run::{KindTimes, Run, variable};
use orrery_base::file::{Fault, Result};
use orrery_base::units::Seconds;

/// Joins the ranks of each run; runs are in the order of their first ranks. `kind` is the kind of a
/// rank that names none.
pub(super) fn join(rows: Vec<Row>, kind: &str) -> Result<Vec<(usize, Run)>> {
    let mut indices: BTreeMap<String, usize> = BTreeMap::new();
    let mut groups: Vec<Vec<Row>> = Vec::new();
    for row in rows {
        let index = *indices.entry(row.run_name.clone()).or_insert(groups.len());
        if index == groups.len() {
            groups.push(Vec::new());
        }
        groups[index].push(row);
    }
    groups.into_iter().map(|ranks| run_of_ranks(ranks, kind)).collect()
}

/// The run of these ranks; the list is not empty.
fn run_of_ranks(ranks: Vec<Row>, kind: &str) -> Result<(usize, Run)> {
    let count = ranks.len() as f64;
    let mut ranks = ranks.into_iter();
    let Some(first) = ranks.next() else { unreachable!("a group begins with a rank") };
    let name = first.run_name.clone();
    let (byte, mut run) = first.run(kind);
    for rank in ranks {
        check_ranks(&name, &run, &rank)?;
        let (_, rank) = rank.run(kind);
        run.seconds = run.seconds.max(rank.seconds);
        run.labels.retain(|name, word| rank.labels.get(name) == Some(word));
        for part in rank.parts {
            match run.parts.iter_mut().find(|other| other.kind == part.kind) {
                Some(slowest) if total(&part) > total(slowest) => *slowest = part,
                Some(_) => {}
                None => run.parts.push(part),
            }
        }
    }
    run.labels.insert("run".to_owned(), name);
    // Without a grid, the number of ranks is the number of processes.
    run.variables.entry(variable::PROCESSES.to_owned()).or_insert(count);
    Ok((byte, run))
}

/// Returns the sum of computation and communication time.
fn total(part: &KindTimes) -> Seconds {
    part.computation + part.communication
}

/// Checks that a rank has the same variables as its run.
fn check_ranks(run_name: &str, run: &Run, rank: &Row) -> Result<()> {
    for (name, &second) in &rank.run.variables {
        let first = run.variables.get(name).copied().unwrap_or(f64::NAN);
        if first.total_cmp(&second).is_ne() {
            let fault = Fault::new(format!(
                "run {run_name}: {name} is {second} for this rank, but {first} \
                    for another; give all ranks of a run the same value"
            ));
            return Err(fault.at(rank.byte));
        }
    }
    Ok(())
}
