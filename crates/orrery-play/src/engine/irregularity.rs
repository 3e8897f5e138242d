use orrery_base::units::Seconds;

/// The behaviour of a collective operation beyond the sum of its messages: rendezvous, correction,
/// escalations.
///
/// Its time is max(time of its messages + correction, 0), plus one of the escalations at their
/// probabilities.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Irregularity {
    /// True if its sends wait for their receives (see [`Synchronous`](crate::engine::Synchronous)).
    pub rendezvous: bool,
    /// The time that is added at the end, of any sign \[s\].
    pub correction: Seconds,
    /// The probability and the additional time of each escalation, ascending; the probabilities sum
    /// to at most 1.
    pub escalations: Vec<(f64, Seconds)>,
}

impl Irregularity {
    /// Returns the time of an operation without escalation, given the time of its messages.
    pub fn corrected(&self, messages: Seconds) -> Seconds {
        (messages + self.correction).max(Seconds::ZERO)
    }

    /// Returns the probability that the operation escalates: that one of its random additional
    /// times occurs.
    pub fn probability(&self) -> f64 {
        self.escalations.iter().map(|(probability, _)| probability).sum::<f64>().min(1.0)
    }

    /// Returns the index of the escalation at this quantile of the distribution of times; `None`
    /// for no escalation. With uniform random numbers from 0 to 1 it draws escalations at their
    /// probabilities.
    ///
    /// ```
    /// use orrery_play::engine::Irregularity;
    /// use orrery_base::units::Seconds;
    /// let escalations = vec![(0.3, Seconds::new(0.2)), (0.1, Seconds::new(0.4))];
    /// let gather = Irregularity { escalations, ..Irregularity::default() };
    /// let levels = [0.5, 0.7, 0.95].map(|probability| gather.escalation(probability));
    /// assert_eq!(levels, [None, Some(0), Some(1)]);
    /// ```
    pub fn escalation(&self, probability: f64) -> Option<usize> {
        let mut below = 1.0 - self.probability();
        if probability < below {
            return None;
        }
        for (number, (share, _)) in self.escalations.iter().enumerate() {
            below += share;
            if probability < below {
                return Some(number);
            }
        }
        self.escalations.len().checked_sub(1)
    }
}
