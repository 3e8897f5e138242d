//! Quantiles of a mixture of Student distributions of logarithms of times.

use orrery_base::numeric::student_cumulative;

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

/// The largest number of steps towards a quantile.
const MAX_STEPS: usize = 60;

/// The error of the probability, or the width of the interval of ln t, at which a quantile is
/// found.
const TOLERANCE: f64 = 1e-11;

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

/// The time that a draw from the mixture does not exceed with probability `level`; the
/// probabilities of the components sum to 1.
///
/// `reach` bounds the quantiles of single components: half widths of their intervals of ln t.
pub(super) fn quantile(
    components: &[Component],
    level: f64,
    reach: impl Fn(&Component) -> f64,
) -> f64 {
    let ends = components.iter().map(|c| (c.seconds.ln() - reach(c), c.seconds.ln() + reach(c)));
    let (mut low, mut high) = ends
        .fold((f64::INFINITY, f64::NEG_INFINITY), |all, end| (all.0.min(end.0), all.1.max(end.1)));
    let excess =
        |x: f64| components.iter().map(|c| c.probability * c.cumulative(x)).sum::<f64>() - level;
    let (mut below, mut above) = (excess(low), excess(high));
    if below >= 0.0 || above <= 0.0 {
        return if below >= 0.0 { low.exp() } else { high.exp() };
    }
    // Regula falsi that halves the value at an end that stays (Dowell, Jarratt, "A modified regula
    // falsi method for computing the root of an equation", 1971), with a bisection in every third
    // step for flat parts between components.
    let mut moved_low = None;
    for step in 0..MAX_STEPS {
        let middle = if step % 3 == 2 {
            f64::midpoint(low, high)
        } else {
            low - below * (high - low) / (above - below)
        };
        let value = excess(middle);
        if value.abs() < TOLERANCE || high - low < TOLERANCE {
            return middle.exp();
        }
        let moves_low = value < 0.0;
        let stays = moved_low == Some(moves_low);
        if moves_low {
            (low, below) = (middle, value);
            above /= if stays { 2.0 } else { 1.0 };
        } else {
            (high, above) = (middle, value);
            below /= if stays { 2.0 } else { 1.0 };
        }
        moved_low = Some(moves_low);
    }
    f64::midpoint(low, high).exp()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_have_their_probability() {
        let component = |probability, seconds, scale, degrees| Component {
            probability,
            seconds,
            scale,
            degrees,
        };
        let far = [
            component(0.9, 1.0, 0.01, 100.0),
            component(0.06, 40.0, 0.3, 3.0),
            component(0.04, 0.2, 0.0, 2.0),
        ];
        for components in [&far[..], &far[..2], &far[1..]] {
            let whole: f64 = components.iter().map(|c| c.probability).sum();
            let components: Vec<Component> = components
                .iter()
                .map(|c| Component { probability: c.probability / whole, ..*c })
                .collect();
            for level in [0.025, 0.5, 0.92, 0.975] {
                let time = quantile(&components, level, |c| 15.0 * c.scale);
                let below = |x: f64| {
                    components.iter().map(|c| c.probability * c.cumulative(x.ln())).sum::<f64>()
                };
                // At a component without spread the probability jumps.
                assert!(
                    below(time * (1.0 - 1e-6)) <= level + 1e-9
                        && level - 1e-9 <= below(time * (1.0 + 1e-6)),
                    "{level}: {time}"
                );
            }
        }
    }
}
