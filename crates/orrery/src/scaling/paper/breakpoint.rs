use std::collections::BTreeMap;

use statrs::distribution::{ContinuousCDF, FisherSnedecor};

use super::least_squares::least_squares;
use super::reading::Reading;

/// A break is believed when noise alone would look like it with a probability below this, over all places looked at.
const SIGNIFICANCE: f64 = 0.01;

/// The relative error that computation times have at the least, for times without noise.
const EXACT: f64 = 1e-9;

/// How many coefficients a segment has.
const COEFFICIENTS: usize = 4;

/// The memory per element at which the computation times of one kind break, in bytes; `None` where they do not.
///
/// Each configuration has one cubic in N, or two: one below the limit and one above. Errors are relative to the times. All
/// limits between neighbouring measured memories are tried; the one with the least n·ln(RSS/n) + k·ln n is taken, when
/// the F test of two segments against one is significant after Bonferroni's correction for the places tried. Fewer sizes
/// on a side than a cubic has coefficients are met exactly and cost as many coefficients (Chow, "Tests of equality
/// between sets of coefficients in two linear regressions", 1960); at least one configuration must have four and more on
/// either side. The limit is the geometric mean of the memories it lies between.
pub(super) fn breakpoint(readings: &[&Reading]) -> Option<f64> {
    let series = series(readings);
    let mut memories: Vec<f64> = readings.iter().map(|reading| reading.bytes()).collect();
    memories.sort_by(f64::total_cmp);
    memories.dedup();
    let count = readings.len() as f64;
    let whole = series.iter().map(|series| series.cuts[0].1).fold(Misfit::default(), Misfit::plus);
    let split = |limit: f64| {
        let cuts = series.iter().map(|series| series.cuts[series.below(limit)]);
        let both = cuts.clone().any(|(low, high)| low.sizes >= COEFFICIENTS && high.sizes >= COEFFICIENTS);
        both.then(|| cuts.map(|(low, high)| low.plus(high)).fold(Misfit::default(), Misfit::plus))
    };
    let limits: Vec<f64> = memories.windows(2).map(|pair| (pair[0] * pair[1]).sqrt()).collect();
    let criterion = |misfit: &Misfit| count * (misfit.mean(count)).ln() + misfit.coefficients() * count.ln();
    let tried: Vec<(f64, Misfit)> = limits.iter().filter_map(|&limit| Some((limit, split(limit)?))).collect();
    let (limit, best) = tried.iter().min_by(|a, b| criterion(&a.1).total_cmp(&criterion(&b.1)))?;
    let more = best.coefficients() - whole.coefficients();
    let left = count - best.coefficients();
    let ratio = (whole.squares - best.squares) / more / (best.mean(count) * count / left);
    let chance = FisherSnedecor::new(more, left).ok()?.sf(ratio.max(0.0));
    (chance * (tried.len() as f64) < SIGNIFICANCE).then_some(*limit)
}

/// What a cubic leaves of a segment.
#[derive(Debug, Clone, Copy, Default)]
struct Misfit {
    /// Σ of the squared relative residuals.
    squares: f64,
    /// How many different sizes there are.
    sizes: usize,
    /// How many coefficients have been used.
    used: usize,
}

impl Misfit {
    fn plus(self, other: Self) -> Self {
        let sizes = self.sizes + other.sizes;
        Self { squares: self.squares + other.squares, sizes, used: self.used + other.used }
    }

    fn mean(&self, count: f64) -> f64 {
        self.squares / count + EXACT * EXACT
    }

    fn coefficients(&self) -> f64 {
        self.used as f64
    }

    fn of(readings: &[&Reading]) -> Self {
        let mut sizes: Vec<f64> = readings.iter().map(|reading| reading.size).collect();
        sizes.dedup();
        let used = sizes.len().min(COEFFICIENTS);
        let row = |reading: &&Reading| {
            let power = |k: usize| if k < used { reading.size.powi(k as i32) / reading.computation } else { 0.0 };
            std::array::from_fn(power)
        };
        let rows: Vec<[f64; COEFFICIENTS]> = readings.iter().map(row).collect();
        let values = least_squares(&rows, &vec![1.0; rows.len()]).unwrap_or_default();
        let error = |row: &[f64; COEFFICIENTS]| 1.0 - row.iter().zip(values).map(|(a, x)| a * x).sum::<f64>();
        Self { squares: rows.iter().map(|row| error(row).powi(2)).sum(), sizes: sizes.len(), used }
    }
}

/// One configuration with the memories of its runs, ascending, and what cubics leave below and above each cut.
struct Series {
    memories: Vec<f64>,
    cuts: Vec<(Misfit, Misfit)>,
}

impl Series {
    fn below(&self, limit: f64) -> usize {
        self.memories.partition_point(|memory| *memory < limit)
    }
}

fn series(readings: &[&Reading]) -> Vec<Series> {
    let mut by_configuration: BTreeMap<_, Vec<&Reading>> = BTreeMap::new();
    for reading in readings {
        by_configuration.entry(&reading.share).or_default().push(reading);
    }
    let series = |mut readings: Vec<&Reading>| {
        readings.sort_by(|a, b| a.size.total_cmp(&b.size));
        let cuts = (0..=readings.len()).map(|cut| (Misfit::of(&readings[..cut]), Misfit::of(&readings[cut..])));
        Series { cuts: cuts.collect(), memories: readings.iter().map(|reading| reading.bytes()).collect() }
    };
    by_configuration.into_values().map(series).collect()
}
