//! The colour scale of a map: steps from the least to the greatest value, and the legend that explains them.

use std::fmt::Write as _;

use crate::tables::format::{median, quantile};

/// As many steps as the style sheet has colours.
const MOST: usize = 9;
/// Values closer together than by this factor do not fill the whole scale: noise should look like noise.
const NARROWEST: f64 = 1.5;
/// Beyond this factor from the median all is one step.
const FARTHEST: f64 = 30.0;
/// ColorScale of equal number of values are at least so wide.
const LEAST_STEP: f64 = 1.05;
/// A value so many times the next lower one begins a step.
const GAP: f64 = 1.2;
/// Sizes of the legend.
const SWATCH: f64 = 38.0;
const HEIGHT: f64 = 10.0;

/// A unit for all values of a map: how many of it one SI unit is, and its name.
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

    fn first(units: &[(f64, &'static str)], value: f64) -> Self {
        let fits = units.iter().find(|(scale, _)| value * scale >= 0.995);
        let (scale, name) = fits.or(units.last()).copied().unwrap_or((1.0, ""));
        Self { scale, name }
    }

    /// Three significant digits, without the name of the unit.
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

/// ColorScale between edges.
pub(crate) struct ColorScale {
    edges: Vec<f64>,
    /// Whether values lie below the first edge or above the last.
    open: (bool, bool),
}

impl ColorScale {
    /// ColorScale by equal factors.
    pub(crate) fn by_factor(values: &[f64]) -> Option<Self> {
        let (low, high, middle) =
            (quantile_of(values, 0.0)?, quantile_of(values, 1.0)?, median(values.iter().copied())?);
        if middle <= 0.0 {
            return Some(Self { edges: vec![low, high], open: (false, false) });
        }
        let (mut first, mut last) = (low.max(middle / FARTHEST), high.min(middle * FARTHEST));
        if last / first < NARROWEST {
            let centre = (first * last).sqrt();
            (first, last) = (centre / NARROWEST.sqrt(), centre * NARROWEST.sqrt());
        }
        let factor = last / first;
        let edges = (0..=MOST).map(|edge| first * factor.powf(edge as f64 / MOST as f64)).collect();
        Some(Self { edges, open: (low < first, high > last) })
    }

    /// ColorScale that hold about equally many values each, fewer and larger ones where values crowd; gaps begin a step too.
    pub(crate) fn by_count(values: &[f64]) -> Option<Self> {
        let mut sorted: Vec<f64> = values.iter().copied().filter(|value| value.is_finite()).collect();
        sorted.sort_by(f64::total_cmp);
        let (&low, &high) = (sorted.first()?, sorted.last()?);
        let enough = sorted.len().div_ceil(MOST);
        let (mut edges, mut held) = (vec![low], 0);
        for pair in sorted.windows(2) {
            held += 1;
            let (before, value, first) = (pair[0], pair[1], edges[edges.len() - 1]);
            let full = held >= enough && value > first * LEAST_STEP;
            if (full || value > before * GAP) && edges.len() < MOST {
                edges.push(value);
                held = 0;
            }
        }
        edges.push(high);
        Some(Self { edges, open: (false, false) })
    }

    fn count(&self) -> usize {
        self.edges.len() - 1
    }

    /// The class of a value: its colour, from `s0` for the least to `s8` for the greatest.
    pub(crate) fn colour(&self, value: f64) -> usize {
        let inner = &self.edges[1..self.count()];
        self.spread(inner.iter().filter(|edge| value >= **edge).count())
    }

    /// Few steps take colours from the whole scale.
    fn spread(&self, step: usize) -> usize {
        if self.count() == 1 { MOST / 2 } else { step * (MOST - 1) / (self.count() - 1) }
    }

    /// How wide the legend is.
    pub(crate) fn width(&self) -> f64 {
        (self.count() + 1) as f64 * SWATCH
    }

    /// The legend at a place, as SVG: swatches, and the edges between them.
    pub(crate) fn legend(&self, unit: Unit, x: f64, y: f64) -> String {
        let mut svg = String::new();
        let left = x + SWATCH / 2.0;
        let below = y + HEIGHT + 12.0;
        for (step, low) in self.edges.iter().enumerate() {
            let at = left + step as f64 * SWATCH;
            if step < self.count() {
                let colour = self.spread(step);
                let _ = write!(svg, "<path class=\"s{colour}\" d=\"M{at} {y}h{SWATCH}v{HEIGHT}h-{SWATCH}z\"/>");
            }
            let sign = match step {
                0 if self.open.0 => "≤",
                last if last == self.count() && self.open.1 => "≥",
                _ => "",
            };
            let words = unit.write(*low);
            let _ = write!(
                svg,
                "<text class=\"label\" x=\"{at}\" y=\"{below}\" text-anchor=\"middle\">{sign}{words}</text>"
            );
        }
        svg
    }
}

fn quantile_of(values: &[f64], q: f64) -> Option<f64> {
    quantile(values.iter().copied(), q)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn noise_does_not_fill_the_scale() {
        let steps = ColorScale::by_factor(&[100.0, 101.0, 102.0]).unwrap();
        let colours: Vec<usize> = [100.0, 102.0].map(|value| steps.colour(value)).to_vec();
        assert!(colours.iter().all(|colour| (3..=5).contains(colour)), "{colours:?}");
    }

    #[test]
    fn the_ends_of_the_scale_are_the_ends_of_the_values() {
        for steps in [ColorScale::by_factor(&[1.0, 2.0, 3.0, 10.0]), ColorScale::by_count(&[1.0, 2.0, 3.0, 10.0])] {
            let steps = steps.unwrap();
            assert_eq!((steps.colour(1.0), steps.colour(10.0)), (0, 8));
        }
    }

    #[test]
    fn crowded_values_share_a_step() {
        let values: Vec<f64> = (0..90).map(|k| 10.0 + 0.001 * f64::from(k)).chain([20.0; 10]).collect();
        let steps = ColorScale::by_count(&values).unwrap();
        assert_eq!(steps.count(), 2);
        assert_eq!((steps.colour(10.0), steps.colour(20.0)), (0, 8));
        let values: Vec<f64> = (0..99).map(|k| 10.0 + 0.001 * f64::from(k)).chain([5.0]).collect();
        let steps = ColorScale::by_count(&values).unwrap();
        assert_eq!((steps.colour(5.0), steps.colour(10.0)), (0, 8));
    }

    #[test]
    fn zeros_and_nothing_are_borne() {
        assert!(ColorScale::by_factor(&[]).is_none() && ColorScale::by_count(&[f64::NAN]).is_none());
        assert_eq!(ColorScale::by_factor(&[0.0, 0.0, 0.0]).unwrap().colour(0.0), 4);
        assert_eq!(ColorScale::by_factor(&[0.0, 5.0, 6.0]).unwrap().colour(0.0), 0);
        assert_eq!(ColorScale::by_count(&[0.0; 4]).unwrap().colour(0.0), 4);
    }
}
