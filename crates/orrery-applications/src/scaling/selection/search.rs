//! The search of the plausible formulas, by a beam.
//!
//! Formulas with one product more come from the best ones with fewer. Candidates have coarse
//! exponents, because products of all exponents of all variables are too many to be fitted; the
//! promising ones are refined, first exponent by exponent, then by exchanges of whole products.
//! Every formula that is fitted on the way is kept with its score.

use std::collections::{BTreeMap, BTreeSet};

use super::exponents::{Exponent, FactorValues, Formula, ONE, Product};
use super::least_squares::{Basis, Extension, Solution, reach, solve};
use super::score::{PLAUSIBLE_WINDOW, Score, WeightedPoints, information};

/// The largest number of products of a formula.
const MAX_PRODUCTS: usize = 4;

/// The largest number of variables of a product.
const MAX_FACTORS: usize = 4;

/// The number of formulas to which a further product is added.
const BEAM_WIDTH: usize = 3;

/// The number of coarse products that are refined for each of these formulas.
const FEW_REFINED: usize = 4;

/// The number of coarse products that are refined for each formula if points differ from the best
/// formula by much more than repeated runs.
const MANY_REFINED: usize = 12;

/// The score above the best up to which a local optimum is a starting point of exchanges of whole
/// products.
const EXCHANGE_WINDOW: f64 = 20.0;

/// The number of formulas to which undetected products are added.
const MAX_UNDETECTED_BASES: usize = 3;

/// The largest coefficient of an undetected product, in standard errors.
const MAX_UNDETECTED_DEVIATIONS: f64 = 3.0;

/// The score above the best up to which a formula with an undetected product counts.
const UNDETECTED_WINDOW: f64 = 24.0;

/// The orders of magnitude of the coefficient of an undetected product.
const DECADES: usize = 4;
/// The number of values of this coefficient that are tried in each order of magnitude.
const STEPS_PER_DECADE: usize = 4;

/// The search for formulas with good scores.
pub(super) struct Search<'a> {
    points: &'a WeightedPoints,
    score: Score,
    values: &'a [FactorValues],
    /// The exponents with which the search starts, by variable.
    coarse: Vec<Vec<Exponent>>,
    /// The scores of the evaluated formulas; infinite if a coefficient is not positive.
    evaluated: BTreeMap<Formula, f64>,
    /// The best exponents that scans found: of a variable in a product beside the other products of
    /// a formula.
    scanned: BTreeMap<(Formula, Product, usize), Option<Scored>>,
    /// The formulas whose exchanges of products have been tried.
    exchanged: BTreeSet<Formula>,
    best: f64,
    /// The number of coarse products that are refined for each formula.
    refined: usize,
}

/// A formula with its score.
pub(super) type Scored = (f64, Formula);

impl<'a> Search<'a> {
    /// A search for formulas of these variables.
    pub(super) fn new(points: &'a WeightedPoints, values: &'a [FactorValues]) -> Self {
        let coarse = values
            .iter()
            .map(|values| values.usable().filter(|exponent| exponent.is_coarse()).collect());
        Self {
            points,
            score: Score::new(points),
            values,
            coarse: coarse.collect(),
            evaluated: BTreeMap::new(),
            scanned: BTreeMap::new(),
            exchanged: BTreeSet::new(),
            best: f64::INFINITY,
            refined: FEW_REFINED,
        }
    }

    /// Adds products to the best formulas while this improves the score; returns the plausible
    /// formulas, the best first, and those with an undetected product besides.
    ///
    /// If points differ from the best formula by much more than repeated runs from each other, more
    /// products are tried.
    pub(super) fn run(&mut self) -> (Vec<Scored>, Vec<Scored>) {
        for refined in [FEW_REFINED, MANY_REFINED] {
            self.refined = refined;
            self.extend_best();
            if !self.differs_from_runs() {
                break;
            }
        }
        // The scores of these formulas do not differ significantly.
        let most = self.best + PLAUSIBLE_WINDOW;
        let scored = self.evaluated.iter().filter(|(_, score)| **score <= most);
        let mut plausible: Vec<Scored> =
            scored.map(|(formula, score)| (*score, formula.clone())).collect();
        plausible.sort_by(by_score);
        let mut undetected: BTreeMap<Formula, f64> = BTreeMap::new();
        for base in plausible.iter().take(MAX_UNDETECTED_BASES) {
            for (score, formula) in self.undetected(base) {
                let known = undetected.entry(formula).or_insert(score);
                *known = known.min(score);
            }
        }
        undetected.retain(|formula, _| !self.evaluated.contains_key(formula));
        (plausible, undetected.into_iter().map(|(formula, score)| (score, formula)).collect())
    }

