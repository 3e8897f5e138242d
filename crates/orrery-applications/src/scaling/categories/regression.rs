//! The regression of ln(t/f) on the levels of categories, and the selection of the effects that
//! pay.
//!
//! A factor is a category, or an interaction of two. Its effects are normal with a common variance
//! τ², which the points determine: y = μ + Σ effect(level) + ε. The best linear unbiased
//! predictions of the effects are those of a ridge regression with the penalty λ = σ²/τ² for each
//! factor; λ maximizes the restricted likelihood (Patterson, Thompson, "Recovery of inter-block
//! information when block sizes are unequal", 1971). Levels with few points, and pairs of levels
//! that were never run, shrink towards no effect.

use crate::scaling::effects::{Effect, Effects, LevelEffect};
use orrery_base::numeric::median;

/// A category with its levels, sorted.
#[derive(Debug, Clone)]
pub(super) struct Category {
    pub(super) name: String,
    pub(super) levels: Vec<String>,
    /// True for a name that HPL's parameters have: an effect of these is probable.
    pub(super) is_parameter: bool,
}

/// A point, with the index of its level in each category.
#[derive(Debug, Clone)]
pub(super) struct Row {
    pub(super) levels: Vec<usize>,
    /// ln(t/f): the mean of its runs.
    pub(super) target: f64,
}

/// The categories of a factor, by index: one, or two of an interaction.
type Factor = Vec<usize>;

/// The penalties with which a factor is tried.
const FIRST_PENALTIES: [f64; 3] = [0.1, 1.0, 10.0];

/// The ratio of the penalties that are compared.
const PENALTY_STEP: f64 = 2.0;

/// The least and the largest penalty for each point.
const PENALTIES: (f64, f64) = (1e-10, 1e3);

/// The limit of rounds over the penalties.
const MAX_ROUNDS: usize = 10;

/// The distance of a point, in robust standard deviations, from which on its weight decreases
/// (Huber).
const CLIP_DEVIATIONS: f64 = 4.0;

/// The least variance of the logarithm of a time: no time is known to more than five digits.
const MIN_VARIANCE: f64 = 1e-10;

/// The effects that pay, with their fit.
#[derive(Debug, Clone)]
pub(super) struct SelectedEffects {
    factors: Vec<Factor>,
    fit: EffectFit,
    /// The diagonal of the inverse of the penalized normal matrix.
    inverse: Vec<f64>,
    /// The effective number of coefficients.
    parameters: f64,
    rows: usize,
}

impl SelectedEffects {
    /// Adds factors while one improves the criterion, the best first, and removes those that no
    /// longer do. Points far from the selected effects have less weight in a second selection.
    /// `None` if there are too few points.
    pub(super) fn of(categories: &[Category], rows: &[Row]) -> Option<Self> {
        let first = Self::select(categories, rows, &vec![1.0; rows.len()])?;
        let sizes: Vec<f64> = first.fit.residuals.iter().map(|residual| residual.abs()).collect();
        let bound = CLIP_DEVIATIONS * 1.4826 * median(&sizes);
        if bound <= 0.0 || sizes.iter().all(|size| *size <= bound) {
            return Some(first);
        }
        let weights: Vec<f64> = sizes.iter().map(|size| (bound / size).min(1.0)).collect();
        Self::select(categories, rows, &weights)
    }

