use super::Transfer;

/// What concurrent transfers do to each other on one network.
///
/// The penalty of a transfer is P = T / T_ref: how many times longer it takes than a lone one of the same size. It depends
/// on the set of transfers alone, not on sizes, on how far they have come, or on the past, so a simulator can ask
/// whenever a transfer starts or ends: meanwhile each proceeds at the bandwidth divided by its penalty. Transfers within
/// a node do not count and have the penalty 1. [`components`](super::components) bear on one another nowhere, so only
/// the component that changed has to be asked again.
pub trait PenaltyModel {
    /// The penalty of each transfer, all of them being under way.
    ///
    /// # Errors
    ///
    /// Where the law cannot be evaluated for so many transfers that hang together.
    fn penalties(&self, transfers: &[Transfer]) -> Result<Vec<f64>, SharingError>;
}

/// Why penalties are not known.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum SharingError {
    /// The sets of states of a component cannot be counted.
    #[error(
        "{transfers} transfers from {sources} sources to {destinations} destinations hang together: too many to count \
         the sets in which they can send; estimate by sampling, or ask for fewer at once"
    )]
    TooLarge {
        /// How many transfers the component has.
        transfers: usize,
        /// How many nodes send.
        sources: usize,
        /// How many nodes receive.
        destinations: usize,
    },
    /// The transfers that came and went hung together in so many ways that to count all of them takes too long.
    #[error(
        "{components} different sets of transfers that hang together were counted, each of them small enough, but more \
         take too long: estimate by sampling"
    )]
    TooMany {
        /// How many components were counted.
        components: usize,
    },
    /// Sampling found no set at all.
    #[error(
        "{transfers} transfers from {sources} sources to {destinations} destinations hang together: sampling found no \
         set in which they can send; ask for fewer at once"
    )]
    NoSample {
        /// How many transfers the component has.
        transfers: usize,
        /// How many nodes send.
        sources: usize,
        /// How many nodes receive.
        destinations: usize,
    },
}

/// A parameter with which a law makes no sense.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error("{name} is {value}, but {expected} is expected")]
pub struct ParameterError {
    /// The word of the parameter in files.
    pub name: &'static str,
    /// What was given.
    pub value: f64,
    /// What would do.
    pub expected: &'static str,
}

/// A factor that has to be finite and above zero.
pub(super) fn above_zero(name: &'static str, value: f64) -> Result<f64, ParameterError> {
    let fits = value.is_finite() && value > 0.0;
    if fits { Ok(value) } else { Err(ParameterError { name, value, expected: "a finite number above 0" }) }
}
