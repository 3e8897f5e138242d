//! Fits an execution-time model to runs of a program, and forecasts a larger run with its interval.

use std::error::Error;
use std::io::{self, Write};

use orrery::Seconds;
use orrery::run::{Run, variable};
use orrery::scaling::{Point, TermOptions, fit_terms};

/// A run of a problem of size n on p processes.
fn run_of(n: f64, p: f64, seconds: f64) -> Run {
    let mut run = Run::new(Seconds::new(seconds));
    run.variables.insert(variable::PROBLEM_SIZE.to_owned(), n);
    run.variables.insert(variable::PROCESSES.to_owned(), p);
    run
}

/// Writes the model and the forecast.
pub(crate) fn run(out: &mut impl Write) -> Result<(), Box<dyn Error>> {
    // Times of n²/p operations and messages of n bytes; measured times deviate from this by up to 1
    // %.
    let deviations = [0.99, 1.01, 1.0, 1.005, 0.995];
    let points = [1000.0, 2000.0, 4000.0, 8000.0]
        .into_iter()
        .flat_map(|n| [1.0, 2.0, 4.0, 8.0].map(|p| (n, p)));
    let time = |n: f64, p: f64| 2e-7 * n * n / p + 1e-4 * n;
    let runs =
        points.zip(deviations.into_iter().cycle()).map(|((n, p), d)| run_of(n, p, d * time(n, p)));
    let fitted = fit_terms(&runs.collect::<Vec<_>>(), TermOptions::default())?;
    let forecast = fitted.model.forecast(&Point::of(&run_of(16_000.0, 16.0, 1.0)), 0.95)?;
    let (low, high) = forecast.interval.expect("there are more runs than coefficients");
    writeln!(out, "n=16000 on 16 processes: {} ({low} to {high})", forecast.seconds)?;
    writeln!(out, "the law takes {}", Seconds::new(time(16_000.0, 16.0)))?;
    Ok(())
}

fn main() -> Result<(), Box<dyn Error>> {
    run(&mut io::stdout())
}
