//! How the time grows with a variable at a point: the exponent, and its interval.

use super::application::{ExecutionTimeModel, Region};
use super::forecast::half_width;
use super::mixture::{Component, quantile};
use super::point::Point;
use super::term_model::{Coefficient, Slowest, TermModel};
use super::uncertainty::{Uncertainty, Variance};

/// The exponent of the time in a variable, d ln T/d ln x.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Growth {
    /// The exponent.
    pub exponent: f64,
    /// Its interval over all plausible sums of terms; `None` for a model without uncertainty.
    pub interval: Option<(f64, f64)>,
}

/// The factor by which a variable changes in both directions for its exponent.
const STEP: f64 = 1.01;

/// The width of x·1.01 and x/1.01 in ln x.
fn step_width() -> f64 {
    2.0 * STEP.ln()
}

/// A point with a variable times a factor; `None` if the point does not have it.
fn moved(point: &Point, name: &str, factor: f64) -> Option<Point> {
    let mut moved = point.clone();
    *moved.variables.get_mut(name)? *= factor;
    Some(moved)
}

impl Region {
    /// The exponent of the typical time in a variable at a point; `level` is the probability of its
    /// interval. `None` if the model has no time there.
    pub fn growth(&self, point: &Point, name: &str, level: f64) -> Option<Growth> {
        if let ExecutionTimeModel::Terms(model) = &self.model {
            return model.growth(point, name, level);
        }
        let at = |factor: f64| {
            let forecast = self.model.estimate(&moved(point, name, factor)?).ok()?;
            Some(forecast.seconds.get())
        };
        let exponent = (at(STEP)? / at(1.0 / STEP)?).ln() / step_width();
        exponent.is_finite().then_some(Growth { exponent, interval: None })
    }
}

impl TermModel {
    /// The exponent of the typical time in a variable at a point.
    ///
    /// Of T = Σ cᵢ·fᵢ(x) it is E = Σ cᵢ·gᵢ/T with gᵢ = dfᵢ/d ln x, and its derivative by cᵢ is
    /// (gᵢ − E·fᵢ)/T: a linear propagation of the errors of the coefficients. The interval is that
    /// of the mixture of all plausible sums of terms.
    fn growth(&self, point: &Point, name: &str, level: f64) -> Option<Growth> {
        let model = self.at_levels_of(point).ok()?;
        let own = Exponent::of(&model.coefficients, point, name)?;
        let others = model.alternatives.iter().filter_map(|other| {
            let exponent = Exponent::of(&other.coefficients, point, name)?;
            exponent.component(other.probability, other.uncertainty.as_ref())
        });
        let first = own.component(model.probability(), model.uncertainty.as_ref());
        let interval = first.map(|first| {
            let components: Vec<Component> = std::iter::once(first).chain(others).collect();
            interval(&components, level)
        });
        let exponent = own.value;
        let interval = interval.map(|(low, high)| (low.min(exponent), high.max(exponent)));
        Some(Growth { exponent, interval })
    }
}

/// The exponent of one sum of terms.
struct Exponent {
    value: f64,
    /// The derivatives of the exponent by the coefficients, times the time.
    derivatives: Vec<f64>,
    seconds: f64,
}

impl Exponent {
    /// The exponent at a point; `None` without a time above 0, or where the slowest kind changes.
    fn of(coefficients: &[Coefficient], point: &Point, name: &str) -> Option<Self> {
        let at = |factor: f64| Slowest::of(coefficients, &moved(point, name, factor)?);
        let [below, here, above] = [at(1.0 / STEP)?, at(1.0)?, at(STEP)?];
        if !(here.seconds > 0.0 && below.kind == here.kind && above.kind == here.kind) {
            return None;
        }
        let slopes =
            above.terms.iter().zip(&below.terms).map(|(high, low)| (high - low) / step_width());
        let slopes: Vec<f64> = slopes.collect();
        let sum: f64 = slopes.iter().zip(coefficients).map(|(g, c)| g * c.estimate.value).sum();
        let value = sum / here.seconds;
        let derivatives = slopes.iter().zip(&here.terms).map(|(g, f)| g - value * f).collect();
        value.is_finite().then_some(Self { value, derivatives, seconds: here.seconds })
    }

    /// The distribution of the exponent, as that of a time e^E; `None` if it is unknown.
    fn component(&self, probability: f64, uncertainty: Option<&Uncertainty>) -> Option<Component> {
        let Variance { value, degrees } =
            uncertainty?.of_coefficients(&self.derivatives, self.seconds);
        value.is_finite().then(|| Component {
            probability,
            seconds: self.value.exp(),
            scale: value.sqrt(),
            degrees,
        })
    }
}

/// The interval of ln t of a mixture whose probabilities need not sum to 1.
fn interval(components: &[Component], level: f64) -> (f64, f64) {
    let whole: f64 = components.iter().map(|one| one.probability).sum();
    let scaled =
        components.iter().map(|one| Component { probability: one.probability / whole, ..*one });
    let scaled: Vec<Component> = scaled.collect();
    let reach = |c: &Component| {
        half_width(Variance { value: c.scale * c.scale, degrees: c.degrees }, level)
    };
    let tail = f64::midpoint(1.0, -level);
    let end = |level: f64| quantile(&scaled, level, reach).ln();
    (end(tail), end(1.0 - tail))
}
