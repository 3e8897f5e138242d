use super::Uncertainty;
use super::observations::Observations;
use super::regression::{Regression, time};
use crate::numeric::{mean, robust_deviation};

/// A run that lies further from the middle of its point, in robust standard deviations, counts as if it lay there.
const FAR: f64 = 4.0;

/// The spread is taken to change with time where the longest point takes so many times as long as the shortest.
const WIDE: f64 = 3.0;

/// The square of what rounding does to a number, relative to it: no variance is taken to be less.
const ROUNDING: f64 = 1e-30;

/// A point as the assessment sees it.
struct Place {
    /// T̂.
    time: f64,
    /// The weighted mean of t/T̂ − 1 over its runs.
    mean: f64,
    runs: f64,
    /// The variance of t/T̂ over its runs; `None` of a single run.
    variance: Option<f64>,
}

/// How sure a regression is; `None` where there are as many coefficients as points.
///
/// Points are what is fitted, runs of a point are what is repeated: however often a point is run, it tells no more than
/// where that point lies. The misfit τ² is chosen so that Σ_g e_g²/(τ² + σ²(T̂_g)/n_g) equals its degrees of freedom
/// (DerSimonian, Laird 1986, for regressions: Paule, Mandel 1982), and the covariance of the coefficients follows from
/// it: Σ = (Bᵀ W B)⁻¹ over the coefficients that are not zero.
pub(super) fn assess(regression: &Regression, observations: &Observations) -> Option<Uncertainty> {
    let free: Vec<usize> = (0..regression.values.len()).filter(|&k| regression.values[k] > 0.0).collect();
    let degrees = observations.groups.len().checked_sub(free.len()).filter(|&degrees| degrees > 0)? as f64;
    let places = places(regression, observations);
    let spread = Spread::of(&places);
    let rows: Vec<Vec<f64>> = regression
        .terms
        .iter()
        .zip(&places)
        .map(|(terms, place)| free.iter().map(|&k| terms[k] / place.time).collect())
        .collect();
    let noise: Vec<f64> = places.iter().map(|place| spread.variance(place.time) / place.runs).collect();
    let excess = |misfit: f64| {
        let weights: Vec<f64> = noise.iter().map(|noise| 1.0 / (misfit + noise).max(ROUNDING)).collect();
        let (shift, covariance) = weighted(&rows, &weights, &places)?;
        let left =
            |((row, place), weight): ((&Vec<f64>, &Place), &f64)| weight * (place.mean - time(row, &shift)).powi(2);
        Some((rows.iter().zip(&places).zip(&weights).map(left).sum::<f64>() - degrees, covariance))
    };
    let largest = places.iter().map(|place| place.mean.powi(2)).sum::<f64>().max(ROUNDING);
    // Without repeated runs there is no noise of its own: all is misfit.
    let least = if noise.iter().all(|&noise| noise <= 0.0) { ROUNDING } else { 0.0 };
    let (mut low, mut high) = (least, largest);
    let misfit = if excess(least)?.0 <= 0.0 {
        least
    } else {
        for _ in 0..60 {
            let middle = if low > 0.0 { (low * high).sqrt() } else { f64::midpoint(low, high) };
            if excess(middle)?.0 > 0.0 { low = middle } else { high = middle }
        }
        high
    };
    let (_, small) = excess(misfit)?;
    let count = regression.values.len();
    let mut covariance = vec![vec![0.0; count]; count];
    for (i, &k) in free.iter().enumerate() {
        for (j, &l) in free.iter().enumerate() {
            covariance[k][l] = small[i][j];
        }
    }
    let share = misfit / (misfit + mean(&noise)).max(f64::MIN_POSITIVE);
    let own = |share: f64, degrees: f64| if share > 0.0 { share * share / degrees.max(1.0) } else { 0.0 };
    let covariance_degrees = 1.0 / (own(share, degrees) + own(1.0 - share, spread.degrees));
    Some(Uncertainty {
        covariance,
        covariance_degrees,
        misfit: misfit.sqrt(),
        misfit_degrees: degrees,
        spread_variance: spread.at_one,
        spread_slope: spread.slope,
        spread_degrees: spread.degrees,
    })
}

