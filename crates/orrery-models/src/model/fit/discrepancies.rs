//! The discrepancies of a fitted model from the samples of the fit.

use std::collections::{BTreeMap, BTreeSet};

use super::or_failed;
use crate::comm::{Observation, Observations, Ports, TypedParameters};
use crate::model::{
    Discrepancies, Discrepancy, FailedPart, FitOptions, Model, ModelKind, PredictError, Predictor,
    Query,
};
use orrery_base::numeric::{mean, variance_ratio_p_value};
use orrery_measure::sample::{Experiment, ExperimentKind, Samples};

/// The largest number of observations of a group that are predicted.
const MAX_TESTED: usize = 400;

/// The largest probability of errors as large as these under noise alone at which they count as a
/// discrepancy.
const MAX_PROBABILITY: f64 = 0.01;

/// Relative errors below this one are rounding of the estimation.
const MIN_RELATIVE: f64 = 1e-6;

/// The error of one observation.
struct TestedError {
    /// ln(observed/predicted).
    error: f64,
    /// The variance of the error that the noise of the reading and the intervals of the parameters
    /// explain.
    explained: f64,
    /// The variance that the noise of the reading explains.
    noise: f64,
    /// True if the parameters were estimated from the observation.
    is_fitted: bool,
}

impl Discrepancy {
    /// Estimates the discrepancy from the errors of a group of observations; `None` if noise
    /// explains the errors (F test), or if less than one degree of freedom is left.
    ///
    /// `fitted_share` is the number of parameters over the number of observations that they were
    /// estimated from. `degrees` bounds the degrees of freedom of the result: it is the number of
    /// different operations, because errors of one operation at several sizes are alike.
    /// `spread_degrees` are the degrees of freedom of the noise, 0 if it is unknown: there is no F
    /// test then.
    fn of(
        errors: &[TestedError],
        fitted_share: f64,
        degrees: usize,
        spread_degrees: f64,
    ) -> Option<Self> {
        let remaining = |one: &TestedError| if one.is_fitted { 1.0 - fitted_share } else { 1.0 };
        let freedom: f64 = errors.iter().map(remaining).sum();
        if freedom < 1.0 {
            return None;
        }
        let squares: f64 = errors.iter().map(|one| one.error.powi(2) / one.explained).sum();
        let total: f64 = errors.iter().map(|one| one.error.powi(2)).sum();
        let noise = mean(&errors.iter().map(|one| one.noise).collect::<Vec<_>>());
        let relative = (total / freedom - noise).max(0.0).sqrt();
        let is_significant = spread_degrees <= 0.0
            || variance_ratio_p_value(squares / freedom, freedom, spread_degrees.max(1.0))
                < MAX_PROBABILITY;
        let degrees = (degrees as f64).min(freedom) as u64;
        (is_significant && relative > MIN_RELATIVE).then_some(Self { relative, degrees })
    }
}

/// Estimates the discrepancies of all kinds of a fitted model from the samples of the fit.
///
/// Errors of observations that the parameters were estimated from are too small on average by the
/// share of parameters in observations, which is accounted for. A discrepancy counts if the errors
/// are improbable by noise alone (F test).
///
/// A kind without a prediction of an observation has none, and is recorded as failed.
pub(super) fn discrepancies(
    model: &Model,
    samples: &Samples,
    options: &FitOptions,
    failed: &mut Vec<FailedPart>,
) -> BTreeMap<ModelKind, Discrepancies> {
    let is_tested = |experiment: &Experiment| {
        let is_round_trip = experiment.kind() == ExperimentKind::RoundTrip;
        (is_round_trip || experiment.kind().has_concurrent_messages())
            && options.is_in_range(experiment)
    };
    let all = Observations::from_samples(samples, is_tested);
    let mut found = BTreeMap::new();
    for kind in model.kinds() {
        let of_kind = of_kind(model, kind, &all, options);
        let of_kind = or_failed(of_kind, format!("discrepancies of {kind}"), failed);
        if !of_kind.is_empty() {
            found.insert(kind, of_kind);
        }
    }
    found
}

