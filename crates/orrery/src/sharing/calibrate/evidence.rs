use crate::sharing::Transfer;

/// Observed slowdowns, each with the number of its transfer.
pub type IndexedSlowdowns = Vec<(usize, f64)>;

/// What parameters are fitted to: slowdowns of the transfers of schemes, and how far they err.
///
/// [`MeasuredSlowdowns`](super::MeasuredSlowdowns) takes each reading by itself, [`ReferencedSlowdowns`](super::ReferencedSlowdowns) medians over medians.
pub trait CalibrationData {
    /// The transfers of each scheme, and what was observed of them.
    fn schemes(&self) -> Vec<(&[Transfer], IndexedSlowdowns)>;

    /// How many readings all of this rests on.
    fn readings(&self) -> u64;

    /// How far the observations err, given the relative residuals of a fit with so many unknowns.
    fn spread(&self, residuals: &[f64], unknowns: usize) -> ErrorModel;
}

/// How far observations err: independent errors, each of some observations together.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ErrorModel {
    errors: Vec<Error>,
    /// How many pools of degrees of freedom there are; nothing where the errors are not known.
    free: Option<Vec<f64>>,
}

/// A relative error that some observations have in common.
#[derive(Debug, Clone, PartialEq)]
struct Error {
    variance: f64,
    /// The pool that its variance was estimated from.
    pool: usize,
    observations: Vec<usize>,
}

impl ErrorModel {
    /// Nothing is known of it.
    pub fn unknown() -> Self {
        Self::default()
    }

    /// So many observations err by themselves, all alike.
    pub fn alike(observations: usize, variance: f64, free: f64) -> Self {
        let error = |k| Error { variance, pool: 0, observations: vec![k] };
        Self { errors: (0..observations).map(error).collect(), free: Some(vec![free]) }
    }

    /// No errors yet, with pools of these degrees of freedom.
    pub fn pooled(free: Vec<f64>) -> Self {
        Self { errors: Vec::new(), free: Some(free) }
    }

    /// With an error that these observations have in common.
    #[must_use]
    pub fn with(mut self, variance: f64, pool: usize, observations: Vec<usize>) -> Self {
        self.errors.push(Error { variance, pool, observations });
        self
    }

    /// The same with all variances so many times as large.
    #[must_use]
    pub fn times(mut self, factor: f64) -> Self {
        self.errors.iter_mut().for_each(|error| error.variance *= factor);
        self
    }

    /// The variance of each observation.
    pub fn of_observations(&self, count: usize) -> Vec<f64> {
        let mut all = vec![0.0; count];
        for error in &self.errors {
            error.observations.iter().for_each(|&k| all[k] += error.variance);
        }
        all
    }

    /// The variance of Σ `moves`·errors and its degrees of freedom, by Welch and Satterthwaite over the pools.
    pub fn variance_of(&self, moves: &[f64]) -> Option<(f64, f64)> {
        let free = self.free.as_ref()?;
        let mut pools = vec![0.0; free.len()];
        for error in &self.errors {
            let together: f64 = error.observations.iter().map(|&k| moves[k]).sum();
            pools[error.pool] += together * together * error.variance;
        }
        let variance: f64 = pools.iter().sum();
        let parts: f64 = pools.iter().zip(free).filter(|(part, _)| **part > 0.0).map(|(p, free)| p * p / free).sum();
        Some((variance, if parts > 0.0 { variance * variance / parts } else { f64::INFINITY }))
    }
}
