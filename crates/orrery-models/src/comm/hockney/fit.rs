use std::collections::{BTreeMap, BTreeSet};

use super::Hockney;
use crate::comm::estimation::correlations::rounded;
use crate::comm::{Correlations, Estimated, Estimator, FitError, Observation, Observations};
use orrery_base::numeric::{Estimate, LeastSquares};
use orrery_base::units::Bytes;
use orrery_cluster::platform::{LinkClass, PerPair, Processor};
use orrery_measure::sample::{Experiment, ExperimentKind};

orrery_base::named_enum! {
    /// The estimators of Hockney's parameters.
    ///
    /// Source: Lastovetsky, Rychkov, O'Flynn, "A software tool for accurate estimation of parameters
    /// of heterogeneous communication models", section 2.
    #[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
    pub enum HockneyEstimator: "estimator of Hockney" {
        /// Linear regression of all round trips of a pair: T = 2α + β·(bytes out + bytes back).
        #[default]
        Regression => "regression": "Linear regression over all sizes",
        /// α from empty round trips, β from those of the largest size: α = T(0)/2,
        /// β = (T(M)/2 − α)/M.
        Empty => "empty": "Latency from empty round trips, rate from those of the largest size",
    }
}

/// The parameters α and β of a pair, their standard deviations, and the number and residual of the
/// samples used.
struct PairFit {
    values: [f64; 2],
    deviations: [f64; 2],
    /// The correlation of their errors.
    correlation: f64,
    samples: u64,
    residual: f64,
    degrees: usize,
}

/// Estimates Hockney's parameters for each pair from its round trips, and their mean over the
/// pairs, with the correlations of their errors.
///
/// # Errors
///
/// When there are fewer than two processors, or round trips of a pair are missing.
pub fn fit(
    observations: &Observations,
    way: HockneyEstimator,
    level: f64,
) -> Result<(Hockney, Correlations), FitError> {
    let processors = observations.processors();
    if processors < 2 {
        let why = "a round trip has two";
        return Err(FitError::Processors { model: "hockney", needed: 2, given: processors, why });
    }
    // The number of pairs can be far larger than the number of observations.
    let mut by_pair: BTreeMap<(Processor, Processor), Vec<&Observation>> = BTreeMap::new();
    for observation in observations.iter() {
        if let Experiment::RoundTrip { i, j, .. } = observation.experiment {
            by_pair.entry((i.min(j), i.max(j))).or_default().push(observation);
        }
    }
    let fit = |((a, b), trips): ((Processor, Processor), Vec<&Observation>)| {
        let fitted = match way {
            HockneyEstimator::Regression => regression(&trips),
            HockneyEstimator::Empty => empty(observations, a, b, &trips),
        };
        fitted.map(|fit| ((a, b), fit))
    };
    // The order of the map is that of the pairs.
    let fits: BTreeMap<(Processor, Processor), PairFit> =
        by_pair.into_iter().filter_map(fit).collect();
    let pairs = observations.pairs();
    if fits.len() < pairs.count() {
        let names = pairs.iter().filter(|pair| !fits.contains_key(pair));
        let names = names.map(|(a, b)| {
            format!("round trips {a}-{b} at two sizes (0 among them for the estimator empty)")
        });
        return Err(FitError::missing("hockney", pairs.count() - fits.len(), names, "comm"));
    }
    let fits: Vec<PairFit> = fits.into_values().collect();
    let pairs = fits.iter().map(|fit| vec![1.0, rounded(fit.correlation), 1.0]).collect();
    let correlations =
        Correlations { cluster: vec![mean_correlation(&fits)], processors: Vec::new(), pairs };
    Ok((collect(observations, processors, &fits, level), correlations))
}

/// Returns the correlation of the errors of the means of α and β over the pairs.
fn mean_correlation(fits: &[PairFit]) -> f64 {
    let sum = |of: fn(&PairFit) -> f64| fits.iter().map(of).sum::<f64>();
    let covariance = sum(|fit| fit.correlation * fit.deviations[0] * fit.deviations[1]);
    let variances = sum(|fit| fit.deviations[0].powi(2)) * sum(|fit| fit.deviations[1].powi(2));
    rounded(if variances > 0.0 { covariance / variances.sqrt() } else { 0.0 })
}

