//! Sums of the errors of several forecasters: over all forecasts, and over the last ones.

/// The numbers of last errors over which choices are made.
pub(super) const ERROR_WINDOWS: [usize; 7] = [1, 5, 10, 20, 30, 50, 100];

/// The number of errors that are kept: the longest window.
const KEPT: usize = 100;

/// A difference below this part of the number that it is subtracted from has lost 10 bits, and is
/// computed anew.
const MIN_REMAINDER: f64 = 1.0 / 1024.0;

/// A measure of the errors of forecasts. The mean follows from the sum, because all forecasters
/// have as many errors.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ErrorMeasure {
    /// The squared error: MSE.
    Squared,
    /// The absolute error: MAE.
    Absolute,
}

impl ErrorMeasure {
    /// Both measures, in the order of their sums.
    pub(super) const ALL: [Self; 2] = [Self::Squared, Self::Absolute];

    /// The measure of an error: its absolute value, as given, or the square.
    fn of(self, error: f64) -> f64 {
        match self {
            Self::Squared => error * error,
            Self::Absolute => error,
        }
    }
}

/// The sums of squared and absolute errors of `N` forecasters over all forecasts.
#[derive(Debug, Clone)]
pub(super) struct CumulativeErrors<const N: usize> {
    sums: [[f64; N]; 2],
}

impl<const N: usize> Default for CumulativeErrors<N> {
    fn default() -> Self {
        Self { sums: [[0.0; N]; 2] }
    }
}

impl<const N: usize> CumulativeErrors<N> {
    /// Adds the absolute errors of all forecasters for one value.
    pub(super) fn update(&mut self, errors: &[f64; N]) {
        for (sums, measure) in self.sums.iter_mut().zip(ErrorMeasure::ALL) {
            sums.iter_mut().zip(errors).for_each(|(sum, &error)| *sum += measure.of(error));
        }
    }

    /// The sum of this measure of the errors of each forecaster.
    pub(super) fn sums(&self, measure: ErrorMeasure) -> &[f64; N] {
        &self.sums[measure as usize]
    }
}

/// The sums of squared and absolute errors of `N` forecasters over the last errors, for each length
/// of [`ERROR_WINDOWS`].
///
/// An update adds the new error and subtracts the one that leaves. A sum is computed anew from the
/// kept errors where the subtraction cancels more than 10 bits, and after as many updates as its
/// window is long. Between two such computations there are at most 100 roundings, each of 2⁻⁵³ of a
/// sum that is at most 2¹⁰ times the result. So the relative error is at most 200 · 2⁻⁴³ < 3e-11,
/// and the amortised cost of an update does not depend on the length of the window.
#[derive(Debug, Clone)]
pub(super) struct RecentErrors<const N: usize> {
    /// The last absolute errors; those of update i are at i modulo the length.
    kept: Vec<[f64; N]>,
    /// The number of updates.
    count: u64,
    sums: [[[f64; N]; 2]; ERROR_WINDOWS.len()],
}

impl<const N: usize> Default for RecentErrors<N> {
    fn default() -> Self {
        Self { kept: vec![[0.0; N]; KEPT], count: 0, sums: [[[0.0; N]; 2]; ERROR_WINDOWS.len()] }
    }
}

impl<const N: usize> RecentErrors<N> {
    /// Adds the absolute errors of all forecasters for one value.
    pub(super) fn update(&mut self, errors: &[f64; N]) {
        let mut all = self.sums;
        for (sums, window) in all.iter_mut().zip(ERROR_WINDOWS) {
            let is_full = self.count >= window as u64;
            let is_due = self.count.is_multiple_of(window as u64);
            let leaving = self.errors_before(window);
            for (sums, measure) in sums.iter_mut().zip(ErrorMeasure::ALL) {
                for (k, (sum, &error)) in sums.iter_mut().zip(errors).enumerate() {
                    let mut rest = *sum;
                    if is_full {
                        rest -= measure.of(leaving[k]);
                        if is_due || rest < *sum * MIN_REMAINDER {
                            rest = self.sum(k, measure, window - 1);
                        }
                    }
                    *sum = rest + measure.of(error);
                }
            }
        }
        self.sums = all;
        self.kept[(self.count % KEPT as u64) as usize] = *errors;
        self.count += 1;
    }

    /// The sum of each forecaster over the last errors: `window` is an index of [`ERROR_WINDOWS`].
    pub(super) fn sums(&self, measure: ErrorMeasure, window: usize) -> &[f64; N] {
        &self.sums[window][measure as usize]
    }

    /// The errors of this number of updates ago, from 1; zeros before the first update.
    fn errors_before(&self, updates: usize) -> &[f64; N] {
        let index = (self.count + (KEPT - updates) as u64) % KEPT as u64;
        &self.kept[index as usize]
    }

    /// The sum of a forecaster over this number of last errors, from the kept errors.
    fn sum(&self, forecaster: usize, measure: ErrorMeasure, errors: usize) -> f64 {
        (1..=errors).map(|updates| measure.of(self.errors_before(updates)[forecaster])).sum()
    }
}

/// The first forecaster with the least sum.
pub(super) fn least<const N: usize>(sums: &[f64; N]) -> usize {
    let mut least = 0;
    for (k, sum) in sums.iter().enumerate() {
        if *sum < sums[least] {
            least = k;
        }
    }
    least
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Errors between 1e-3 and 1e12, with zeros: a subtraction alone would lose all digits.
    fn errors(step: u64) -> [f64; 2] {
        let hash = (step + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40;
        let spike = if hash.is_multiple_of(37) { 1e12 } else { 1e-3 };
        [hash as f64 * spike, if (step / 150).is_multiple_of(2) { hash as f64 } else { 0.0 }]
    }

    #[test]
    fn sums_do_not_drift() {
        let mut recent = RecentErrors::<2>::default();
        for step in 0..5_000_u64 {
            recent.update(&errors(step));
            for (at, window) in ERROR_WINDOWS.into_iter().enumerate() {
                for measure in ErrorMeasure::ALL {
                    for k in 0..2 {
                        let first = (step + 1).saturating_sub(window as u64);
                        let exact: f64 =
                            (first..=step).map(|past| measure.of(errors(past)[k])).sum();
                        let sum = recent.sums(measure, at)[k];
                        assert!(
                            (sum - exact).abs() <= 3e-11 * exact,
                            "step {step}, last {window}: {sum} {exact}"
                        );
                    }
                }
            }
        }
    }

    #[test]
    fn the_first_of_equal_sums_is_the_least() {
        assert_eq!(least(&[3.0, 1.0, 1.0]), 1);
    }
}
