//! Slowdowns as quotients of two estimated times.

use super::data::{CalibrationData, ErrorModel, IndexedSlowdowns};
use crate::sharing::Transfer;

/// A slowdown P = T / T_ref, the ratio of two estimated times.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SlowdownEstimate {
    /// T / T_ref.
    pub slowdown: f64,
    /// The variance of T over T²; `None` where no reading was repeated.
    pub variance: Option<f64>,
    /// The index of T_ref among the references.
    pub reference: usize,
}

/// A scheme whose transfers were measured together and each by itself.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct SchemeSlowdowns {
    /// The transfers, which start together.
    pub transfers: Vec<Transfer>,
    /// The slowdown of each transfer; `None` where it was not measured.
    pub slowdowns: Vec<Option<SlowdownEstimate>>,
    /// The degrees of freedom of the variances.
    pub freedom: f64,
}

/// Schemes and the reference times of their transfers. Slowdowns with the same reference share its
/// error.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ReferencedSlowdowns {
    /// The schemes.
    pub schemes: Vec<SchemeSlowdowns>,
    /// The variance of each T_ref over its square; `None` where no reading was repeated.
    pub references: Vec<Option<f64>>,
    /// The degrees of freedom of these variances.
    pub freedom: f64,
    /// The number of readings behind all times.
    pub readings: u64,
}

impl ReferencedSlowdowns {
    /// All slowdowns in order, each with the index of its scheme.
    fn all(&self) -> impl Iterator<Item = (usize, SlowdownEstimate)> + '_ {
        let of_scheme = |(s, scheme): (usize, &'_ SchemeSlowdowns)| {
            scheme
                .slowdowns
                .iter()
                .take(scheme.transfers.len())
                .flatten()
                .map(|&one| (s, one))
                .collect::<Vec<_>>()
        };
        self.schemes.iter().enumerate().flat_map(of_scheme)
    }

    /// The errors by the variances of repeated readings; `None` where a variance is unknown.
    fn errors_of_repetition(&self) -> Option<ErrorModel> {
        let freedom =
            self.schemes.iter().map(|scheme| scheme.freedom).chain([self.freedom]).collect();
        let mut errors = ErrorModel::with_pools(freedom);
        let mut sharing_reference = vec![Vec::new(); self.references.len()];
        for (k, (scheme, one)) in self.all().enumerate() {
            errors = errors.with_term(one.variance?, scheme, vec![k]);
            sharing_reference.get_mut(one.reference)?.push(k);
        }
        for (variance, observations) in self.references.iter().zip(sharing_reference) {
            if !observations.is_empty() {
                errors = errors.with_term((*variance)?, self.schemes.len(), observations);
            }
        }
        Some(errors)
    }
}

impl CalibrationData for ReferencedSlowdowns {
    fn schemes(&self) -> Vec<(&[Transfer], IndexedSlowdowns)> {
        let slowdowns = |scheme: &SchemeSlowdowns| {
            let all = scheme.slowdowns.iter().take(scheme.transfers.len()).enumerate();
            all.filter_map(|(k, one)| Some((k, one.as_ref()?.slowdown))).collect()
        };
        self.schemes.iter().map(|scheme| (&scheme.transfers[..], slowdowns(scheme))).collect()
    }

    fn readings(&self) -> u64 {
        self.readings
    }

    /// The errors of repetition, with variances multiplied by χ² / degrees of freedom of the fit
    /// where that is above 1; χ² = Σ residual² / variance.
    fn errors(&self, residuals: &[f64], parameters: usize) -> ErrorModel {
        let Some(errors) = self.errors_of_repetition() else { return ErrorModel::unknown() };
        let variances = errors.variances(residuals.len());
        let squares = residuals.iter().zip(&variances).filter(|(_, variance)| **variance > 0.0);
        let chi_squared: f64 =
            squares.map(|(residual, variance)| residual * residual / variance).sum();
        let freedom = residuals.len().saturating_sub(parameters);
        let factor = if freedom > 0 { chi_squared / freedom as f64 } else { 1.0 };
        errors.scaled(factor.max(1.0))
    }
}
