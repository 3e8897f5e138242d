//! The two studies of FAST's parallel extension, with a simulated cluster in place of the measured
//! one: how far the closed form of pdgemm (equation 3) is from the program of ScaLAPACK, played by
//! flows.
//!
//! Source: E. Caron and F. Suter, *Parallel extension of a dynamic performance forecasting tool*,
//! 2002, section 5.1: 32 processors of 733 MHz on Fast Ethernet; errors of 3.79 % in the mean and
//! 14.69 % at most over all grids, and of 2.77 % in the mean on a grid of 8×4.

use orrery::kernel::{KernelCall, KernelRoutine};
use orrery::model::SharedPorts;
use orrery::numeric::Estimate;
use orrery::platform::Placement;
use orrery::routine::{Grid, HomogeneousMachine, RoutineCall, RoutineCollectives, RoutineProgram};
use orrery::schedule::{Algorithm, Rank};
use orrery::units::{Bytes, Seconds};

use crate::equal_ports::equal_ports;

const PROCESSORS: u32 = 32;

/// The delay of a processor for a message, the latency of a link \[s\], and the delay per byte of a
/// port of 100 Mbit/s \[s/B\].
const FIXED: f64 = 20e-6;
const LINK: f64 = 40e-6;
const PORT: f64 = 80e-9;

/// The time of a kernel at 500 million operations per second, about that of the product of matrices
/// on such a processor.
fn kernel(_: KernelRoutine, [m, n, k]: [u64; 3]) -> f64 {
    2.0 * (m * n * k) as f64 / 5e8
}

/// Hosts on one switch, with full duplex links.
fn cluster() -> SharedPorts {
    let parameters = [FIXED, 0.0, PORT, LINK, 0.0].map(Estimate::exact);
    SharedPorts::new(&equal_ports(PROCESSORS as usize, parameters))
}

/// How panels are sent.
#[derive(Clone, Copy)]
struct Sending {
    /// The algorithm of broadcasts.
    panels: Algorithm,
    /// True if a send ends with its message, false if it is buffered.
    is_synchronous: bool,
}

/// The simulated time of C = AB with matrices of order n.
fn simulated(
    cluster: &SharedPorts,
    n: u64,
    grid: Grid,
    Sending { panels, is_synchronous }: Sending,
) -> f64 {
    let call = RoutineCall::new("pdgemm".parse().unwrap(), "nn", [n; 3], grid).unwrap();
    let collectives =
        RoutineCollectives { ring: panels, broadcast: panels, ..RoutineCollectives::default() };
    let program = RoutineProgram::new(&call).unwrap().with_collectives(collectives);
    let times =
        |_: Rank, call: &KernelCall| Seconds::new(kernel(call.kernel().routine, call.dimensions()));
    let placement = Placement::identity(program.ranks());
    let ends = cluster.ends(&program.schedule(&times), &placement, is_synchronous).unwrap();
    ends.iter().map(|end| end.get()).fold(0.0, f64::max)
}

/// The relative errors of the closed form.
fn errors(cases: &[(u64, Grid)], sending: Sending) -> Vec<f64> {
    let cluster = cluster();
    let machine =
        HomogeneousMachine { latency: 2.0 * FIXED + LINK, element: 8.0 * PORT, kernel: &kernel };
    let error = |&(n, grid): &(u64, Grid)| {
        let (forecast, time) =
            (machine.product([n; 3], grid), simulated(&cluster, n, grid, sending));
        let error = forecast / time - 1.0;
        println!(
            "{n:6} {:2}x{:<2} {time:8.2} s {forecast:8.2} s {:+6.1} %",
            grid.rows,
            grid.columns,
            100.0 * error
        );
        error
    };
    cases.iter().map(error).collect()
}

/// The mean of the absolute values, and the largest.
fn summary(errors: &[f64]) -> (f64, f64) {
    let mean = errors.iter().map(|error| error.abs()).sum::<f64>() / errors.len() as f64;
    (mean, errors.iter().fold(0.0, |largest, error| largest.max(error.abs())))
}

fn grid(rows: u32, columns: u32, block: u64) -> Grid {
    Grid { rows, columns, block }
}

/// All grids of up to 32 processors, or of up to `most`.
fn grids(most: u32) -> Vec<(u64, Grid)> {
    let of_rows = |rows| (1..=most / rows).map(move |columns| (2048, grid(rows, columns, 64)));
    (1..=most).flat_map(of_rows).collect()
}

/// With sends that end with their message, as those of the libraries of its time did, and trees,
/// the closed form holds.
#[test]
fn forecasts_of_small_grids_are_near_the_simulation() {
    let panels = Algorithm::Binomial;
    let (_, largest) = summary(&errors(&grids(6), Sending { panels, is_synchronous: true }));
    assert!(largest < 0.01, "{largest}");
    // Buffered messages are under way while their senders compute.
    let buffered = errors(&grids(6), Sending { panels, is_synchronous: false });
    assert!(
        buffered.iter().all(|error| *error > -1e-9) && summary(&buffered).1 > 0.5,
        "{buffered:?}"
    );
}

#[test]
#[ignore = "a minute with optimisation"]
fn forecasts_of_all_grids() {
    let orders: Vec<(u64, Grid)> = (1..=10).map(|step| (1024 * step, grid(8, 4, 64))).collect();
    let mut lines = Vec::new();
    for (name, panels) in
        [("trees", Algorithm::Binomial), ("rings", Algorithm::Pipeline(Bytes::ZERO))]
    {
        for (sends, is_synchronous) in [("synchronous", true), ("buffered", false)] {
            for (what, cases) in [("all grids", &grids(PROCESSORS)), ("8x4", &orders)] {
                let (mean, largest) = summary(&errors(cases, Sending { panels, is_synchronous }));
                let errors =
                    format!("mean {:.2} %, largest {:.2} %", 100.0 * mean, 100.0 * largest);
                lines.push((
                    format!("{name}, {sends} sends, {} cases of {what}: {errors}", cases.len()),
                    largest,
                ));
            }
        }
    }
    lines.iter().for_each(|(line, _)| println!("{line}"));
    assert!(lines[..2].iter().all(|(_, largest)| *largest < 0.1), "{lines:?}");
}
