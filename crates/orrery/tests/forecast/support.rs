//! Series for tests.

use orrery::forecast::{Backtest, ForecastOptions, Series, backtest};
use orrery::units::Seconds;
use rand::SeedableRng as _;
use rand::rngs::ChaCha8Rng;
use rand_distr::{Distribution as _, StandardNormal};

/// A series with a sample each five minutes.
pub fn series(values: Vec<f64>) -> Series {
    let times = (0..values.len()).map(|sample| Seconds::new(sample as f64 * 300.0)).collect();
    Series::new(times, values).unwrap()
}

/// Forecasts each value of a series one step ahead.
pub fn evaluated(values: Vec<f64>) -> Backtest {
    backtest(&series(values), ForecastOptions::default()).unwrap()
}

/// Independent standard normal numbers.
pub fn normals(seed: u64) -> impl FnMut() -> f64 {
    let mut generator = ChaCha8Rng::seed_from_u64(seed);
    move || StandardNormal.sample(&mut generator)
}
