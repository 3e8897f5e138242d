//! The leading terms of the programs of factorisations: operations and volumes against published
//! closed forms.
//!
//! Source: L. Blackford et al., *ScaLAPACK Users' Guide*, SIAM, 1997, section 5.2: T = C_f·n³/P·t_f +
//! C_v·n²/√P·t_v + C_m·n/R·t_m. C_v has the messages one after the other, broadcasts along trees:
//! it grows with log₂ P. A process of a program receives each panel once, along rings, so that its
//! volume stays below: a part 1 − 1/p of what is broadcast on a grid of p×p.

use orrery::kernel::KernelCall;
use orrery::routine::{Grid, RoutineCall, RoutineProgram};
use orrery::schedule::{Operation, Rank, Schedule, Transfer, operations};
use orrery::units::Seconds;

/// A number as a function of another one.
type Form = fn(f64) -> f64;

/// The factorisations with C_f, C_v of P processes, and the mean number of elements that a process
/// receives, in units of n²/√P, on a grid of p×p: half of the matrix for L, U, V and W each, and
/// the rows that are exchanged.
const FACTORISATIONS: [(&str, &str, f64, Form, Form); 3] = [
    (
        "pdgetrf",
        "",
        2.0 / 3.0,
        |processes| 3.0 + processes.log2() / 4.0,
        |p| (1.0 + 2.0 / p) * (1.0 - 1.0 / p),
    ),
    ("pdpotrf", "l", 1.0 / 3.0, |processes| 2.0 + processes.log2() / 2.0, |p| 1.0 - 1.0 / p),
    // V once, W once to be summed and once with T.
    ("pdgeqrf", "", 4.0 / 3.0, |processes| 3.0 + processes.log2() / 4.0, |p| 1.5 * (1.0 - 1.0 / p)),
];

fn program(
    routine: &str,
    variant: &str,
    n: u64,
    [rows, columns]: [u32; 2],
    block: u64,
) -> RoutineProgram {
    let grid = Grid { rows, columns, block };
    RoutineProgram::new(&RoutineCall::new(routine.parse().unwrap(), variant, [n; 3], grid).unwrap())
        .unwrap()
}

/// The operations of the kernels of all processes.
fn work(program: &RoutineProgram) -> f64 {
    let of = |(call, count): (KernelCall, u64)| count as f64 * call.operations();
    Rank::first(program.ranks()).map(|rank| program.calls(rank).map(of).sum::<f64>()).sum()
}

/// The numbers of elements that the processes receive: of all of them, and of the one with the
/// most.
fn received(program: &RoutineProgram) -> [f64; 2] {
    let times = |_: Rank, _: &KernelCall| Seconds::ZERO;
    let schedule = program.schedule(&times);
    let size = |operation| match operation {
        Operation::Do(Transfer::Receive { size, .. })
        | Operation::Post(Transfer::Receive { size, .. }, _) => size.get() as f64 / 8.0,
        _ => 0.0,
    };
    let of = |rank| operations(&schedule, rank).map(size).sum::<f64>();
    let all: Vec<f64> = Rank::first(schedule.ranks()).map(of).collect();
    [all.iter().sum(), all.iter().copied().fold(0.0, f64::max)]
}

#[test]
fn programs_compute_the_published_numbers_of_operations() {
    for (routine, variant, factor, ..) in FACTORISATIONS {
        for grid in [[1, 1], [2, 2], [2, 3], [1, 4], [4, 1]] {
            let n = 1024;
            let expected = factor * (n as f64).powi(3);
            let call = Grid { rows: grid[0], columns: grid[1], block: 16 };
            let call = RoutineCall::new(routine.parse().unwrap(), variant, [n; 3], call).unwrap();
            assert!((call.operations() / expected - 1.0).abs() < 1e-9, "{routine}");
            let found = work(&program(routine, variant, n, grid, 16));
            assert!(
                (found / expected - 1.0).abs() < 0.05,
                "{routine} on {grid:?}: {found} {expected}"
            );
        }
    }
}

#[test]
fn volumes_are_those_of_rings_and_within_the_published_ones() {
    for (routine, variant, _, guide, volume) in FACTORISATIONS {
        for side in [2, 4, 8] {
            let processes = f64::from(side * side);
            let n = 1024;
            let scale = processes.sqrt() / (n as f64).powi(2);
            let [all, most] = received(&program(routine, variant, n, [side; 2], 16));
            let (mean, most) = (all / processes * scale, most * scale);
            let expected = volume(f64::from(side));
            assert!(
                (mean / expected - 1.0).abs() < 0.05,
                "{routine} on {side}x{side}: {mean} {expected}"
            );
            let bound = guide(processes);
            assert!(most < bound, "{routine} on {side}x{side}: {most} {bound}");
        }
    }
}