    /// Selects effects for points with these weights; `None` if there are too few points.
    fn select(categories: &[Category], rows: &[Row], weights: &[f64]) -> Option<Self> {
        let mut design = Design::new(Vec::new(), categories, rows, weights);
        let mut fit = design.fit(&[])?;
        // Interactions are tried when no further category pays, because they can also contain the
        // effects of categories.
        let singles: Vec<Factor> = (0..categories.len()).map(|category| vec![category]).collect();
        let pairs =
            (0..categories.len()).flat_map(|a| (a + 1..categories.len()).map(move |b| vec![a, b]));
        let all = [singles, pairs.collect()];
        while let Some(next) =
            all.iter().find_map(|candidates| design.best_extension(&fit, candidates, categories))
        {
            (fit, design) = next;
        }
        while let Some(next) = design.best_reduction(&fit, categories) {
            (fit, design) = next;
        }
        let inverse: Vec<f64> = design
            .penalized(&fit.penalties)
            .cholesky()?
            .inverse()
            .diagonal()
            .iter()
            .copied()
            .collect();
        // The trace of the matrix that maps times to fitted times.
        let removed: f64 = design
            .penalties(&fit.penalties)
            .iter()
            .zip(&inverse)
            .map(|(penalty, x)| penalty * x)
            .sum();
        let parameters = inverse.len() as f64 - removed;
        Some(Self { factors: design.factors, fit, inverse, parameters, rows: rows.len() })
    }

    /// −2·log of the restricted likelihood, and ln(points) for each factor that is no known
    /// parameter.
    pub(super) fn criterion(&self) -> f64 {
        self.fit.criterion
    }

    /// The effective number of coefficients, without the constant.
    pub(super) fn parameters(&self) -> f64 {
        self.parameters - 1.0
    }

    /// ln Π effect at the levels of a row.
    pub(super) fn logarithm(&self, row: &Row, categories: &[Category]) -> f64 {
        columns(&self.factors, &row.levels, categories)
            .skip(1)
            .map(|column| self.fit.coefficients[column])
            .sum()
    }

    /// The effects with their standard errors; those of categories first.
    pub(super) fn effects(&self, categories: &[Category]) -> Effects {
        let degrees = (self.rows as f64 - self.parameters).max(1.0);
        let variance = self.fit.squares / degrees;
        let mut column = 1;
        let mut effect = |factor: &Factor| {
            let levels = combinations(factor, categories).into_iter().map(|levels| {
                let (logarithm, square) = (self.fit.coefficients[column], self.inverse[column]);
                column += 1;
                LevelEffect {
                    levels,
                    factor: logarithm.exp(),
                    deviation: (variance * square).sqrt(),
                }
            });
            let levels = levels.collect();
            Effect {
                categories: factor.iter().map(|&c| categories[c].name.clone()).collect(),
                levels,
            }
        };
        let mut effects: Vec<Effect> = self.factors.iter().map(&mut effect).collect();
        effects.sort_by_key(|effect| (effect.categories.len(), effect.categories.clone()));
        Effects { degrees, effects }
    }
}

/// The names of all levels of a factor, in the order of its columns.
fn combinations(factor: &Factor, categories: &[Category]) -> Vec<Vec<String>> {
    let with = |begun: Vec<Vec<String>>, &category: &usize| {
        let each = begun.into_iter().flat_map(|begun| {
            let levels = categories[category].levels.iter();
            levels.map(move |level| begun.iter().chain([level]).cloned().collect())
        });
        each.collect()
    };
    factor.iter().fold(vec![Vec::new()], with)
}

/// The number of columns of a factor: one for each combination of the levels of its categories.
fn width(factor: &Factor, categories: &[Category]) -> usize {
    factor.iter().map(|&category| categories[category].levels.len()).product()
}

/// The columns that are 1 at these levels: the constant, and one of each factor.
fn columns<'a>(
    factors: &'a [Factor],
    levels: &'a [usize],
    categories: &'a [Category],
) -> impl Iterator<Item = usize> + 'a {
    let mut first = 1;
    let column = move |factor: &Factor| {
        let index = factor.iter().fold(0, |sum, &c| sum * categories[c].levels.len() + levels[c]);
        let column = first + index;
        first += width(factor, categories);
        column
    };
    std::iter::once(0).chain(factors.iter().map(column))
}