    /// Adds products to the best formulas while this improves the score.
    fn extend_best(&mut self) {
        let constant = Formula::default();
        self.evaluate(&constant);
        let mut beam = vec![constant];
        for products in 1..=MAX_PRODUCTS {
            let before = self.best;
            // Several formulas are extended, since the best one with fewer products need not be a
            // part of the best one with more.
            for base in &beam {
                for product in self.promising_products(base) {
                    self.refine(base.with(product));
                }
            }
            // A falling and a rising product may improve a constant only together; a formula that
            // was split may have more products than this step.
            let of_best = self.best_formula().map_or(0, |formula| formula.products.len());
            if self.best >= before && products > of_best.max(1) {
                break;
            }
            beam = self.best_with(products);
        }
    }

    /// The best formulas with this number of products.
    fn best_with(&self, products: usize) -> Vec<Formula> {
        let evaluated =
            self.evaluated.iter().filter(|(formula, _)| formula.products.len() == products);
        let mut found: Vec<Scored> =
            evaluated.map(|(formula, score)| (*score, formula.clone())).collect();
        found.sort_by(by_score);
        found.truncate(BEAM_WIDTH);
        found.into_iter().map(|(_, formula)| formula).collect()
    }

    /// The formula with the best score; `None` before any is evaluated.
    fn best_formula(&self) -> Option<&Formula> {
        self.evaluated.iter().min_by(|a, b| a.1.total_cmp(b.1)).map(|(formula, _)| formula)
    }

    /// Returns true if points differ from the best formula by much more than repeated runs from
    /// each other.
    fn differs_from_runs(&self) -> bool {
        let solution = self.best_formula().and_then(|formula| self.fit(formula));
        solution.is_some_and(|found| {
            self.score.differs_from_runs(found.residual, found.information.len())
        })
    }

    /// The coarse products that improve a formula most.
    fn promising_products(&self, base: &Formula) -> Vec<Product> {
        let Some(basis) = self.basis(base) else { return Vec::new() };
        let mut found: Vec<(f64, Product)> = Vec::new();
        self.for_each_coarse_product(|product, column| {
            // With an orthogonal basis of the formula, the fit with a further column takes one
            // projection instead of a solution.
            if let Some(extension) = basis.extension(column) {
                let prior = base.with(*product).prior();
                let own =
                    information(extension.orthogonal / reach(column, &self.points.target).powi(2));
                let information = basis.information().chain([own]);
                found.push((self.score.of(extension.residual, &information, prior), *product));
            }
        });
        found.sort_by(|a, b| a.0.total_cmp(&b.0).then_with(|| a.1.cmp(&b.1)));
        found.truncate(self.refined);
        found.into_iter().map(|(_, product)| product).collect()
    }

    /// Calls a function with each coarse product and its column.
    fn for_each_coarse_product(&self, mut call: impl FnMut(&Product, &[f64])) {
        let mut extend = vec![(ONE, self.points.weights.clone(), 0, 0)];
        while let Some((product, column, next, factors)) = extend.pop() {
            for variable in next..self.values.len() {
                for &exponent in &self.coarse[variable] {
                    let mut product = product;
                    product[variable] = Some(exponent);
                    let mut column = column.clone();
                    multiply(&mut column, self.values[variable].values(exponent));
                    call(&product, &column);
                    if factors + 1 < MAX_FACTORS {
                        extend.push((product, column, variable + 1, factors + 1));
                    }
                }
            }
        }
    }

    /// Improves a formula by exchanges until none improves it: of single exponents first, then of
    /// whole products.
    fn refine(&mut self, formula: Formula) {
        let mut best = self.refine_exponents(formula);
        // The refinement of single exponents ends in local optima; exchanges of whole products lead
        // out of them. Formulas far from the best score are not worth this work.
        while best.0 <= self.best + EXCHANGE_WINDOW && self.exchanged.insert(best.1.clone()) {
            for formula in self.exchanges(&best.1) {
                let found = self.refine_exponents(formula);
                if found.0 < best.0 {
                    best = found;
                }
            }
        }
    }

