//! Parameters and times by the rows that are read.
//!
//! The model of the time t of a row with the counts F: log t = log(Σ_k F_k·θ_k) + deviation +
//! noise, where the logs of the parameters θ are normal with the medians θ₀ and the variances v,
//! and the deviations are normal with the covariance K of the [`Design`].

use nalgebra::{DMatrix, DVector};

use super::structure::{TERMS, Term};
use super::{CollectiveReadings, Design, MeasuredError, prior};
use orrery_base::numeric::normal_quantile;
use orrery_base::units::Seconds;

/// The largest number of Gauss-Newton steps for each fit; fits after further readings continue
/// where the last one ended.
const MAX_STEPS: usize = 5;

/// The largest change of the log of a parameter in one step.
const MAX_STEP: f64 = 1.0;

/// The change of the logs of parameters below which they have converged.
const CONVERGED: f64 = 1e-3;

/// A time with its interval.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PredictedTime {
    /// The predicted median.
    pub seconds: Seconds,
    /// The interval of a reading, of 90 %.
    pub interval: (Seconds, Seconds),
}

impl PredictedTime {
    /// The time whose log has this mean and variance.
    pub(super) fn of_log(mean: f64, variance: f64) -> Self {
        let half_width = normal_quantile(prior::LEVEL) * variance.max(0.0).sqrt();
        let seconds = |log: f64| Seconds::new(log.exp());
        Self {
            seconds: seconds(mean),
            interval: (seconds(mean - half_width), seconds(mean + half_width)),
        }
    }
}

/// The times of all rows of a design by those that are read: their joint distribution.
#[derive(Debug, Clone)]
pub struct MeasuredModel<'a> {
    pub(super) design: &'a Design,
    /// The indices of the rows that are read.
    pub(super) read: Vec<usize>,
    /// The logs of their times.
    logs: Vec<f64>,
    /// The logs of the parameters.
    log_parameters: [f64; TERMS],
    /// The means of the logs of the times.
    pub(super) means: DVector<f64>,
    /// Their covariance.
    pub(super) covariance: DMatrix<f64>,
}

/// log(F·θ) at the prior medians, by the linear approximation at θ, and its derivatives by the logs
/// of the parameters.
struct Linearised {
    at_prior: DVector<f64>,
    derivatives: DMatrix<f64>,
}

impl<'a> MeasuredModel<'a> {
    /// The model without any reading.
    pub fn new(design: &'a Design) -> Self {
        let log_parameters = prior::MEDIANS.map(f64::ln);
        let mut model = Self {
            design,
            read: Vec::new(),
            logs: Vec::new(),
            log_parameters,
            means: DVector::zeros(0),
            covariance: DMatrix::zeros(0, 0),
        };
        let linearised = model.linearised();
        model.covariance = model.prior_covariance(&linearised);
        model.means = linearised.at_prior;
        model
    }

    /// The model by all readings.
    ///
    /// # Errors
    ///
    /// If the covariance of the readings is singular.
    pub fn of(design: &'a Design, readings: &CollectiveReadings) -> Result<Self, MeasuredError> {
        let mut model = Self::new(design);
        model.read(
            readings
                .times
                .iter()
                .filter_map(|(row, seconds)| Some((design.index_of(row)?, *seconds))),
        )?;
        Ok(model)
    }

    /// Adds readings, in seconds, of rows of the design with these indices, and fits. Readings of 0
    /// are ignored.
    ///
    /// # Errors
    ///
    /// If the covariance of the readings is singular.
    pub fn read(
        &mut self,
        readings: impl IntoIterator<Item = (usize, f64)>,
    ) -> Result<(), MeasuredError> {
        for (row, seconds) in readings.into_iter().filter(|(_, seconds)| *seconds > 0.0) {
            self.read.push(row);
            self.logs.push(seconds.ln());
        }
        self.fit()
    }

    /// The parameters in the order of [`Term::ALL`], in seconds and seconds per byte.
    pub fn parameters(&self) -> [f64; TERMS] {
        self.log_parameters.map(f64::exp)
    }

    /// The indices of the rows that are read, in the order of reading.
    pub fn rows_read(&self) -> &[usize] {
        &self.read
    }

    /// The time of a further reading of a row.
    pub fn time(&self, row: usize) -> PredictedTime {
        PredictedTime::of_log(self.means[row], self.covariance[(row, row)] + prior::NOISE.powi(2))
    }

    /// The term with the largest part of the time of a row by the formula, and its part (0 to 1).
    pub fn dominant_term(&self, row: usize) -> (Term, f64) {
        let counts = self.design.counts[row];
        let parts: Vec<f64> = counts
            .iter()
            .zip(self.parameters())
            .map(|(count, parameter)| count * parameter)
            .collect();
        let total: f64 = parts.iter().sum();
        let largest = (0..TERMS).fold(0, |best, k| if parts[k] > parts[best] { k } else { best });
        (Term::ALL[largest], parts[largest] / total)
    }

