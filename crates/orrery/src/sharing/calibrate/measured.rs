use crate::sharing::Transfer;

/// A scheme with the slowdowns that were measured.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Measured {
    /// The transfers, all at the same time.
    pub transfers: Vec<Transfer>,
    /// The readings of T / T_ref of each transfer, one for each repetition; none where it was not measured.
    pub slowdowns: Vec<Vec<f64>>,
}

impl Measured {
    /// The readings with the place of their transfer.
    pub(super) fn readings(&self) -> impl Iterator<Item = (usize, f64)> + '_ {
        let of = |(k, readings): (usize, &'_ Vec<f64>)| readings.iter().map(|&y| (k, y)).collect::<Vec<_>>();
        self.slowdowns.iter().take(self.transfers.len()).enumerate().flat_map(of)
    }

    /// The sum of the squared relative deviations of repeated readings from their mean, and how many are free.
    pub(super) fn spread(&self) -> (f64, usize) {
        let of = |readings: &Vec<f64>| {
            let mean = readings.iter().sum::<f64>() / readings.len() as f64;
            (readings.iter().map(|y| (y / mean - 1.0).powi(2)).sum::<f64>(), readings.len().saturating_sub(1))
        };
        let repeated = self.slowdowns.iter().take(self.transfers.len()).filter(|readings| readings.len() > 1);
        repeated.map(of).fold((0.0, 0), |sum, one| (sum.0 + one.0, sum.1 + one.1))
    }
}
