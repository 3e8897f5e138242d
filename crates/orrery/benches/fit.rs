//! Fits of LMO to simulated campaigns of large clusters: time, and growth with the number of
//! samples. A number of processors as argument takes that one alone.

#[path = "support/busy.rs"]
mod busy;

use std::time::Instant;

use orrery::comm::Observations;
use orrery::comm::lmo::{Layout, LmoNetwork, paths};
use orrery::machine::SimulatedMachine;
use orrery::measure::{Campaign, Plan, Precision, TripletDesign, one_to_twos, round_trips};
use orrery::sample::{Provenance, Samples};
use orrery::schedule::Timing;
use orrery::units::Bytes;

use busy::busy;

fn network(processors: usize) -> LmoNetwork {
    let layout = Layout::new(processors, true);
    let differing =
        |count: usize, low: f64| (0..count).map(move |k| low * (1.0 + (k * 7 % 11) as f64));
    let pairs = layout.pairs().count();
    let parameters = differing(processors, 5e-6)
        .chain(differing(processors, 0.4e-9))
        .chain(differing(pairs, 1e-9))
        .chain(differing(pairs, 4e-6));
    LmoNetwork::from_parameters(layout, parameters.collect())
}

fn measure(machine: &mut SimulatedMachine<LmoNetwork>, samples: &mut Samples, plan: &Plan) {
    let precision = Precision { min_reps: 5, max_reps: 5, ..Precision::default() };
    Campaign::new(machine, samples)
        .precision(precision)
        .timing(Timing::default())
        .parallel(true)
        .run("plan", plan)
        .expect("a simulated campaign does not fail");
}

/// The largest resident memory of this process so far in MiB.
fn peak() -> f64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find(|line| line.starts_with("VmHWM:")).unwrap_or_default();
    let kib: f64 = line.split_whitespace().nth(1).and_then(|kib| kib.parse().ok()).unwrap_or(0.0);
    kib / 1024.0
}

fn main() {
    println!(
        "processors  experiments  campaign      fit   fit per experiment  of processors  limit    \
            peak memory"
    );
    let only: Option<usize> = std::env::args().find_map(|word| word.parse().ok());
    for (processors, limit) in [(64, None), (256, Some(1.0)), (512, None), (1024, Some(20.0))] {
        if only.is_some_and(|only| only != processors) {
            continue;
        }
        let size = Bytes::new(32 << 10);
        let mut machine = SimulatedMachine::new(network(processors), 0.05, 1);
        let mut samples = Samples::new(Provenance::new());
        let start = Instant::now();
        measure(&mut machine, &mut samples, &round_trips(processors, &[Bytes::ZERO, size], 1));
        let plan = one_to_twos(TripletDesign::Spread, &samples, processors, size, 1)
            .expect("round trips are there");
        measure(&mut machine, &mut samples, &plan);
        let campaign = start.elapsed().as_secs_f64();
        let (start, begin) = (Instant::now(), busy());
        let observations = Observations::from_samples(&samples, |_| true);
        let (_, termination, _) =
            paths(&observations, true, 0.95).expect("the campaign identifies the model");
        let (fit, busy) = (start.elapsed().as_secs_f64(), busy() - begin);
        let experiments = observations.len();
        let verdict = match limit {
            Some(limit) if fit <= limit => format!("≤ {limit} s  ok"),
            Some(limit) => format!("≤ {limit} s  MISSED"),
            None => String::new(),
        };
        println!(
            "{processors:>10}  {experiments:>11}  {campaign:>6.2} s  {fit:>6.2} s  {:>15.2} µs  \
                {:>9.2} µs  {verdict:<13}  {:>6.0} MiB  {termination:?}",
            fit / experiments as f64 * 1e6,
            busy / experiments as f64 * 1e6,
            peak()
        );
    }
}
