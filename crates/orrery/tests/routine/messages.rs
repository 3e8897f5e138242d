//! The programs of routines send and compute what ScaLAPACK does.
//!
//! testdata/scalapack/counts.csv has the messages, collective operations and kernels of each rank
//! in calls of ScaLAPACK 2.2.1.

use std::collections::BTreeMap;

use orrery::engine::check;
use orrery::kernel::KernelCall;
use orrery::routine::{Grid, RoutineCall, RoutineCollectives, RoutineProgram};
use orrery::schedule::{
    Algorithm, CollectiveKind, Operation, Rank, Schedule, Transfer, operations,
};
use orrery::units::Seconds;

/// The counts of a rank, by the names of columns.
type Counts = BTreeMap<String, u64>;

/// The calls of the file with the counts of their ranks.
fn calls() -> BTreeMap<(String, String, [u64; 6]), Vec<Counts>> {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../testdata/scalapack/counts.csv");
    let mut reader = csv::Reader::from_path(path).unwrap();
    let names: Vec<String> = reader.headers().unwrap().iter().map(ToOwned::to_owned).collect();
    let mut calls: BTreeMap<_, Vec<Counts>> = BTreeMap::new();
    for row in reader.records().map(Result::unwrap) {
        let number = |place: usize| row[place].parse().unwrap_or(0);
        let call = (row[0].to_owned(), row[1].to_owned(), [2, 3, 4, 5, 6, 7].map(number));
        let counts =
            names.iter().enumerate().skip(9).map(|(place, name)| (name.clone(), number(place)));
        calls.entry(call).or_default().push(counts.collect());
    }
    calls
}

fn program(
    (routine, variant, [m, n, k, block, rows, columns]): &(String, String, [u64; 6]),
) -> RoutineProgram {
    let grid = Grid { rows: *rows as u32, columns: *columns as u32, block: *block };
    let call = RoutineCall::new(routine.parse().unwrap(), variant, [*m, *n, *k], grid).unwrap();
    RoutineProgram::new(&call).unwrap()
}

/// The counts of a rank in the program.
fn counts(program: &RoutineProgram, rank: Rank) -> Counts {
    let mut counts = Counts::new();
    let mut add = |name: &str, count: u64| *counts.entry(name.to_owned()).or_default() += count;
    let times = |_: Rank, _: &KernelCall| Seconds::ZERO;
    // Pairwise is not among the algorithms of these operations: they have no messages, and are
    // counted by themselves.
    let none = Algorithm::Pairwise;
    let ring = RoutineCollectives::default().ring;
    let alone = RoutineCollectives { ring, broadcast: none, reduce: none, allreduce: none };
    for operation in operations(&program.clone().with_collectives(alone).schedule(&times), rank) {
        match operation {
            Operation::Do(Transfer::Send { size, .. })
            | Operation::Post(Transfer::Send { size, .. }, _) => {
                add("send", 1);
                add("send_bytes", size.get());
            }
            Operation::Do(Transfer::Receive { size, .. })
            | Operation::Post(Transfer::Receive { size, .. }, _) => {
                add("receive", 1);
                add("receive_bytes", size.get());
            }
            _ => {}
        }
    }
    for (kind, size) in program.native_collectives(rank) {
        let name = match kind {
            CollectiveKind::Broadcast => "bcast",
            CollectiveKind::Reduce => "reduce",
            _ => "allreduce",
        };
        add(name, 1);
        add(&format!("{name}_bytes"), size.get());
    }
    for (call, times) in program.calls(rank) {
        let name = call.kernel().to_string();
        add(&name, times);
        add(&format!("{name}_operations"), times * call.operations() as u64);
    }
    counts
}

/// Checks the counts of all ranks in the calls of a routine, up to a relative and an absolute
/// difference.
fn verify(routine: &str, is_checked: impl Fn(&str) -> bool, differences: [f64; 2]) {
    verify_with(routine, is_checked, differences, |_, _, count| count);
}

