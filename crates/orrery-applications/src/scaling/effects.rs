//! The effects of categories: factors of the time by the levels of texts and codes, such as the
//! broadcast of HPL.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::categories::levels_of;
use super::forecast::ForecastError;
use super::point::Point;
use super::term_model::{Coefficient, TermModel};
use super::uncertainty::{Uncertainty, Variance, satterthwaite_sum};
use orrery_base::names::advice;
use orrery_base::numeric::Estimate;

/// The level of each category, by name.
pub type Levels = BTreeMap<String, String>;

/// The effect of a category, or of an interaction of two.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Effect {
    /// The names of the categories: one, or two for an interaction.
    pub categories: Vec<String>,
    /// The factor of each level, or of each pair of levels.
    pub levels: Vec<LevelEffect>,
}

/// The factor by which a level, or a pair of levels, changes the time.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LevelEffect {
    /// The level of each category of the effect.
    pub levels: Vec<String>,
    /// The factor of the time, relative to the geometric mean of the levels.
    pub factor: f64,
    /// The standard error of ln(factor).
    pub deviation: f64,
}

/// The effects of categories on a time: T = f(x)·Π factor(level).
///
/// Every category of an interaction has an effect of its own, too.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Effects {
    /// The degrees of freedom of the standard errors.
    pub degrees: f64,
    /// The effects of categories, then those of interactions.
    #[serde(rename = "factors")]
    pub effects: Vec<Effect>,
}

/// The joint factor of several effects.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct JointFactor {
    /// ln Π factor.
    pub(super) logarithm: f64,
    /// The variance of the logarithm; it includes the spread of the levels of categories without a
    /// level.
    pub(super) variance: f64,
}

impl Effects {
    /// Returns true if the time depends on no category.
    pub fn is_empty(&self) -> bool {
        self.effects.is_empty()
    }

    /// The names of the categories.
    pub fn categories(&self) -> Vec<&str> {
        let of_one = self.effects.iter().filter(|effect| effect.categories.len() == 1);
        of_one.map(|effect| effect.categories[0].as_str()).collect()
    }

    /// The levels of a category; empty if the time does not depend on it.
    pub fn levels(&self, category: &str) -> Vec<&str> {
        let own = self.effects.iter().find(|effect| effect.categories == [category]);
        own.iter().flat_map(|effect| &effect.levels).map(|level| level.levels[0].as_str()).collect()
    }

    /// Π factor at these levels, relative to the mean time.
    ///
    /// # Errors
    ///
    /// A category or a level that no run has.
    pub fn factor(&self, levels: &Levels) -> Result<f64, ForecastError> {
        Ok(self.at(levels)?.logarithm.exp())
    }

    /// The joint factor at these levels. Categories without a level have the geometric mean of
    /// their levels, in interactions that of the pairs with the given level.
    ///
    /// # Errors
    ///
    /// A category or a level that no run has.
    pub(super) fn at(&self, levels: &Levels) -> Result<JointFactor, ForecastError> {
        for (category, level) in levels {
            let known = self.levels(category);
            if known.is_empty() {
                return Err(ForecastError::unknown_category(category, &self.categories()));
            }
            if !known.contains(&level.as_str()) {
                return Err(ForecastError::Other(format!(
                    "no run of the model has {category} = {level:?}; {}",
                    advice(level, "its levels", known)
                )));
            }
        }
        Ok(self.effects.iter().map(|effect| effect.at(levels)).fold(
            JointFactor::default(),
            |sum, next| JointFactor {
                logarithm: sum.logarithm + next.logarithm,
                variance: sum.variance + next.variance,
            },
        ))
    }

    /// The levels with the least joint factor, measured together or not; `fixed` are those that are
    /// given.
    pub fn best_levels(&self, fixed: &Levels) -> Levels {
        let free: Vec<&str> =
            self.categories().into_iter().filter(|name| !fixed.contains_key(*name)).collect();
        let mut search = LevelSearch { effects: self, free, best: (f64::INFINITY, Levels::new()) };
        let known = fixed.iter().filter(|(name, _)| !self.levels(name).is_empty());
        search.extend(&mut known.map(|(name, level)| (name.clone(), level.clone())).collect(), 0);
        search.best.1
    }
}

impl Effect {
    /// The factor at these levels: the geometric mean of the factors that they allow, which are
    /// equally probable.
    fn at(&self, levels: &Levels) -> JointFactor {
        let allowed: Vec<&LevelEffect> = self.allowed(levels).collect();
        // A file may lack a pair of levels of an interaction.
        let allowed = if allowed.is_empty() { self.levels.iter().collect() } else { allowed };
        let count = allowed.len().max(1) as f64;
        let logarithm = allowed.iter().map(|level| level.factor.ln()).sum::<f64>() / count;
        let squares = allowed
            .iter()
            .map(|level| (level.factor.ln() - logarithm).powi(2) + level.deviation.powi(2));
        JointFactor { logarithm, variance: squares.sum::<f64>() / count }
    }

