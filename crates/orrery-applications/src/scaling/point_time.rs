//! The time of a point by a model and by its own runs.

use super::uncertainty::{Uncertainty, Variance, satterthwaite_sum};
use orrery_base::numeric::{mean, median, student_quantile};

/// From this number of repeated runs on, the spread of runs and the lack of fit are estimated
/// separately.
pub(super) const MIN_SPREAD_DEGREES: f64 = 5.0;

/// The largest degrees of freedom of the lack of fit of a single point: with few, a point whose
/// runs are far from the model counts with its runs.
const MAX_POINT_DEGREES: f64 = 4.0;

/// The time of a point: f = x·c + ε with the coefficients c of a model, its terms x and the lack of
/// fit ε of the point.
///
/// Of a point with n runs of median t̄, the mean is (1 − k)·T̂ + k·t̄ with k = τ²/(τ² + σ²/n). The
/// lack of fit τ² is that of the model, updated by the deviation of the point's own runs: (ν·τ² +
/// max(0, d² − σ²/n))/(ν + 1), d = t̄/T̂ − 1. Runs without a model, or beside a model without
/// uncertainty, count alone.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct PointTime {
    /// T̂: the time of the model in seconds; t̄ if there is none.
    pub(super) model_seconds: f64,
    /// k: the weight of the point's own runs against the model; 0 without runs.
    pub(super) own_weight: f64,
    /// t̄: the median of the point's own runs in seconds; T̂ without runs.
    pub(super) measured: f64,
    /// The variance of the time given the coefficients, in s².
    pub(super) residual_variance: f64,
    /// The variance of a single run about the time of the point, in s².
    pub(super) run_variance: f64,
    /// The degrees of freedom of the last two.
    degrees: f64,
}

impl PointTime {
    /// The time by a model, which is T̂ in seconds, and by own runs, if there are any.
    pub(super) fn of_model(seconds: f64, uncertainty: Option<&Uncertainty>, runs: &[f64]) -> Self {
        match uncertainty {
            // Nothing is relative to a time of 0.
            _ if !runs.is_empty() && seconds <= 0.0 => Self::of_runs(None, runs),
            Some(uncertainty) => Self::combined(seconds, uncertainty, runs),
            None if !runs.is_empty() => Self::of_runs(Some(seconds), runs),
            None => Self {
                model_seconds: seconds,
                own_weight: 0.0,
                measured: seconds,
                residual_variance: 0.0,
                run_variance: 0.0,
                degrees: 0.0,
            },
        }
    }

    /// The time by a model with uncertainty and by own runs.
    fn combined(seconds: f64, uncertainty: &Uncertainty, runs: &[f64]) -> Self {
        let (misfit, spread) = variances(uncertainty, seconds);
        let separate = uncertainty.spread_degrees >= MIN_SPREAD_DEGREES;
        let degrees =
            if separate { uncertainty.spread_degrees } else { uncertainty.misfit_degrees };
        let square = seconds * seconds;
        if runs.is_empty() {
            return Self {
                model_seconds: seconds,
                own_weight: 0.0,
                measured: seconds,
                residual_variance: misfit * square,
                run_variance: spread * square,
                degrees: uncertainty.misfit_degrees,
            };
        }
        let (measured, of_mean) = (median(runs), spread / runs.len() as f64);
        let excess = ((measured / seconds - 1.0).powi(2) - of_mean).max(0.0);
        let prior = uncertainty.misfit_degrees.clamp(1.0, MAX_POINT_DEGREES);
        let misfit = (prior * misfit + excess) / (prior + 1.0);
        let own_weight = if misfit > 0.0 { misfit / (misfit + of_mean) } else { 0.0 };
        Self {
            model_seconds: seconds,
            own_weight,
            measured,
            residual_variance: own_weight * of_mean * square,
            run_variance: spread * square,
            degrees,
        }
    }

    /// The time by own runs, at least one.
    pub(super) fn of_runs(model: Option<f64>, runs: &[f64]) -> Self {
        let (measured, middle, count) = (median(runs), mean(runs), runs.len() as f64);
        let squares = runs.iter().map(|seconds| (seconds - middle).powi(2)).sum::<f64>();
        let run_variance = if runs.len() > 1 { squares / (count - 1.0) } else { 0.0 };
        Self {
            model_seconds: model.unwrap_or(measured),
            own_weight: 1.0,
            measured,
            residual_variance: run_variance / count,
            run_variance,
            degrees: count - 1.0,
        }
    }

    /// f̂: the mean of the time, in seconds.
    pub(super) fn seconds(&self) -> f64 {
        self.seconds_given(self.model_seconds)
    }

