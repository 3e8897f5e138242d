//! The interface of sharing laws, its errors, and penalties that are the maximum of linear pieces.

use super::Transfer;

/// A sharing law, which determines the penalty of each of several concurrent transfers.
///
/// The penalty of a transfer is P = T / T_ref: its duration over that of an uncontended transfer of
/// the same size, both in seconds. It depends only on the set of transfers: not on their sizes,
/// their progress or the past. A simulator therefore computes it whenever a transfer starts or
/// ends; in between, each transfer has the rate bandwidth / P. Transfers within a node do not count
/// and have the penalty 1. Different [`components`](super::components) do not affect each other.
pub trait PenaltyModel {
    /// The penalty of each transfer while all of them are active.
    ///
    /// # Errors
    ///
    /// A component that is too large for the law.
    fn penalties(&self, transfers: &[Transfer]) -> Result<Vec<f64>, SharingError>;
}

/// The reason why penalties cannot be computed.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum SharingError {
    /// A component has too many sets of concurrent senders to count.
    #[error(
        "{transfers} transfers from {sources} sources to {destinations} destinations form one \
            component, whose sets of \
         senders are too many to count; estimate by sampling, or reduce the number of transfers"
    )]
    TooLarge {
        /// The number of transfers of the component.
        transfers: usize,
        /// The number of sending nodes.
        sources: usize,
        /// The number of receiving nodes.
        destinations: usize,
    },
    /// A replay has met too many different components to count them all.
    #[error(
        "counting stopped after {components} different components of concurrent transfers: all of \
            them together take too \
         long; estimate by sampling"
    )]
    TooMany {
        /// The number of components that were counted.
        components: usize,
    },
    /// Sampling found no set of concurrent senders.
    #[error(
        "{transfers} transfers from {sources} sources to {destinations} destinations form one \
            component, in which \
          sampling found no set of senders; reduce the number of transfers"
    )]
    NoSample {
        /// The number of transfers of the component.
        transfers: usize,
        /// The number of sending nodes.
        sources: usize,
        /// The number of receiving nodes.
        destinations: usize,
    },
}

/// A parameter value outside its range.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error("{name} is {value:?}, but {expected} is expected")]
pub struct ParameterError {
    /// The name of the parameter in files.
    pub name: &'static str,
    /// The value.
    pub value: f64,
    /// The range.
    pub expected: &'static str,
}

/// Returns the value if it is from 0.001 to 1000; other factors of a penalty have no physical
/// meaning.
pub(super) fn positive(name: &'static str, value: f64) -> Result<f64, ParameterError> {
    let is_valid = (0.001..=1000.0).contains(&value);
    if is_valid {
        Ok(value)
    } else {
        Err(ParameterError { name, value, expected: "a number from 0.001 to 1000" })
    }
}

/// A linear function of the N coefficients x of a law: constant + Σ_k slope_k · x_k.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Piece<const N: usize> {
    pub(super) constant: f64,
    pub(super) slopes: [f64; N],
}

impl<const N: usize> Piece<N> {
    /// The penalty 1 of a transfer that shares no port.
    pub(super) const ONE: Self = Self { constant: 1.0, slopes: [0.0; N] };

    /// A piece without a constant.
    pub(super) const fn linear(slopes: [f64; N]) -> Self {
        Self { constant: 0.0, slopes }
    }

    /// The value at these coefficients.
    pub(super) fn value(&self, coefficients: &[f64; N]) -> f64 {
        self.constant
            + self.slopes.iter().zip(coefficients).map(|(slope, x)| slope * x).sum::<f64>()
    }
}

/// Returns the piece with the largest value, the first of equal ones.
pub(super) fn largest<'a, const N: usize>(
    pieces: &'a [Piece<N>],
    coefficients: &[f64; N],
) -> &'a Piece<N> {
    let (first, rest) = pieces.split_first().unwrap_or((const { &Piece::ONE }, &[]));
    rest.iter().fold(first, |best, piece| {
        if piece.value(coefficients) > best.value(coefficients) { piece } else { best }
    })
}

/// Returns the penalty of each transfer: the maximum of its pieces.
pub(super) fn piecewise_penalties<const N: usize>(
    pieces: &[Vec<Piece<N>>],
    coefficients: &[f64; N],
) -> Vec<f64> {
    pieces.iter().map(|pieces| largest(pieces, coefficients).value(coefficients)).collect()
}