/// Estimates the discrepancies of a kind of model.
fn of_kind(
    model: &Model,
    kind: ModelKind,
    all: &Observations,
    options: &FitOptions,
) -> Result<Discrepancies, PredictError> {
    let spread_degrees = all.spread_degrees();
    let (predictor, has_equal_ports) = (Predictor::new(model, kind)?, model.has_equal_ports(kind));
    let mut test =
        Test { predictor, kind, options, spread_degrees, has_equal_ports, is_off: false };
    let is_concurrent = |one: &&Observation| one.experiment.kind().has_concurrent_messages();
    let (mut concurrent, single): (Vec<&Observation>, Vec<_>) = all.iter().partition(is_concurrent);
    if concurrent.iter().any(|one| one.experiment.is_collective()) {
        concurrent.retain(|one| one.experiment.is_collective());
    }
    let domain = (kind.stored_as().estimator().domain)(all);
    let single: Vec<&Observation> = single
        .into_iter()
        .filter(|one| domain.as_ref().is_none_or(|domain| domain.get(&one.experiment).is_some()))
        .collect();
    let share = model.parameter_share(kind, all.iter().filter(|one| test.is_fitted(one)).count());
    let point_to_point = test.discrepancy(&single, share)?;
    // The intervals of parameters of a model that misfits contain its misfit.
    test.is_off = point_to_point.is_some();
    let concurrent = test.discrepancy(&concurrent, share)?;
    Ok(Discrepancies { point_to_point, concurrent, collectives: Vec::new() })
}

impl Model {
    /// Returns the number of parameters of a kind over the number of observations that it was
    /// estimated from.
    fn parameter_share(&self, kind: ModelKind, observations: usize) -> f64 {
        let groups = match kind.definition().groups {
            [] => kind.stored_as().definition().groups,
            own => own,
        };
        let names = groups.iter().flat_map(|group| group.parameters).map(|spec| spec.name);
        let estimates = names.flat_map(|name| {
            self.parameters(kind).map(|set| set.estimates(name)).unwrap_or_default()
        });
        let parameters = estimates.filter(|estimate| estimate.samples != Some(0)).count();
        (parameters as f64 / observations.max(1) as f64).min(1.0)
    }

    /// Returns true if the parameters of a kind do not depend on two-to-one experiments: its
    /// in-ports are like its out-ports.
    fn has_equal_ports(&self, kind: ModelKind) -> bool {
        let parameters = self.parameters(kind).filter(|_| kind.stored_as() == ModelKind::Ports);
        parameters
            .and_then(Ports::from_set)
            .is_some_and(|ports| ports.in_port_byte_delay.is_empty())
    }
}

/// The comparison of one kind of model with observations.
struct Test<'a> {
    predictor: Predictor<'a>,
    kind: ModelKind,
    options: &'a FitOptions,
    spread_degrees: f64,
    /// True if two-to-one experiments did not take part in the estimation although the kind uses
    /// them.
    has_equal_ports: bool,
    /// True if the model misfits single messages.
    is_off: bool,
}

impl Test<'_> {
    /// Returns true if the parameters were estimated from an observation.
    fn is_fitted(&self, one: &Observation) -> bool {
        let is_ignored = self.has_equal_ports && one.experiment.kind() == ExperimentKind::TwoToOne;
        !is_ignored && self.options.uses(self.kind.stored_as(), &one.experiment)
    }

    /// Returns the discrepancy for these observations; at most [`MAX_TESTED`], evenly chosen, are
    /// predicted.
    fn discrepancy(
        &mut self,
        all: &[&Observation],
        share: f64,
    ) -> Result<Option<Discrepancy>, PredictError> {
        let mut errors = Vec::new();
        for one in all
            .iter()
            .step_by(all.len().div_ceil(MAX_TESTED).max(1))
            .filter(|one| one.seconds > 0.0)
        {
            errors.extend(self.error(one)?);
        }
        // Errors of one operation at different sizes are alike.
        let operations: BTreeSet<String> = all
            .iter()
            .map(|one| format!("{} {}", one.experiment.name(), one.experiment.participants()))
            .collect();
        Ok(Discrepancy::of(&errors, share, operations.len(), self.spread_degrees))
    }

    /// Returns the error of an observation; `None` if it may escalate or its predicted time is 0.
    fn error(&mut self, one: &Observation) -> Result<Option<TestedError>, PredictError> {
        let prediction = self.predictor.predict(&Query::Experiment(one.experiment))?;
        let seconds = prediction.seconds.get();
        if prediction.escalation.is_some() || seconds <= 0.0 {
            return Ok(None);
        }
        let noise = (one.deviation / one.seconds).powi(2);
        let half = prediction.uncertainty.readings.unwrap_or(0.0);
        let is_fitted = self.is_fitted(one);
        // The interval is wider than the standard deviation: rather too little than too much is
        // significant.
        let explained = if is_fitted || self.is_off { noise } else { noise + half.powi(2) / 4.0 };
        Ok(Some(TestedError { error: (one.seconds / seconds).ln(), explained, noise, is_fitted }))
    }
}
