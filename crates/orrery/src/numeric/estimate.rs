/// An interval that covers the true value with the probability `level`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Interval {
    /// Lower end.
    pub low: f64,
    /// Upper end.
    pub high: f64,
    /// Probability of covering, between 0 and 1.
    pub level: f64,
}

/// An estimated number: its value, its interval where there is one, and the number of samples behind it.
///
/// ```
/// use orrery::numeric::Estimate;
/// assert_eq!(Estimate::exact(2.5e-6).value, 2.5e-6);
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Estimate {
    /// The best single value.
    pub value: f64,
    /// Where the true value lies; `None` when nothing is known of it, as in a model written by hand.
    pub interval: Option<Interval>,
    /// How many readings bear on it.
    pub samples: Option<u64>,
}

impl Estimate {
    /// A value without interval, taken as it is.
    pub const fn exact(value: f64) -> Self {
        Self { value, interval: None, samples: None }
    }
}
