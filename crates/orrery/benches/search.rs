//! The best configuration of a large heterogeneous cluster, with the proof that it is.

use std::time::Instant;

use orrery::platform::{Cluster, HostGroup};
use orrery::scaling::search::{Grids, Objective, Search, matrix_bytes};
use orrery::scaling::{ElementTime, Layout};
use orrery::units::{Bytes, Seconds};

const ORDER: f64 = 200_000.0;

/// Solving linear equations: the work is dealt out evenly to the processes, panels are broadcast
/// along rows and columns.
struct Solver {
    /// Floating-point operations per second of an element, by kind.
    speeds: Vec<f64>,
    /// How much times differ from the law, as those of a model of many pieces do.
    spread: f64,
}

impl Solver {
    /// A factor from 1 to 1 + spread that follows no rule.
    fn uneven(&self, kind: usize, processes: u32, layout: Layout) -> f64 {
        let (p, q) = layout.grid.unwrap_or((1, layout.processes));
        let mut mixed =
            u64::from(p) << 40 | u64::from(q) << 16 | (kind as u64) << 8 | u64::from(processes);
        for _ in 0..3 {
            mixed = (mixed ^ mixed >> 29).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        }
        1.0 + self.spread * (mixed >> 11) as f64 / (1_u64 << 53) as f64
    }
}

impl ElementTime for Solver {
    fn seconds(&self, kind: usize, processes: u32, layout: Layout) -> Option<f64> {
        let (p, q) = layout.grid.unwrap_or((1, layout.processes));
        let (m, p, q) = (f64::from(processes), f64::from(p), f64::from(q));
        let block = f64::from(layout.block.unwrap_or(128));
        let crowding = 1.0 + 0.03 * (m - 1.0);
        // Small blocks use the processor badly, large ones leave processes idle.
        let shape = 1.0 + 8.0 / block + block * (p + q) / ORDER;
        let work = m * (2.0 / 3.0) * ORDER.powi(3) / (p * q) / self.speeds[kind] * crowding * shape;
        let volume = 8.0 * ORDER * ORDER * ((1.0 + p.log2()) / q + (1.0 + q.log2()) / p) / 1e9;
        let messages = 2e-5 * (ORDER / block) * (1.0 + p.log2() + q.log2()) * m;
        Some((work + volume + messages) * self.uneven(kind, processes, layout))
    }
}

/// So many kinds, each 64 elements on eight hosts.
fn cluster(kinds: usize) -> Cluster {
    let hosts = |kind: usize| HostGroup {
        names: (0..8).map(|host| format!("k{kind}n{host}")).collect(),
        kind: format!("k{kind}"),
        cores: 8,
        processes: 8,
        memory: Some(Bytes::new((8 + 4 * kind as u64) << 30)),
        price: Some(0.02 + 0.013 * kind as f64),
    };
    Cluster::new((0..kinds).map(hosts).collect()).expect("the hosts make a cluster")
}

fn main() {
    let (cluster, large) = (cluster(6), cluster(20));
    let speeds = |kinds: i32| {
        (0..kinds).map(|kind| 4.1e9 * 1.37_f64.powi(kind % 8) * (1.0 + 0.01 * f64::from(kind)))
    };
    let solver = Solver { speeds: speeds(6).collect(), spread: 0.0 };
    let uneven = Solver { speeds: speeds(20).collect(), spread: 0.3 };
    let memory = matrix_bytes(ORDER, 0.15);
    let plain = Search::new(cluster.kinds(), &solver);
    let full = Search { grids: Grids::All, memory: Some(&memory), ..plain.clone() };
    let blocks = Search { blocks: vec![32, 64, 128, 192, 256], ..full.clone() };
    let rough = Search { times: &uneven, ..blocks.clone() };
    let wide = Search { kinds: large.kinds(), blocks: Vec::new(), ..rough.clone() };
    println!("{:<44} {:>8} {:>7} {:>7}  best", "search", "seconds", "limit", "ratio");
    for (name, search, limit) in [
        ("6 kinds", plain, 1.0),
        ("6 kinds, grids, memory", full, 10.0),
        ("6 kinds, grids, memory, 5 blocks", blocks, 10.0),
        ("the same, uneven times", rough, 10.0),
        ("20 kinds, grids, memory, uneven times", wide, 10.0),
    ] {
        println!("{name}");
        let fastest = report("time", &search, limit).expect("there is room");
        let deadline = Some(Seconds::new(1.3 * fastest.get()));
        report("core-hours", &Search { objective: Objective::CoreHours, ..search.clone() }, limit);
        report("cost", &Search { objective: Objective::Cost, ..search.clone() }, limit);
        report(
            "cost, deadline",
            &Search { objective: Objective::Cost, deadline, ..search.clone() },
            limit,
        );
    }
}

/// Times one search and prints what it found; the time of the configuration.
fn report(name: &str, search: &Search, limit: f64) -> Option<Seconds> {
    let start = Instant::now();
    let best = search.best();
    let seconds = start.elapsed().as_secs_f64();
    print!("  {name:<42} {seconds:>8.3} {limit:>7} {:>7.3}  ", seconds / limit);
    match best {
        Ok(best) => {
            let candidate = &best.candidate;
            println!(
                "{} {:?} {:.1} s",
                candidate.configuration,
                candidate.layout,
                candidate.time.get()
            );
            println!("    {} steps; {}", best.proof.steps, best.proof);
            Some(candidate.time)
        }
        Err(error) => {
            println!("{error}");
            None
        }
    }
}
