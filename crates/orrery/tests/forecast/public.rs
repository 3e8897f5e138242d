//! Public series of cloud metrics: `series/*.csv` in the folder `ORRERY_DATA`, of the Numenta
//! Anomaly Benchmark (MIT licence). Without the folder the tests are skipped.

use orrery::forecast::{Backtest, Coverage, ForecastOptions, SeriesSelection, backtest, read};

use crate::public_data::public_data;

/// The forecasts of all series, by name; `None` without public data.
fn backtests(steps: usize) -> Option<Vec<(String, Backtest)>> {
    let folder = public_data()?.join("series");
    let mut paths: Vec<_> =
        std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "csv"));
    paths.sort();
    assert!(paths.len() >= 17, "only {} series", paths.len());
    let options = ForecastOptions::default().with_steps(steps).unwrap();
    let backtests = paths.iter().map(|path| {
        let text = std::fs::read_to_string(path).unwrap();
        let series = read(&text, &SeriesSelection::default()).unwrap().series;
        let name = path.file_stem().unwrap().to_string_lossy().into_owned();
        (name, backtest(&series, options).unwrap())
    });
    Some(backtests.collect())
}

/// The error is at most 1.02 that of the best primary forecaster in hindsight on average, and at
/// most 1.02 that of the last value on every series, over all forecasts as over those of the second
/// half.
#[test]
fn forecasts_of_public_series_are_close() {
    let Some(backtests) = backtests(1) else { return };
    let mut ratios = Vec::new();
    for (name, Backtest { whole, second_half, .. }) in &backtests {
        for (part, score) in [("all", whole), ("second half", second_half)] {
            let (own, last) =
                (score.mean_absolute_error().unwrap(), score.last_value_error().unwrap());
            let (best, least) = score.best_primary().unwrap();
            println!(
                "{name}, {part}: {:.4} of {best}, {:.4} of last value",
                own / least,
                own / last
            );
            assert!(own <= 1.02 * last, "{name}, {part}: {own} {last}");
            ratios.push((part, own / least));
        }
    }
    for part in ["all", "second half"] {
        let ratios: Vec<f64> =
            ratios.iter().filter(|ratio| ratio.0 == part).map(|ratio| ratio.1).collect();
        let mean = ratios.iter().sum::<f64>() / ratios.len() as f64;
        println!("{part}: mean {mean:.4}");
        assert!(mean <= 1.02, "{part}: {mean}");
    }
}

/// 95 % intervals cover 92 to 97 % of all values and at least 85 % of each series, one step and
/// twelve steps ahead.
#[test]
fn intervals_of_public_series_cover() {
    for steps in [1, 12] {
        let Some(backtests) = backtests(steps) else { return };
        let mut all = Coverage::default();
        for (name, Backtest { whole, .. }) in &backtests {
            let coverage = whole.coverage.fraction().unwrap();
            println!("{name}, {steps} steps: {coverage:.4}");
            assert!(coverage >= 0.85, "{name}, {steps} steps: {coverage}");
            all.inside += whole.coverage.inside;
            all.count += whole.coverage.count;
        }
        let coverage = all.fraction().unwrap();
        println!("{steps} steps: {coverage:.4}");
        assert!((0.92..=0.97).contains(&coverage), "{steps} steps: {coverage}");
    }
}
