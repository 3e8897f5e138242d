//! Penalties that are the maximum of linear pieces.

/// The number of parameters of the laws that are calibrated by least squares.
pub(super) const PARAMETERS: usize = 3;

/// A linear function of a law's coefficients x: constant + Σ_k slope_k · x_k.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Piece {
    pub(super) constant: f64,
    pub(super) slopes: [f64; PARAMETERS],
}

impl Piece {
    /// The penalty 1 of a transfer that shares no port.
    pub(super) const ONE: Self = Self { constant: 1.0, slopes: [0.0; PARAMETERS] };

    /// A piece without a constant.
    pub(super) const fn linear(slopes: [f64; PARAMETERS]) -> Self {
        Self { constant: 0.0, slopes }
    }

    /// The value at these coefficients.
    pub(super) fn value(&self, coefficients: &[f64; PARAMETERS]) -> f64 {
        self.constant + self.slopes.iter().zip(coefficients).map(|(slope, x)| slope * x).sum::<f64>()
    }
}

/// Returns the piece with the largest value, the first of equal ones.
pub(super) fn largest<'a>(pieces: &'a [Piece], coefficients: &[f64; PARAMETERS]) -> &'a Piece {
    let (first, rest) = pieces.split_first().unwrap_or((&Piece::ONE, &[]));
    rest.iter()
        .fold(first, |best, piece| if piece.value(coefficients) > best.value(coefficients) { piece } else { best })
}

/// Returns the penalty of each transfer: the maximum of its pieces.
pub(super) fn penalties(pieces: &[Vec<Piece>], coefficients: &[f64; PARAMETERS]) -> Vec<f64> {
    pieces.iter().map(|pieces| largest(pieces, coefficients).value(coefficients)).collect()
}
