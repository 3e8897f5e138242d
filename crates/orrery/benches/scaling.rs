//! Terms of a hundred regions: our fit against Extra-P (PyPI `extrap`) on the same numbers in the
//! same run, where it is installed. Its time is that of a hundred regions less that of one, so that
//! Python's start does not count.

#[path = "../tests/scaling/regions.rs"]
mod regions;

use std::fmt::Write as _;
use std::hint::black_box;
use std::process::Command;
use std::time::Instant;

use orrery::numeric::median;
use orrery::run::Run;
use orrery::scaling::{TermOptions, fit_terms};
use regions::{Region, one_parameter, two_parameters};

const ROUNDS: usize = 5;

/// The regions as a text that Extra-P reads.
fn text(regions: &[Region], names: &[&str]) -> String {
    let mut text = String::new();
    names.iter().for_each(|name| writeln!(text, "PARAMETER {name}").unwrap());
    let point = |point: &Vec<f64>| {
        format!("({})", point.iter().map(f64::to_string).collect::<Vec<_>>().join(" "))
    };
    let points: Vec<String> = regions[0].points.iter().map(point).collect();
    writeln!(text, "POINTS {}", points.join(" ")).unwrap();
    for (number, region) in regions.iter().enumerate() {
        writeln!(text, "\nREGION reg{number}\nMETRIC time").unwrap();
        for seconds in &region.seconds {
            writeln!(
                text,
                "DATA {}",
                seconds.iter().map(f64::to_string).collect::<Vec<_>>().join(" ")
            )
            .unwrap();
        }
    }
    text
}

/// Seconds of a command line of Extra-P for these regions; `None` where it is not installed.
fn rival(regions: &[Region], names: &[&str]) -> Option<f64> {
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), text(regions, names)).unwrap();
    let start = Instant::now();
    let output = Command::new("extrap")
        .arg("--text")
        .arg(file.path())
        .arg("--disable-progress")
        .output()
        .ok()?;
    output.status.success().then(|| start.elapsed().as_secs_f64())
}

fn ours(regions: &[Vec<Run>]) -> f64 {
    let start = Instant::now();
    for runs in regions {
        black_box(fit_terms(runs, TermOptions::default()).expect("regions can be fitted"));
    }
    start.elapsed().as_secs_f64()
}

fn main() {
    println!("regions              ours        rival (extrap)   ratio   limit");
    for (regions, names, words) in [
        (one_parameter(10, 0.02, 42), &["p"][..], "100, one parameter "),
        (two_parameters(0.02, 43), &["p", "n"], "100, two parameters"),
    ] {
        let runs: Vec<Vec<Run>> = regions.iter().map(|region| region.runs(names)).collect();
        let mut rows: Vec<(f64, Option<f64>)> = Vec::new();
        for _ in 0..ROUNDS {
            let own = ours(&runs);
            let whole =
                rival(&regions, names).zip(rival(&regions[..1], names)).map(|(all, one)| all - one);
            rows.push((own, whole));
        }
        let own = median(&rows.iter().map(|row| row.0).collect::<Vec<_>>());
        let theirs: Vec<f64> = rows.iter().filter_map(|row| row.1).collect();
        if theirs.is_empty() {
            println!("{words}  {:>7.2} ms  not installed", own * 1e3);
            continue;
        }
        let ratios: Vec<f64> = rows.iter().filter_map(|row| Some(row.1? / row.0)).collect();
        let least = ratios.iter().copied().fold(f64::INFINITY, f64::min);
        let verdict = if median(&ratios) >= 100.0 { "ok" } else { "MISSED" };
        println!(
            "{words}  {:>7.2} ms  {:>8.0} ms      {:>7.0}   ≥ 100  {verdict} (least {least:.0})",
            own * 1e3,
            median(&theirs) * 1e3,
            median(&ratios)
        );
    }
}
