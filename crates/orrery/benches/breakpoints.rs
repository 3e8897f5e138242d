//! Breakpoints of 1,000 points against R's strucchange (its default engine) in the same run, where
//! it is installed, and 20,000 points by themselves.

use std::hint::black_box;
use std::process::Command;
use std::time::Instant;

use orrery::numeric::breakpoints::{OrderedSeries, Shape, breakpoints, min_segment_points};
use orrery::numeric::median;

const ROUNDS: usize = 5;

/// Three lines with noise from a generator of its own.
fn series(points: usize) -> (Vec<f64>, Vec<f64>) {
    let mut state = 7_u64;
    let mut noise = || {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 11) as f64 / (1_u64 << 53) as f64 - 0.5
    };
    let x: Vec<f64> = (1..=points).map(|k| (k * 204_800 / points) as f64).collect();
    let line = |k: usize, x: f64| match (10 * k / points, x) {
        (0..4, x) => 2e-4 + 9e-8 * x,
        (4..7, x) => 2.5e-3 + 1.3e-7 * x,
        (_, x) => 9e-3 + 1.8e-7 * x,
    };
    let y = x.iter().enumerate().map(|(k, &x)| line(k, x) + 3e-4 * noise()).collect();
    (x, y)
}

fn ours(points: usize) -> (f64, Vec<usize>) {
    let (x, y) = series(points);
    let start = Instant::now();
    let series = OrderedSeries::new(&x, &y, Shape::Linear).expect("points in order");
    let found = black_box(
        breakpoints(&series, min_segment_points(points, 0.15), Some(5)).expect("room for five"),
    );
    (start.elapsed().as_secs_f64(), found.best_by_bic().breaks.clone())
}

/// Seconds of `breakpoints` of strucchange and what it chooses; `None` where it is not installed.
fn rival(points: usize) -> Option<(f64, Vec<usize>)> {
    let (x, y) = series(points);
    let file = tempfile::NamedTempFile::new().ok()?;
    let rows: Vec<String> = x.iter().zip(&y).map(|(x, y)| format!("{x},{y}")).collect();
    std::fs::write(file.path(), format!("x,y\n{}\n", rows.join("\n"))).ok()?;
    let script = "suppressPackageStartupMessages(library(strucchange)); d <- \
        read.csv(commandArgs(TRUE)[1]); \
                  t <- system.time(b <- breakpoints(y ~ x, data = d, h = 0.15, breaks = \
                  5))[['elapsed']]; \
                  cat(t, b$breakpoints)";
    let output = Command::new("Rscript").args(["-e", script]).arg(file.path()).output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    let mut words = text.split_whitespace();
    let seconds = words.next()?.parse().ok()?;
    Some((seconds, words.map_while(|word| word.parse().ok()).collect()))
}

fn main() {
    println!("points     ours         strucchange   ratio   limit");
    let mut rows = Vec::new();
    for _ in 0..ROUNDS {
        rows.push((ours(1000), rival(1000)));
    }
    let own = median(&rows.iter().map(|((seconds, _), _)| *seconds).collect::<Vec<_>>());
    let others: Option<Vec<f64>> =
        rows.iter().map(|(_, rival)| rival.as_ref().map(|(seconds, _)| *seconds)).collect();
    match others {
        None => println!("1,000      {:9.3} ms  strucchange is not installed", own * 1e3),
        Some(others) => {
            let other = median(&others);
            let agree = rows
                .iter()
                .all(|((_, own), rival)| rival.as_ref().is_some_and(|(_, theirs)| theirs == own));
            let same = if agree { "same breaks" } else { "OTHER BREAKS" };
            println!(
                "1,000      {:9.3} ms  {other:9.3} s   {:6.0}   ≥ 500   {same}",
                own * 1e3,
                other / own
            );
        }
    }
    let (seconds, breaks) = ours(20_000);
    println!("20,000     {seconds:9.3} s                           ≤ 10 s  breaks {breaks:?}");
}
