//! Operations per second of the engine on simulated campaigns, on one core.

use std::time::Instant;

use orrery::comm::lmo::LmoNetwork;
use orrery::engine::Engine;
use orrery::machine::SimulatedMachine;
use orrery::measure::{
    Campaign, CollectiveDesign, Plan, Precision, TripletDesign, collectives, one_to_twos,
    round_trips,
};
use orrery::numeric::median_estimate;
use orrery::platform::{Pairs, Placement, Processor};
use orrery::sample::{Provenance, Samples};
use orrery::schedule::{Program, Timing};
use orrery::units::Bytes;

const PROCESSORS: usize = 16;
const ROUNDS: usize = 25;
const LEAST: f64 = 5e6;

fn network() -> LmoNetwork {
    let pairs = Pairs::of(PROCESSORS).count();
    let values = |count: usize, low: f64| {
        (0..count).map(|k| low * (1.0 + (k * 7 % 11) as f64)).collect::<Vec<_>>()
    };
    let (fixed, per_byte) = (values(PROCESSORS, 5e-6), values(PROCESSORS, 0.4e-9));
    LmoNetwork::new(&fixed, &per_byte, Some(&values(pairs, 4e-6)), &values(pairs, 1e-9))
}

/// The plans of a communication campaign and of the collectives from every root.
fn plans() -> Vec<Plan> {
    let size = Bytes::new(32 << 10);
    let mut samples = Samples::new(Provenance::new());
    let trips = round_trips(PROCESSORS, &[Bytes::ZERO, size], 1);
    run(&mut SimulatedMachine::new(network(), 0.0, 1), &trips, &mut samples);
    let to_twos = one_to_twos(TripletDesign::Full, &samples, PROCESSORS, size, 1)
        .expect("round trips are there");
    let what = CollectiveDesign {
        roots: Processor::first(PROCESSORS).collect(),
        ..CollectiveDesign::new(PROCESSORS, (10..16).map(|k| Bytes::new(1 << k)).collect())
    };
    vec![trips, to_twos, collectives(&what, 1)]
}

/// A whole campaign: decisions, noise, bookkeeping of samples.
fn run(machine: &mut SimulatedMachine<LmoNetwork>, plan: &Plan, samples: &mut Samples) {
    let precision = Precision { min_reps: 1, max_reps: 1, ..Precision::default() };
    Campaign::new(machine, samples)
        .precision(precision)
        .timing(Timing::default())
        .run("plan", plan)
        .expect("a simulated campaign does not fail");
}

fn report(what: &str, rates: &[f64]) {
    let estimate = median_estimate(rates, 0.95);
    let interval = estimate.interval.expect("there are several rounds");
    let verdict = if estimate.value >= LEAST { "ok" } else { "MISSED" };
    let million = |rate: f64| rate / 1e6;
    println!(
        "{what:<44} {:>6.2} million/s  [{:.2}, {:.2}]   limit ≥ {:.0}  {verdict}",
        million(estimate.value),
        million(interval.low),
        million(interval.high),
        million(LEAST),
    );
}

fn main() {
    let plans = plans();
    let programs: Vec<(Program, Placement)> = plans
        .iter()
        .flat_map(Plan::experiments)
        .filter_map(orrery::sample::Experiment::program)
        .collect();
    let (mut alone, mut traced, mut campaign) = (Vec::new(), Vec::new(), Vec::new());
    let mut network = network();
    for _ in 0..ROUNDS {
        for (keep_path, rates) in [(false, &mut alone), (true, &mut traced)] {
            let mut engine = Engine::new();
            let start = Instant::now();
            for (program, placement) in &programs {
                let outcome = if keep_path {
                    engine.trace(program, placement, &mut network)
                } else {
                    engine.run(program, placement, &mut network)
                };
                std::hint::black_box(
                    outcome.expect("experiments run to their end").read(program.reading()),
                );
            }
            rates.push(engine.operations() as f64 / start.elapsed().as_secs_f64());
        }
        let mut machine = SimulatedMachine::new(network.clone(), 0.05, 1);
        let start = Instant::now();
        for plan in &plans {
            run(&mut machine, plan, &mut Samples::new(Provenance::new()));
        }
        campaign.push(machine.operations() as f64 / start.elapsed().as_secs_f64());
    }
    println!(
        "engine operations per second, campaign of {PROCESSORS} processors ({} experiments)",
        programs.len()
    );
    report("experiments played one after the other", &alone);
    report("the same, critical path kept", &traced);
    report("whole campaign: noise, decisions, samples", &campaign);
}
