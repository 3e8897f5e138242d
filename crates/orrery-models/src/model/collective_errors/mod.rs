//! What models are wrong by in collective operations: as known from other clusters, and as measured
//! on this one.
//!
//! The error of a prediction is ln(T/T₀), with T the true and T₀ the predicted time. Errors are
//! random functions of the operation, the algorithm, the size, the number of processors and the
//! root, whose [covariance](prior) was estimated on clusters of other kinds. Given the errors that
//! were measured on this cluster, each other error has a mean and a deviation: a measured operation
//! says most about itself, less about other sizes and algorithms, and little about operations whose
//! messages take other ways.
//!
//! Source of the method: Rasmussen, Williams, "Gaussian processes for machine learning", 2006,
//! section 2.2; Shah, Wilson, Ghahramani, "Student-t processes as alternatives to Gaussian
//! processes", 2014, for the common scale.

mod algorithm;
mod prior;

pub use algorithm::{CollectiveAlgorithm, UnknownAlgorithm};

use super::{Model, ModelKind, Query};
use crate::comm::{Contribution, ParameterId, Predicted, first_interval};
use orrery_base::numeric::{Estimate, LowerTriangle, SymmetricMatrix, student_quantile};
use orrery_base::units::{Bytes, Seconds};
use orrery_cluster::platform::Processor;
use orrery_measure::sample::Experiment;
use orrery_program::schedule::{Collective, Rank};
use prior::Place;

/// The error of a model in a measured collective operation.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MeasuredError {
    /// The operation and its algorithm.
    pub algorithm: CollectiveAlgorithm,
    /// The root, or processor 0.
    pub root: Processor,
    /// The number of processors.
    pub procs: usize,
    /// The size of a block or vector.
    pub size: Bytes,
    /// ln(y/T₀) of the measured median y and the predicted time T₀.
    pub error: f64,
    /// The standard deviation of the error by the noise of the readings.
    pub noise: f64,
}

impl MeasuredError {
    /// Returns true if its numbers are within the limits of model files.
    pub(super) fn is_readable(&self) -> bool {
        self.error.abs() <= MAX_ERROR && (0.0..=MAX_ERROR).contains(&self.noise) && self.procs > 0
    }
}

/// The largest |error|: a factor of 1e6.
pub(super) const MAX_ERROR: f64 = 13.9;

/// The largest number of measured errors that predictions use: their cost grows with the square.
pub(super) const MAX_MEASURED: usize = 256;

/// The standard deviation of an error from one launch to the next, which readings of one launch do
/// not show.
const LAUNCH_DEVIATION: f64 = 0.02;

/// The |error| from which on messages were lost or waited for something else than other messages: a
/// factor of 4.5. Such an error says nothing about other operations.
const MIN_LOSS: f64 = 1.5;

/// The standard deviation of the error of an operation with losses, relative to it: losses come and
/// go from call to call, which the median of few readings does not show.
const LOSS_DEVIATION: f64 = 0.5;

/// The contribution of the expected error to a time.
const CONTRIBUTION: &str = "expected_error";

/// The smallest expected error that changes a prediction.
const MIN_MEAN: f64 = 0.005;

/// The distribution of the errors of a kind of model, given those that were measured.
#[derive(Debug)]
pub(super) struct CollectiveErrors {
    measured: Vec<Place>,
    /// The operations with losses, and their errors.
    losses: Vec<(Place, f64)>,
    /// The Cholesky factor of the covariance of the measured errors, with their noise.
    root: LowerTriangle,
    /// The inverse of that covariance times the measured errors.
    weights: Vec<f64>,
    degrees: f64,
    /// The factor of all variances by the measured errors: 1 if they are as large as expected.
    scale: f64,
}

/// The error to expect of a prediction: Student's t with this mean, deviation and degrees of
/// freedom.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct ExpectedError {
    /// The mean of ln(T/T₀).
    mean: f64,
    deviation: f64,
    degrees: f64,
    /// The part of the deviation that measured errors leave open, from 0 to 1.
    open: f64,
    /// True if any error was measured.
    is_measured: bool,
}

impl CollectiveErrors {
    /// The distribution by the measured errors of a kind of model.
    pub(super) fn of(measured: &[MeasuredError]) -> Self {
        // Beyond the bound, every second or third one: sizes and algorithms next to each other are
        // alike.
        let step = measured.len().div_ceil(MAX_MEASURED).max(1);
        let (losses, measured): (Vec<&MeasuredError>, Vec<_>) =
            measured.iter().step_by(step).partition(|one| one.error.abs() > MIN_LOSS);
        let losses = losses.into_iter().map(|one| (Place::of(one), one.error)).collect();
        let places: Vec<Place> = measured.iter().map(|one| Place::of(one)).collect();
        // A measured error contains the noise of its readings, which is none of the model's.
        let covariance = SymmetricMatrix::from_lower(places.len(), |row, column| {
            let own = if row == column { measured[row].noise.hypot(LAUNCH_DEVIATION) } else { 0.0 };
            places[row].covariance(&places[column]) + own.powi(2)
        });
        let root = covariance.root();
        let errors: Vec<f64> = measured.iter().map(|one| one.error).collect();
        let weights = root.solve(&errors);
        // Clusters suit the model more or less. On one like the average of those that were learnt
        // from, the sum of squares is the number of errors, and the scale 1; the degrees of the prior
        // keep a few small errors from promising that all others are small.
        let squares: f64 = errors.iter().zip(&weights).map(|(error, weight)| error * weight).sum();
        let degrees = prior::DEGREES + errors.len() as f64;
        let scale = (prior::DEGREES + squares) / degrees;
        Self { measured: places, losses, root, weights, degrees, scale }
    }

