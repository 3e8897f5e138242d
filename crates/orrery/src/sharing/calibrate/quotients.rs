use super::evidence::{CalibrationData, ErrorModel, IndexedSlowdowns};
use crate::sharing::Transfer;

/// A slowdown P = T / T_ref of which both times were estimated.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SlowdownEstimate {
    /// T / T_ref.
    pub slowdown: f64,
    /// The variance of T relative to T²; nothing where no reading was repeated.
    pub variance: Option<f64>,
    /// Which of the references it was divided by.
    pub reference: usize,
}

/// A scheme whose transfers were measured against lone ones.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct SchemeSlowdowns {
    /// The transfers, all at the same time.
    pub transfers: Vec<Transfer>,
    /// The slowdown of each; nothing where it was not measured.
    pub slowdowns: Vec<Option<SlowdownEstimate>>,
    /// The degrees of freedom of the variances.
    pub free: f64,
}

/// Schemes that were measured against lone transfers, which err too: all that was divided by one reference errs together.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ReferencedSlowdowns {
    /// The schemes.
    pub schemes: Vec<SchemeSlowdowns>,
    /// The variance of each T_ref relative to its square; nothing where no reading was repeated.
    pub references: Vec<Option<f64>>,
    /// The degrees of freedom of these variances.
    pub free: f64,
    /// How many readings there are.
    pub readings: u64,
}

impl ReferencedSlowdowns {
    /// All slowdowns in order, each with the number of its scheme.
    fn all(&self) -> impl Iterator<Item = (usize, SlowdownEstimate)> + '_ {
        let of = |(s, scheme): (usize, &'_ SchemeSlowdowns)| {
            scheme.slowdowns.iter().take(scheme.transfers.len()).flatten().map(|&one| (s, one)).collect::<Vec<_>>()
        };
        self.schemes.iter().enumerate().flat_map(of)
    }

    /// The errors that repetitions tell of; nothing where a variance is not known.
    fn repeated(&self) -> Option<ErrorModel> {
        let free = self.schemes.iter().map(|scheme| scheme.free).chain([self.free]).collect();
        let mut spread = ErrorModel::pooled(free);
        let mut shared = vec![Vec::new(); self.references.len()];
        for (k, (scheme, one)) in self.all().enumerate() {
            spread = spread.with(one.variance?, scheme, vec![k]);
            shared.get_mut(one.reference)?.push(k);
        }
        for (variance, observations) in self.references.iter().zip(shared) {
            if !observations.is_empty() {
                spread = spread.with((*variance)?, self.schemes.len(), observations);
            }
        }
        Some(spread)
    }
}

impl CalibrationData for ReferencedSlowdowns {
    fn schemes(&self) -> Vec<(&[Transfer], IndexedSlowdowns)> {
        let of = |scheme: &SchemeSlowdowns| {
            let all = scheme.slowdowns.iter().take(scheme.transfers.len()).enumerate();
            all.filter_map(|(k, one)| Some((k, one.as_ref()?.slowdown))).collect()
        };
        self.schemes.iter().map(|scheme| (&scheme.transfers[..], of(scheme))).collect()
    }

    fn readings(&self) -> u64 {
        self.readings
    }

    /// What repetitions tell, widened by what the law does not explain: with χ² = Σ r² / variance, by χ² over its degrees of
    /// freedom where that is above 1.
    fn spread(&self, residuals: &[f64], unknowns: usize) -> ErrorModel {
        let Some(spread) = self.repeated() else { return ErrorModel::unknown() };
        let variances = spread.of_observations(residuals.len());
        let squares = residuals.iter().zip(&variances).filter(|(_, variance)| **variance > 0.0);
        let excess: f64 = squares.map(|(residual, variance)| residual * residual / variance).sum();
        let free = residuals.len().saturating_sub(unknowns);
        let factor = if free > 0 { excess / free as f64 } else { 1.0 };
        spread.times(factor.max(1.0))
    }
}
