use std::fmt;

use orrery_base::numeric::{Estimate, Interval};
use orrery_base::units::{Bytes, Seconds};
use orrery_cluster::platform::{Placement, Processor};
use orrery_play::engine::{
    Engine, EngineError, Message, Moment, Network, Occupancy, Path, Protocol, Row,
    SenderContention, Sent, Step, Synchronous,
};
use orrery_program::schedule::{Reading, Schedule};

/// The identification of a parameter of a point-to-point model: name and place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ParameterId {
    /// The key in the model file.
    pub name: &'static str,
    /// A processor, both ends of a link, or neither for a parameter of the whole cluster.
    pub place: (Option<Processor>, Option<Processor>),
    /// The message size, for parameters that are functions of the size.
    pub size: Option<Bytes>,
    /// The number of the group of links, for parameters of such groups.
    pub group: Option<u32>,
}

impl ParameterId {
    /// A parameter of a processor.
    pub(crate) const fn of_processor(name: &'static str, processor: Processor) -> Self {
        Self { name, place: (Some(processor), None), size: None, group: None }
    }

    /// A parameter of the whole cluster.
    pub(crate) const fn of_all(name: &'static str) -> Self {
        Self { name, place: (None, None), size: None, group: None }
    }
}

impl fmt::Display for ParameterId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.place, self.group) {
            ((Some(a), Some(b)), _) => write!(f, "{} of link {a}-{b}", self.name),
            ((Some(a), None), _) => write!(f, "{} of processor {a}", self.name),
            (_, Some(group)) => write!(f, "{} of link group {group}", self.name),
            _ => write!(
                f,
                "{}{} (mean of all)",
                self.name,
                self.size.map_or(String::new(), |size| format!(" at {size}"))
            ),
        }
    }
}

/// A network that names its parameters.
pub trait NamedParameters: Network {
    /// Returns the identification of the parameter with this number.
    fn parameter(&self, parameter: u32) -> ParameterId;
}

/// A fitted model as a network for the engine; its numbered parameters have names and estimates.
pub trait PointToPoint: Network {
    /// Returns the estimate of the parameter with this number.
    fn estimate(&self, parameter: u32) -> Estimate;

    /// Returns the identification of the parameter with this number.
    fn parameter(&self, parameter: u32) -> ParameterId;
}

impl<N: PointToPoint + ?Sized> PointToPoint for Synchronous<'_, N> {
    fn estimate(&self, parameter: u32) -> Estimate {
        self.0.estimate(parameter)
    }

    fn parameter(&self, parameter: u32) -> ParameterId {
        self.0.parameter(parameter)
    }
}

impl<N: PointToPoint + ?Sized> PointToPoint for Box<N> {
    fn estimate(&self, parameter: u32) -> Estimate {
        (**self).estimate(parameter)
    }

    fn parameter(&self, parameter: u32) -> ParameterId {
        (**self).parameter(parameter)
    }
}

/// The network of a fitted model, whose parameters have estimates.
#[derive(Debug, Clone)]
pub struct FittedNetwork<N> {
    network: N,
    /// The estimates, in the order in which the network numbers its parameters.
    estimates: Vec<Estimate>,
}

impl<N: NamedParameters> FittedNetwork<N> {
    /// Returns the network with the values of these estimates.
    pub(super) fn new(network: N, estimates: Vec<Estimate>) -> Self {
        Self { network, estimates }
    }
}

impl<N: Network> Network for FittedNetwork<N> {
    fn processors(&self) -> usize {
        self.network.processors()
    }

    fn reset(&mut self) {
        self.network.reset();
    }

    fn send(&mut self, message: Message, start: Moment, path: &mut Path) -> Sent {
        self.network.send(message, start, path)
    }

    fn receive(&mut self, message: Message, start: Moment, path: &mut Path) -> Moment {
        self.network.receive(message, start, path)
    }

    fn protocol(&self, size: Bytes) -> Protocol {
        self.network.protocol(size)
    }

    fn pass_data(&mut self, handshake: Message, start: Moment, path: &mut Path) -> Moment {
        self.network.pass_data(handshake, start, path)
    }

    fn is_homogeneous(&self) -> bool {
        self.network.is_homogeneous()
    }

    fn occupancy(&self, message: Message) -> Occupancy {
        self.network.occupancy(message)
    }

    fn sender_contention(&self) -> SenderContention {
        self.network.sender_contention()
    }

    fn grows_with_size(&self) -> bool {
        self.network.grows_with_size()
    }
}

impl<N: NamedParameters> PointToPoint for FittedNetwork<N> {
    fn estimate(&self, parameter: u32) -> Estimate {
        self.estimates[parameter as usize]
    }

