//! In-ports whose capacity differs from that of the out-ports, from two-to-one experiments.

use super::{Ports, PortsNetwork};
use crate::comm::{FitError, Observations};
use orrery_base::numeric::{Estimate, normal_p_value, normal_quantile};
use orrery_measure::sample::{Experiment, ExperimentKind};
use orrery_play::engine::Engine;

/// The smallest part of the larger delay per byte by which the two ports of a processor differ.
const MIN_DIFFERENCE: f64 = 0.1;

/// The probability that any of the in-ports appears to differ by chance.
const MAX_PROBABILITY: f64 = 0.001;

/// The relative error from which a two-to-one experiment contradicts a model, if it is also
/// [`MIN_DEVIATIONS`].
const MIN_ERROR: f64 = 0.02;
/// The number of standard deviations from which a two-to-one experiment contradicts a model, if the
/// error is also [`MIN_ERROR`].
const MIN_DEVIATIONS: f64 = 5.0;

/// The smallest ratio of the mean square of errors of a processor's two-to-one experiments to that
/// of other observations at which the in-port is the cause.
const MIN_LOCAL_RATIO: f64 = 36.0;
/// The part of all squared errors that may remain with in-ports of their own, if no processor has
/// errors that are that much larger than others.
const MAX_REMAINING_PART: f64 = 1.0 / 3.0;

/// The smallest increase of the weighted squared errors without an in-port that shows its capacity:
/// significance 0.05.
const MIN_INCREASE: f64 = 3.84;

/// Returns true for experiments that show how fast a processor receives several messages at the
/// same time.
pub(super) fn is_two_to_one(experiment: &Experiment) -> bool {
    experiment.kind() == ExperimentKind::TwoToOne
}

/// Returns for each processor whether two-to-one experiments were measured at it.
pub(super) fn tested(observations: &Observations) -> Vec<bool> {
    let mut tested = vec![false; observations.processors()];
    let readers = observations
        .iter()
        .filter(|one| is_two_to_one(&one.experiment))
        .map(|one| one.experiment.reader());
    readers.for_each(|reader| tested[reader.index()] = true);
    tested
}

/// The weighted squared errors of all observations from which a model with in-ports is too bad;
/// `None` if no two-to-one experiment contradicts `ports`, a model of equal ports. `cost` are the
/// weighted squared errors of `ports` on the `others`, the number of observations without
/// two-to-one experiments.
///
/// Any improvement counts where the experiments of a processor contradict more than others do.
/// Elsewhere the model may lack something else, of which in-ports would explain a part.
///
/// # Errors
///
/// When an experiment cannot be played.
pub(super) fn max_cost(
    ports: &Ports,
    cost: f64,
    others: usize,
    observations: &Observations,
) -> Result<Option<f64>, FitError> {
    let (mut engine, mut network) = (Engine::new(), ports.network());
    let mut errors: Vec<(f64, f64)> = vec![(0.0, 0.0); observations.processors()];
    let mut is_off = false;
    for one in observations.iter().filter(|one| is_two_to_one(&one.experiment)) {
        let Some((program, placement)) = one.experiment.program() else { continue };
        let error = engine.run(&program, &placement, &mut network)?.read(program.reading()).get()
            - one.seconds;
        let (squares, count) = &mut errors[one.experiment.reader().index()];
        (*squares, *count) = (*squares + (error / one.deviation).powi(2), *count + 1.0);
        is_off |= error.abs() > (MIN_ERROR * one.seconds).max(MIN_DEVIATIONS * one.deviation);
    }
    let squares: f64 = errors.iter().map(|(squares, _)| squares).sum();
    let largest =
        errors.iter().map(|(squares, count)| squares / count.max(1.0)).fold(0.0, f64::max);
    let usual = (cost / others.max(1) as f64).max(1.0);
    let part = if largest > MIN_LOCAL_RATIO * usual { 1.0 } else { MAX_REMAINING_PART };
    Ok(is_off.then_some(part * (cost + squares)))
}

/// Completes the estimates of in-ports: one that was not tested and bounds no message is like the
/// out-port; the interval of one without which the observations are explained as well begins at 0.
/// Such an in-port may be so fast that no message waits for it, and its estimate is the largest
/// possible value. `excess` is the mean square of the weighted residuals, by which larger increases
/// of squared errors count as noise.
///
/// # Errors
///
/// When an experiment cannot be played.
pub(super) fn complete(
    ports: &mut Ports,
    tested: &[bool],
    observations: &Observations,
    excess: f64,
) -> Result<(), FitError> {
    if !ports.layout().has_in_ports() {
        return Ok(());
    }
    let each = ports.in_port_byte_delay.iter_mut().zip(&ports.port_byte_delay).zip(tested);
    for ((in_port, port), _) in
        each.filter(|((in_port, _), tested)| !**tested && in_port.samples == Some(0))
    {
        *in_port = *port;
    }
    let (layout, values) =
        (ports.layout(), ports.estimates().iter().map(|one| one.value).collect::<Vec<_>>());
    let mut network = PortsNetwork::new(layout, values[..layout.count()].to_vec())
        .with_size_law(ports.size_law.clone())
        .with_known_uplinks(ports.uplinks.clone())
        .with_hosts(ports.hosts());
    let mut engine = Engine::new();
    let mut increases = vec![0.0; layout.processors()];
    let kinds = [ExperimentKind::RoundTrip, ExperimentKind::TwoToOne];
    for one in observations.iter().filter(|one| kinds.contains(&one.experiment.kind())) {
        let Some((program, placement)) = one.experiment.program() else { continue };
        let mut squared = |network: &mut PortsNetwork| -> Result<f64, FitError> {
            let time = engine.run(&program, &placement, network)?.read(program.reading()).get();
            Ok(((time - one.seconds) / one.deviation).powi(2))
        };
        let with = squared(&mut network)?;
        for processor in placement.processors() {
            let in_port = layout.in_port_byte_delay(processor.index());
            let value = std::mem::take(&mut network.parameters[in_port]);
            increases[processor.index()] += squared(&mut network)? - with;
            network.parameters[in_port] = value;
        }
    }
    for (in_port, increase) in ports.in_port_byte_delay.iter_mut().zip(increases) {
        if let Some(interval) =
            in_port.interval.as_mut().filter(|_| increase < MIN_INCREASE * excess.max(1.0))
        {
            interval.low = 0.0;
        }
    }
    Ok(())
}

/// Returns true if the in-port of a processor differs from its out-port by more than noise and by
/// more than a tenth.
pub(super) fn differ(ports: &Ports) -> bool {
    let in_ports = &ports.in_port_byte_delay;
    let max_probability = MAX_PROBABILITY / in_ports.len().max(1) as f64;
    // The errors of both ports are positively correlated by the delay of the processor: rather too
    // few differ.
    let deviation = |one: &Estimate| {
        one.interval
            .map_or(0.0, |interval| (interval.high - one.value) / normal_quantile(interval.level))
    };
    ports.port_byte_delay.iter().zip(in_ports).any(|(port, in_port)| {
        let (difference, spread) =
            ((port.value - in_port.value).abs(), deviation(port).hypot(deviation(in_port)));
        let is_significant = spread <= 0.0 || normal_p_value(difference / spread) < max_probability;
        in_port.samples != Some(0)
            && difference > MIN_DIFFERENCE * port.value.max(in_port.value)
            && is_significant
    })
}
