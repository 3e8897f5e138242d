//! Readings of one operation over a range of sizes, classified into normal and escalated ones.

use orrery_base::numeric::{median, pooled_relative_deviation};
use orrery_base::units::Bytes;

/// The readings of one size.
#[derive(Debug, Clone, PartialEq)]
pub struct SizeReadings {
    /// The size.
    pub size: Bytes,
    /// The median of the readings that do not escalate \[s\]; of all readings if all escalate.
    pub seconds: f64,
    /// All readings \[s\].
    pub readings: Vec<f64>,
    /// The number of readings that escalate.
    pub escalated: usize,
}

impl SizeReadings {
    /// Returns true if every reading escalates.
    pub fn all_escalated(&self) -> bool {
        self.escalated == self.readings.len()
    }

    /// Returns true if several readings escalate, so that chance does not explain them.
    pub fn escalates_repeatedly(&self) -> bool {
        self.all_escalated() || self.escalated >= 2 && self.escalated * 50 >= self.readings.len()
    }
}

/// The smallest excess of an escalated reading over the shortest reading of its size, in times of
/// the smallest size. Such a reading is ten times as long, apart from growth with the size. Source
/// of the factor of ten: the CPM tool, section 3.
const MIN_RELATIVE_EXCESS: f64 = 9.0;

/// The smallest excess of an escalated reading over the shortest reading of its size, in standard
/// deviations.
const MIN_EXCESS_DEVIATIONS: f64 = 10.0;

/// Classifies readings as normal or escalated, size by size; sizes ascend, each with at least one
/// reading.
///
/// Times grow with the size. If even the shortest reading of a size exceeds the normal readings of
/// a larger size by that much, all readings of the size escalate.
pub fn classify_readings(series: impl IntoIterator<Item = (Bytes, Vec<f64>)>) -> Vec<SizeReadings> {
    let series: Vec<(Bytes, Vec<f64>)> = series.into_iter().collect();
    let Some((_, first)) = series.first() else { return Vec::new() };
    let step = MIN_RELATIVE_EXCESS * median(first);
    let shortest = |readings: &[f64]| readings.iter().copied().fold(f64::INFINITY, f64::min);
    let quiet =
        |readings: &&[f64]| readings.iter().all(|reading| *reading <= shortest(readings) + step);
    let deviation = pooled_relative_deviation(
        series.iter().map(|(_, readings)| readings.as_slice()).filter(quiet),
    );
    let bound = |least: f64| least + step.max(MIN_EXCESS_DEVIATIONS * deviation * least);
    let point = |(size, readings): (Bytes, Vec<f64>)| {
        let bound = bound(shortest(&readings));
        let calm: Vec<f64> = readings.iter().copied().filter(|reading| *reading <= bound).collect();
        SizeReadings {
            size,
            seconds: median(&calm),
            escalated: readings.len() - calm.len(),
            readings,
        }
    };
    let mut points: Vec<SizeReadings> = series.into_iter().map(point).collect();
    let mut later = f64::INFINITY;
    for point in points.iter_mut().rev() {
        if shortest(&point.readings) > bound(later) {
            point.escalated = point.readings.len();
            point.seconds = median(&point.readings);
        } else {
            later = later.min(point.seconds);
        }
    }
    points
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escalated_readings_are_told_from_growth_and_noise() {
        let line = |k: u64| 1e-3 * (1.0 + k as f64);
        let series = (0..40_u64).map(|k| {
            let escalates = |rep: u64| match k {
                20..=24 => (k + rep).is_multiple_of(2),
                25 => true,
                _ => false,
            };
            let reading = |rep| {
                (line(k) + if escalates(rep) { 0.2 } else { 0.0 }) * (1.0 + 0.01 * (rep % 3) as f64)
            };
            (Bytes::new(1024 * k), (0..6).map(reading).collect())
        });
        let points = classify_readings(series);
        for (k, point) in (0..).zip(&points) {
            assert_eq!(point.escalates_repeatedly(), (20..=25).contains(&k), "{k}");
            assert_eq!(point.all_escalated(), k == 25, "{k}");
            assert!(point.all_escalated() || (point.seconds / line(k) - 1.01).abs() < 0.011, "{k}");
        }
    }
}