    /// The error to expect of a query; `None` if it is no collective operation with an algorithm.
    pub(super) fn expected(&self, query: &Query) -> Option<ExpectedError> {
        let place = Place::of_query(query)?;
        if let Some(mean) = self.loss(&place) {
            let (deviation, degrees) = (LOSS_DEVIATION * mean.abs(), self.degrees);
            return Some(ExpectedError { mean, deviation, degrees, open: 0.0, is_measured: true });
        }
        // The normal distribution given the measured errors: what these explain is subtracted from
        // the variance, and the mean is their average by similarity.
        let covariances = self.covariances(&place);
        let prior = place.covariance(&place);
        let variance = (prior - self.explained(&covariances, &covariances)).max(0.0);
        let mean = covariances.iter().zip(&self.weights).map(|(one, weight)| one * weight).sum();
        let deviation = (self.scale * (variance + LAUNCH_DEVIATION.powi(2))).sqrt();
        Some(ExpectedError {
            mean,
            deviation,
            degrees: self.degrees,
            open: (variance / prior).sqrt(),
            is_measured: !self.measured.is_empty(),
        })
    }

    /// The measured error of an operation with losses; `None` for others.
    fn loss(&self, place: &Place) -> Option<f64> {
        let found = self.losses.iter().find(|(measured, _)| measured.is_same(place));
        found.map(|(_, error)| *error)
    }

    /// The standard deviation of the difference of two errors, each times a weight; `None` if a query
    /// is no collective operation with an algorithm, or one with losses.
    pub(super) fn deviation_of_difference(
        &self,
        one: (&Query, f64),
        other: (&Query, f64),
    ) -> Option<f64> {
        let (a, b) = (Place::of_query(one.0)?, Place::of_query(other.0)?);
        if self.loss(&a).or(self.loss(&b)).is_some() {
            return None;
        }
        // Var(u·a − v·b) of two operations that have most of their error in common is far below the
        // sum of their variances: a choice between them can be certain although neither time is.
        let (of_a, of_b) = (self.covariances(&a), self.covariances(&b));
        let covariance = |x: &Place, y: &Place, of_x: &[f64], of_y: &[f64]| {
            x.covariance(y) - self.explained(of_x, of_y)
        };
        let variance = one.1.powi(2) * covariance(&a, &a, &of_a, &of_a)
            + other.1.powi(2) * covariance(&b, &b, &of_b, &of_b)
            - 2.0 * one.1 * other.1 * covariance(&a, &b, &of_a, &of_b);
        Some((self.scale * variance.max(0.0)).sqrt())
    }

    /// Student's quantile of the errors at a confidence level.
    pub(super) fn quantile(&self, level: f64) -> f64 {
        student_quantile(self.degrees, level)
    }

    /// The covariances of an error with the measured ones.
    fn covariances(&self, place: &Place) -> Vec<f64> {
        self.measured.iter().map(|measured| measured.covariance(place)).collect()
    }

    /// The part of a covariance that the measured errors explain.
    fn explained(&self, one: &[f64], other: &[f64]) -> f64 {
        self.root.solve(one).iter().zip(other).map(|(a, b)| a * b).sum()
    }
}

impl ExpectedError {
    /// The factor by which the predicted time is multiplied.
    pub(super) fn factor(&self) -> f64 {
        if self.mean.abs() < MIN_MEAN { 1.0 } else { self.mean.exp() }
    }

    /// Returns the prediction at the expected error, as a contribution without an error of its own.
    ///
    /// Measured errors contain those of the parameters, which therefore count for the part only
    /// that the measured errors leave open.
    pub(super) fn applied(&self, predicted: Predicted) -> Predicted {
        let factor = self.factor();
        let value = (factor - 1.0) * predicted.seconds.get();
        let interval = first_interval(&predicted.contributions);
        let mut applied = predicted;
        if value != 0.0 {
            let estimate = Estimate { interval, ..Estimate::exact(value) }.without_error();
            let parameter = ParameterId::of_all(CONTRIBUTION);
            applied = applied.plus(Contribution { parameter, factor: 1.0, estimate });
        }
        Predicted { error_factor: factor * self.open, ..applied }
    }

    /// Returns half the widths of the interval of a time below and above it \[s\], without the
    /// errors of parameters.
    pub(super) fn half_widths(&self, seconds: Seconds, level: f64) -> (f64, f64) {
        let exponent = student_quantile(self.degrees, level) * self.deviation;
        (seconds.get() * -f64::exp_m1(-exponent), seconds.get() * f64::exp_m1(exponent))
    }

    /// The factor by which the time may be wrong at a confidence level.
    pub(super) fn factor_at(&self, level: f64) -> f64 {
        (student_quantile(self.degrees, level) * self.deviation).exp()
    }

    /// True if any error was measured.
    pub(super) fn is_measured(&self) -> bool {
        self.is_measured
    }

    /// The part of the deviation that measured errors leave open, from 0 to 1.
    pub(super) fn open(&self) -> f64 {
        self.open
    }
}

impl Model {
    /// Returns true if the thresholds of the model were estimated from an operation: these take the
    /// place of its errors.
    pub(super) fn has_thresholds_of(&self, experiment: &Experiment) -> bool {
        match *experiment {
            Experiment::Collective { kind, algorithm, root, procs, size } => {
                let operation =
                    Collective { kind, algorithm, root: Rank(root.0), ranks: procs, block: size };
                self.thresholds_of(&operation).is_some()
            }
            _ => false,
        }
    }

    /// The distribution of the errors of a kind of model in collective operations.
    pub(super) fn collective_errors(&self, kind: ModelKind) -> CollectiveErrors {
        let measured =
            self.discrepancies.get(&kind).map(|all| &all.collectives[..]).unwrap_or_default();
        CollectiveErrors::of(measured)
    }
}
