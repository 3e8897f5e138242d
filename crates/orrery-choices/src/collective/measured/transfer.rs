//! Which times serve a choice on another number of processors or at another size.
//!
//! The counts of the algorithms and the deviations that all numbers of processors share predict the
//! rows of another one. Its own deviations ([`prior`](super::prior)) widen their intervals.

use std::collections::BTreeSet;

use super::{CollectiveReadings, MeasuredError, Point};
use orrery_base::units::Bytes;

/// The largest ratio of two numbers of processors, and of a size to the measured ones, at which
/// times are transferred. Farther transfers lose more than the library's own choice.
pub const REACH: usize = 2;

/// The numbers of processors whose times serve a choice: the same one, or all within [`REACH`].
pub(super) fn sources(procs: usize, measured: &BTreeSet<usize>) -> BTreeSet<usize> {
    if measured.contains(&procs) {
        return BTreeSet::from([procs]);
    }
    let is_near = |one: &usize| {
        procs.max(*one) <= procs.min(*one).saturating_mul(REACH) && procs.min(*one) > 0
    };
    measured.iter().copied().filter(is_near).collect()
}

/// The measurements that the times of a point come from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Origin {
    /// The numbers of processors, ascending.
    pub procs: Vec<usize>,
    /// The largest measured size up to that of the point; `None` if all are larger.
    pub below: Option<Bytes>,
    /// The smallest measured size from that of the point on; `None` if all are smaller.
    pub above: Option<Bytes>,
    /// True if the point itself was not measured.
    pub is_transferred: bool,
    /// True if one of the numbers of processors is a power of two exactly if that of the point is.
    pub is_alike: bool,
}

impl CollectiveReadings {
    /// The points of a choice: all measured sizes of each operation, or those in a range and its
    /// ends. Ends beyond the measured sizes by more than [`REACH`] are left out, and with several
    /// processes on each host all ends that were not measured.
    ///
    /// # Errors
    ///
    /// If no size in the range is measured or within reach.
    pub fn points(&self, range: Option<(Bytes, Bytes)>) -> Result<Vec<Point>, MeasuredError> {
        let mut points = BTreeSet::new();
        for operation in self.measured().map(|one| one.operation).collect::<BTreeSet<_>>() {
            let measured = || self.measured().filter(|one| one.operation == operation);
            let at = |size| Point { operation, procs: self.procs, size };
            let Some((low, high)) = range else {
                points.extend(measured().map(|one| at(one.size)));
                continue;
            };
            let vectors = || measured().map(Point::vector);
            let least = vectors().fold(f64::INFINITY, f64::min) / REACH as f64;
            let most = vectors().fold(0.0, f64::max) * REACH as f64;
            let inside = measured().map(|one| one.size).filter(|size| (low..=high).contains(size));
            let ends = [low, high].into_iter().filter(|_| self.per_host == 1);
            let sizes = inside.chain(ends).map(at);
            points.extend(sizes.filter(|point| (least..=most).contains(&point.vector())));
        }
        if points.is_empty() {
            self.predictable()?;
            let sizes = || self.measured().map(|one| one.size);
            let (least, most) = (sizes().min(), sizes().max());
            return Err(MeasuredError::Sizes {
                least: least.unwrap_or(Bytes::ZERO),
                most: most.unwrap_or(Bytes::ZERO),
            });
        }
        Ok(points.into_iter().collect())
    }

    /// Checks that times that were not measured can be predicted.
    ///
    /// # Errors
    ///
    /// If several processes ran on one host: intervals of 95 % contained 50 to 84 % of the times.
    pub fn predictable(&self) -> Result<(), MeasuredError> {
        match self.per_host {
            1 => Ok(()),
            per_host => Err(MeasuredError::SeveralPerHost { per_host }),
        }
    }

    /// The measurements that the times of a point come from.
    pub(super) fn origin(&self, point: Point) -> Origin {
        let of_operation = || self.measured().filter(|one| one.operation == point.operation);
        let sizes: BTreeSet<Bytes> = of_operation().map(|one| one.size).collect();
        let procs: BTreeSet<usize> = of_operation().map(|one| one.procs).collect();
        let is_power = |procs: &usize| procs.is_power_of_two();
        Origin {
            is_alike: procs.iter().any(|one| is_power(one) == is_power(&point.procs)),
            procs: procs.into_iter().collect(),
            below: sizes.range(..=point.size).next_back().copied(),
            above: sizes.range(point.size..).next().copied(),
            is_transferred: of_operation().all(|one| one != point),
        }
    }

    /// The points of all readings, those of the library's own choice among them.
    fn measured(&self) -> impl Iterator<Item = Point> {
        let times = self.times.keys().map(|row| row.point);
        times.chain(self.defaults.keys().map(|(point, _)| *point))
    }
}