/// As [`verify`], with what the program has in place of a count of the library on a grid of rows
/// and columns.
fn verify_with(
    routine: &str,
    is_checked: impl Fn(&str) -> bool,
    [relative, absolute]: [f64; 2],
    in_program: impl Fn([u64; 2], &str, u64) -> u64,
) {
    let mut wrong = Vec::new();
    let mut checked = 0;
    for (call, ranks) in calls().iter().filter(|(call, _)| call.0 == routine) {
        let program = program(call);
        for (rank, expected) in Rank::first(ranks.len()).zip(ranks) {
            let found = counts(&program, rank);
            for (name, expected) in expected.iter().filter(|(name, _)| is_checked(name)) {
                let found = found.get(name).copied().unwrap_or(0);
                let expected = &in_program([call.2[4], call.2[5]], name, *expected);
                checked += 1;
                if found.abs_diff(*expected) as f64 > (relative * *expected as f64).max(absolute) {
                    wrong.push(format!(
                        "{call:?} rank {rank}: {name} is {expected} in ScaLAPACK, {found} here"
                    ));
                }
            }
        }
    }
    assert!(
        checked > 0 && wrong.is_empty(),
        "{} of {checked} differ:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}

#[test]
fn products_send_and_compute_what_the_library_does() {
    verify("pdgemm", |_| true, [0.0; 2]);
}

#[test]
fn triangular_solves_send_and_compute_what_the_library_does() {
    verify("pdtrsm", |_| true, [0.0; 2]);
}

#[test]
fn products_with_the_transpose_send_what_the_library_does() {
    verify("pdsyrk", |_| true, [0.0; 2]);
}

#[test]
fn factorisations_send_and_compute_what_the_library_does() {
    // Three messages of 4 bytes with the status have 8 bytes here; the checks of arguments are
    // along rows and columns of the grid.
    let is_message = |name: &str| !name.contains("cast") && !name.contains("allreduce");
    verify("pdpotrf", |name| is_message(name) && name.ends_with("bytes"), [0.0, 24.0]);
    verify("pdpotrf", |name| is_message(name) && !name.ends_with("bytes"), [0.0; 2]);
    // Which rows are exchanged depends on the matrix.
    verify("pdgetrf", |name| name.starts_with('d'), [0.0; 2]);
    verify("pdgetrf", |name| name == "send_bytes", [0.5, 0.0]);
}

#[test]
fn qr_factorisations_send_and_compute_what_the_library_does() {
    // The check of arguments is a broadcast of 48 bytes and a sum of 4 bytes over the grid; here
    // these are along its columns and rows, and the sum has 8 bytes.
    let in_program = |grid: [u64; 2], name: &str, count: u64| {
        let directions = grid.iter().filter(|processes| **processes > 1).count() as u64;
        match name {
            "bcast" | "allreduce" => count - 1 + directions,
            "bcast_bytes" => count - 48 + 48 * directions,
            "allreduce_bytes" => count - 4 + 8 * directions,
            _ => count,
        }
    };
    verify_with("pdgeqrf", |_| true, [0.0; 2], in_program);
}

#[test]
fn programs_run_to_their_ends() {
    for call in calls().keys() {
        let program = program(call);
        let times = |_: Rank, _: &KernelCall| Seconds::ZERO;
        let schedule = program.schedule(&times);
        assert!(check(&schedule).is_ok(), "{call:?} of {} ranks", schedule.ranks());
    }
}

#[test]
fn panels_go_along_their_rings() {
    // Rows of a trace under SMPI: the last panel has 8 rows or columns; on the way up to the
    // diagonal it is the first one.
    for (variant, grid, widths) in [
        ("ut", [1, 4], [32, 32, 32, 32, 32, 32, 8]),
        ("lt", [1, 4], [8, 32, 32, 32, 32, 32, 32]),
        ("ln", [4, 1], [32, 32, 32, 32, 32, 32, 8]),
        ("un", [4, 1], [8, 32, 32, 32, 32, 32, 32]),
    ] {
        let program =
            program(&("pdsyrk".into(), variant.into(), [1, 200, 200, 64, grid[0], grid[1]]));
        // The first process has a part of each product up to the diagonal, the last one only of
        // those beyond the diagonal of its block.
        let rank = if variant == "ut" || variant == "ln" { 3 } else { 0 };
        let width = |call: &KernelCall| {
            let [m, n, _] = call.dimensions();
            if grid[0] == 1 { m } else { n }
        };
        let found: Vec<u64> = program.calls(Rank(rank)).map(|(call, _)| width(&call)).collect();
        assert_eq!(found, widths, "pdsyrk {variant} on {}x{}", grid[0], grid[1]);
    }
}
