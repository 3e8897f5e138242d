//! Gathers of few sizes, in which no break between two lines can be found: a model bounds their
//! time without losses.

use super::levels::MIN_POINTS;
use crate::comm::Lmo;
use orrery_base::numeric::{Estimate, Interval, median};
use orrery_base::units::Bytes;
use orrery_cluster::platform::Processor;
use orrery_measure::sample::SizeReadings;
use orrery_play::engine::{Message, single_message};

/// The shortest time of a reading with losses, relative to that of all messages one after the
/// other.
const MIN_LOSS_RATIO: f64 = 2.0;

/// The smallest time of a retransmission, relative to a gather of the smallest size; as that of
/// other escalations.
const MIN_RELATIVE_EXCESS: f64 = 9.0;

/// Returns true if there are too few sizes to find breaks in their times.
pub(super) const fn are_few(points: &[SizeReadings]) -> bool {
    points.len() < MIN_POINTS
}

/// Returns the readings of a gather with those that a model does not explain as escalated: without
/// losses, a gather takes at most Σ_i T(i→root, m), its messages one after the other.
pub(super) fn classified(
    points: &[SizeReadings],
    root: Processor,
    procs: usize,
    lmo: &Lmo,
) -> Vec<SizeReadings> {
    let mut network = lmo.network();
    let mut sequential = |size: Bytes| -> f64 {
        let senders = Processor::first(procs).filter(|one| *one != root);
        let time = |from| single_message(&mut network, Message { from, to: root, size }).get();
        senders.map(time).sum()
    };
    let smallest = points.first().map_or(0.0, |first| median(&first.readings));
    let mut classify = |point: &SizeReadings| {
        let bound = MIN_LOSS_RATIO * sequential(point.size) + MIN_RELATIVE_EXCESS * smallest;
        let calm: Vec<f64> =
            point.readings.iter().copied().filter(|reading| *reading <= bound).collect();
        let seconds = if calm.is_empty() { median(&point.readings) } else { median(&calm) };
        SizeReadings { seconds, escalated: point.readings.len() - calm.len(), ..point.clone() }
    };
    points.iter().map(&mut classify).collect()
}

/// Returns M2, the largest size with losses, if the sizes beyond it would have losses by chance
/// were they as frequent; `None` otherwise.
pub(super) fn large_threshold(points: &[SizeReadings], level: f64) -> Option<Estimate> {
    let last = points.iter().rposition(|point| point.escalated > 0)?;
    let (lossy, calm) = (&points[last], &points[last + 1..]);
    let probability = lossy.escalated as f64 / lossy.readings.len() as f64;
    let readings: usize = calm.iter().map(|point| point.readings.len()).sum();
    if calm.is_empty() || (1.0 - probability).powi(readings as i32) > 1.0 - level {
        return None;
    }
    let (value, high) = (lossy.size.get() as f64, calm[0].size.get() as f64);
    let samples = Some((readings + lossy.readings.len()) as u64);
    Some(Estimate { value, interval: Some(Interval { low: value, high, level }), samples })
}
