use std::collections::BTreeMap;

use super::{Communication, NodeMessage, Repetition, TimedScheme, Timings};
use crate::numeric::{Estimate, Interval, median, median_variance_factor, student_quantile};

/// A time that was read several times.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MedianTime {
    /// The median of the readings in seconds.
    pub seconds: f64,
    /// The variance of the median, relative to its square; nothing where no reading was repeated.
    pub variance: Option<f64>,
    /// The degrees of freedom of the variance.
    pub free: f64,
    /// How many readings there are.
    pub readings: u64,
}

/// What was measured of a message of a scheme.
#[derive(Debug, Clone, PartialEq)]
pub struct MeasuredPenalty {
    /// The name of the message.
    pub name: String,
    /// From where to where, and how much.
    pub message: NodeMessage,
    /// Its time with the others under way; nothing where it was not measured.
    pub time: Option<MedianTime>,
    /// Its time by itself; nothing where it was not measured.
    pub reference: Option<MedianTime>,
}

/// What was measured of a scheme.
#[derive(Debug, Clone, PartialEq)]
pub struct MeasuredScheme {
    /// Its name.
    pub name: String,
    /// Whether its messages start together, as laws of sharing take it.
    pub starts_together: bool,
    /// Its messages.
    pub communications: Vec<MeasuredPenalty>,
}

impl MedianTime {
    /// The time in seconds with its interval: on the scale of logarithms, where a relative variance is at home.
    pub fn time(&self, level: f64) -> Estimate {
        let half = self.variance.map(|variance| student_quantile(self.free, level) * variance.sqrt());
        around(self.seconds, half, level, self.readings)
    }
}

impl MeasuredPenalty {
    /// P = T / T_ref, the quotient of two medians, with its interval at a level.
    ///
    /// With v and ν the relative variances of the two medians and their degrees of freedom, ln P has the variance v + v_ref
    /// and, by Welch and Satterthwaite, (v + v_ref)² / (v²/ν + v_ref²/ν_ref) degrees of freedom.
    pub fn penalty(&self, level: f64) -> Option<Estimate> {
        let (time, reference) = (self.time?, self.reference?);
        let half = time.variance.zip(reference.variance).map(|(own, alone)| {
            let variance = own + alone;
            let free = variance * variance / (own * own / time.free + alone * alone / reference.free);
            // Without any spread there is nothing to be divided.
            if variance > 0.0 { student_quantile(free, level) * variance.sqrt() } else { 0.0 }
        });
        Some(around(time.seconds / reference.seconds, half, level, time.readings))
    }
}

fn around(value: f64, half: Option<f64>, level: f64, readings: u64) -> Estimate {
    let interval = half.map(|half| Interval { low: value * (-half).exp(), high: value * half.exp(), level });
    Estimate { value, interval, samples: Some(readings) }
}

/// The times and penalties of all schemes.
///
/// Times are medians. The spread of single readings, relative to the mean of their series, is pooled over all messages of a
/// scheme, and over all lone messages: a few repetitions say too little of their own spread.
pub fn measured_penalties(timings: &Timings) -> Vec<MeasuredScheme> {
    let references = timings.references();
    let alone = pooled(references.values().map(Vec::as_slice));
    let references: BTreeMap<NodeMessage, MedianTime> =
        references.iter().filter_map(|(&message, readings)| Some((message, located(readings, alone)?))).collect();
    let of_scheme = |scheme: &TimedScheme| {
        let pool = pooled(scheme.communications.iter().map(|one| one.readings.as_slice()));
        let of = |one: &Communication| MeasuredPenalty {
            name: one.name.clone(),
            message: one.message,
            time: located(&one.readings, pool),
            reference: references.get(&one.message).copied(),
        };
        MeasuredScheme {
            name: scheme.name.clone(),
            starts_together: scheme.starts_together(),
            communications: scheme.communications.iter().map(of).collect(),
        }
    };
    timings.schemes().iter().map(of_scheme).collect()
}

/// The relative variance of a reading, and its degrees of freedom.
fn pooled<'a>(series: impl Iterator<Item = &'a [Repetition]>) -> (f64, f64) {
    let (mut squares, mut free) = (0.0, 0.0);
    for readings in series.filter(|readings| readings.len() > 1) {
        let mean = readings.iter().map(|reading| reading.seconds.get()).sum::<f64>() / readings.len() as f64;
        if mean > 0.0 {
            squares += readings.iter().map(|reading| (reading.seconds.get() / mean - 1.0).powi(2)).sum::<f64>();
            free += readings.len() as f64 - 1.0;
        }
    }
    (squares / f64::max(free, 1.0), free)
}

fn located(readings: &[Repetition], (variance, free): (f64, f64)) -> Option<MedianTime> {
    let seconds: Vec<f64> = readings.iter().map(|reading| reading.seconds.get()).collect();
    let centre = (!seconds.is_empty()).then(|| median(&seconds)).filter(|centre| *centre > 0.0)?;
    let variance = (free > 0.0).then(|| variance * median_variance_factor(seconds.len()));
    Some(MedianTime { seconds: centre, variance, free, readings: seconds.len() as u64 })
}
