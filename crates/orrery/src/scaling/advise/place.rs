use std::collections::BTreeMap;

use crate::numeric::mean;
use crate::run::{Configuration, Run, Share};
use crate::scaling::{Coefficient, Point, ScalingError, TermModel, Uncertainty};

/// A point as a belief sees it.
#[derive(Debug, Clone)]
pub(super) struct Place {
    pub(super) point: Point,
    /// The terms of each kind that takes part.
    pub(super) views: Vec<Vec<f64>>,
    /// The terms of the slowest kind.
    pub(super) terms: Vec<f64>,
    /// T̂ of the model, in seconds.
    pub(super) model: f64,
    /// k: how much its own runs count in its time, against the model; 0 where there are none.
    pub(super) own: f64,
    /// The mean of its own runs in seconds; T̂ where there are none.
    pub(super) measured: f64,
    /// The variance of its time that is not that of the coefficients, in s².
    pub(super) misfit: f64,
    /// The variance of a single run about its time, in s².
    pub(super) spread: f64,
}

/// What distinguishes points for a model: the configuration and the numbers that elements see.
type Key = (Configuration, Vec<Option<u64>>);

pub(super) fn key(model: &TermModel, point: &Point) -> Key {
    let mut configuration = point.configuration.clone();
    configuration.shares.sort();
    let view = point.view(configuration.shares.first());
    (configuration, model.ranges.keys().map(|name| view.get(name).map(f64::to_bits)).collect())
}

/// The times of known runs by point.
pub(super) fn known(model: &TermModel, runs: &[Run]) -> BTreeMap<Key, Vec<f64>> {
    let mut known: BTreeMap<Key, Vec<f64>> = BTreeMap::new();
    for run in runs {
        known.entry(key(model, &Point::of(run))).or_default().push(run.seconds.get());
    }
    known
}

impl Place {
    pub(super) fn of(
        model: &TermModel,
        uncertainty: &Uncertainty,
        point: Point,
        times: Option<&Vec<f64>>,
    ) -> Result<Self, ScalingError> {
        // Whether the model can be asked at all; it then knows each of its terms.
        let seconds = model.forecast(&point, 0.95)?.seconds.get();
        let shares = &point.configuration.shares;
        let view = |share: Option<&Share>| {
            let kind = share.map(|share| share.kind.as_str());
            let seen = point.view(share);
            let value = |c: &Coefficient| {
                if c.concerns(kind) { c.term.value(&seen).unwrap_or(0.0) } else { 0.0 }
            };
            model.coefficients.iter().map(value).collect::<Vec<f64>>()
        };
        let views: Vec<Vec<f64>> =
            if shares.is_empty() { vec![view(None)] } else { shares.iter().map(|share| view(Some(share))).collect() };
        let values: Vec<f64> = model.coefficients.iter().map(|c| c.estimate.value).collect();
        let terms = views.iter().max_by(|a, b| dot(a, &values).total_cmp(&dot(b, &values))).cloned();
        let (misfit, spread) = variances(uncertainty, seconds);
        let (misfit, spread) = (misfit * seconds * seconds, spread * seconds * seconds);
        let runs = times.map_or(0.0, |times| times.len() as f64);
        let own = if runs > 0.0 && misfit > 0.0 { misfit / (misfit + spread / runs) } else { 0.0 };
        let left = if runs > 0.0 { own * spread / runs } else { misfit };
        let measured = times.map_or(seconds, |times| mean(times));
        Ok(Self { terms: terms.unwrap_or_default(), views, model: seconds, own, measured, misfit: left, spread, point })
    }

    /// f̂: the time that is believed, in seconds.
    pub(super) fn seconds(&self) -> f64 {
        self.in_world(self.model)
    }

    /// The time where the model says so many seconds.
    pub(super) fn in_world(&self, model: f64) -> f64 {
        (1.0 - self.own) * model + self.own * self.measured
    }
}

/// τ² and σ² relative to T̂². Where hardly a point was run twice, nothing tells one from the other: half of the whole is
/// taken as each.
fn variances(uncertainty: &Uncertainty, seconds: f64) -> (f64, f64) {
    let (misfit, spread) = (uncertainty.misfit.powi(2), uncertainty.spread(seconds));
    if uncertainty.spread_degrees >= ENOUGH { (misfit, spread) } else { [f64::midpoint(misfit, spread); 2].into() }
}

/// So many repeated runs tell spread from misfit.
const ENOUGH: f64 = 5.0;

pub(super) fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}
