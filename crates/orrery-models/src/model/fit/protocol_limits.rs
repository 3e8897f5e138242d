//! The limits of protocols: the largest eager message, from receives that are posted when their
//! message has had the time to arrive, and the largest buffered one, from the times of sends.

use std::collections::BTreeMap;

use crate::comm::Ports;
use orrery_base::numeric::{Estimate, Interval, median};
use orrery_base::units::Bytes;
use orrery_measure::sample::{Experiment, Samples};
use orrery_play::engine::{Engine, EngineError};
use orrery_program::schedule::{Train, TrainKind};

/// The smallest ratio of the time of a receive whose message has waited for it to that of a message
/// that has arrived, and of a send that is held to one that is not, from which both are told apart.
const MIN_RATIO: f64 = 2.0;

/// Adds the limits of protocols to a model; a limit that no measured message exceeds remains
/// `None`.
///
/// A receive-overhead experiment posts its receive long after the message was sent. The engine
/// plays it with an eager message, which has arrived, and with one that waits for the receive: with
/// the times e and r, a receive of T seconds is at the place ln(T/e) / ln(r/e) between both, near 0
/// or 1. The limit lies between the two measured sizes that divide these places best, by least
/// squares; they are its interval. The source of the experiment is that of [`Train`].
///
/// Messages beyond the eager limit are either buffered or hold their sender until they have
/// arrived. Send-overhead experiments divide them in the same way.
///
/// # Errors
///
/// When an experiment cannot be played.
pub(super) fn add(samples: &Samples, ports: &mut Ports, level: f64) -> Result<(), EngineError> {
    let none = Estimate::exact(0.0);
    let limits = [None, Some(none)];
    let networks = limits.map(|eager_limit| Ports { eager_limit, ..ports.clone() });
    ports.eager_limit = estimate(samples, TrainKind::ReceiveOverhead, networks, level)?;
    if ports.eager_limit.is_some() {
        let networks = limits.map(|buffered_limit| Ports { buffered_limit, ..ports.clone() });
        ports.buffered_limit = estimate(samples, TrainKind::SendOverhead, networks, level)?;
    }
    Ok(())
}

/// Estimates the size that divides experiments of a kind that one model describes from those that
/// another one does.
fn estimate(
    samples: &Samples,
    kind: TrainKind,
    models: [Ports; 2],
    level: f64,
) -> Result<Option<Estimate>, EngineError> {
    let mut engine = Engine::new();
    let processors = models[0].processors();
    let mut networks = models.map(|model| model.network());
    let mut places: BTreeMap<Bytes, (Vec<f64>, u64)> = BTreeMap::new();
    let is_of_kind = |experiment: &Experiment| matches!(experiment, Experiment::Train { train, .. } if train.kind == kind);
    let all = || samples.series().iter().filter(|series| is_of_kind(&series.experiment));
    // Any message takes at least the time of an empty one, also if the model has a smaller one.
    let empty = all().filter(|series| series.experiment.size() == Bytes::ZERO);
    let empty: BTreeMap<_, f64> =
        empty.map(|series| (series.experiment.pair(), median(&series.seconds()))).collect();
    for series in all() {
        let experiment = &series.experiment;
        let Some((program, placement)) = experiment.program() else { continue };
        if experiment.processors_needed() > processors {
            continue;
        }
        let readings = series.seconds();
        let of_size = places.entry(experiment.size()).or_default();
        of_size.1 += readings.len() as u64;
        let mut times = [0.0; 2];
        for (time, network) in times.iter_mut().zip(&mut networks) {
            *time = engine.run(&program, &placement, network)?.read(program.reading()).get();
        }
        let least = empty.get(&experiment.pair()).copied().unwrap_or(0.0);
        let (short, waiting) = (times[0].max(least), times[1]);
        if short > 0.0 && waiting >= MIN_RATIO * short {
            of_size.0.push((median(&readings) / short).ln() / (waiting / short).ln());
        }
    }
    Ok(divide(&places, level))
}

/// Returns true for experiments that show a limit.
pub(super) fn uses(experiment: &Experiment) -> bool {
    let shows = |kind| matches!(kind, TrainKind::ReceiveOverhead | TrainKind::SendOverhead);
    matches!(experiment, Experiment::Train { train: Train { kind, .. }, .. } if shows(*kind))
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
        let (short, waiting) = located.split_at(first);
        let squares = |part: &[(Bytes, f64)], expected: f64| -> f64 {
            part.iter().map(|(_, place)| (place.clamp(0.0, 1.0) - expected).powi(2)).sum()
        };
        squares(short, 0.0) + squares(waiting, 1.0)
    };
    // Of equally good sizes the largest one: no message waits unless it is seen to.
    let first = (0..=located.len()).rev().min_by(|&a, &b| cost(a).total_cmp(&cost(b)))?;
    let (waiting, _) = located.get(first)?;
    // Smaller messages need not show the difference.
    let before = places.range(..waiting).next_back();
    let value = before.map_or(0.0, |(largest, _)| largest.get() as f64);
    let readings = before.map_or(0, |(_, (_, readings))| *readings) + places[waiting].1;
    let interval = Interval { low: value, high: (waiting.get() - 1) as f64, level };
    Some(Estimate { value, interval: Some(interval), samples: Some(readings) })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::comm::ports::{SizeLaw, Uplinks};
    use orrery_base::units::Seconds;
    use orrery_cluster::platform::{PerPair, Processor};
    use orrery_measure::sample::{Provenance, Sample};

    /// A model whose processors take no time, since other parameters have their share, does not make
    /// small messages wait.
    #[test]
    fn messages_that_take_as_long_as_empty_ones_do_not_wait() {
        let same = |value| vec![Estimate::exact(value); 3];
        let of_pairs = |value| PerPair::from_fn(3, |_, _| Estimate::exact(value));
        let mut ports = Ports {
            fixed_delay: same(0.0),
            byte_delay: same(1e-10),
            port_byte_delay: same(3e-10),
            in_port_byte_delay: Vec::new(),
            both_ports_byte_delay: Vec::new(),
            within_host: None,
            link_latency: of_pairs(6e-6),
            flow_byte_delay: of_pairs(0.0),
            size_law: SizeLaw::default(),
            uplinks: Uplinks::default(),
            eager_limit: None,
            buffered_limit: None,
            queue: None,
        };
        let mut samples = Samples::new(Provenance::new());
        for (size, seconds) in [(0, 3e-6), (64, 3e-6), (1024, 3.1e-6), (65_536, 40e-6)] {
            let train = Train {
                kind: TrainKind::ReceiveOverhead,
                size: Bytes::new(size),
                reply: Bytes::ZERO,
                count: 1,
                delay: 1_000_000,
            };
            let experiment = Experiment::Train { i: Processor(0), j: Processor(1), train };
            samples.push(Sample { experiment, launch: 0, rep: 0, seconds: Seconds::new(seconds) });
        }
        add(&samples, &mut ports, 0.95).unwrap();
        assert_eq!(ports.largest_eager(), Some(Bytes::new(1024)));
        assert_eq!(ports.buffered_limit, None);
    }
}