    /// The least logarithm of a factor that these levels allow.
    fn least(&self, levels: &Levels) -> f64 {
        self.allowed(levels).map(|level| level.factor.ln()).fold(f64::INFINITY, f64::min)
    }

    /// The factors that these levels allow; categories without a level allow all of theirs.
    fn allowed(&self, levels: &Levels) -> impl Iterator<Item = &LevelEffect> {
        let is_given = move |(name, own): (&String, &String)| {
            levels.get(name).is_none_or(|given| given == own)
        };
        self.levels
            .iter()
            .filter(move |level| self.categories.iter().zip(&level.levels).all(is_given))
    }
}

/// The search of the levels with the least factor, by branch and bound.
struct LevelSearch<'a> {
    effects: &'a Effects,
    free: Vec<&'a str>,
    best: (f64, Levels),
}

impl LevelSearch<'_> {
    /// Tries all levels of the free categories from this one on.
    fn extend(&mut self, levels: &mut Levels, next: usize) {
        let bound: f64 = self.effects.effects.iter().map(|effect| effect.least(levels)).sum();
        if bound >= self.best.0 {
            return;
        }
        let Some(&name) = self.free.get(next) else {
            self.best = (bound, levels.clone());
            return;
        };
        for level in self.effects.levels(name) {
            levels.insert(name.to_owned(), level.to_owned());
            self.extend(levels, next + 1);
        }
        levels.remove(name);
    }
}

impl TermModel {
    /// The levels of the categories of this model at a point: its labels, and its variables that
    /// are categories.
    pub(super) fn levels_at(&self, point: &Point) -> Levels {
        let mut levels = self.known_levels(&BTreeMap::new(), &point.variables);
        levels.extend(point.labels.clone());
        levels
    }

    /// The levels of the categories of this model in labels, such as the variant of HPL, and in
    /// variables.
    pub(super) fn known_levels(
        &self,
        labels: &BTreeMap<String, String>,
        variables: &BTreeMap<String, f64>,
    ) -> Levels {
        let categories = self.effects.categories();
        let mut levels =
            if categories.is_empty() { Levels::new() } else { levels_of(labels, variables) };
        levels.retain(|name, _| categories.contains(&name.as_str()));
        levels
    }

    /// The categories for which a point has no level.
    pub fn unnamed_categories(&self, point: &Point) -> Vec<&str> {
        let levels = self.levels_at(point);
        self.effects
            .categories()
            .into_iter()
            .filter(|category| !levels.contains_key(*category))
            .collect()
    }

    /// This model at fixed levels of its categories, without effects. Categories without a level
    /// have the geometric mean of their levels, and intervals include all of them.
    ///
    /// # Errors
    ///
    /// A category or a level that no run has.
    pub fn at_levels(&self, levels: &Levels) -> Result<Self, ForecastError> {
        let JointFactor { logarithm, variance } = self.effects.at(levels)?;
        Ok(self.scaled(logarithm.exp(), variance))
    }

    /// This model without effects, with all times multiplied by a factor. `variance` is added to
    /// the lack of fit.
    pub(super) fn scaled(&self, factor: f64, variance: f64) -> Self {
        let mut model = self.clone();
        let added = Variance { value: variance, degrees: self.effects.degrees };
        model.effects = Effects::default();
        model.coefficients.iter_mut().for_each(|coefficient| scale(coefficient, factor));
        model.uncertainty.iter_mut().for_each(|uncertainty| widen(uncertainty, factor, added));
        for alternative in &mut model.alternatives {
            alternative.coefficients.iter_mut().for_each(|coefficient| scale(coefficient, factor));
            alternative
                .uncertainty
                .iter_mut()
                .for_each(|uncertainty| widen(uncertainty, factor, added));
        }
        model
    }
}

/// Multiplies a coefficient and its interval by a factor.
fn scale(coefficient: &mut Coefficient, factor: f64) {
    let Estimate { value, interval, .. } = &mut coefficient.estimate;
    *value *= factor;
    if let Some(interval) = interval {
        interval.low *= factor;
        interval.high *= factor;
    }
}

/// The uncertainty of times that are multiplied by a factor with this relative variance.
fn widen(uncertainty: &mut Uncertainty, factor: f64, variance: Variance) {
    uncertainty.covariance.iter_mut().flatten().for_each(|entry| *entry *= factor * factor);
    uncertainty.spread_variance *= factor.powf(-uncertainty.spread_slope);
    if variance.value > 0.0 {
        let misfit =
            Variance { value: uncertainty.misfit.powi(2), degrees: uncertainty.misfit_degrees };
        let Variance { value, degrees } = satterthwaite_sum(&[misfit, variance]);
        uncertainty.misfit = value.sqrt();
        uncertainty.misfit_degrees = degrees;
    }
}
