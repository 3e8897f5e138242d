use std::collections::BTreeMap;

use super::{Communication, NodeMessage, Repetition, TimedScheme, Timings};
use orrery_base::numeric::{Estimate, Interval, median, median_variance_factor, student_quantile};

/// The median of repeated readings of a time, with its variance.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MedianTime {
    /// The median of the readings in seconds.
    pub seconds: f64,
    /// The variance of the median relative to its square; `None` if no reading was repeated.
    pub variance: Option<f64>,
    /// The degrees of freedom of the variance.
    pub free: f64,
    /// The number of readings.
    pub readings: u64,
}

/// The measured times of a message of a scheme.
#[derive(Debug, Clone, PartialEq)]
pub struct MeasuredPenalty {
    /// The name of the message.
    pub name: String,
    /// Source, destination and size.
    pub message: NodeMessage,
    /// Its time among the concurrent messages; `None` if it was not measured.
    pub time: Option<MedianTime>,
    /// Its uncontended time; `None` if it was not measured.
    pub reference: Option<MedianTime>,
}

/// The measured times of the messages of a scheme.
#[derive(Debug, Clone, PartialEq)]
pub struct MeasuredScheme {
    /// Its name.
    pub name: String,
    /// True if its messages start at the same time, as sharing laws assume.
    pub starts_together: bool,
    /// Its messages.
    pub communications: Vec<MeasuredPenalty>,
}

impl MedianTime {
    /// The time in seconds with its confidence interval, which is symmetric on the logarithmic
    /// scale.
    pub fn time(&self, level: f64) -> Estimate {
        let half =
            self.variance.map(|variance| student_quantile(self.free, level) * variance.sqrt());
        around(self.seconds, half, level, self.readings)
    }
}

impl MeasuredPenalty {
    /// The penalty P = T / T_ref, the quotient of two medians, with its interval at a confidence
    /// level between 0 and 1; `None` unless both were measured.
    ///
    /// With v and ν the relative variances of the two medians and their degrees of freedom, ln P
    /// has the variance v + v_ref and, by Welch and Satterthwaite, (v + v_ref)² / (v²/ν +
    /// v_ref²/ν_ref) degrees of freedom.
    pub fn penalty(&self, level: f64) -> Option<Estimate> {
        let (time, reference) = (self.time?, self.reference?);
        let half = time.variance.zip(reference.variance).map(|(own, uncontended)| {
            let variance = own + uncontended;
            let free = variance * variance
                / (own * own / time.free + uncontended * uncontended / reference.free);
            // Without spread, the degrees of freedom are undefined.
            if variance > 0.0 { student_quantile(free, level) * variance.sqrt() } else { 0.0 }
        });
        Some(around(time.seconds / reference.seconds, half, level, time.readings))
    }
}

/// An estimate whose interval has the half-width `half` on the logarithmic scale; no interval
/// without it.
fn around(value: f64, half: Option<f64>, level: f64, readings: u64) -> Estimate {
    let interval =
        half.map(|half| Interval { low: value * (-half).exp(), high: value * half.exp(), level });
    Estimate { value, interval, samples: Some(readings) }
}

/// The measured times and penalties of all schemes.
///
/// Times are medians. The spread of readings relative to the mean of their series is pooled over
/// all messages of a scheme, and over all uncontended messages, to compensate for few repetitions.
pub fn measured_penalties(timings: &Timings) -> Vec<MeasuredScheme> {
    let references = timings.references();
    let uncontended = pooled(references.values().map(Vec::as_slice));
    let references: BTreeMap<NodeMessage, MedianTime> = references
        .iter()
        .filter_map(|(&message, readings)| Some((message, median_time(readings, uncontended)?)))
        .collect();
    let of_scheme = |scheme: &TimedScheme| {
        let pool = pooled(scheme.communications.iter().map(|one| one.readings.as_slice()));
        let of = |one: &Communication| MeasuredPenalty {
            name: one.name.clone(),
            message: one.message,
            time: median_time(&one.readings, pool),
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

/// The pooled relative variance of a reading, and its degrees of freedom; both are 0 without
/// repeated readings.
fn pooled<'a>(series: impl Iterator<Item = &'a [Repetition]>) -> (f64, f64) {
    let (mut squares, mut free) = (0.0, 0.0);
    for readings in series.filter(|readings| readings.len() > 1) {
        let mean = readings.iter().map(|reading| reading.seconds.get()).sum::<f64>()
            / readings.len() as f64;
        if mean > 0.0 {
            squares += readings
                .iter()
                .map(|reading| (reading.seconds.get() / mean - 1.0).powi(2))
                .sum::<f64>();
            free += readings.len() as f64 - 1.0;
        }
    }
    (squares / f64::max(free, 1.0), free)
}

/// The median of readings, with a variance by the pooled one of a reading and its degrees of
/// freedom; `None` without a positive median.
fn median_time(readings: &[Repetition], (variance, free): (f64, f64)) -> Option<MedianTime> {
    let seconds: Vec<f64> = readings.iter().map(|reading| reading.seconds.get()).collect();
    let centre = (!seconds.is_empty()).then(|| median(&seconds)).filter(|centre| *centre > 0.0)?;
    let variance = (free > 0.0).then(|| variance * median_variance_factor(seconds.len()));
    Some(MedianTime { seconds: centre, variance, free, readings: seconds.len() as u64 })
}
