//! The statistics of a measurement whose values are not kept.

/// The statistics of the repetitions of a measurement; `std` divides by their number.
#[derive(Debug, Clone, Copy)]
pub(super) struct Statistics {
    pub(super) repetitions: u64,
    pub(super) mean: f64,
    pub(super) median: f64,
    pub(super) minimum: f64,
    pub(super) maximum: f64,
    pub(super) std: f64,
}

impl Statistics {
    /// The repetitions in ascending order: up to five follow from their statistics, of more the
    /// median is the only one.
    ///
    /// Minimum, maximum and, of an odd number, median are three of them; the other two a ≤ b have
    /// the sum s = r·mean − Σ known and the sum of squares q = r·(std² + mean²) − Σ known², so that
    /// a, b = s/2 ∓ √(q/2 − (s/2)²).
    pub(super) fn values(&self) -> Vec<f64> {
        let Self { repetitions, mean, median, minimum, maximum, std } = *self;
        let mut known = match repetitions {
            2 | 4 => vec![minimum, maximum],
            3 | 5 => vec![minimum, median, maximum],
            _ => return vec![median],
        };
        if repetitions > 3 {
            // Relative to the mean, so that squares of close values differ.
            let count = repetitions as f64;
            let centre = -known.iter().map(|value| value - mean).sum::<f64>() / 2.0;
            let squares = known.iter().map(|value| (value - mean).powi(2)).sum::<f64>();
            let half = (count * std.powi(2) - squares) / 2.0 - centre.powi(2);
            let distance = half.max(0.0).sqrt();
            known.extend([mean + centre - distance, mean + centre + distance]);
            known.sort_by(f64::total_cmp);
        }
        known
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The statistics of values in ascending order.
    fn of(values: &[f64]) -> Statistics {
        let count = values.len() as f64;
        let mean = values.iter().sum::<f64>() / count;
        let variance = values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / count;
        let middle = |place: usize| f64::midpoint(values[place], values[values.len() - 1 - place]);
        Statistics {
            repetitions: values.len() as u64,
            mean,
            median: middle(values.len() / 2),
            minimum: values[0],
            maximum: values[values.len() - 1],
            std: variance.sqrt(),
        }
    }

    #[test]
    fn few_values_follow_from_their_statistics() {
        let values = [1.0, 1.25, 1.5, 1.5625, 4.0];
        for count in 1..=5 {
            for part in values.windows(count) {
                let found = of(part).values();
                assert_eq!(found.len(), count);
                for (found, value) in found.into_iter().zip(part) {
                    assert!((found - value).abs() < 1e-12, "{found} is not {value} of {part:?}");
                }
            }
        }
        assert_eq!(of(&[2.0; 5]).values(), [2.0; 5]);
        assert_eq!(of(&[1.0, 2.0, 3.0, 4.0, 5.0, 9.0]).values(), [3.5]);
    }
}