fn places(regression: &Regression, observations: &Observations) -> Vec<Place> {
    let groups = observations.groups.iter().zip(&regression.weights).zip(regression.times());
    groups
        .map(|((group, weights), time)| {
            let errors: Vec<f64> = group.seconds.iter().map(|seconds| seconds / time - 1.0).collect();
            let whole: f64 = weights.iter().sum();
            let centre = errors.iter().zip(weights).map(|(e, w)| e * w).sum::<f64>() / whole;
            let bound = (errors.len() >= 5).then(|| robust_deviation(&errors)).flatten();
            let bound = bound.filter(|&bound| bound > 0.0).map_or(f64::INFINITY, |deviation| FAR * deviation);
            let middle = mean(&errors);
            let squares = errors.iter().map(|e| (e - middle).clamp(-bound, bound).powi(2)).sum::<f64>();
            let variance = (errors.len() > 1).then(|| squares / (errors.len() - 1) as f64);
            Place { time, mean: centre, runs: errors.len() as f64, variance }
        })
        .collect()
}

/// σ²(T̂) = σ₁²·T̂^slope.
struct Spread {
    at_one: f64,
    slope: f64,
    degrees: f64,
}

impl Spread {
    /// A line through the logarithms of the variances over those of the times, each with the weight of its runs; the
    /// level such that the variances are met on average.
    fn of(places: &[Place]) -> Self {
        let known: Vec<(f64, f64, f64)> = places
            .iter()
            .filter_map(|place| Some((place.time.ln(), place.variance?, place.runs - 1.0)))
            .filter(|(_, variance, _)| *variance > 0.0)
            .collect();
        let weight: f64 = known.iter().map(|(_, _, weight)| weight).sum();
        if known.is_empty() {
            return Self { at_one: 0.0, slope: 0.0, degrees: 0.0 };
        }
        let average = |of: &dyn Fn(&(f64, f64, f64)) -> f64| known.iter().map(|p| p.2 * of(p)).sum::<f64>() / weight;
        let (x, y) = (average(&|p| p.0), average(&|p| p.1.ln()));
        let square = average(&|p| (p.0 - x).powi(2));
        let extent =
            known.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), p| (low.min(p.0), high.max(p.0)));
        let wide = known.len() >= 4 && extent.1 - extent.0 > WIDE.ln();
        let slope = if wide { average(&|p| (p.0 - x) * (p.1.ln() - y)) / square } else { 0.0 };
        // Every point that was run more than once counts, also one whose runs do not differ.
        let repeated = places.iter().filter_map(|place| Some((place, place.variance?)));
        let (met, runs) = repeated.fold((0.0, 0.0), |(met, runs), (place, variance)| {
            let weight = place.runs - 1.0;
            (met + weight * variance / place.time.powf(slope), runs + weight)
        });
        Self { at_one: met / runs, slope, degrees: runs }
    }

    fn variance(&self, time: f64) -> f64 {
        self.at_one * time.powf(self.slope)
    }
}

/// Weighted least squares of the means on the rows: the solution and the inverse of BᵀWB.
fn weighted(rows: &[Vec<f64>], weights: &[f64], places: &[Place]) -> Option<(Vec<f64>, Vec<Vec<f64>>)> {
    let count = rows.first().map_or(0, Vec::len);
    // Columns are scaled to unit length first: powers of n differ by many orders of magnitude.
    let scale = |k: usize| rows.iter().zip(weights).map(|(row, w)| w * row[k] * row[k]).sum::<f64>().sqrt();
    let scales: Vec<f64> = (0..count).map(scale).collect();
    let products = nalgebra::DMatrix::from_fn(count, count, |k, l| {
        rows.iter().zip(weights).map(|(row, w)| w * row[k] * row[l]).sum::<f64>() / (scales[k] * scales[l])
    });
    let inverse = products.cholesky()?.inverse();
    let right: Vec<f64> = (0..count)
        .map(|k| {
            rows.iter().zip(weights).zip(places).map(|((row, w), place)| w * row[k] * place.mean).sum::<f64>()
                / scales[k]
        })
        .collect();
    let solution =
        (0..count).map(|k| (0..count).map(|l| inverse[(k, l)] * right[l]).sum::<f64>() / scales[k]).collect();
    let covariance =
        (0..count).map(|k| (0..count).map(|l| inverse[(k, l)] / (scales[k] * scales[l])).collect()).collect();
    Some((solution, covariance))
}
