//! Programs on homogeneous machines take the times of closed forms.

use orrery::comm::hockney::HockneyNetwork;
use orrery::engine::Engine;
use orrery::kernel::{KernelCall, KernelRoutine};
use orrery::platform::Placement;
use orrery::routine::{Grid, HomogeneousMachine, RoutineCall, RoutineCollectives, RoutineProgram};
use orrery::schedule::{Algorithm, Rank, Reading, Reducer, Timer};
use orrery::units::{Bytes, Seconds};

const LATENCY: f64 = 40e-6;
/// The time per element of 8 bytes.
const ELEMENT: f64 = 64e-9;

/// The time of a kernel: linear in each dimension, so that it does not depend on the width of
/// panels.
fn kernel(routine: KernelRoutine, [m, n, k]: [u64; 3]) -> f64 {
    let [m, n, k] = [m, n, k].map(|dimension| dimension as f64);
    match routine {
        KernelRoutine::Gemm => 2e-10 * m * n * k,
        KernelRoutine::Trsm => 1e-10 * m * m * n,
        _ => 3e-10 * m * n,
    }
}

fn machine() -> HomogeneousMachine<'static> {
    HomogeneousMachine { latency: LATENCY, element: ELEMENT, kernel: &kernel }
}

/// The time of a routine by its program, with panels along a tree or a ring.
fn time(routine: &str, variant: &str, dimensions: [u64; 3], grid: Grid, panels: Algorithm) -> f64 {
    let call = RoutineCall::new(routine.parse().unwrap(), variant, dimensions, grid).unwrap();
    let collectives =
        RoutineCollectives { ring: panels, broadcast: panels, ..RoutineCollectives::default() };
    let program = RoutineProgram::new(&call).unwrap().with_collectives(collectives);
    let times =
        |_: Rank, call: &KernelCall| Seconds::new(kernel(call.kernel().routine, call.dimensions()));
    let mut network = HockneyNetwork::new(program.ranks(), &[LATENCY], &[ELEMENT / 8.0]);
    let mut engine = Engine::new();
    let placement = Placement::identity(program.ranks());
    let outcome = engine.run(&program.schedule(&times), &placement, &mut network).unwrap();
    outcome.read(Reading { timer: Timer::WHOLE, reducer: Reducer::Maximum }).get()
}

fn grid(rows: u32, columns: u32) -> Grid {
    Grid { rows, columns, block: 32 }
}

#[test]
fn products_take_the_time_of_equation_3() {
    for (rows, columns) in [(1, 1), (1, 2), (2, 1), (2, 2)] {
        let expected = machine().product([512; 3], grid(rows, columns));
        let found = time("pdgemm", "nn", [512; 3], grid(rows, columns), Algorithm::Binomial);
        assert!((found / expected - 1.0).abs() < 1e-9, "{rows}x{columns}: {found} {expected}");
    }
    // On larger grids, broadcasts overlap with each other and with products.
    for (rows, columns) in [(1, 8), (8, 1), (4, 4), (4, 8)] {
        let expected = machine().product([1024; 3], grid(rows, columns));
        let found = time("pdgemm", "nn", [1024; 3], grid(rows, columns), Algorithm::Binomial);
        assert!(
            found <= expected * (1.0 + 1e-9) && found > 0.5 * expected,
            "{rows}x{columns}: {found} {expected}"
        );
    }
}

#[test]
fn solves_on_a_row_take_the_time_of_equation_6() {
    let ring = Algorithm::Pipeline(Bytes::ZERO);
    for blocks in [2, 3, 4] {
        let expected = machine().solve([32, 32 * blocks], grid(1, 2));
        let found = time("pdtrsm", "run", [32, 32 * blocks, 1], grid(1, 2), ring);
        assert!((found / expected - 1.0).abs() < 1e-9, "{blocks}: {found} {expected}");
    }
    // Updates of columns beyond the next 128 are put off until these are solved.
    let expected = machine().solve([32, 32 * 16], grid(1, 2));
    let found = time("pdtrsm", "run", [32, 32 * 16, 1], grid(1, 2), ring);
    assert!((found / expected - 1.0).abs() < 0.1, "{found} {expected}");
}
