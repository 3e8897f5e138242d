//! A weighted mean of forecasters whose weights follow their errors, also where the best one
//! changes.
//!
//! Fixed share (Herbster, Warmuth: Tracking the best expert, Machine Learning 32, 1998, section 5)
//! with absolute losses ℓ. After each value the weight w of forecaster k becomes
//!
//! w_k ← (1 − α)·v_k / Σv + α·π_k,  v_k = w_k·exp(−η·(ℓ_k − min ℓ)/s)
//!
//! with the prior π, learning rate η, share α, and scale s: the mean absolute error of the mixture,
//! discounted by λ for each value. The share keeps every weight above α·π, so that the mixture
//! follows a change of level or of behaviour within about ln(1/α)/η mean errors. The scale makes
//! forecasts independent of the unit.

/// The learning rate η: a forecaster that is worse by one mean error loses this part of its weight.
const LEARNING_RATE: f64 = 0.3;

/// The share α of the weights that is distributed anew with each value.
const SHARE: f64 = 1e-3;

/// The discount λ of past errors in the scale: about the last 100 errors count.
const DISCOUNT: f64 = 0.99;

/// The prior weight of the first forecaster, the last value; the others share the rest. The last
/// value is hard to beat in series that are close to random walks, and in short ones.
const FIRST_PRIOR: f64 = 0.5;

/// The maximum difference of losses in units of the scale: one spike must not erase all that was
/// learnt before.
const MAX_LOSS: f64 = 50.0;

/// The weights of `N` forecasters.
#[derive(Debug, Clone)]
pub(super) struct Mixture<const N: usize> {
    weights: [f64; N],
    /// The discounted sum of absolute errors of the mixture.
    errors: f64,
    /// The discounted number of errors.
    count: f64,
}

impl<const N: usize> Default for Mixture<N> {
    fn default() -> Self {
        Self { weights: std::array::from_fn(prior::<N>), errors: 0.0, count: 0.0 }
    }
}

/// The prior weight of a forecaster.
fn prior<const N: usize>(forecaster: usize) -> f64 {
    if forecaster == 0 { FIRST_PRIOR } else { (1.0 - FIRST_PRIOR) / (N - 1) as f64 }
}

impl<const N: usize> Mixture<N> {
    /// The weighted mean of forecasts.
    pub(super) fn combine(&self, forecasts: &[f64; N]) -> f64 {
        // Differences from the first forecast: the mean of equal forecasts is exact.
        let first = forecasts[0];
        let difference: f64 =
            self.weights.iter().zip(forecasts).map(|(weight, one)| weight * (one - first)).sum();
        // Rounding must not lead beyond all forecasts, as below 0 where none is negative.
        let lowest = forecasts.iter().copied().fold(first, f64::min);
        let highest = forecasts.iter().copied().fold(first, f64::max);
        (first + difference).clamp(lowest, highest)
    }

    /// Updates the weights after a value, from the forecasts of it and their combination at that
    /// time.
    pub(super) fn update(&mut self, forecasts: &[f64; N], combined: f64, value: f64) {
        self.errors = DISCOUNT * self.errors + (combined - value).abs();
        self.count = DISCOUNT * self.count + 1.0;
        // Without any error of the mixture there is no scale, and nothing to improve.
        let scale = self.errors / self.count;
        if scale <= 0.0 {
            return;
        }
        // Losses count from the least one: if all forecasters fail, as at a change of level, the
        // weights would otherwise vanish together.
        let losses = forecasts.map(|forecast| (forecast - value).abs() / scale);
        let least = losses.iter().copied().fold(f64::INFINITY, f64::min);
        for (weight, loss) in self.weights.iter_mut().zip(losses) {
            *weight *= (-LEARNING_RATE * (loss - least).min(MAX_LOSS)).exp();
        }
        // The share comes after the losses, so that the weight of a forecaster that was long bad is
        // still large enough to grow back when it becomes the best one.
        let sum: f64 = self.weights.iter().sum();
        for (k, weight) in self.weights.iter_mut().enumerate() {
            *weight = (1.0 - SHARE) * *weight / sum + SHARE * prior::<N>(k);
        }
    }

    /// The weights, which add up to 1.
    pub(super) fn weights(&self) -> &[f64; N] {
        &self.weights
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_weights_follow_the_best_forecaster() {
        let mut mixture = Mixture::<3>::default();
        let mut play = |forecasts: [f64; 3], values: usize| {
            for _ in 0..values {
                let combined = mixture.combine(&forecasts);
                mixture.update(&forecasts, combined, 0.0);
            }
            mixture.weights().to_owned()
        };
        assert!(play([2.0, 1.0, 0.1], 200)[2] > 0.95);
        assert!(play([2.0, 0.1, 1.0], 200)[1] > 0.95);
        let weights = play([1e300, 1e300, 0.0], 200);
        assert!((weights.iter().sum::<f64>() - 1.0).abs() < 1e-12, "{weights:?}");
        assert!(weights.iter().all(|weight| *weight > 0.0), "{weights:?}");
    }

    #[test]
    #[expect(clippy::float_cmp, reason = "the mean of equal numbers is exact")]
    fn equal_forecasts_are_their_mean() {
        let mut mixture = Mixture::<3>::default();
        mixture.update(&[0.1, 0.3, 0.7], 0.2, 0.45);
        assert_eq!(mixture.combine(&[0.1; 3]), 0.1);
    }
}
