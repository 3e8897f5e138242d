//! The largest eager message, from receives that are posted when their message has had the time to
//! arrive.

use std::collections::BTreeMap;

use crate::comm::Ports;
use orrery_base::numeric::{Estimate, Interval, median};
use orrery_base::units::Bytes;
use orrery_measure::sample::{Experiment, Samples};
use orrery_play::engine::{Engine, EngineError};
use orrery_program::schedule::{Train, TrainKind};

/// The smallest ratio of the time of a receive whose message has waited for it to that of a message
/// that has arrived, from which both are told apart.
const MIN_RATIO: f64 = 2.0;

/// Estimates the size of the largest eager message; `None` if no measured message waits for its
/// receive.
///
/// A receive-overhead experiment posts its receive long after the message was sent. The engine
/// plays it with an eager message, which has arrived, and with one that waits for the receive: with
/// the times e and r, a receive of T seconds is at the place ln(T/e) / ln(r/e) between both, near 0
/// or 1. The limit lies between the two measured sizes that divide these places best, by least
/// squares; they are its interval. The source of the experiment is that of [`Train`].
///
/// # Errors
///
/// When an experiment cannot be played.
pub(super) fn estimate(
    samples: &Samples,
    ports: &Ports,
    level: f64,
) -> Result<Option<Estimate>, EngineError> {
    let mut engine = Engine::new();
    let with_limit = |eager_limit| Ports { eager_limit, ..ports.clone() }.network();
    let mut networks = [with_limit(None), with_limit(Some(Estimate::exact(0.0)))];
    let mut places: BTreeMap<Bytes, (Vec<f64>, u64)> = BTreeMap::new();
    for series in samples.series().iter().filter(|series| is_late_receive(&series.experiment)) {
        let experiment = &series.experiment;
        let Some((program, placement)) = experiment.program() else { continue };
        if experiment.processors_needed() > ports.processors() {
            continue;
        }
        let readings = series.seconds();
        let of_size = places.entry(experiment.size()).or_default();
        of_size.1 += readings.len() as u64;
        let mut times = [0.0; 2];
        for (time, network) in times.iter_mut().zip(&mut networks) {
            *time = engine.run(&program, &placement, network)?.read(program.reading()).get();
        }
        let [eager, waiting] = times;
        if eager > 0.0 && waiting >= MIN_RATIO * eager {
            of_size.0.push((median(&readings) / eager).ln() / (waiting / eager).ln());
        }
    }
    Ok(divide(&places, level))
}

/// Returns true for a receive that is posted after its message has had the time to arrive.
pub(super) fn is_late_receive(experiment: &Experiment) -> bool {
    matches!(
        experiment,
        Experiment::Train { train: Train { kind: TrainKind::ReceiveOverhead, .. }, .. }
    )
}

/// The size that divides places near 0 from those near 1, which follow; `None` if there are none
/// near 1. `places` holds for each size the places of its experiments and the number of their
/// readings.
fn divide(places: &BTreeMap<Bytes, (Vec<f64>, u64)>, level: f64) -> Option<Estimate> {
    let located: Vec<(Bytes, f64)> = places
        .iter()
        .filter(|(_, (of_size, _))| !of_size.is_empty())
        .map(|(size, of_size)| (*size, median(&of_size.0)))
        .collect();
    let cost = |first: usize| {
        let (eager, waiting) = located.split_at(first);
        let squares = |part: &[(Bytes, f64)], expected: f64| -> f64 {
            part.iter().map(|(_, place)| (place.clamp(0.0, 1.0) - expected).powi(2)).sum()
        };
        squares(eager, 0.0) + squares(waiting, 1.0)
    };
    // Of equally good sizes the largest one: a message is eager unless it is seen to wait.
    let first = (0..=located.len()).rev().min_by(|&a, &b| cost(a).total_cmp(&cost(b)))?;
    let (waiting, _) = located.get(first)?;
    // Smaller messages need not show the difference.
    let before = places.range(..waiting).next_back();
    let value = before.map_or(0.0, |(largest, _)| largest.get() as f64);
    let readings = before.map_or(0, |(_, (_, readings))| *readings) + places[waiting].1;
    let interval = Interval { low: value, high: (waiting.get() - 1) as f64, level };
    Some(Estimate { value, interval: Some(interval), samples: Some(readings) })
}
