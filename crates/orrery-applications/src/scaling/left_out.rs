//! Forecasts of configurations that are left out of a fit.

use super::observations::{Group, Observations};
use super::regression::{Regression, time};
use super::uncertainty::{Uncertainty, Variance, uncertainty};
use crate::run::Configuration;
use orrery_base::numeric::{chi_squared_p_value, mean, median, normal_score, parallel_map};

/// The number of parts into which configurations are divided to forecast each from the others.
const FOLDS: usize = 8;

/// The largest error of a point: a time of 0 must not decide alone.
const MAX_ERROR: f64 = 10.0;

/// Errors whose probability by the predicted uncertainty is below this level are larger than
/// predicted.
const SIGNIFICANCE: f64 = 0.05;

/// The forecast of a point by a fit without its configuration.
struct LeftOutPoint {
    /// The index of the configuration.
    configuration: usize,
    /// |ln T̂/t| of the median time t.
    error: f64,
    /// The error in standard deviations of a normal distribution, squared; `None` for a fit without
    /// uncertainty.
    square: Option<f64>,
}

/// The forecasts of left-out configurations by fits to the others.
pub(super) struct LeftOutForecasts {
    /// The points of each part of the configurations; `None` if they cannot be forecast.
    folds: Vec<Option<Vec<LeftOutPoint>>>,
    /// The number of configurations.
    configurations: usize,
}

impl LeftOutForecasts {
    /// Leaves out each part of the configurations once; a part has no errors if `fit` fails without
    /// it, or if its terms are unknown.
    pub(super) fn of(
        observations: &Observations,
        fit: impl Fn(&Observations) -> Option<Regression> + Sync,
    ) -> Self {
        let mut configurations: Vec<&Configuration> =
            observations.groups.iter().map(|group| &group.point.configuration).collect();
        configurations.sort_unstable();
        configurations.dedup();
        let index =
            |group: &Group| configurations.binary_search(&&group.point.configuration).unwrap_or(0);
        let count = FOLDS.min(configurations.len());
        let fold = |left_out: usize| {
            let is_known = |group: usize| index(&observations.groups[group]) % count != left_out;
            let known = observations.subset(is_known);
            let regression = fit(&known)?;
            let uncertainty = uncertainty(&regression, &known, None, None);
            let held_out = observations.subset(|group| !is_known(group));
            let terms = regression.terms_of(&held_out)?;
            let point = |(group, terms): (&Group, &Vec<f64>)| {
                let seconds = time(terms, &regression.values);
                let error = (seconds / median(&group.seconds)).ln().abs().min(MAX_ERROR);
                let square = uncertainty.as_ref().map(|uncertainty| {
                    let Variance { value, degrees } =
                        uncertainty.of_mean(terms, seconds, group.seconds.len());
                    normal_score(error / value.sqrt(), degrees).powi(2)
                });
                LeftOutPoint { configuration: index(group), error, square }
            };
            Some(held_out.groups.iter().zip(&terms).map(point).collect())
        };
        Self { folds: parallel_map(count, fold), configurations: configurations.len() }
    }

    /// The number of configurations.
    pub(super) fn configurations(&self) -> usize {
        self.configurations
    }

    /// Returns true if the errors are smaller on average than other ones, for points that both
    /// forecast.
    pub(super) fn is_better_than(&self, other: &Self) -> bool {
        let both = || {
            self.folds
                .iter()
                .zip(&other.folds)
                .filter_map(|(own, other)| own.as_ref().zip(other.as_ref()))
        };
        let errors =
            |points: &[LeftOutPoint]| points.iter().map(|point| point.error).collect::<Vec<f64>>();
        let own: Vec<f64> = both().flat_map(|(own, _)| errors(own)).collect();
        let others: Vec<f64> = both().flat_map(|(_, other)| errors(other)).collect();
        !own.is_empty() && mean(&own) < mean(&others)
    }

    /// Widens an uncertainty to the errors of left-out configurations, if these are significantly
    /// larger than predicted.
    ///
    /// The errors of points of one configuration depend on each other, and the terms of a family
    /// may be incomplete. So z², the square of an error in standard deviations, is averaged over
    /// the points of each configuration, then over the configurations. Variances of coefficients
    /// and of the lack of fit are multiplied by this mean. Their degrees of freedom are at most the
    /// number of configurations.
    pub(super) fn widen(&self, uncertainty: &mut Uncertainty) {
        let mut squares: Vec<(usize, f64)> = self
            .folds
            .iter()
            .flatten()
            .flatten()
            .filter_map(|point| Some((point.configuration, point.square?)))
            .filter(|(_, square)| square.is_finite())
            .collect();
        squares.sort_by_key(|(configuration, _)| *configuration);
        let of_configurations: Vec<f64> = squares
            .chunk_by(|a, b| a.0 == b.0)
            .map(|points| mean(&points.iter().map(|(_, square)| *square).collect::<Vec<f64>>()))
            .collect();
        let (sum, degrees) =
            (of_configurations.iter().sum::<f64>(), of_configurations.len() as f64);
        if chi_squared_p_value(sum, degrees) < SIGNIFICANCE {
            uncertainty.widen(sum / degrees, degrees);
        }
    }
}