/// The normal equations of factors, without penalties.
struct Design<'a> {
    factors: Vec<Factor>,
    widths: Vec<usize>,
    /// The number of factors that are not known parameters.
    improbable: usize,
    rows: &'a [Row],
    weights: &'a [f64],
    /// The columns that are 1 in each row.
    columns: Vec<Vec<usize>>,
    normal: nalgebra::DMatrix<f64>,
    right: nalgebra::DVector<f64>,
}

/// A fit of effects with given penalties.
#[derive(Debug, Clone)]
struct EffectFit {
    penalties: Vec<f64>,
    coefficients: Vec<f64>,
    residuals: Vec<f64>,
    /// The weighted sum of squared residuals.
    squares: f64,
    /// −2·log of the restricted likelihood, and ln(points) for each factor that is no known
    /// parameter.
    criterion: f64,
}

impl<'a> Design<'a> {
    /// The normal equations of these factors for weighted rows.
    fn new(
        factors: Vec<Factor>,
        categories: &[Category],
        rows: &'a [Row],
        weights: &'a [f64],
    ) -> Self {
        let widths: Vec<usize> = factors.iter().map(|factor| width(factor, categories)).collect();
        let count = 1 + widths.iter().sum::<usize>();
        let columns: Vec<Vec<usize>> =
            rows.iter().map(|row| columns(&factors, &row.levels, categories).collect()).collect();
        let mut normal = nalgebra::DMatrix::zeros(count, count);
        let mut right = nalgebra::DVector::zeros(count);
        for ((columns, row), weight) in columns.iter().zip(rows).zip(weights) {
            for &k in columns {
                right[k] += weight * row.target;
                columns.iter().for_each(|&l| normal[(k, l)] += weight);
            }
        }
        let is_probable =
            |factor: &&Factor| matches!(factor.as_slice(), [one] if categories[*one].is_parameter);
        let improbable = factors.len() - factors.iter().filter(is_probable).count();
        Self { factors, widths, improbable, rows, weights, columns, normal, right }
    }

    /// These factors with another one, and with the categories of an interaction.
    fn with(&self, candidate: &Factor, categories: &[Category]) -> Self {
        let own = candidate.iter().map(|&category| vec![category]).filter(|_| candidate.len() > 1);
        let added = own.filter(|factor| !self.factors.contains(factor)).chain([candidate.clone()]);
        let factors = self.factors.iter().cloned().chain(added).collect();
        Self::new(factors, categories, self.rows, self.weights)
    }

    /// The fit with the candidate that improves the criterion of `fit` most, and the factors with
    /// it; `None` if none does.
    fn best_extension(
        &self,
        fit: &EffectFit,
        candidates: &[Factor],
        categories: &[Category],
    ) -> Option<(EffectFit, Self)> {
        let tried = candidates
            .iter()
            .filter(|candidate| !self.factors.contains(candidate))
            .filter_map(|candidate| {
                let with = self.with(candidate, categories);
                let added = with.factors.len() - self.factors.len();
                let fit_at = |penalty: f64| {
                    with.fit(
                        &fit.penalties
                            .iter()
                            .copied()
                            .chain(vec![penalty; added])
                            .collect::<Vec<_>>(),
                    )
                };
                let fits = FIRST_PENALTIES.into_iter().filter_map(fit_at);
                Some((fits.min_by(|a, b| a.criterion.total_cmp(&b.criterion))?, with))
            });
        let (best, with) = tried.min_by(|a, b| a.0.criterion.total_cmp(&b.0.criterion))?;
        let best = with.refined(best);
        (best.criterion < fit.criterion).then_some((best, with))
    }