    /// Formulas that differ in whole products: with one product replaced, split into two, or two
    /// products joined.
    fn exchanges(&self, formula: &Formula) -> Vec<Formula> {
        let mut found = Vec::new();
        for (index, product) in formula.products.iter().enumerate() {
            // Another product in place of this one.
            let others = formula.without(index);
            if !others.products.is_empty() {
                found.extend(
                    self.promising_products(&others)
                        .into_iter()
                        .map(|product| others.with(product)),
                );
            }
            // The factor of one variable in a product of its own: p·q may have stood for p + q.
            for variable in (0..self.values.len()).filter(|&v| product[v].is_some()) {
                let mut own = ONE;
                let mut rest = *product;
                own[variable] = rest[variable].take();
                if rest != ONE {
                    found.push(others.with(own).with(rest));
                    found.push(formula.with(own));
                    found.push(formula.with(rest));
                }
            }
            // Two products without a common variable as one: p + q may have stood for p·q.
            for other in &formula.products[index + 1..] {
                let disjoint = product.iter().zip(other).all(|(a, b)| a.is_none() || b.is_none());
                if disjoint {
                    let mut joined = *product;
                    joined.iter_mut().zip(other).for_each(|(a, b)| *a = a.or(*b));
                    let rest = Formula::new(
                        others.products.iter().filter(|p| *p != other).copied().collect(),
                    );
                    found.push(rest.with(joined));
                    found.push(rest.with(joined).with(*product));
                    found.push(rest.with(joined).with(*other));
                }
            }
        }
        found.retain(|formula| formula.products.len() <= MAX_PRODUCTS);
        found
    }

    /// Exchanges one exponent at a time while the score improves.
    fn refine_exponents(&mut self, formula: Formula) -> Scored {
        let mut best = (self.evaluate(&formula), formula);
        loop {
            let before = best.0;
            for index in 0..best.1.products.len() {
                for variable in 0..self.values.len() {
                    // Products may merge or vanish.
                    if index < best.1.products.len() {
                        best = self.best_exponent(&best, index, variable).unwrap_or(best);
                    }
                }
            }
            if best.0 >= before {
                return best;
            }
        }
    }

    /// The best formula with another exponent of one variable in one product; `None` if no other is
    /// better.
    fn best_exponent(&mut self, current: &Scored, index: usize, variable: usize) -> Option<Scored> {
        let others = current.1.without(index);
        let mut rest = current.1.products[index];
        rest[variable] = None;
        // Formulas that differ only in this exponent have the same scan.
        let key = (others, rest, variable);
        if !self.scanned.contains_key(&key) {
            let best = self.scan(&key.0, &rest, variable);
            self.scanned.insert(key.clone(), best);
        }
        self.scanned[&key].clone().filter(|(score, _)| *score < current.0)
    }

    /// The best exponent of a variable in the product `rest` beside other products; `None` if the
    /// columns of these have no basis, or no product gives positive coefficients.
    fn scan(&mut self, others: &Formula, rest: &Product, variable: usize) -> Option<Scored> {
        let basis = self.basis(others)?;
        let rest_column = self.column(rest);
        // The start is the product without the variable: an exponent has to be better than none.
        let without = others.with(*rest);
        let mut best = (self.evaluate(&without), without);
        let mut product = *rest;
        let mut column = rest_column.clone();
        let values = &self.values[variable];
        for exponent in values.usable() {
            product[variable] = Some(exponent);
            column.copy_from_slice(&rest_column);
            multiply(&mut column, values.values(exponent));
            let Some(extension) = basis.extension(&column) else { continue };
            let own =
                information(extension.orthogonal / reach(&column, &self.points.target).powi(2));
            // Without the constant, if a coefficient is not positive.
            let information =
                basis.information().skip(usize::from(!extension.is_positive)).chain([own]);
            let least = best.0.max(self.best + PLAUSIBLE_WINDOW);
            // The prior of the factors is computed only for products that fit well enough.
            if self.score.of(extension.residual, &information, 0.0) > least {
                continue;
            }
            let formula = others.with(product);
            let mut score = self.score.of(extension.residual, &information, formula.prior());
            if score > least {
                continue;
            }
            // The residual of an extension has larger rounding errors than that of a solution.
            if extension.is_positive && score > self.best + PLAUSIBLE_WINDOW / 2.0 {
                self.evaluated.entry(formula.clone()).or_insert(score);
            } else {
                score = self.evaluate(&formula);
            }
            if score < best.0 {
                best = (score, formula);
            }
        }
        best.0.is_finite().then_some(best)
    }

    /// The score of a formula; infinite if a coefficient is not positive.
    fn evaluate(&mut self, formula: &Formula) -> f64 {
        if let Some(known) = self.evaluated.get(formula) {
            return *known;
        }
        let score = self.fit(formula).map_or(
            f64::INFINITY,
            |Solution { residual, information, .. }| {
                self.score.of(residual, &information.iter().copied(), formula.prior())
            },
        );
        self.best = self.best.min(score);
        self.evaluated.insert(formula.clone(), score);
        score
    }

    /// Fits a formula by least squares, the constant first; `None` if a coefficient is not
    /// positive.
    fn fit(&self, formula: &Formula) -> Option<Solution> {
        let columns = self.columns(formula);
        solve(&columns.iter().map(Vec::as_slice).collect::<Vec<_>>(), &self.points.target)
    }

