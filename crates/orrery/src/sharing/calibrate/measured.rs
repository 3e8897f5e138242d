use super::evidence::{CalibrationData, ErrorModel, IndexedSlowdowns};
use crate::sharing::Transfer;

/// A scheme with the slowdowns that were measured.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct MeasuredSlowdowns {
    /// The transfers, all at the same time.
    pub transfers: Vec<Transfer>,
    /// The readings of T / T_ref of each transfer, one for each repetition; none where it was not measured.
    pub slowdowns: Vec<Vec<f64>>,
}

impl MeasuredSlowdowns {
    /// The sum of the squared relative deviations of repeated readings from their mean, and how many are free.
    fn deviations(&self) -> (f64, usize) {
        let of = |readings: &Vec<f64>| {
            let mean = readings.iter().sum::<f64>() / readings.len() as f64;
            (readings.iter().map(|y| (y / mean - 1.0).powi(2)).sum::<f64>(), readings.len().saturating_sub(1))
        };
        let repeated = self.slowdowns.iter().take(self.transfers.len()).filter(|readings| readings.len() > 1);
        repeated.map(of).fold((0.0, 0), |sum, one| (sum.0 + one.0, sum.1 + one.1))
    }
}

/// Every reading is an observation, and errs by itself.
impl<T: AsRef<[MeasuredSlowdowns]>> CalibrationData for T {
    fn schemes(&self) -> Vec<(&[Transfer], IndexedSlowdowns)> {
        let of = |one: &MeasuredSlowdowns| {
            let readings = one.slowdowns.iter().take(one.transfers.len()).enumerate();
            readings.flat_map(|(k, readings)| readings.iter().map(move |&y| (k, y))).collect()
        };
        self.as_ref().iter().map(|one| (&one.transfers[..], of(one))).collect()
    }

    fn readings(&self) -> u64 {
        self.schemes().iter().map(|(_, readings)| readings.len() as u64).sum()
    }

    fn spread(&self, residuals: &[f64], unknowns: usize) -> ErrorModel {
        let all = self
            .as_ref()
            .iter()
            .map(MeasuredSlowdowns::deviations)
            .fold((0.0, 0), |sum, one| (sum.0 + one.0, sum.1 + one.1));
        if all.1 == 0 {
            return ErrorModel::unknown();
        }
        let free = residuals.len().saturating_sub(unknowns) as f64;
        let pure = (all.0 / all.1 as f64, all.1 as f64);
        let fitted = (residuals.iter().map(|r| r * r).sum::<f64>() / free, free);
        let (variance, free) = if fitted.0 > pure.0 { fitted } else { pure };
        ErrorModel::alike(residuals.len(), variance, free)
    }
}
