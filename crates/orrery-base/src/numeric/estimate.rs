use super::normal_quantile;

/// A confidence interval: it contains the true value with the probability `level`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Interval {
    /// The lower end.
    pub low: f64,
    /// The upper end.
    pub high: f64,
    /// The confidence level, between 0 and 1.
    pub level: f64,
}

/// An estimated value with its confidence interval and the number of samples it is based on.
///
/// ```
/// use orrery_base::numeric::Estimate;
/// assert_eq!(Estimate::exact(2.5e-6).value, 2.5e-6);
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Estimate {
    /// The point estimate.
    pub value: f64,
    /// The confidence interval; `None` if it is unknown, as in models written by hand.
    pub interval: Option<Interval>,
    /// The number of readings that the estimate is based on; `None` if it is unknown.
    pub samples: Option<u64>,
}

impl Estimate {
    /// An estimate without interval and number of samples.
    pub const fn exact(value: f64) -> Self {
        Self { value, interval: None, samples: None }
    }

    /// The standard deviation of the estimate if its error is normal: by the longer half of the
    /// interval, which is not cut off at 0; 0 without an interval.
    pub fn deviation(&self) -> f64 {
        let half_width =
            |interval: Interval| (interval.high - self.value).max(self.value - interval.low);
        self.interval.map_or(0.0, |interval| half_width(interval) / normal_quantile(interval.level))
    }

    /// The same value, with an interval of length 0 at the same level if there is an interval.
    #[must_use]
    pub fn without_error(self) -> Self {
        let exact = |interval| Interval { low: self.value, high: self.value, ..interval };
        Self { interval: self.interval.map(exact), ..self }
    }

    /// The estimate of a quantity that is not negative, after an independent error of this
    /// half-width (at the same level) was added; an unknown interval remains unknown.
    #[must_use]
    pub fn widened(self, half_width: f64) -> Self {
        let wider = |Interval { low, high, level }: Interval| Interval {
            low: (self.value - half_width.hypot(self.value - low)).max(0.0),
            high: self.value + half_width.hypot(high - self.value),
            level,
        };
        Self { interval: self.interval.map(wider), ..self }
    }

    /// An estimate of a quantity that is not negative: value and interval are cut off at 0.
    ///
    /// ```
    /// use orrery_base::numeric::Estimate;
    /// let estimate = Estimate::not_negative(1.0, Some(3.0), 0.95, 10);
    /// assert_eq!(estimate.interval.map(|interval| (interval.low, interval.high)), Some((0.0, 4.0)));
    /// ```
    pub fn not_negative(value: f64, half_width: Option<f64>, level: f64, samples: u64) -> Self {
        // The sum with 0 is never −0.
        let not_below = |value: f64| value.max(0.0) + 0.0;
        let interval = |half: f64| Interval {
            low: not_below(value - half),
            high: (value + half).max(not_below(value)),
            level,
        };
        Self { value: not_below(value), interval: half_width.map(interval), samples: Some(samples) }
    }
}

/// Estimates a probability from the number of hits in a number of trials, with the Wilson score
/// interval; 0 without interval if there are no trials.
///
/// With p = hits/n and z the normal quantile of `level`: (p + z²/2n ± z·√(p(1 − p)/n + z²/4n²)) /
/// (1 + z²/n). Source: Wilson, "Probable inference, the law of succession, and statistical
/// inference", JASA 22, 1927.
///
/// ```
/// use orrery_base::numeric::binomial_proportion;
/// let interval = binomial_proportion(3, 10, 0.95).interval.unwrap();
/// assert!((interval.low - 0.1078).abs() < 1e-4 && (interval.high - 0.6032).abs() < 1e-4);
/// ```
pub fn binomial_proportion(hits: u64, trials: u64, level: f64) -> Estimate {
    if trials == 0 {
        return Estimate { value: 0.0, interval: None, samples: Some(0) };
    }
    let (n, z) = (trials as f64, normal_quantile(level));
    let p = hits as f64 / n;
    let centre = p + z * z / (2.0 * n);
    let half = z * (p * (1.0 - p) / n + z * z / (4.0 * n * n)).sqrt();
    let end = |at: f64| (at / (1.0 + z * z / n)).clamp(0.0, 1.0);
    let interval =
        Interval { low: end(centre - half).min(p), high: end(centre + half).max(p), level };
    Estimate { value: p, interval: Some(interval), samples: Some(trials) }
}
