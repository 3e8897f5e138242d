//! The color scale of a map: steps from the smallest to the largest value, and its legend.

use std::fmt::Write as _;

use crate::tables::format::{median, quantile};

/// The largest number of steps: the number of colors in the style sheet.
const MAX_STEPS: usize = 9;
/// The least factor between the ends of the scale, so that noise does not fill it.
const MIN_RANGE: f64 = 1.5;
/// Values beyond this factor from the median are in the first or last step.
const MAX_FACTOR_FROM_MEDIAN: f64 = 30.0;
/// The least factor between the edges of a step that is filled by number of values.
const MIN_STEP: f64 = 1.05;
/// A value that exceeds the next lower one by this factor begins a step.
const GAP_FACTOR: f64 = 1.2;
/// The width of a step in the legend.
const SWATCH_WIDTH: f64 = 38.0;
/// The height of a step in the legend.
const SWATCH_HEIGHT: f64 = 10.0;

/// The unit of all values of a map: its name, and its number per SI unit.
#[derive(Clone, Copy)]
pub(crate) struct Unit {
    scale: f64,
    pub(crate) name: &'static str,
}

impl Unit {
    /// A unit of time in which the value is 1 or more.
    pub(crate) fn of_time(value: f64) -> Self {
        Self::first(&[(1.0, "s"), (1e3, "ms"), (1e6, "µs"), (1e9, "ns")], value)
    }

    /// A unit of rates in which the value is 1 or more.
    pub(crate) fn of_rate(value: f64) -> Self {
        Self::first(&[(1e-9, "GB/s"), (1e-6, "MB/s"), (1e-3, "kB/s"), (1.0, "B/s")], value)
    }

