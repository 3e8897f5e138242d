//! Warnings of forecasts that say nothing.

use orrery::scaling::{Forecast, Point, Region};

use crate::context::warn;

/// Warns if the runs do not determine a time, and names a run that would help.
pub fn warn_of_forecasts<'a>(
    region: &Region,
    forecasts: impl Iterator<Item = (&'a Point, &'a Forecast)> + Clone,
    level: f64,
) {
    let all = forecasts.clone().count();
    let worthless = forecasts.filter(|(_, forecast)| forecast.is_worthless());
    let count = worthless.clone().count();
    if let Some((point, _)) = worthless.max_by(|(_, a), (_, b)| a.ratio().total_cmp(&b.ratio())) {
        let which = if all == 1 { String::new() } else { format!(" {count} of {all} times") };
        warn(format!(
            "cannot predict{which}: the runs do not determine {point}{}",
            help(region, point, level)
        ));
    }
}

/// Warns if the runs do not even determine a time between them.
pub fn warn_of_model(region: &Region, level: f64) {
    let Some(middle) = region.measured.get(region.measured.len() / 2) else { return };
    let Ok(forecast) = region.forecast(&middle.point, level) else { return };
    if forecast.is_worthless() {
        let head =
            if region.name.is_empty() { String::new() } else { format!("{}: ", region.name) };
        warn(format!(
            "{head}the model cannot predict: even at {}, which was measured, its interval spans a \
                factor of {:.0}; repeat runs \
             to see how far they vary{}",
            middle.point,
            forecast.ratio(),
            help(region, &middle.point, level)
        ));
    }
}

/// A run that would improve a forecast, in words behind a semicolon; empty if none is known.
fn help(region: &Region, point: &Point, level: f64) -> String {
    region
        .helpful_run(point, level)
        .map_or_else(String::new, |run| format!("; a run at {run} would help"))
}
