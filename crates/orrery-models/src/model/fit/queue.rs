//! The data in an out-port that the handshake of a large message waits for, from send-receive
//! experiments.

use crate::comm::Ports;
use orrery_base::numeric::{Estimate, median, student_quantile};
use orrery_measure::sample::{Experiment, Samples};
use orrery_play::engine::{Engine, EngineError};

/// The smallest time that a handshake may wait, relative to the time without waiting, from which it
/// is recognised.
const MIN_WAIT: f64 = 0.1;

/// The data in the out-port that the handshake of a message beyond the eager limit waits for in one
/// experiment.
struct Reading {
    /// The size of the message that is sent before \[B\].
    size: f64,
    /// The data of it that is ahead of the handshake \[B\].
    ahead: f64,
    /// The relative error of the delay per byte of the port.
    port_error: f64,
    /// The number of repetitions.
    repetitions: u64,
}

/// Estimates Q, the most data \[B\] in an out-port that the handshake of a message beyond the eager
/// limit waits for, from send-receive experiments; `None` without any.
///
/// The engine plays an experiment with a handshake that does not wait, and with one that waits for
/// all data: with the times e and r, a time of T seconds shows that a = m·(T − e)/(r − e) of the m
/// bytes are ahead. Q minimises Σ ((a − min(m, Q))/m)². If all messages are ahead, it is the size
/// of the largest one. The interval has the spread of these errors, and that of the delays of
/// ports, which change all times alike. The source of the experiment is
/// [`SendReceive`](orrery_program::schedule::SendReceive).
///
/// # Errors
///
/// When an experiment cannot be played.
pub(super) fn estimate(
    samples: &Samples,
    ports: &Ports,
    level: f64,
) -> Result<Option<Estimate>, EngineError> {
    let Some(eager) = ports.largest_eager() else { return Ok(None) };
    let mut engine = Engine::new();
    let mut readings = Vec::new();
    for series in samples.series() {
        let Experiment::SendReceive { i, size, .. } = series.experiment else { continue };
        let Some((program, placement)) = series.experiment.program() else { continue };
        if size <= eager || series.experiment.processors_needed() > ports.processors() {
            continue;
        }
        let bytes = size.get() as f64;
        let mut time = |queue: f64| -> Result<f64, EngineError> {
            let mut network =
                Ports { queue: Some(Estimate::exact(queue)), ..ports.clone() }.network();
            Ok(engine.run(&program, &placement, &mut network)?.read(program.reading()).get())
        };
        let (at_once, after_all) = (time(0.0)?, time(2.0 * bytes)?);
        if after_all - at_once > MIN_WAIT * at_once {
            let ahead = bytes * (median(&series.seconds()) - at_once) / (after_all - at_once);
            let Estimate { value, interval, .. } = ports.port_byte_delay[i.index()];
            let port_error = interval.map_or(0.0, |one| (one.high - one.low) / (2.0 * value));
            readings.push(Reading {
                size: bytes,
                ahead,
                port_error,
                repetitions: series.seconds().len() as u64,
            });
        }
    }
    Ok(smallest_error(&readings, level))
}

/// The Q \[B\] that minimises Σ ((a − min(m, Q))/m)² over the readings; `None` without readings.
fn smallest_error(readings: &[Reading], level: f64) -> Option<Estimate> {
    let mut sizes: Vec<f64> = readings.iter().map(|one| one.size).collect();
    sizes.sort_by(f64::total_cmp);
    sizes.dedup();
    let largest = *sizes.last()?;
    let errors =
        |queue: f64| readings.iter().map(move |one| (one.ahead - one.size.min(queue)) / one.size);
    let cost = |queue: f64| errors(queue).map(|error| error * error).sum::<f64>();
    // Between two sizes the cost is a parabola, of the messages that are longer than Q.
    let lower = [0.0].into_iter().chain(sizes.iter().copied());
    let candidates = lower.zip(&sizes).map(|(low, &high)| {
        let longer = || readings.iter().filter(|one| one.size >= high);
        let weights: f64 = longer().map(|one| one.size.powi(-2)).sum();
        (longer().map(|one| one.ahead * one.size.powi(-2)).sum::<f64>() / weights).clamp(low, high)
    });
    let queue = candidates.min_by(|&a, &b| cost(a).total_cmp(&cost(b)))?;
    let longer = || readings.iter().filter(|one| one.size >= queue);
    let information: f64 = longer().map(|one| one.size.powi(-2)).sum();
    let of_ports = longer().map(|one| one.port_error / one.size).sum::<f64>() / information;
    let freedom = readings.len().saturating_sub(1) as f64;
    let half_width = (freedom > 0.0).then(|| {
        let variance = cost(queue) / freedom / information;
        (student_quantile(freedom, level) * variance.sqrt()).hypot(of_ports)
    });
    let repetitions = readings.iter().map(|one| one.repetitions).sum();
    Some(Estimate::not_negative(queue.min(largest), half_width, level, repetitions))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Messages of 64 KiB, 128 KiB and 1 MiB of which this part of Q is ahead.
    fn of_queue(queue: f64, noise: f64) -> Option<f64> {
        let readings = [65_536.0_f64, 131_072.0, 1_048_576.0].into_iter().enumerate().flat_map(
            |(number, size)| {
                let sign = if number % 2 == 0 { 1.0 } else { -1.0 };
                [1.0, -1.0].map(|other| {
                    let ahead = size.min(queue) + sign * other * noise * size;
                    Reading { size, ahead, port_error: 0.0, repetitions: 3 }
                })
            },
        );
        smallest_error(&readings.collect::<Vec<_>>(), 0.95).map(|estimate| estimate.value)
    }

    #[test]
    fn the_data_ahead_is_found_between_and_beyond_the_sizes() {
        for queue in [0.0, 1000.0, 70_000.0, 131_072.0, 200_000.0, 1_048_576.0] {
            let found = of_queue(queue, 0.0).unwrap();
            assert!((found - queue).abs() <= 1e-9 * queue, "{queue}: {found}");
            let found = of_queue(queue, 0.01).unwrap();
            assert!((found - queue).abs() <= 0.02 * queue.max(65_536.0), "{queue}: {found}");
        }
        // More than all messages.
        assert_eq!(of_queue(2e6, 0.0), Some(1_048_576.0));
        assert_eq!(smallest_error(&[], 0.95), None);
    }
}
