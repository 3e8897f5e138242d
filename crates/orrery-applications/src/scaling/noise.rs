//! The noise of repeated runs over all regions of a program.
//!
//! A region with few repeated runs has a poor estimate of its noise. The variances of all regions
//! are draws from one distribution, s₀²·ν₀/χ²(ν₀), whose parameters follow from the mean and the
//! variance of their logarithms; that of a region is moderated with them, (ν·s² + ν₀·s₀²)/(ν + ν₀).
//! Source: Smyth, "Linear models and empirical Bayes methods for assessing differential expression"
//! (2004), section 6.2.

use std::collections::BTreeMap;

use super::outliers::are_near;
use super::point::{Point, PointKey};
use crate::run::Run;
use orrery_base::numeric::{digamma, mean, trigamma};

/// The distribution of the relative variance of repeated runs over the regions of a program.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RegionNoise {
    /// The typical relative variance, s₀².
    pub variance: f64,
    /// The degrees of freedom that it is worth for a region, ν₀.
    pub degrees: f64,
}

/// The least number of regions with repeated runs.
const MIN_REGIONS: usize = 3;

/// The largest degrees of freedom: regions are never known to be alike.
const MAX_DEGREES: f64 = 30.0;

/// The variance of the repeated runs of a region, and its degrees of freedom.
struct RegionVariance {
    variance: f64,
    degrees: f64,
}

impl RegionVariance {
    /// The relative variance of the times about the mean of their point, without outliers; `None`
    /// without repeated runs, or if all are equal.
    fn of(runs: &[&Run]) -> Option<Self> {
        let mut points: BTreeMap<PointKey, Vec<f64>> = BTreeMap::new();
        for (run, is_near) in runs.iter().zip(are_near(runs)) {
            if is_near {
                points.entry(Point::of(run).key()).or_default().push(run.seconds.get());
            }
        }
        let (mut squares, mut degrees) = (0.0, 0.0);
        for seconds in points.values() {
            let centre = mean(seconds);
            squares += seconds.iter().map(|one| (one / centre - 1.0).powi(2)).sum::<f64>();
            degrees += seconds.len() as f64 - 1.0;
        }
        (squares > 0.0).then(|| Self { variance: squares / degrees, degrees })
    }

    /// The logarithm of the variance without the bias of few degrees of freedom.
    fn logarithm(&self) -> f64 {
        let half = self.degrees / 2.0;
        self.variance.ln() - digamma(half) + half.ln()
    }
}

impl RegionNoise {
    /// The noise of several regions, each by its runs; `None` if fewer than three have repeated
    /// runs.
    pub fn of_regions<'a>(regions: impl IntoIterator<Item = &'a [&'a Run]>) -> Option<Self> {
        let known: Vec<RegionVariance> =
            regions.into_iter().filter_map(RegionVariance::of).collect();
        if known.len() < MIN_REGIONS {
            return None;
        }
        let logarithms: Vec<f64> = known.iter().map(RegionVariance::logarithm).collect();
        let centre = mean(&logarithms);
        let spread = logarithms.iter().map(|one| (one - centre).powi(2)).sum::<f64>();
        let of_few: Vec<f64> = known.iter().map(|one| trigamma(one.degrees / 2.0)).collect();
        // What the degrees of freedom of the regions do not explain of the spread is ψ′(ν₀/2).
        let excess = spread / (known.len() as f64 - 1.0) - mean(&of_few);
        let degrees = degrees_of(excess);
        let half = degrees / 2.0;
        let variance = (centre + digamma(half) - half.ln()).exp();
        Some(Self { variance, degrees })
    }
}

/// The degrees of freedom ν with ψ′(ν/2) = `excess`, at most [`MAX_DEGREES`]: ψ′ falls.
fn degrees_of(excess: f64) -> f64 {
    let (mut low, mut high) = (1e-3, MAX_DEGREES);
    if excess <= trigamma(high / 2.0) {
        return high;
    }
    for _ in 0..60 {
        let middle = f64::midpoint(low, high);
        if trigamma(middle / 2.0) > excess { low = middle } else { high = middle }
    }
    f64::midpoint(low, high)
}

#[cfg(test)]
mod tests {
    use super::*;
    use orrery_base::units::Seconds;

    /// Runs with relative errors that repeat at each of five points.
    fn runs(errors: &[f64]) -> Vec<Run> {
        let at = |n: f64| {
            errors.iter().map(move |error| {
                let mut run = Run::new(Seconds::new(n * (1.0 + error)));
                run.variables.insert("n".to_owned(), n);
                run
            })
        };
        [1.0, 2.0, 3.0, 4.0, 5.0].into_iter().flat_map(at).collect()
    }

    fn noise(regions: &[Vec<Run>]) -> Option<RegionNoise> {
        let regions: Vec<Vec<&Run>> = regions.iter().map(|runs| runs.iter().collect()).collect();
        RegionNoise::of_regions(regions.iter().map(Vec::as_slice))
    }

    #[test]
    fn alike_regions_have_the_noise_of_all() {
        let alike = vec![runs(&[0.01, -0.01]), runs(&[0.01, -0.01]), runs(&[-0.01, 0.01])];
        let found = noise(&alike).unwrap();
        assert!((found.degrees - MAX_DEGREES).abs() < 1e-9, "{found:?}");
        assert!((found.variance.sqrt() / 0.01_f64 - 2.0_f64.sqrt()).abs() < 0.15, "{found:?}");
        assert_eq!(noise(&alike[..2]), None);
        assert_eq!(noise(&[runs(&[0.0]), runs(&[0.0]), runs(&[0.0])]), None);
    }

    #[test]
    fn regions_that_differ_count_little_for_each_other() {
        let differ = vec![runs(&[0.001, -0.001]), runs(&[0.01, -0.01]), runs(&[0.1, -0.1])];
        let found = noise(&differ).unwrap();
        assert!(found.degrees < 1.0, "{found:?}");
    }

    #[test]
    fn degrees_invert_their_variance() {
        for degrees in [0.5, 2.0, 8.0, 25.0] {
            assert!((degrees_of(trigamma(degrees / 2.0)) - degrees).abs() < 1e-6, "{degrees}");
        }
    }
}
