//! The time of an update of all forecasters of a series, with its interval, and of those of NWS by
//! themselves.

use std::hint::black_box;
use std::time::Instant;

use orrery::forecast::{ForecastOptions, NwsForecasters, SeriesForecaster};
use orrery::numeric::median;
use orrery::units::Seconds;

const SAMPLES: usize = 50_000;
const ROUNDS: usize = 5;

/// A load with noise, levels and spikes, from a generator of its own.
fn values() -> Vec<f64> {
    let mut state = 7_u64;
    let mut uniform = || {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 11) as f64 / (1_u64 << 53) as f64
    };
    let level = |sample: usize| if (sample / 500).is_multiple_of(2) { 10.0 } else { 25.0 };
    (0..SAMPLES)
        .map(|sample| level(sample) + uniform() + if uniform() > 0.99 { 100.0 } else { 0.0 })
        .collect()
}

/// The microseconds for each sample: the median of several rounds.
fn microseconds(mut round: impl FnMut()) -> f64 {
    let mut times = Vec::new();
    for _ in 0..ROUNDS {
        let start = Instant::now();
        round();
        times.push(start.elapsed().as_secs_f64() * 1e6 / SAMPLES as f64);
    }
    median(&times)
}

fn main() {
    let values = values();
    let nws = microseconds(|| {
        let mut forecasters = NwsForecasters::default();
        values.iter().for_each(|&value| forecasters.update(value));
        black_box(forecasters.forecasts());
    });
    println!(
        "forecasters                     per sample   limit   core for 2,000 series with a sample \
            per second"
    );
    println!(
        "36 of NWS                       {nws:7.2} µs             {:5.1} %",
        100.0 * nws * 2e-3
    );
    for steps in [1, 12] {
        let own = microseconds(|| {
            let options = ForecastOptions::default().with_steps(steps).expect("a small horizon");
            let mut forecaster = SeriesForecaster::new(options);
            for (sample, &value) in values.iter().enumerate() {
                let time = Seconds::new(sample as f64 * 300.0);
                forecaster.update(time, value).expect("a finite value at a later time");
            }
            black_box(forecaster.forecast());
        });
        println!(
            "all, with intervals, {steps:2} ahead   {own:7.2} µs   10 µs   {:5.1} %",
            100.0 * own * 2e-3
        );
    }
}
