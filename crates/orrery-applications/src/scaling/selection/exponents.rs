//! The factors x^i·log2(x)^j from which formulas are built.

use std::sync::LazyLock;

use crate::scaling::terms::{Factor, power};

/// The powers i of x^i, as numerator and denominator.
const POWERS: [(i8, u8); 22] = [
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
    (-2, 1),
];

/// The powers j of log2(x)^j.
const LOGS: [u32; 3] = [0, 1, 2];

/// The number of different x^i·log2(x)^j, without the constant.
const EXPONENT_COUNT: usize = POWERS.len() * LOGS.len() - 1;

/// The exponents i and j of x^i·log2(x)^j, by index; the order is that of the index.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Exponent(u8);

impl Exponent {
    /// All exponents.
    pub(super) fn all() -> impl Iterator<Item = Self> {
        (0..EXPONENT_COUNT as u8).map(Self)
    }

    /// The power i as a fraction, and j.
    fn parts(self) -> ((i8, u8), u32) {
        let index = usize::from(self.0) + 1;
        (POWERS[index / LOGS.len()], LOGS[index % LOGS.len()])
    }

    /// The factor of a variable with these exponents.
    pub(super) fn factor(self, variable: &str) -> Factor {
        let ((numerator, denominator), logs) = self.parts();
        Factor {
            variable: variable.to_owned(),
            power: f64::from(numerator) / f64::from(denominator),
            logs,
        }
    }

    /// The prior penalty in steps: integer powers are more common in programs than halves, halves
    /// than thirds and quarters; products of powers and logarithms, and falling powers, are less
    /// common.
    fn oddity(self) -> f64 {
        let ((numerator, denominator), logs) = self.parts();
        let fraction = match denominator {
            1 => 0.0,
            2 => 1.0,
            _ => 3.0,
        };
        let falling = if numerator < 0 { 2.0 } else { 0.0 };
        fraction + falling + if numerator < 0 { f64::from(logs) } else { 0.0 }
    }

    /// The probability of the exponents before the runs, up to a constant factor: e^−oddity.
    pub(super) fn weight(self) -> f64 {
        (-self.oddity()).exp()
    }

    /// −2·log of the prior probability.
    pub(super) fn penalty(self) -> f64 {
        2.0 * (self.oddity() + Self::whole_weight().ln())
    }

    /// The sum of the weights of all exponents.
    pub(super) fn whole_weight() -> f64 {
        static WHOLE: LazyLock<f64> = LazyLock::new(|| Exponent::all().map(Exponent::weight).sum());
        *WHOLE
    }

    /// Returns true for the members of a coarse subset, from which the search starts.
    pub(super) fn is_coarse(self) -> bool {
        let ((numerator, denominator), logs) = self.parts();
        match logs {
            0 => denominator <= 2 && numerator != -2,
            1 => denominator == 1 && (0..=2).contains(&numerator),
            _ => numerator == 0,
        }
    }

    /// The value of the factor at x.
    pub(super) fn value(self, x: f64) -> f64 {
        let ((numerator, denominator), logs) = self.parts();
        power(x, f64::from(numerator) / f64::from(denominator)) * x.log2().powi(logs as i32)
    }

    /// The index among all exponents, from 0.
    fn index(self) -> usize {
        usize::from(self.0)
    }
}

/// The values of all x^i·log2(x)^j of one variable at all points.
pub(super) struct FactorValues {
    /// The largest value of the variable.
    pub(super) largest: f64,
    values: Vec<Vec<f64>>,
    /// True for the exponents that may be used.
    usable: Vec<bool>,
}

impl FactorValues {
    /// The values at these x > 0. Logarithms are only used if all x are at least 1, so that they
    /// are not negative.
    pub(super) fn of(x: &[f64]) -> Self {
        let logs: Vec<f64> = x.iter().map(|x| x.log2()).collect();
        let powers: Vec<Vec<f64>> = POWERS
            .iter()
            .map(|&(i, d)| x.iter().map(|&x| power(x, f64::from(i) / f64::from(d))).collect())
            .collect();
        let value = |k: usize| {
            let (i, j) = ((k + 1) / LOGS.len(), LOGS[(k + 1) % LOGS.len()] as i32);
            powers[i].iter().zip(&logs).map(|(power, log)| power * log.powi(j)).collect()
        };
        let above_one = x.iter().all(|&x| x >= 1.0);
        let usable = Exponent::all().map(|exponent| above_one || exponent.parts().1 == 0).collect();
        let largest = x.iter().copied().fold(0.0, f64::max);
        Self { largest, values: (0..EXPONENT_COUNT).map(value).collect(), usable }
    }

    /// All usable exponents.
    pub(super) fn usable(&self) -> impl Iterator<Item = Exponent> + '_ {
        Exponent::all().filter(|exponent| self.usable[exponent.index()])
    }

    /// The values at all points.
    pub(super) fn values(&self, exponent: Exponent) -> &[f64] {
        &self.values[exponent.index()]
    }
}

/// The largest number of variables that formulas contain.
pub(super) const MAX_VARIABLES: usize = 6;

/// A product of factors: the exponent of each variable, `None` for a variable that it does not
/// contain.
pub(super) type Product = [Option<Exponent>; MAX_VARIABLES];

/// The product without factors.
pub(super) const ONE: Product = [None; MAX_VARIABLES];

/// A formula: a constant and a sum of products, sorted.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Formula {
    pub(super) products: Vec<Product>,
}

/// The penalty of a factor that another product of the formula has: a factor 2 in prior
/// probability.
const REUSE_PENALTY: f64 = 2.0 * std::f64::consts::LN_2;

impl Formula {
    /// The formula of these products in canonical order; a product without factors belongs to the
    /// constant.
    pub(super) fn new(mut products: Vec<Product>) -> Self {
        products.retain(|product| *product != ONE);
        products.sort_unstable();
        products.dedup();
        Self { products }
    }

    /// This formula with one product added.
    pub(super) fn with(&self, product: Product) -> Self {
        Self::new(self.products.iter().copied().chain([product]).collect())
    }

    /// This formula without one of its products.
    pub(super) fn without(&self, index: usize) -> Self {
        let others = self.products.iter().enumerate().filter(|(other, _)| *other != index);
        Self { products: others.map(|(_, product)| *product).collect() }
    }

    /// −2·log of the prior probability of the factors.
    ///
    /// A factor is less probable the more unusual its exponent is; one that another product has,
    /// too, is probable.
    pub(super) fn prior(&self) -> f64 {
        let factor = |index: usize, variable: usize, exponent: Exponent| {
            let is_known =
                self.products[..index].iter().any(|product| product[variable] == Some(exponent));
            if is_known { REUSE_PENALTY } else { exponent.penalty() }
        };
        let of_product = |(index, product): (usize, &Product)| {
            let factors =
                product.iter().enumerate().filter_map(|(v, exponent)| Some((v, (*exponent)?)));
            factors.map(|(v, exponent)| factor(index, v, exponent)).sum::<f64>()
        };
        self.products.iter().enumerate().map(of_product).sum()
    }
}
