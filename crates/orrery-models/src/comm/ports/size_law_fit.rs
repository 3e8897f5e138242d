//! The estimation of the effects of the size.

use std::collections::BTreeMap;

use super::{SizeEffect, SizeLaw};
use crate::comm::Observations;
use orrery_base::numeric::{Line, median};
use orrery_base::units::Bytes;
use orrery_measure::sample::Experiment;

/// The smallest number of measured sizes for a law.
const MIN_SIZES: usize = 3;

/// The smallest relative deviation of an effective size for which a law is used.
const MIN_DEVIATION: f64 = 0.03;

/// The smallest ratio of the slowest to the fastest pair at which latency and rate are
/// distinguished.
const MIN_RATIO: f64 = 2.0;

/// Estimates the law from round trips T(m) of m bytes in both directions, with M the largest
/// size.
///
/// With s_ij = (T_ij(M) − T_ij(0))/2M, (T_ij(m) − T_ij(0))/2 = a(m) + e(m)·s_ij for all pairs,
/// by least squares of relative errors; a(m) = 0 if the pairs differ too little. The law is
/// linear with fewer than three sizes, and if no effective size deviates.
pub(super) fn estimate(observations: &Observations) -> SizeLaw {
    let mut trips: BTreeMap<Bytes, usize> = BTreeMap::new();
    for one in observations.iter() {
        if let Experiment::RoundTrip { size, reply, .. } = one.experiment
            && size == reply
        {
            *trips.entry(size).or_default() += 1;
        }
    }
    let pairs = observations.pairs();
    trips.retain(|_, count| *count == pairs.count());
    let is_enough = trips.contains_key(&Bytes::ZERO) && trips.len() > MIN_SIZES;
    let Some((&largest, _)) = trips.last_key_value().filter(|_| is_enough) else {
        return SizeLaw::default();
    };
    let empty =
        |(a, b)| Some(observations.round_trip(a, b, Bytes::ZERO, Bytes::ZERO)?.seconds / 2.0);
    let typical = median(&pairs.iter().filter_map(empty).collect::<Vec<_>>());
    let effects: Option<Vec<SizeEffect>> = trips
        .into_keys()
        .map(|size| {
            if size == Bytes::ZERO {
                return Some(SizeEffect { size, effective: 0.0, fixed: typical });
            }
            let point = |(a, b)| {
                let time = |size| Some(observations.round_trip(a, b, size, size)?.seconds / 2.0);
                let slope = (time(largest)? - empty((a, b))?) / largest.get() as f64;
                Some(Point {
                    slope,
                    seconds: time(size)? - empty((a, b))?,
                    weight: 1.0 / time(size)?,
                })
            };
            let points: Vec<Point> =
                pairs.iter().filter_map(point).filter(|point| point.slope > 0.0).collect();
            let (effective, additional) = effect(&points)?;
            Some(SizeEffect { size, effective, fixed: (typical + additional).max(0.0) })
        })
        .collect();
    let deviates = |one: &SizeEffect| {
        (one.effective / one.size.get().max(1) as f64 - 1.0).abs() > MIN_DEVIATION
    };
    effects
        .filter(|all| all.iter().skip(1).any(deviates))
        .and_then(SizeLaw::new)
        .unwrap_or_default()
}

/// A pair of processors: its time per byte, its additional time for messages of a size, and the
/// weight of that.
struct Point {
    slope: f64,
    seconds: f64,
    weight: f64,
}

/// The effective size and the additional latency by weighted least squares over the pairs; `None`
/// without pairs.
fn effect(points: &[Point]) -> Option<(f64, f64)> {
    let slopes = points.iter().map(|point| point.slope);
    let (least, most) = (slopes.clone().fold(f64::INFINITY, f64::min), slopes.fold(0.0, f64::max));
    let line = Line::through(
        points.iter().map(|point| (point.slope, point.seconds, point.weight.powi(2))),
    );
    if let Some(line) = line.filter(|_| most > MIN_RATIO * least) {
        return Some((line.slope.max(0.0), line.intercept));
    }
    let ratios: Vec<f64> = points.iter().map(|point| point.seconds / point.slope).collect();
    (!ratios.is_empty()).then(|| (median(&ratios).max(0.0), 0.0))
}
