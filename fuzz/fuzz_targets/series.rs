//! The reader of series does not panic; what it reads can be forecast: numbers are finite, and the
//! forecast is in its interval.
#![no_main]

use libfuzzer_sys::fuzz_target;
use orrery::forecast::{ForecastOptions, SeriesSelection, backtest, read};

fuzz_target!(|text: &str| {
    let lines = text.lines().count().max(1);
    let names = text
        .lines()
        .find(|line| !line.trim().is_empty() && !line.starts_with('#'))
        .unwrap_or_default();
    let last = names.rsplit(',').next().map(|name| name.trim().to_owned());
    for selection in [SeriesSelection::default(), SeriesSelection { time: None, value: last }] {
        let read = match read(text, &selection) {
            Ok(read) => read,
            Err(error) => {
                assert!(
                    (1..=lines).contains(&error.position.line) && error.position.column >= 1,
                    "{error}"
                );
                continue;
            }
        };
        assert!(read.series.times().is_sorted());
        for gap in read.series.gaps() {
            assert!(gap.missing >= 1 && !read.format.text(gap.from).is_empty());
        }
        for steps in [1, 3] {
            let options = ForecastOptions::default().with_steps(steps).expect("a small horizon");
            let result =
                backtest(&read.series, options).expect("a series that was read can be forecast");
            let Some(forecast) = result.forecaster.forecast() else { continue };
            assert!(forecast.value.is_finite());
            if let Some((low, high)) = forecast.interval {
                assert!(low <= forecast.value && forecast.value <= high, "{forecast:?}");
            }
            assert!(
                result
                    .forecaster
                    .candidates()
                    .iter()
                    .all(|candidate| candidate.forecast.is_finite())
            );
        }
    }
});
