//! Compares forecasts of the availability with what a spinning thread then gets, under competing
//! loads on one processor.
//!
//! `cargo bench -p orrery-monitor --bench availability -- [SECONDS [PREDICTIONS [CPU [LOAD]]]]`:
//! the time between samples, 5 s by default; the number of predictions under each load, 60 by
//! default; the processor; the only load that is run.

use std::error::Error;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use orrery::forecast::{Bounds, ForecastOptions, SeriesForecaster};
use orrery::units::Seconds;
use orrery_monitor::Quantity;
use orrery_monitor::sensor::{Cpus, Group, Sensors, Sources, spin};
use rustix::thread::{CpuSet, sched_setaffinity};

/// The time for which the forecast is compared.
const SPIN: Duration = Duration::from_secs(1);

/// The number of samples before the first forecast.
const FIRST_SAMPLES: u32 = 6;

/// A forecast is compared at each third sample.
const SAMPLES_PER_PREDICTION: u32 = 3;

/// A competing load: its name, and for each of its threads the time of computing and the time of
/// sleeping.
type Pattern = (&'static str, &'static [(u64, u64)]);

const PATTERNS: [Pattern; 6] = [
    ("none", &[]),
    ("one spinning", &[(1000, 0)]),
    ("two spinning", &[(1000, 0), (1000, 0)]),
    ("half of each 100 ms", &[(50, 50)]),
    ("half of each 2 s", &[(1000, 1000)]),
    ("on and off for 20 s", &[(20_000, 20_000)]),
];

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> =
        std::env::args().skip(1).filter(|argument| argument != "--bench").collect();
    let number =
        |at: usize, default: f64| arguments.get(at).map_or(Ok(default), |text| text.parse::<f64>());
    let (interval, predictions) =
        (Duration::from_secs_f64(number(0, 5.0)?), number(1, 60.0)? as usize);
    let last = Cpus::allowed()?.iter().last().ok_or("no processor")?;
    let cpu = arguments.get(2).map_or(Ok(last), |text| text.parse())?;
    let only = arguments.get(3).map(String::as_str);
    println!("processor {cpu}, samples each {interval:?}, {predictions} predictions of each load");
    println!("{:<20} {:>8} {:>8} {:>10}", "load", "forecast", "got", "mean error");
    for (name, threads) in
        PATTERNS.into_iter().filter(|(name, _)| only.is_none_or(|only| *name == only))
    {
        let stop = Arc::new(AtomicBool::new(false));
        let load: Vec<_> =
            threads.iter().map(|times| compete(cpu, *times, Arc::clone(&stop))).collect();
        let compared = compare(cpu, interval, predictions)?;
        stop.store(true, Ordering::SeqCst);
        for thread in load {
            thread.join().map_err(|_| "a thread panicked")??;
        }
        let mean = |pick: fn(&(f64, f64)) -> f64| {
            compared.iter().map(pick).sum::<f64>() / compared.len() as f64
        };
        let error = mean(|(forecast, got)| (forecast - got).abs());
        println!(
            "{name:<20} {:>8.3} {:>8.3} {error:>10.4}",
            mean(|pair| pair.0),
            mean(|pair| pair.1)
        );
    }
    Ok(())
}

/// Starts a thread on a processor that computes for `busy` and sleeps for `idle` milliseconds in
/// turns, by the wall clock, until `stop` is set.
fn compete(
    cpu: usize,
    (busy, idle): (u64, u64),
    stop: Arc<AtomicBool>,
) -> std::thread::JoinHandle<Result<(), rustix::io::Errno>> {
    std::thread::spawn(move || {
        let mut set = CpuSet::new();
        set.set(cpu);
        sched_setaffinity(None, &set)?;
        while !stop.load(Ordering::SeqCst) {
            let begin = Instant::now();
            while begin.elapsed() < Duration::from_millis(busy) && !stop.load(Ordering::Relaxed) {
                std::hint::spin_loop();
            }
            std::thread::sleep(Duration::from_millis(idle));
        }
        Ok(())
    })
}

/// The forecasts of the availability of a processor, each with the part of it that a spinning
/// thread got right afterwards. The sensors see these threads, as those of a host do.
fn compare(
    cpu: usize,
    interval: Duration,
    predictions: usize,
) -> Result<Vec<(f64, f64)>, Box<dyn Error>> {
    let cpus: Cpus = cpu.to_string().parse()?;
    let mut sensors = Sensors::new(Sources::default(), cpus.clone(), Vec::new());
    let mut forecaster =
        SeriesForecaster::new(ForecastOptions::default().with_bounds(Bounds::new(0.0, 1.0)?));
    let (begin, mut compared, mut step) = (Instant::now(), Vec::new(), 0_u32);
    while compared.len() < predictions {
        let (found, faults) = sensors.measure(Group::Processor, begin.elapsed());
        if let Some(fault) = faults.into_iter().next() {
            return Err(fault.into());
        }
        if let Some(sample) = found.iter().find(|one| one.quantity == Quantity::Availability) {
            eprintln!(
                "t={:.1} sample {:.3} {:?}",
                begin.elapsed().as_secs_f64(),
                sample.value,
                sensors
            );
            forecaster.update(Seconds::from(begin.elapsed()), sample.value)?;
        }
        if step >= FIRST_SAMPLES && step.is_multiple_of(SAMPLES_PER_PREDICTION) {
            let forecast = forecaster.forecast().ok_or("no forecast")?.value;
            let got = spin(&cpus, SPIN)?;
            eprintln!(
                "    t={:.1} forecast {forecast:.3} got {got:.3}",
                begin.elapsed().as_secs_f64()
            );
            compared.push((forecast, got));
        }
        step += 1;
        std::thread::sleep((interval * step).saturating_sub(begin.elapsed()));
    }
    Ok(compared)
}
