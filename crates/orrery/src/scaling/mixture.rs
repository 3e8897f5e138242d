//! Quantiles of a mixture of Student distributions of logarithms of times.

use crate::numeric::student_cumulative;

/// The distribution of the time that one sum of terms predicts.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Component {
    /// The probability of the sum.
    pub(super) probability: f64,
    /// The median time in seconds.
    pub(super) seconds: f64,
    /// The scale of ln t.
    pub(super) scale: f64,
    /// The degrees of freedom.
    pub(super) degrees: f64,
}

/// The number of bisections of a quantile: to 1e-12 of the widest component.
const BISECTIONS: usize = 60;

impl Component {
    /// P(ln t ≤ x).
    fn cumulative(&self, x: f64) -> f64 {
        probability_below(x - self.seconds.ln(), self.scale, self.degrees)
    }
}

/// The probability that a Student variable of this scale is at most `distance` above its centre.
pub(super) fn probability_below(distance: f64, scale: f64, degrees: f64) -> f64 {
    if scale <= 0.0 {
        return if distance >= 0.0 { 1.0 } else { 0.0 };
    }
    student_cumulative(degrees, distance / scale)
}

/// The time that a draw from the mixture does not exceed with probability `level`; the probabilities of the components
/// sum to 1.
///
/// `reach` bounds the quantiles of single components: half widths of their intervals of ln t.
pub(super) fn quantile(components: &[Component], level: f64, reach: impl Fn(&Component) -> f64) -> f64 {
    let ends = components.iter().map(|c| (c.seconds.ln() - reach(c), c.seconds.ln() + reach(c)));
    let (mut low, mut high) =
        ends.fold((f64::INFINITY, f64::NEG_INFINITY), |all, end| (all.0.min(end.0), all.1.max(end.1)));
    for _ in 0..BISECTIONS {
        let middle = f64::midpoint(low, high);
        let below: f64 = components.iter().map(|c| c.probability * c.cumulative(middle)).sum();
        if below < level { low = middle } else { high = middle }
    }
    f64::midpoint(low, high).exp()
}