    /// Adds a reading of a row whose log is its mean, so that only the covariance changes: P ← P −
    /// P_.r·P_r./(P_rr + σ²).
    pub(super) fn read_at_mean(&mut self, row: usize) {
        let column = self.covariance.column(row).clone_owned();
        let factor = -1.0 / (column[row] + prior::NOISE.powi(2));
        self.covariance.ger(factor, &column, &column, 1.0);
        self.read.push(row);
        self.logs.push(self.means[row]);
    }

    /// The maximum of the posterior density of the parameters by Gauss-Newton steps, then the
    /// distribution of all rows.
    ///
    /// With J the derivatives of f = log(F·θ) by log θ, f* = f + J·(log θ₀ − log θ), y the logs of
    /// the readings, b their rows: A = K_bb + J_b·V·J_bᵀ + σ²·I and log θ ← log θ₀ + V·J_bᵀ·A⁻¹·(y
    /// − f*_b). Then with the covariance C = K + J·V·Jᵀ the means are f* + C_.b·A⁻¹·(y − f*_b) and
    /// the covariance is C − C_.b·A⁻¹·C_b.
    fn fit(&mut self) -> Result<(), MeasuredError> {
        for _ in 0..if self.read.is_empty() { 0 } else { MAX_STEPS } {
            let linearised = self.linearised();
            let derivatives = linearised.derivatives.select_rows(&self.read);
            let scaled = Self::scaled(&derivatives);
            let mut a = &scaled * derivatives.transpose();
            for (i, &row) in self.read.iter().enumerate() {
                for (j, &other) in self.read.iter().enumerate() {
                    a[(i, j)] += self.design.covariance[(row, other)];
                }
                a[(i, i)] += prior::NOISE.powi(2);
            }
            let weights =
                a.cholesky().ok_or(MeasuredError::Singular)?.solve(&self.innovations(&linearised));
            let target = scaled.tr_mul(&weights);
            let mut largest = 0.0_f64;
            for (k, log) in self.log_parameters.iter_mut().enumerate() {
                let step = (prior::MEDIANS[k].ln() + target[k] - *log).clamp(-MAX_STEP, MAX_STEP);
                *log += step;
                largest = largest.max(step.abs());
            }
            if largest < CONVERGED {
                break;
            }
        }
        self.condition()
    }

    /// The distribution of all rows by those that are read.
    fn condition(&mut self) -> Result<(), MeasuredError> {
        let linearised = self.linearised();
        let covariance = self.prior_covariance(&linearised);
        if self.read.is_empty() {
            (self.means, self.covariance) = (linearised.at_prior, covariance);
            return Ok(());
        }
        let to_read = covariance.select_rows(&self.read);
        let mut a = to_read.select_columns(&self.read);
        (0..a.nrows()).for_each(|i| a[(i, i)] += prior::NOISE.powi(2));
        let factor = a.cholesky().ok_or(MeasuredError::Singular)?;
        let solved =
            factor.l_dirty().solve_lower_triangular(&to_read).ok_or(MeasuredError::Singular)?;
        self.means =
            &linearised.at_prior + to_read.tr_mul(&factor.solve(&self.innovations(&linearised)));
        self.covariance = covariance - solved.tr_mul(&solved);
        Ok(())
    }

    /// The readings minus their prior means.
    fn innovations(&self, linearised: &Linearised) -> DVector<f64> {
        DVector::from_fn(self.read.len(), |i, _| self.logs[i] - linearised.at_prior[self.read[i]])
    }

    /// The covariance of all rows before any reading: K + J·V·Jᵀ.
    fn prior_covariance(&self, linearised: &Linearised) -> DMatrix<f64> {
        &self.design.covariance
            + Self::scaled(&linearised.derivatives) * linearised.derivatives.transpose()
    }

    /// J·V with the prior variances V of the logs of the parameters.
    fn scaled(derivatives: &DMatrix<f64>) -> DMatrix<f64> {
        let variances = prior::DEVIATIONS.map(|deviation| deviation * deviation);
        derivatives.map_with_location(|_, k, derivative| derivative * variances[k])
    }

    /// The linear approximation of the logarithms of all times in the logarithms of the parameters,
    /// at their present values.
    fn linearised(&self) -> Linearised {
        let (parameters, rows) = (self.parameters(), self.design.counts.len());
        let mut at_prior = DVector::zeros(rows);
        let mut derivatives = DMatrix::zeros(rows, TERMS);
        for (row, counts) in self.design.counts.iter().enumerate() {
            let parts: [f64; TERMS] = std::array::from_fn(|k| counts[k] * parameters[k]);
            let total: f64 = parts.iter().sum();
            let mut log = total.ln();
            for k in 0..TERMS {
                derivatives[(row, k)] = parts[k] / total;
                log += parts[k] / total * (prior::MEDIANS[k].ln() - self.log_parameters[k]);
            }
            at_prior[row] = log;
        }
        Linearised { at_prior, derivatives }
    }
}