    /// The mean of the time in seconds, given the time of the model.
    pub(super) fn seconds_given(&self, model_seconds: f64) -> f64 {
        (1.0 - self.own_weight) * model_seconds + self.own_weight * self.measured
    }

    /// The variance of the time given the coefficients, relative to the square of `seconds`.
    pub(super) fn residual(&self, seconds: f64) -> Variance {
        Variance { value: self.residual_variance / (seconds * seconds), degrees: self.degrees }
    }

    /// The interval of a single run with this probability, T·exp(±t·s). `coefficients` is the
    /// variance of the model's time due to its coefficients, relative to its square; `None` if the
    /// spread of runs is unknown.
    pub(super) fn interval(
        &self,
        coefficients: Option<Variance>,
        level: f64,
    ) -> Option<(f64, f64)> {
        if self.degrees < 1.0 {
            return None;
        }
        let seconds = self.seconds();
        let share = (1.0 - self.own_weight) * self.model_seconds / seconds;
        let coefficients = coefficients
            .map(|Variance { value, degrees }| Variance { value: value * share * share, degrees });
        let own = Variance {
            value: (self.residual_variance + self.run_variance) / (seconds * seconds),
            degrees: self.degrees,
        };
        let parts: Vec<Variance> = coefficients.into_iter().chain([own]).collect();
        let Variance { value, degrees } = satterthwaite_sum(&parts);
        let half = if value > 0.0 {
            student_quantile(degrees.clamp(1.0, 1e9), level) * value.sqrt()
        } else {
            0.0
        };
        Some((seconds * (-half).exp(), seconds * half.exp()))
    }
}

/// τ² and σ² relative to T̂². With hardly any repeated runs they cannot be separated; each is then
/// half of their sum.
fn variances(uncertainty: &Uncertainty, seconds: f64) -> (f64, f64) {
    let (misfit, spread) = (uncertainty.misfit.powi(2), uncertainty.spread(seconds));
    if uncertainty.spread_degrees >= MIN_SPREAD_DEGREES {
        (misfit, spread)
    } else {
        [f64::midpoint(misfit, spread); 2].into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn uncertainty(misfit: f64, spread: f64, spread_degrees: f64) -> Uncertainty {
        Uncertainty {
            covariance: Vec::new(),
            covariance_degrees: 10.0,
            misfit,
            misfit_degrees: 10.0,
            spread_variance: spread * spread,
            spread_slope: 0.0,
            spread_degrees,
        }
    }

    #[test]
    fn runs_count_by_their_number_and_their_distance() {
        let known = uncertainty(0.03, 0.03, 20.0);
        let seconds = |runs: &[f64]| PointTime::of_model(100.0, Some(&known), runs).seconds();
        assert_eq!(seconds(&[]).to_bits(), 100.0_f64.to_bits());
        // Near the forecast, one run has about half of the weight, many runs have nearly all.
        assert!((101.2..101.6).contains(&seconds(&[103.0])), "{}", seconds(&[103.0]));
        assert!((102.7..103.0).contains(&seconds(&[103.0; 30])));
        // Far from the forecast, a single run prevails.
        assert!((193.0..200.0).contains(&seconds(&[200.0])), "{}", seconds(&[200.0]));
        let exact = uncertainty(0.0, 0.0, 0.0);
        assert!(
            (PointTime::of_model(100.0, Some(&exact), &[120.0]).seconds() - 120.0).abs() < 1e-9
        );
    }

    #[test]
    fn runs_count_alone_without_a_usable_forecast() {
        let known = uncertainty(0.03, 0.03, 20.0);
        for time in [
            PointTime::of_model(0.0, Some(&known), &[2.0, 4.0]),
            PointTime::of_model(50.0, None, &[2.0, 4.0]),
            PointTime::of_runs(None, &[2.0, 4.0]),
        ] {
            assert_eq!(
                (time.seconds().to_bits(), time.own_weight.to_bits()),
                (3.0_f64.to_bits(), 1.0_f64.to_bits())
            );
            // Student's quantile of one degree of freedom: 12.7·√(2·(1 + ½))/3 is the half width of
            // the logarithm.
            let (low, high) = time.interval(None, 0.95).unwrap();
            let half = 12.706 * 3.0_f64.sqrt() / 3.0;
            assert!(
                ((high / 3.0).ln() / half - 1.0).abs() < 1e-3
                    && ((3.0 / low).ln() / half - 1.0).abs() < 1e-3
            );
        }
        assert_eq!(PointTime::of_runs(None, &[2.0]).interval(None, 0.95), None);
    }
}
