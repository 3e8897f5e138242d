//! Redistributions between block-cyclic layouts, and the choice among all grids of up to 1,024
//! processes: seconds, with their limits.

use std::time::Instant;

use orrery::comm::Hlmo;
use orrery::grid::{GridChoice, choose_grid};
use orrery::kernel::{KernelCall, KernelTime, Operands, fit};
use orrery::model::{Availability, KernelChoice, KernelOnHost, Model, ModelKind};
use orrery::numeric::Estimate;
use orrery::routine::{Layout, ProcessGrid, Redistribution};
use orrery::sample::KernelConditions;
use orrery::units::{Bytes, Seconds};

/// Prints a time with its limit.
fn print(what: &str, seconds: f64, limit: f64) {
    let verdict = if seconds <= limit { "ok" } else { "MISSED" };
    println!(" {what}: {:.1} ms  ≤ {:.0} ms  {verdict}", 1e3 * seconds, 1e3 * limit);
}

/// The messages of 10⁶×10⁶ elements on 64×64 processes for 48×72 ones, in blocks of 64 and 48.
fn redistribution() {
    let extent = 1_000_000;
    let begin = Instant::now();
    let layout = |rows, columns, block| {
        let grid = ProcessGrid::new(rows, columns).expect("a grid");
        Layout::new(grid, (extent, extent), (block, block)).expect("a layout")
    };
    let (from, to) = (layout(64, 64, 64), layout(48, 72, 48));
    let redistribution = Redistribution::new(from, to, Bytes::new(8)).expect("the same shape");
    let (count, sum) = redistribution
        .messages()
        .fold((0_u64, 0), |(count, sum), (.., size)| (count + 1, sum + size.get()));
    let seconds = begin.elapsed().as_secs_f64();
    assert_eq!(sum, redistribution.volume().get());
    print(&format!("10^6 x 10^6 elements, 64x64 to 48x72: {count} messages"), seconds, 0.1);
}

/// The best grid for pdgemm among all of up to 1,024 processes, with 10 sizes of blocks.
fn grids() {
    let processors = 1024;
    let lmo =
        Hlmo::from_estimates([5e-6, 1e-10, 20e-6, 1e-9].map(Estimate::exact)).as_lmo(processors);
    let mut model = Model::new(processors).with(ModelKind::Lmo, &lmo);
    let dimensions = [16, 32, 100, 300, 1000, 4000];
    let times = dimensions
        .iter()
        .flat_map(|m| dimensions.iter().flat_map(move |n| dimensions.map(|k| [*m, *n, k])));
    let times = times.map(|[m, n, k]| KernelTime {
        call: KernelCall::new("dgemm".parse().expect("a kernel"), "nn", [m, n, k]).expect("a call"),
        seconds: Seconds::new(1e-6 + 1e-10 * (m * n * k) as f64),
    });
    let fitted = fit(&times.collect::<Vec<_>>(), 0.95).expect("enough times");
    let conditions = KernelConditions {
        host: String::new(),
        library: String::new(),
        threads: 1,
        operands: Operands::Warm,
    };
    model.add_kernels(vec![KernelOnHost { conditions, equal_hosts: Vec::new(), model: fitted }]);
    let choice = GridChoice {
        routine: "pdgemm".parse().expect("a routine"),
        variant: "nn",
        dimensions: [10_240; 3],
        processes: (1..=processors as u32).collect(),
        blocks: vec![16, 24, 32, 48, 64, 96, 128, 160, 192, 256],
        memory: None,
        kernels: KernelChoice::default(),
        availability: Availability::default(),
        unmonitored: false,
        predicted: 12,
    };
    let begin = Instant::now();
    let chosen = choose_grid(&model, ModelKind::Lmo, &choice).expect("a model with kernels");
    let seconds = begin.elapsed().as_secs_f64();
    let best = &chosen.best[0].call.grid();
    let what = format!(
        "pdgemm of 10,240 on {} grids of up to 1,024 processes: {} predicted, the best is {best}",
        chosen.candidates,
        chosen.best.len()
    );
    print(&what, seconds, 1.0);
}

fn main() {
    println!("parallel routines");
    for _ in 0..3 {
        redistribution();
        grids();
    }
}
