/// How sure a time model is: the errors of its coefficients, how far points lie from any smooth model, and how far runs
/// of one point lie from each other. All are relative to the time.
///
/// The variance of a run's time T̂ at a point x, relative to T̂², is xᵀΣx/T̂² + τ² + σ²(T̂): coefficients, misfit and
/// spread. Beyond the measured range the first part grows by itself. σ²(T̂) = σ₁²·T̂^slope, since long runs mostly vary
/// less.
#[derive(Debug, Clone, PartialEq)]
pub struct Uncertainty {
    /// Σ, the covariance of the coefficients, in their order.
    pub covariance: Vec<Vec<f64>>,
    /// The degrees of freedom behind Σ.
    pub covariance_degrees: f64,
    /// τ: the standard deviation of points about the model, beyond what runs of one point vary.
    pub misfit: f64,
    /// The degrees of freedom behind τ.
    pub misfit_degrees: f64,
    /// σ₁²: the variance of runs of one point that take a second; 0 where no point was run twice.
    pub spread_variance: f64,
    /// The power of T̂ that σ² goes with.
    pub spread_slope: f64,
    /// The degrees of freedom behind σ.
    pub spread_degrees: f64,
}

/// A variance with the degrees of freedom behind it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Variance {
    pub(super) value: f64,
    pub(super) degrees: f64,
}

impl Uncertainty {
    /// σ²(T̂).
    pub(super) fn spread(&self, seconds: f64) -> f64 {
        self.spread_variance * seconds.powf(self.spread_slope)
    }

    /// The variance of a single run at a point, relative to its time.
    pub(super) fn of_run(&self, terms: &[f64], seconds: f64) -> Variance {
        let misfit = Variance { value: self.misfit.powi(2), degrees: self.misfit_degrees };
        let spread = Variance { value: self.spread(seconds), degrees: self.spread_degrees };
        sum(&[self.of_coefficients(terms, seconds), misfit, spread])
    }

    /// The variance of a difference between the typical times of two points, relative to the longer.
    pub(super) fn of_difference(&self, one: &[f64], other: &[f64], seconds: (f64, f64)) -> Variance {
        let longer = seconds.0.max(seconds.1);
        let differences: Vec<f64> = one.iter().zip(other).map(|(a, b)| a - b).collect();
        let shares = (seconds.0 / longer).powi(2) + (seconds.1 / longer).powi(2);
        let misfit = Variance { value: self.misfit.powi(2) * shares, degrees: self.misfit_degrees };
        sum(&[self.of_coefficients(&differences, longer), misfit])
    }

    /// xᵀΣx/T².
    fn of_coefficients(&self, terms: &[f64], seconds: f64) -> Variance {
        let row = |row: &Vec<f64>| row.iter().zip(terms).map(|(c, x)| c * x).sum::<f64>();
        let square: f64 = self.covariance.iter().zip(terms).map(|(c, x)| row(c) * x).sum();
        Variance { value: square.max(0.0) / (seconds * seconds), degrees: self.covariance_degrees }
    }
}

/// The sum of independent variances; its degrees of freedom after Satterthwaite (1946).
fn sum(parts: &[Variance]) -> Variance {
    let value: f64 = parts.iter().map(|part| part.value).sum();
    let weight: f64 =
        parts.iter().filter(|part| part.value > 0.0).map(|part| part.value.powi(2) / part.degrees.max(1.0)).sum();
    Variance { value, degrees: if weight > 0.0 { value * value / weight } else { f64::INFINITY } }
}
