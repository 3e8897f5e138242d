//! Measured slowdowns and their errors.

use crate::sharing::Transfer;

/// Observed slowdowns T / T_ref, each with the index of its transfer.
pub type IndexedSlowdowns = Vec<(usize, f64)>;

/// The data to which the parameters of a law are fitted: slowdowns of the transfers of schemes, and
/// their errors.
///
/// [`MeasuredSlowdowns`] takes every reading as an observation,
/// [`ReferencedSlowdowns`](super::ReferencedSlowdowns) quotients of medians.
pub trait CalibrationData {
    /// The transfers of each scheme, and the slowdowns that were observed.
    fn schemes(&self) -> Vec<(&[Transfer], IndexedSlowdowns)>;

    /// The number of readings behind all observations.
    fn readings(&self) -> u64;

    /// The errors of the observations, given the relative residuals of a fit with this number of
    /// parameters.
    fn errors(&self, residuals: &[f64], parameters: usize) -> ErrorModel;
}

/// The errors of observations: independent error terms, each shared by some of the observations.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ErrorModel {
    terms: Vec<ErrorTerm>,
    /// The degrees of freedom of each pool of variances; `None` if the errors are unknown.
    freedom: Option<Vec<f64>>,
}

/// A relative error that some observations share.
#[derive(Debug, Clone, PartialEq)]
struct ErrorTerm {
    variance: f64,
    /// The pool from which its variance was estimated.
    pool: usize,
    observations: Vec<usize>,
}

impl ErrorModel {
    /// Returns the model of unknown errors, which has no intervals.
    pub fn unknown() -> Self {
        Self::default()
    }

    /// Independent errors of equal variance for this number of observations; the variance has
    /// `freedom` degrees of freedom.
    pub fn independent(observations: usize, variance: f64, freedom: f64) -> Self {
        let term = |k| ErrorTerm { variance, pool: 0, observations: vec![k] };
        Self { terms: (0..observations).map(term).collect(), freedom: Some(vec![freedom]) }
    }

    /// No error terms yet, and pools of variances with these degrees of freedom.
    pub fn with_pools(freedom: Vec<f64>) -> Self {
        Self { terms: Vec::new(), freedom: Some(freedom) }
    }

    /// Adds an error term with a variance estimated from a pool, which these observations share.
    #[must_use]
    pub fn with_term(mut self, variance: f64, pool: usize, observations: Vec<usize>) -> Self {
        self.terms.push(ErrorTerm { variance, pool, observations });
        self
    }

    /// Multiplies all variances by a factor.
    #[must_use]
    pub fn scaled(mut self, factor: f64) -> Self {
        self.terms.iter_mut().for_each(|term| term.variance *= factor);
        self
    }

    /// The variance of the error of each of this number of observations; 0 without error terms.
    pub fn variances(&self, observations: usize) -> Vec<f64> {
        let mut all = vec![0.0; observations];
        for term in &self.terms {
            term.observations.iter().for_each(|&k| all[k] += term.variance);
        }
        all
    }

    /// The variance of Σ_k weights_k · error_k and its degrees of freedom, by Welch and
    /// Satterthwaite over the pools; `None` if the errors are unknown.
    pub fn variance_of_sum(&self, weights: &[f64]) -> Option<(f64, f64)> {
        let freedom = self.freedom.as_ref()?;
        let mut pools = vec![0.0; freedom.len()];
        for term in &self.terms {
            let weight: f64 = term.observations.iter().map(|&k| weights[k]).sum();
            pools[term.pool] += weight * weight * term.variance;
        }
        let variance: f64 = pools.iter().sum();
        let sum: f64 = pools
            .iter()
            .zip(freedom)
            .filter(|(part, _)| **part > 0.0)
            .map(|(p, free)| p * p / free)
            .sum();
        Some((variance, if sum > 0.0 { variance * variance / sum } else { f64::INFINITY }))
    }
}

/// A scheme with the readings of its slowdowns.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct MeasuredSlowdowns {
    /// The transfers, which start together.
    pub transfers: Vec<Transfer>,
    /// The readings of T / T_ref of each transfer, one for each repetition; empty where it was not
    /// measured.
    pub slowdowns: Vec<Vec<f64>>,
}

impl MeasuredSlowdowns {
    /// The sum of squared relative deviations of repeated readings from their means, and its
    /// degrees of freedom.
    fn deviations(&self) -> (f64, usize) {
        let of_transfer = |readings: &Vec<f64>| {
            let mean = readings.iter().sum::<f64>() / readings.len() as f64;
            (
                readings.iter().map(|y| (y / mean - 1.0).powi(2)).sum::<f64>(),
                readings.len().saturating_sub(1),
            )
        };
        let repeated =
            self.slowdowns.iter().take(self.transfers.len()).filter(|readings| readings.len() > 1);
        repeated.map(of_transfer).fold((0.0, 0), |sum, one| (sum.0 + one.0, sum.1 + one.1))
    }
}

/// Every reading is an observation with an independent error.
impl<T: AsRef<[MeasuredSlowdowns]>> CalibrationData for T {
    fn schemes(&self) -> Vec<(&[Transfer], IndexedSlowdowns)> {
        let slowdowns = |one: &MeasuredSlowdowns| {
            let readings = one.slowdowns.iter().take(one.transfers.len()).enumerate();
            readings.flat_map(|(k, readings)| readings.iter().map(move |&y| (k, y))).collect()
        };
        self.as_ref().iter().map(|one| (&one.transfers[..], slowdowns(one))).collect()
    }

    fn readings(&self) -> u64 {
        self.schemes().iter().map(|(_, readings)| readings.len() as u64).sum()
    }

    /// The larger of two variances: that of repeated readings about their means, and that of the
    /// residuals.
    fn errors(&self, residuals: &[f64], parameters: usize) -> ErrorModel {
        let deviations = self.as_ref().iter().map(MeasuredSlowdowns::deviations);
        let (squares, freedom) =
            deviations.fold((0.0, 0), |sum, one| (sum.0 + one.0, sum.1 + one.1));
        if freedom == 0 {
            return ErrorModel::unknown();
        }
        let residual_freedom = residuals.len().saturating_sub(parameters) as f64;
        let repeated = (squares / freedom as f64, freedom as f64);
        let fitted =
            (residuals.iter().map(|r| r * r).sum::<f64>() / residual_freedom, residual_freedom);
        let (variance, freedom) = if fitted.0 > repeated.0 { fitted } else { repeated };
        ErrorModel::independent(residuals.len(), variance, freedom)
    }
}
