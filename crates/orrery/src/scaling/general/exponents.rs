//! The factors x^i·log2(x)^j from which formulas are built.

use crate::scaling::terms::{Factor, power};

/// The powers i of x^i, as numerator and denominator.
const POWERS: [(i8, u8); 21] = [
    (0, 1),
    (1, 4),
    (1, 3),
    (1, 2),
    (2, 3),
    (3, 4),
    (1, 1),
    (5, 4),
    (4, 3),
    (3, 2),
    (5, 3),
    (7, 4),
    (2, 1),
    (9, 4),
    (7, 3),
    (5, 2),
    (8, 3),
    (11, 4),
    (3, 1),
    // Work that is divided among processes.
    (-1, 1),
    (-1, 2),
];

/// The powers j of log2(x)^j.
const LOGS: [u32; 3] = [0, 1, 2];

/// The number of different x^i·log2(x)^j, without the constant.
pub(super) const EXPONENT_COUNT: usize = POWERS.len() * LOGS.len() - 1;

/// The exponents i and j of x^i·log2(x)^j, by index.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Exponent(usize);

impl Exponent {
    /// The power i as a fraction, and j.
    fn parts(self) -> ((i8, u8), u32) {
        (POWERS[(self.0 + 1) / LOGS.len()], LOGS[(self.0 + 1) % LOGS.len()])
    }

    /// The factor of a variable with these exponents.
    pub(super) fn factor(self, variable: &str) -> Factor {
        let ((numerator, denominator), logs) = self.parts();
        Factor { variable: variable.to_owned(), power: f64::from(numerator) / f64::from(denominator), logs }
    }

    /// The prior penalty in steps: integer powers are more common in programs than halves, halves than thirds and quarters.
    pub(super) fn oddity(self) -> f64 {
        match self.parts().0.1 {
            1 => 0.0,
            2 => 1.0,
            _ => 3.0,
        }
    }
}

/// The values of all x^i·log2(x)^j of one variable at all points.
pub(super) struct FactorValues {
    values: Vec<Vec<f64>>,
    /// True for the exponents that may be used.
    usable: Vec<bool>,
}

impl FactorValues {
    /// The values at these x > 0. Logarithms are only used if all x are at least 1, so that they are not negative.
    pub(super) fn of(x: &[f64]) -> Self {
        let logs: Vec<f64> = x.iter().map(|x| x.log2()).collect();
        let powers: Vec<Vec<f64>> =
            POWERS.iter().map(|&(i, d)| x.iter().map(|&x| power(x, f64::from(i) / f64::from(d))).collect()).collect();
        let value = |k: usize| {
            let (i, j) = ((k + 1) / LOGS.len(), LOGS[(k + 1) % LOGS.len()] as i32);
            powers[i].iter().zip(&logs).map(|(power, log)| power * log.powi(j)).collect()
        };
        let above_one = x.iter().all(|&x| x >= 1.0);
        let usable = (0..EXPONENT_COUNT).map(|k| above_one || Exponent(k).parts().1 == 0).collect();
        Self { values: (0..EXPONENT_COUNT).map(value).collect(), usable }
    }

    /// All usable exponents.
    pub(super) fn all(&self) -> impl Iterator<Item = Exponent> + '_ {
        (0..EXPONENT_COUNT).filter(|&k| self.usable[k]).map(Exponent)
    }

    /// The values at all points.
    pub(super) fn values(&self, exponent: Exponent) -> &[f64] {
        &self.values[exponent.0]
    }
}
