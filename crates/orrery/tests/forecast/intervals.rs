//! The coverage that a forecast states is the measured one.

use orrery::forecast::{Coverage, ForecastOptions, SeriesForecaster};
use orrery::units::Seconds;

use crate::support::normals;

#[test]
fn the_stated_coverage_is_that_of_the_last_500_forecasts() {
    let (mut noise, mut forecaster) =
        (normals(41), SeriesForecaster::new(ForecastOptions::default()));
    let mut outcomes = Vec::new();
    for sample in 0..1_200 {
        let outcome = forecaster.update(Seconds::new(f64::from(sample)), noise()).unwrap();
        outcomes.extend(outcome.and_then(|outcome| outcome.is_inside()));
        let last = &outcomes[outcomes.len().saturating_sub(500)..];
        let inside = last.iter().filter(|is_inside| **is_inside).count() as u64;
        let coverage = forecaster.forecast().unwrap().coverage;
        assert_eq!(coverage, Coverage { inside, count: last.len() as u64 });
    }
    assert_eq!(outcomes.len(), 1_200 - 40);
}
