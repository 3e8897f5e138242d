//! Penalties of many concurrent transfers: Myrinet's sets, counted and estimated, beside max-min
//! sharing.

use std::time::Instant;

use orrery::sharing::{MaxMinPorts, Myrinet, PenaltyModel, Sampling, Transfer};
use rand::rngs::ChaCha8Rng;
use rand::{RngExt, SeedableRng};

/// From each of n nodes to each of n others.
fn complete(n: u32) -> Vec<Transfer> {
    (0..n).flat_map(|s| (n..2 * n).map(move |d| Transfer::between(s, d))).collect()
}

/// Every node to every other one.
fn all_to_all(n: u32) -> Vec<Transfer> {
    let row = |s: u32| (0..n).filter(move |&d| d != s).map(move |d| Transfer::between(s, d));
    (0..n).flat_map(row).collect()
}

/// Components of 20 transfers at random between 7 sources and 7 destinations.
fn groups(count: u32) -> Vec<Transfer> {
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    let one = |k: u32| (14 * (k / 20), 14 * (k / 20) + 7);
    (0..20 * count)
        .map(|k| {
            Transfer::between(one(k).0 + rng.random_range(0..7), one(k).1 + rng.random_range(0..7))
        })
        .collect()
}

/// Each node of a torus to its four neighbours.
fn torus(side: u32) -> Vec<Transfer> {
    let node = move |x: u32, y: u32| (x % side) * side + y % side;
    let four = move |x: u32, y: u32| [(x + 1, y), (x + side - 1, y), (x, y + 1), (x, y + side - 1)];
    let from =
        move |x: u32, y: u32| four(x, y).map(|(i, j)| Transfer::between(node(x, y), node(i, j)));
    (0..side).flat_map(|x| (0..side).flat_map(move |y| from(x, y))).collect()
}

/// The best of three, in seconds, and the greatest penalty.
fn best(law: &dyn PenaltyModel, transfers: &[Transfer]) -> (f64, Option<f64>) {
    let mut best = f64::INFINITY;
    let mut greatest = None;
    for _ in 0..3 {
        let start = Instant::now();
        let penalties = law.penalties(transfers);
        best = best.min(start.elapsed().as_secs_f64());
        greatest = penalties.ok().map(|all| all.into_iter().fold(1.0, f64::max));
    }
    (best, greatest)
}

fn main() {
    let counted = Myrinet::default();
    let estimated = Myrinet::default().with_sampling(Sampling::default());
    println!(
        "{:34} {:>9} {:>12} {:>10} {:>12} {:>12}",
        "transfers", "number", "myrinet s", "", "penalty", "max-min s"
    );
    let cases: [(&str, Vec<Transfer>); 8] = [
        ("complete 8 x 8 (limit 1 s)", complete(8)),
        ("10 random groups of 20 (limit 1 s)", groups(10)),
        ("complete 16 x 16", complete(16)),
        ("all to all of 16", all_to_all(16)),
        ("torus of 8 x 8", torus(8)),
        ("torus of 20 x 20", torus(20)),
        ("all to all of 64", all_to_all(64)),
        ("complete 600 x 600", complete(600)),
    ];
    for (name, transfers) in cases {
        let (mut how, (mut seconds, mut penalty)) = ("counted", best(&counted, &transfers));
        if penalty.is_none() {
            (seconds, penalty) = best(&estimated, &transfers);
            how = if penalty.is_some() { "estimated" } else { "refused" };
        }
        let penalty = penalty.map_or("-".to_owned(), |penalty| format!("{penalty:.3}"));
        let (fair, _) = best(&MaxMinPorts, &transfers);
        println!(
            "{name:34} {:>9} {seconds:>12.6} {how:>10} {penalty:>12} {fair:>12.6}",
            transfers.len()
        );
    }
}
