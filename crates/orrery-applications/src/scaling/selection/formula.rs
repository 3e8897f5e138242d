//! Formulas: sums of products of factors, and their prior probability.

use super::exponents::Exponent;

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
