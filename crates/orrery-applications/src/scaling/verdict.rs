//! Forecasts that say nothing, and the runs that would help.

use super::application::Region;
use super::forecast::Forecast;
use super::point::Point;

/// The ratio of the ends of an interval above which a forecast is worthless: not even the order of
/// magnitude is known.
const WORTHLESS_RATIO: f64 = 100.0;

/// The largest number of variables whose extremes are combined.
const MAX_VARIABLES: usize = 8;

impl Forecast {
    /// Returns true if the runs do not determine the time: the ends of its interval differ by more
    /// than a factor of 100.
    pub fn is_worthless(&self) -> bool {
        self.ratio() > WORTHLESS_RATIO
    }

    /// The ratio of the ends of the interval; 1 without an interval.
    pub fn ratio(&self) -> f64 {
        self.interval.map_or(1.0, |(low, high)| high / low)
    }
}

impl Region {
    /// A run that would improve the forecast at a point.
    ///
    /// It is the corner of the measured range with the widest interval if that is worthless, too.
    /// Otherwise it lies between the measured range and the point: variables outside have the
    /// geometric mean of both, counts are rounded. `None` without measured points, or if no such
    /// run is possible, as with a grid that must have all processes.
    pub fn helpful_run(&self, point: &Point, level: f64) -> Option<Point> {
        if let Some((corner, forecast)) = self.widest_corner(point, level)
            && forecast.is_worthless()
        {
            return Some(corner);
        }
        let mut between = point.clone();
        for (name, value) in &mut between.variables {
            let (low, high) = self.range(name)?;
            let nearest = value.clamp(low, high);
            let mean = (nearest * *value).sqrt();
            if mean.is_finite() && (mean - nearest).abs() > 0.0 {
                let is_count = self.is_count(name) && is_whole(*value);
                *value = if is_count { mean.round() } else { rounded(mean, nearest, *value) };
            }
        }
        self.model.estimate(&between).is_ok().then_some(between)
    }

    /// The corner of the measured range with the configuration of a point whose interval is widest,
    /// with its forecast; `None` if no corner has a forecast.
    pub fn widest_corner(&self, point: &Point, level: f64) -> Option<(Point, Forecast)> {
        let first = &self.measured.first()?.point;
        let ranges: Vec<(&String, (f64, f64))> = first
            .variables
            .keys()
            .take(MAX_VARIABLES)
            .filter_map(|name| Some((name, self.range(name)?)))
            .collect();
        let corner = |bits: usize| {
            let value = |(k, (name, (low, high))): (usize, &(&String, (f64, f64)))| {
                ((*name).clone(), if bits >> k & 1 == 1 { *high } else { *low })
            };
            let variables = ranges.iter().enumerate().map(value).collect();
            let corner = Point { variables, ..point.clone() };
            let forecast = self.forecast(&corner, level).ok()?;
            Some((corner, forecast))
        };
        let corners = (0..1usize << ranges.len()).filter_map(corner);
        corners.max_by(|(_, a), (_, b)| a.ratio().total_cmp(&b.ratio()))
    }

    /// Returns true if all measured values of a variable are whole numbers.
    fn is_count(&self, name: &str) -> bool {
        self.measured
            .iter()
            .filter_map(|measured| measured.point.variables.get(name))
            .all(|&value| is_whole(value))
    }

    /// The smallest and the largest measured value of a variable; `None` if it was not measured.
    fn range(&self, name: &str) -> Option<(f64, f64)> {
        let values =
            self.measured.iter().filter_map(|measured| measured.point.variables.get(name).copied());
        values.fold(None, |range, x| {
            Some(range.map_or((x, x), |(low, high): (f64, f64)| (low.min(x), high.max(x))))
        })
    }
}

/// Returns true for a whole number.
fn is_whole(value: f64) -> bool {
    value.fract().abs() <= 0.0
}

/// A value rounded to two digits; the value itself if the rounded one is not between the two
/// others.
fn rounded(value: f64, one: f64, other: f64) -> f64 {
    let unit = 10f64.powf(value.abs().log10().floor() - 1.0);
    let short = (value / unit).round() * unit;
    if (one.min(other)..=one.max(other)).contains(&short) { short } else { value }
}