    /// Formulas with one more product whose coefficient does not differ significantly from 0, each
    /// with its score.
    ///
    /// The score of a product t follows from its Bayes factor against the formula without t, the
    /// mean likelihood ratio of its coefficients: all orders of magnitude are equally probable up
    /// to the coefficient at which t alone takes the whole time of a point. It is large for
    /// products that the measured points cannot contain, such as those of variables that were never
    /// raised together. Each coarse product represents all that are similar.
    fn undetected(&self, (base_score, base): &Scored) -> Vec<Scored> {
        let Some(basis) = self.basis(base) else { return Vec::new() };
        let variance = self.score.variance(basis.square(), base.products.len() + 1);
        let mut found = Vec::new();
        self.for_each_coarse_product(|product, column| {
            let Some(Extension { coefficient, orthogonal, .. }) = basis.extension(column) else {
                return;
            };
            let deviation = (variance / orthogonal).sqrt();
            let z = coefficient / deviation;
            if z > MAX_UNDETECTED_DEVIATIONS {
                return;
            }
            let largest = 1.0 / (reach(column, &self.points.target) * deviation);
            // The likelihood ratio of a coefficient of c standard errors is exp(c·(z − c/2)).
            let ratio = |step: usize| {
                let coefficient =
                    largest * 10f64.powf(-(step as f64 + 0.5) / STEPS_PER_DECADE as f64);
                (coefficient * (z - 0.5 * coefficient)).exp()
            };
            let steps = DECADES * STEPS_PER_DECADE;
            let factor = (0..steps).map(ratio).sum::<f64>() / steps as f64;
            let similar = self.similar_products(product);
            let formula = base.with(*product);
            let score = base_score + formula.prior() - base.prior() - 2.0 * (factor * similar).ln();
            if score <= self.best + UNDETECTED_WINDOW {
                found.push((score, formula));
            }
        });
        found
    }

    /// The weight of all products that a coarse one represents, relative to its own.
    fn similar_products(&self, product: &Product) -> f64 {
        let used = product.iter().zip(&self.coarse).filter(|(exponent, _)| exponent.is_some());
        let weight = |coarse: &[Exponent]| coarse.iter().map(|one| one.weight()).sum::<f64>();
        used.map(|(_, coarse)| Exponent::whole_weight() / weight(coarse)).product()
    }

    /// The basis of the columns of a formula; `None` if they are not independent.
    fn basis(&self, formula: &Formula) -> Option<Basis> {
        let columns = self.columns(formula);
        Basis::of(&columns.iter().map(Vec::as_slice).collect::<Vec<_>>(), &self.points.target)
    }

    /// The weighted columns of a formula: the constant and the products.
    pub(super) fn columns(&self, formula: &Formula) -> Vec<Vec<f64>> {
        std::iter::once(&ONE).chain(&formula.products).map(|product| self.column(product)).collect()
    }

    /// The weighted column of a product.
    fn column(&self, product: &Product) -> Vec<f64> {
        let mut column = self.points.weights.clone();
        for (exponent, values) in product.iter().zip(self.values) {
            if let Some(exponent) = exponent {
                multiply(&mut column, values.values(*exponent));
            }
        }
        column
    }

    /// The time of a formula with all variables at this multiple of their largest values, and
    /// whether its constant is above 0; `None` if it cannot be fitted.
    pub(super) fn time_at(&self, formula: &Formula, multiple: f64) -> Option<(f64, bool)> {
        let coefficients = self.fit(formula)?.coefficients;
        let products = std::iter::once(&ONE).chain(&formula.products);
        let time = products
            .zip(&coefficients)
            .map(|(product, c)| c * self.product_at(product, multiple))
            .sum();
        Some((time, coefficients[0] > 0.0))
    }

    /// The value of a product with all variables at this multiple of their largest values.
    fn product_at(&self, product: &Product, multiple: f64) -> f64 {
        let factor = |(exponent, values): (&Option<Exponent>, &FactorValues)| {
            exponent.map_or(1.0, |exponent| exponent.value(multiple * values.largest))
        };
        product.iter().zip(self.values).map(factor).product()
    }
}

/// The order of formulas by score; of equal scores by the formulas.
fn by_score(a: &Scored, b: &Scored) -> std::cmp::Ordering {
    a.0.total_cmp(&b.0).then_with(|| a.1.cmp(&b.1))
}

/// Multiplies a column by factors.
fn multiply(column: &mut [f64], factors: &[f64]) {
    column.iter_mut().zip(factors).for_each(|(c, f)| *c *= f);
}