    /// The first unit in which the value is 1 or more, otherwise the last.
    fn first(units: &[(f64, &'static str)], value: f64) -> Self {
        let fits = units.iter().find(|(scale, _)| value * scale >= 0.995);
        let (scale, name) = fits.or(units.last()).copied().unwrap_or((1.0, ""));
        Self { scale, name }
    }

    /// A value in this unit with three significant digits, without the name of the unit.
    pub(crate) fn write(self, value: f64) -> String {
        let value = value * self.scale;
        let decimals = match value.abs() {
            v if v >= 99.95 => 0,
            v if v >= 9.995 => 1,
            _ => 2,
        };
        format!("{value:.decimals$}")
    }
}

/// The edges of the steps in ascending order.
pub(crate) struct ColorScale {
    edges: Vec<f64>,
    /// True if values lie below the first edge, and above the last.
    open: (bool, bool),
}

impl ColorScale {
    /// Steps of equal factors; `None` without finite values.
    pub(crate) fn by_factor(values: &[f64]) -> Option<Self> {
        let (low, high, middle) =
            (quantile_of(values, 0.0)?, quantile_of(values, 1.0)?, median(values.iter().copied())?);
        if middle <= 0.0 {
            return Some(Self { edges: vec![low, high], open: (false, false) });
        }
        let (mut first, mut last) =
            (low.max(middle / MAX_FACTOR_FROM_MEDIAN), high.min(middle * MAX_FACTOR_FROM_MEDIAN));
        if last / first < MIN_RANGE {
            let centre = (first * last).sqrt();
            (first, last) = (centre / MIN_RANGE.sqrt(), centre * MIN_RANGE.sqrt());
        }
        let factor = last / first;
        let edges = (0..=MAX_STEPS)
            .map(|edge| first * factor.powf(edge as f64 / MAX_STEPS as f64))
            .collect();
        Some(Self { edges, open: (low < first, high > last) })
    }

    /// Steps with about equal numbers of values; gaps between values begin a step too. `None`
    /// without finite values.
    pub(crate) fn by_count(values: &[f64]) -> Option<Self> {
        let mut sorted: Vec<f64> =
            values.iter().copied().filter(|value| value.is_finite()).collect();
        sorted.sort_by(f64::total_cmp);
        let (&low, &high) = (sorted.first()?, sorted.last()?);
        let enough = sorted.len().div_ceil(MAX_STEPS);
        let (mut edges, mut held) = (vec![low], 0);
        for pair in sorted.windows(2) {
            held += 1;
            let (before, value, first) = (pair[0], pair[1], edges[edges.len() - 1]);
            let full = held >= enough && value > first * MIN_STEP;
            if (full || value > before * GAP_FACTOR) && edges.len() < MAX_STEPS {
                edges.push(value);
                held = 0;
            }
        }
        edges.push(high);
        Some(Self { edges, open: (false, false) })
    }

    /// The number of steps.
    fn count(&self) -> usize {
        self.edges.len() - 1
    }

    /// The color of a value: 0 for the smallest to 8 for the largest; class `s0` to `s8` in the
    /// style sheet.
    pub(crate) fn color(&self, value: f64) -> usize {
        let inner = &self.edges[1..self.count()];
        self.spread(inner.iter().filter(|edge| value >= **edge).count())
    }

    /// The color of a step; few steps are spread over all colors.
    fn spread(&self, step: usize) -> usize {
        if self.count() == 1 { MAX_STEPS / 2 } else { step * (MAX_STEPS - 1) / (self.count() - 1) }
    }

    /// The width of the legend.
    pub(crate) fn width(&self) -> f64 {
        (self.count() + 1) as f64 * SWATCH_WIDTH
    }

    /// The legend at a position, as SVG: the colors of the steps with the values of their edges.
    pub(crate) fn legend(&self, unit: Unit, x: f64, y: f64) -> String {
        let mut svg = String::new();
        let left = x + SWATCH_WIDTH / 2.0;
        let below = y + SWATCH_HEIGHT + 12.0;
        for (step, low) in self.edges.iter().enumerate() {
            let at = left + step as f64 * SWATCH_WIDTH;
            if step < self.count() {
                let color = self.spread(step);
                let _ = write!(
                    svg,
                    "<path class=\"s{color}\" d=\"M{at} \
                        {y}h{SWATCH_WIDTH}v{SWATCH_HEIGHT}h-{SWATCH_WIDTH}z\"/>"
                );
            }
            let sign = match step {
                0 if self.open.0 => "≤",
                last if last == self.count() && self.open.1 => "≥",
                _ => "",
            };
            let words = unit.write(*low);
            let _ = write!(
                svg,
                "<text class=\"label\" x=\"{at}\" y=\"{below}\" \
                    text-anchor=\"middle\">{sign}{words}</text>"
            );
        }
        svg
    }
}

/// The quantile q (0 to 1) of some values; `None` without finite values.
fn quantile_of(values: &[f64], q: f64) -> Option<f64> {
    quantile(values.iter().copied(), q)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn noise_does_not_fill_the_scale() {
        let steps = ColorScale::by_factor(&[100.0, 101.0, 102.0]).unwrap();
        let colors: Vec<usize> = [100.0, 102.0].map(|value| steps.color(value)).to_vec();
        assert!(colors.iter().all(|color| (3..=5).contains(color)), "{colors:?}");
    }

    #[test]
    fn the_ends_of_the_scale_are_the_ends_of_the_values() {
        for steps in [
            ColorScale::by_factor(&[1.0, 2.0, 3.0, 10.0]),
            ColorScale::by_count(&[1.0, 2.0, 3.0, 10.0]),
        ] {
            let steps = steps.unwrap();
            assert_eq!((steps.color(1.0), steps.color(10.0)), (0, 8));
        }
    }

    #[test]
    fn crowded_values_share_a_step() {
        let values: Vec<f64> =
            (0..90).map(|k| 10.0 + 0.001 * f64::from(k)).chain([20.0; 10]).collect();
        let steps = ColorScale::by_count(&values).unwrap();
        assert_eq!(steps.count(), 2);
        assert_eq!((steps.color(10.0), steps.color(20.0)), (0, 8));
        let values: Vec<f64> = (0..99).map(|k| 10.0 + 0.001 * f64::from(k)).chain([5.0]).collect();
        let steps = ColorScale::by_count(&values).unwrap();
        assert_eq!((steps.color(5.0), steps.color(10.0)), (0, 8));
    }

    #[test]
    fn zeros_and_nothing_are_borne() {
        assert!(
            ColorScale::by_factor(&[]).is_none() && ColorScale::by_count(&[f64::NAN]).is_none()
        );
        assert_eq!(ColorScale::by_factor(&[0.0, 0.0, 0.0]).unwrap().color(0.0), 4);
        assert_eq!(ColorScale::by_factor(&[0.0, 5.0, 6.0]).unwrap().color(0.0), 0);
        assert_eq!(ColorScale::by_count(&[0.0; 4]).unwrap().color(0.0), 4);
    }
}
