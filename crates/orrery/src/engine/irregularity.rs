use crate::units::Seconds;

/// What a collective operation does that its messages, one by one, do not tell.
///
/// Its time is max(time of its messages + correction, 0), plus one of the escalations at their probabilities.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Irregularity {
    /// Whether its sends wait for their receives (see [`Rendezvous`](crate::engine::Rendezvous)).
    pub rendezvous: bool,
    /// What is added at the end, of any sign \[s\].
    pub correction: Seconds,
    /// What it may take longer, each with its probability; together at most 1, ascending.
    pub escalations: Vec<(f64, Seconds)>,
}

impl Irregularity {
    /// The time of an operation whose messages take this long, without escalation.
    pub fn corrected(&self, messages: Seconds) -> Seconds {
        (messages + self.correction).max(Seconds::ZERO)
    }

    /// The probability of an escalation.
    pub fn probability(&self) -> f64 {
        self.escalations.iter().map(|(probability, _)| probability).sum::<f64>().min(1.0)
    }

    /// The number of the escalation that is not exceeded with this probability; `None` for none at all. A number drawn
    /// evenly from 0 to 1 draws an escalation.
    ///
    /// ```
    /// use orrery::engine::Irregularity;
    /// use orrery::units::Seconds;
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
