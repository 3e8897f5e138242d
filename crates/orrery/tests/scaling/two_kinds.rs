//! A simulated cluster of two kinds like that of Kishimoto and Ichikawa. Some effects are not exactly
//! representable by the terms of models.

use std::collections::BTreeMap;

use crate::prelude::*;

pub const KINDS: [&str; 2] = ["athlon", "pentium-ii"];

/// The true time in seconds of an element with m of the processes.
fn element(kind: usize, n: f64, m: f64, processes: f64) -> f64 {
    let speed = [3.7e-10, 1.53e-9][kind];
    let computation = m * speed * n.powi(3) / processes + (m - 1.0) * 8e-9 * n * n;
    let between = if processes > m { 1.2e-7 * n * n + 2e-3 * n * processes.log2() } else { 0.0 };
    computation + between + 5e-8 * n * n * m / processes
}

/// The true time of a point.
pub fn truth(point: &Point) -> f64 {
    let (n, processes) = (point.variables["n"], point.configuration.processes() as f64);
    let time = |share: &Share| {
        let kind = KINDS.iter().position(|kind| *kind == share.kind).unwrap();
        element(kind, n, share.processes.into(), processes)
    };
    point.configuration.shares.iter().map(time).fold(0.0, f64::max)
}

/// The true element times of a size for a search.
pub struct Truth(pub f64);

impl ElementTime for Truth {
    fn seconds(&self, kind: usize, processes: u32, layout: Layout) -> Option<f64> {
        Some(element(kind, self.0, processes.into(), layout.processes.into()))
    }
}

/// Hosts of a kind, without memory and price.
pub fn hosts(names: &[&str], kind: &str, cores: u32, processes: u32) -> HostGroup {
    let names = names.iter().map(|&name| name.to_owned()).collect();
    HostGroup { names, kind: kind.to_owned(), cores, processes, memory: None, price: None }
}

pub fn cluster() -> Cluster {
    let fast = hosts(&["a"], KINDS[0], 1, 6);
    Cluster::new(vec![fast, hosts(&["b", "c", "d", "e"], KINDS[1], 2, 6)]).unwrap()
}

/// A size as variables.
pub fn fixed(n: f64) -> BTreeMap<String, f64> {
    [("n".to_owned(), n)].into()
}

/// A configuration at a size.
pub fn point(configuration: &str, n: f64) -> Point {
    Point { variables: fixed(n), configuration: configuration.parse().unwrap(), ..Point::default() }
}