    fn parameter(&self, parameter: u32) -> ParameterId {
        self.network.parameter(parameter)
    }
}

/// The contribution of one parameter to a predicted time: factor × estimate.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Contribution {
    /// The parameter.
    pub parameter: ParameterId,
    /// The multiplicity on the critical path: a count, or a number of bytes for delays per byte.
    pub factor: f64,
    /// The estimate of the parameter.
    pub estimate: Estimate,
}

impl Contribution {
    /// Returns the contribution in seconds: factor × value.
    pub fn seconds(&self) -> Seconds {
        Seconds::new(self.factor * self.estimate.value)
    }
}

/// The first interval among the estimates of contributions, of which all intervals have the same
/// level; `None` if none has one.
pub(crate) fn first_interval(contributions: &[Contribution]) -> Option<Interval> {
    contributions.iter().find_map(|one| one.estimate.interval)
}

/// A predicted time with the contributions of parameters to it.
#[derive(Debug, Clone, PartialEq)]
pub struct Predicted {
    /// The time.
    pub seconds: Seconds,
    /// Its interval; `None` if it is unknown.
    pub interval: Option<(Seconds, Seconds)>,
    /// The parameters on the critical path, the largest contribution first.
    pub contributions: Vec<Contribution>,
    /// The factor by which the errors of contributions are multiplied: 1, unless measured errors of
    /// collective operations contain a part of them.
    pub error_factor: f64,
    /// The critical path step by step.
    pub steps: Vec<Step>,
    /// The predictions on the other sides of thresholds whose intervals contain the size.
    pub alternatives: Vec<Predicted>,
}

impl Predicted {
    /// Returns the prediction with a contribution added at the end; the time does not fall below 0.
    #[must_use]
    pub fn plus(mut self, contribution: Contribution) -> Self {
        self.seconds = (self.seconds + contribution.seconds()).max(Seconds::ZERO);
        self.contributions.push(contribution);
        self.contributions.sort_by(|a, b| b.seconds().total_cmp(&a.seconds()));
        self
    }
}

/// Predicts the time of a schedule and explains it.
///
/// The time is Σ factor × parameter along the critical path. Its interval is left to the caller: it
/// depends on the correlations of the errors of parameters and on the discrepancy of the model.
///
/// # Errors
///
/// When the schedule cannot run to its end.
pub fn predict<S: Schedule + ?Sized>(
    engine: &mut Engine,
    network: &mut dyn PointToPoint,
    schedule: &S,
    placement: &Placement,
    reading: Reading,
) -> Result<Predicted, EngineError> {
    let outcome = engine.trace(schedule, placement, network)?;
    let (seconds, row, steps) =
        (outcome.read(reading), outcome.row(reading), outcome.critical_path(reading));
    let mut contributions = contributions(&row, network);
    contributions.sort_by(|a, b| b.seconds().total_cmp(&a.seconds()));
    Ok(Predicted {
        seconds,
        interval: None,
        contributions,
        error_factor: 1.0,
        steps,
        alternatives: Vec::new(),
    })
}

/// Returns the contributions of the parameters in a row of coefficients.
fn contributions(row: &Row, network: &dyn PointToPoint) -> Vec<Contribution> {
    let contribution = |term: &orrery_play::engine::Term| Contribution {
        parameter: network.parameter(term.parameter),
        factor: term.factor,
        estimate: network.estimate(term.parameter),
    };
    row.terms.iter().map(contribution).collect()
}

/// The moments from which the ports of each processor are free: an out-port for messages sent, an
/// in-port for messages received.
#[derive(Debug, Clone)]
pub(super) struct PortTimes {
    outward: Vec<Moment>,
    inward: Vec<Moment>,
}

impl PortTimes {
    /// The ports of n processors, all free.
    pub(super) fn idle(processors: usize) -> Self {
        let idle = vec![Moment::START; processors];
        Self { outward: idle.clone(), inward: idle }
    }

    /// Returns the number of processors.
    pub(super) fn processors(&self) -> usize {
        self.outward.len()
    }

    /// Frees all ports.
    pub(super) fn reset(&mut self) {
        self.outward.fill(Moment::START);
        self.inward.fill(Moment::START);
    }

    /// The moment from which the out-port of a processor is free.
    pub(super) fn out_port(&mut self, processor: Processor) -> &mut Moment {
        &mut self.outward[processor.index()]
    }

    /// The moment from which the in-port of a processor is free.
    pub(super) fn in_port(&mut self, processor: Processor) -> &mut Moment {
        &mut self.inward[processor.index()]
    }
}