    /// The factors without the one whose removal improves the criterion of a fit most; `None` if
    /// none does.
    fn best_reduction(
        &self,
        fit: &EffectFit,
        categories: &[Category],
    ) -> Option<(EffectFit, Self)> {
        let is_needed = |factor: &Factor| {
            let mut others = self.factors.iter().filter(|other| other.len() > factor.len());
            others.any(|other| other.contains(&factor[0]))
        };
        let without = |index: usize| {
            let rest = |k: &usize| *k != index;
            let factors =
                (0..self.factors.len()).filter(rest).map(|k| self.factors[k].clone()).collect();
            let penalties: Vec<f64> =
                (0..self.factors.len()).filter(rest).map(|k| fit.penalties[k]).collect();
            let design = Self::new(factors, categories, self.rows, self.weights);
            Some((design.refined(design.fit(&penalties)?), design))
        };
        let removable = (0..self.factors.len()).filter(|&index| !is_needed(&self.factors[index]));
        let best =
            removable.filter_map(without).min_by(|a, b| a.0.criterion.total_cmp(&b.0.criterion))?;
        (best.0.criterion < fit.criterion).then_some(best)
    }

    /// The penalty of each column: 0 for the constant, then that of its factor.
    fn penalties(&self, of_factors: &[f64]) -> Vec<f64> {
        let of_columns =
            of_factors.iter().zip(&self.widths).flat_map(|(&penalty, &width)| vec![penalty; width]);
        std::iter::once(0.0).chain(of_columns).collect()
    }

    /// The normal matrix with a penalty for each factor.
    fn penalized(&self, penalties: &[f64]) -> nalgebra::DMatrix<f64> {
        let mut matrix = self.normal.clone();
        self.penalties(penalties)
            .iter()
            .enumerate()
            .for_each(|(k, penalty)| matrix[(k, k)] += penalty);
        matrix
    }

    /// Fits the effects with a penalty for each factor; `None` if there are too few points.
    fn fit(&self, penalties: &[f64]) -> Option<EffectFit> {
        let each = self.penalties(penalties);
        let root = self.penalized(penalties).cholesky()?;
        let coefficients: Vec<f64> = root.solve(&self.right).iter().copied().collect();
        let residual = |(row, columns): (&Row, &Vec<usize>)| {
            row.target - columns.iter().map(|&column| coefficients[column]).sum::<f64>()
        };
        let residuals: Vec<f64> = self.rows.iter().zip(&self.columns).map(residual).collect();
        let squares: f64 = residuals
            .iter()
            .zip(self.weights)
            .map(|(residual, weight)| weight * residual * residual)
            .sum();
        let penalty: f64 = each.iter().zip(&coefficients).map(|(penalty, c)| penalty * c * c).sum();
        let determinant: f64 =
            2.0 * root.l_dirty().diagonal().iter().map(|pivot| pivot.ln()).sum::<f64>();
        let points = self.rows.len() as f64;
        let logarithms: f64 = each[1..].iter().map(|penalty| penalty.ln()).sum();
        let mean = ((squares + penalty) / (points - 1.0)).max(MIN_VARIANCE);
        let criterion = (points - 1.0) * mean.ln() + determinant - logarithms
            + self.improbable as f64 * points.ln();
        Some(EffectFit {
            penalties: penalties.to_vec(),
            coefficients,
            residuals,
            squares,
            criterion,
        })
    }

    /// Changes one penalty at a time while this improves the criterion.
    fn refined(&self, mut best: EffectFit) -> EffectFit {
        for _ in 0..MAX_ROUNDS {
            let before = best.criterion;
            for factor in 0..self.factors.len() {
                for ratio in [PENALTY_STEP, PENALTY_STEP.recip()] {
                    loop {
                        let mut penalties = best.penalties.clone();
                        penalties[factor] *= ratio;
                        let inside = (PENALTIES.0..=PENALTIES.1)
                            .contains(&(penalties[factor] / self.rows.len() as f64));
                        match self
                            .fit(&penalties)
                            .filter(|next| inside && next.criterion < best.criterion)
                        {
                            Some(next) => best = next,
                            None => break,
                        }
                    }
                }
            }
            if best.criterion >= before {
                break;
            }
        }
        best
    }
}
