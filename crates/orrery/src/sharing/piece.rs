//! Penalties that are the greatest of some pieces, each linear in the unknowns of its law.

/// How many unknowns a law has.
pub(super) const UNKNOWNS: usize = 3;

/// constant + Σ_k factor_k · x_k.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Piece {
    pub(super) constant: f64,
    pub(super) factors: [f64; UNKNOWNS],
}

impl Piece {
    /// No slowdown, whatever the parameters.
    pub(super) const LONE: Self = Self { constant: 1.0, factors: [0.0; UNKNOWNS] };

    pub(super) const fn linear(factors: [f64; UNKNOWNS]) -> Self {
        Self { constant: 0.0, factors }
    }

    pub(super) fn value(&self, unknowns: &[f64; UNKNOWNS]) -> f64 {
        self.constant + self.factors.iter().zip(unknowns).map(|(factor, x)| factor * x).sum::<f64>()
    }
}

/// The piece that decides, the first of equals.
pub(super) fn greatest<'a>(pieces: &'a [Piece], unknowns: &[f64; UNKNOWNS]) -> &'a Piece {
    let (first, rest) = pieces.split_first().unwrap_or((&Piece::LONE, &[]));
    rest.iter().fold(first, |best, piece| if piece.value(unknowns) > best.value(unknowns) { piece } else { best })
}

/// The penalties of transfers of which each has these pieces.
pub(super) fn penalties(pieces: &[Vec<Piece>], unknowns: &[f64; UNKNOWNS]) -> Vec<f64> {
    pieces.iter().map(|pieces| greatest(pieces, unknowns).value(unknowns)).collect()
}