/// Returns the model with intervals of the confidence level `level`, and with the means over all
/// pairs.
fn collect(
    observations: &Observations,
    processors: usize,
    fits: &[PairFit],
    level: f64,
) -> Hockney {
    let classes: Vec<Option<LinkClass>> =
        observations.pairs().iter().map(|(a, b)| observations.hosts().class(a, b)).collect();
    // One factor for each class, not for each pair: a factor reads all pairs.
    let distinct: BTreeSet<Option<LinkClass>> = classes.iter().copied().collect();
    let factors: BTreeMap<Option<LinkClass>, Option<f64>> = distinct
        .into_iter()
        .map(|class| (class, factor(observations, fits, &classes, class, level)))
        .collect();
    let half_widths = |p: usize| -> Vec<Option<f64>> {
        fits.iter()
            .zip(&classes)
            .map(|(fit, class)| factors[class].map(|factor| factor * fit.deviations[p]))
            .collect()
    };
    let estimate = |value, half, samples| Estimate::not_negative(value, half, level, samples);
    let of_pairs = |p: usize| {
        let fits = fits.iter().zip(half_widths(p));
        let values = fits.map(|(fit, half)| estimate(fit.values[p], half, fit.samples)).collect();
        PerPair::new(processors, values).unwrap_or_else(|| unreachable!("one fit for each pair"))
    };
    let count = fits.len() as f64;
    let mean = |p: usize| {
        let value = fits.iter().map(|fit| fit.values[p]).sum::<f64>() / count;
        let squares: Option<f64> =
            half_widths(p).into_iter().map(|half| half.map(|half| half.powi(2))).sum();
        estimate(
            value,
            squares.map(|squares| squares.sqrt() / count),
            fits.iter().map(|fit| fit.samples).sum(),
        )
    };
    Hockney {
        latency: of_pairs(0),
        byte_delay: of_pairs(1),
        mean_latency: mean(0),
        mean_byte_delay: mean(1),
    }
}

/// Returns the ratio of half an interval to the standard deviation for the pairs of a class; `None`
/// if neither readings nor residuals differ in number. Each class has its own lack of fit: a
/// protocol threshold of the network does not affect links within a host.
fn factor(
    observations: &Observations,
    fits: &[PairFit],
    classes: &[Option<LinkClass>],
    class: Option<LinkClass>,
    level: f64,
) -> Option<f64> {
    let alike =
        || fits.iter().zip(classes).filter(|(_, other)| **other == class).map(|(fit, _)| fit);
    let degrees: usize = alike().map(|fit| fit.degrees).sum();
    let residual: f64 = alike().map(|fit| fit.residual).sum();
    let excess = (degrees > 0).then(|| residual / degrees as f64);
    observations.half_width_factor(level, excess, degrees as f64)
}

/// Fits T = 2α + β·(out + back) by non-negative weighted least squares to two round trips or more;
/// `None` if they do not determine both parameters.
fn regression(trips: &[&Observation]) -> Option<PairFit> {
    let mut problem = LeastSquares::new(2);
    for trip in trips {
        let Experiment::RoundTrip { size, reply, .. } = trip.experiment else { continue };
        let bytes = (size + reply).get() as f64;
        problem.push([(0, 2.0), (1, bytes)], trip.seconds, 1.0 / trip.deviation);
    }
    let (solution, covariance) = (problem.solve().ok()?, problem.covariance().ok()?);
    let deviations = covariance.deviations();
    let product = deviations[0] * deviations[1];
    Some(PairFit {
        values: [solution.values[0], solution.values[1]],
        deviations: [deviations[0], deviations[1]],
        correlation: if product > 0.0 { covariance.entry(0, 1) / product } else { 0.0 },
        samples: trips.iter().map(|trip| trip.count).sum(),
        residual: solution.residual,
        degrees: trips.len() - 2,
    })
}

/// Fits α to empty round trips and β to round trips of the largest size; `None` if one of them was
/// not measured.
fn empty(
    observations: &Observations,
    a: Processor,
    b: Processor,
    trips: &[&Observation],
) -> Option<PairFit> {
    let none = observations.round_trip(a, b, Bytes::ZERO, Bytes::ZERO)?;
    let symmetric = |trip: &&&Observation| match trip.experiment {
        Experiment::RoundTrip { size, reply, .. } => size == reply && size > Bytes::ZERO,
        _ => false,
    };
    let most = trips.iter().filter(symmetric).max_by_key(|trip| trip.experiment.size())?;
    let bytes = most.experiment.size().get() as f64;
    let (alpha, beta) = (none.seconds / 2.0, (most.seconds - none.seconds) / (2.0 * bytes));
    let beta_deviation = most.deviation.hypot(none.deviation) / (2.0 * bytes);
    Some(PairFit {
        values: [alpha, beta.max(0.0)],
        deviations: [none.deviation / 2.0, beta_deviation],
        correlation: -none.deviation / most.deviation.hypot(none.deviation),
        samples: none.count + most.count,
        residual: 0.0,
        degrees: 0,
    })
}

/// The estimation of Hockney and of its means.
pub(in crate::comm) const ESTIMATOR: Estimator = Estimator {
    uses: &[ExperimentKind::RoundTrip],
    fit: |observations, options| {
        let (hockney, correlations) = fit(observations, options.hockney, options.level)?;
        Ok(Estimated::new(&hockney, correlations))
    },
    ..Estimator::BASIC
};
