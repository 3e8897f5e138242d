//! Errors of the times of collective operations, from draws of the parameters.

use rand::SeedableRng;
use rand::rngs::ChaCha8Rng;

use super::flows::{FlowProgram, SharedPorts};
use super::{Model, ModelKind};
use crate::comm::ports::PortsNetwork;
use crate::comm::{Combining, FittedNetwork, Ports};
use orrery_base::numeric::{Estimate, mean, parallel_map, student_quantile};
use orrery_cluster::platform::Placement;
use orrery_play::engine::{Engine, EngineError, Synchronous};
use orrery_play::simulate::SimulationError;
use orrery_program::schedule::{Program, Reading};

/// The number of draws. The quantile of the interval is 12 % larger than with infinitely many.
const DRAWS: usize = 16;

/// The seed of the first draw, so that predictions are repeatable.
const SEED: u64 = 3;

/// The largest number of processors whose parameters are drawn: the memory and the time grow with
/// its square.
const MAX_PROCESSORS: usize = 256;

/// Draws of the parameters of the model `ports` from the distribution of their errors; shared links
/// have none.
///
/// In operations that wait for the last of several messages, errors do not add up along one
/// critical path: a maximum of uncertain times is larger on average than that of the true times.
/// The draws show by how much.
pub(super) struct ParameterDraws {
    ports: Ports,
    drawn: Vec<(Ports, Combining<FittedNetwork<PortsNetwork>>)>,
}

impl ParameterDraws {
    /// The draws for a kind of model; `None` for other kinds than `ports` and its views, and for
    /// too many processors.
    pub(super) fn of(model: &Model, kind: ModelKind) -> Option<Self> {
        if kind.stored_as() != ModelKind::Ports || model.processors() > MAX_PROCESSORS {
            return None;
        }
        let ports: Ports = model.get(kind)?;
        let correlations = model.correlations.get(&kind.stored_as()).cloned().unwrap_or_default();
        let zero = || vec![Estimate::exact(0.0); model.processors()];
        let combination =
            if model.combination.is_empty() { zero() } else { model.combination.clone() };
        let draw = |number: usize| {
            let drawn =
                ports.drawn(&correlations, &mut ChaCha8Rng::seed_from_u64(SEED + number as u64));
            let network = Combining::new(drawn.network(), combination.clone());
            (drawn, network)
        };
        let drawn = parallel_map(DRAWS, draw);
        Some(Self { ports, drawn })
    }

    /// The times of a program by queues \[s\], one for each draw; if `is_serial`, each send waits
    /// for its receive.
    pub(super) fn queue_times(
        &mut self,
        engine: &mut Engine,
        (program, placement, reading): (&Program, &Placement, Reading),
        is_serial: bool,
    ) -> Result<Vec<f64>, EngineError> {
        let mut time = |network: &mut Combining<FittedNetwork<PortsNetwork>>| {
            let outcome = if is_serial {
                engine.run(program, placement, &mut Synchronous(network))?
            } else {
                engine.run(program, placement, network)?
            };
            Ok(outcome.read(reading).get())
        };
        self.drawn.iter_mut().map(|(_, network)| time(network)).collect()
    }

    /// The times of a program by flows \[s\], one for each draw; the machine has its own parameters
    /// again afterwards.
    pub(super) fn flow_times(
        &self,
        machine: &mut SharedPorts,
        of: FlowProgram<'_>,
    ) -> Result<Vec<f64>, SimulationError> {
        let mut time = |drawn: &Ports| {
            machine.set_ports(drawn);
            Ok(machine.time(of)?.get())
        };
        let times = self.drawn.iter().map(|(drawn, _)| time(drawn)).collect();
        machine.set_ports(&self.ports);
        times
    }
}

/// The standard deviation of an estimated bias, relative to it: draws vary more than the true
/// parameters, so that a maximum of drawn times is too large by less than that of the estimated
/// times.
const BIAS_ERROR: f64 = 0.5;

/// Half the widths of the interval of a time below and above it, from the times with drawn
/// parameters: the mean of these differs from the time as the time does from the true one. The
/// interval contains the time.
pub(super) fn half_widths(seconds: f64, times: &[f64], level: f64) -> (f64, f64) {
    let (draws, mean) = (times.len() as f64, mean(times));
    let bias = mean - seconds;
    let variance = times.iter().map(|time| (time - mean).powi(2)).sum::<f64>() / (draws - 1.0);
    let deviation = (variance * (1.0 + 1.0 / draws)).sqrt().hypot(BIAS_ERROR * bias);
    let half_width = student_quantile(draws - 1.0, level) * deviation;
    ((half_width + bias).max(0.0), (half_width - bias).max(0.0))
}
