//! A fitted model as a machine: campaigns on a cluster whose true parameters are known.
//!
//! ```
//! use orrery_models::comm::Lmo;
//! use orrery_measure::machine::Machine;
//! use orrery_models::model::{Model, ModelKind};
//! use orrery_base::numeric::Estimate;
//! use orrery_cluster::platform::PerPair;
//! use orrery_models::simulated_cluster::{Options, SimulatedCluster};
//! let lmo = Lmo {
//!     fixed_delay: vec![Estimate::exact(10e-6); 3],
//!     byte_delay: vec![Estimate::exact(1e-9); 3],
//!     link_latency: Some(PerPair::from_fn(3, |_, _| Estimate::exact(20e-6))),
//!     link_byte_delay: PerPair::from_fn(3, |_, _| Estimate::exact(8e-9)),
//! };
//! let model = Model { hosts: vec![String::new(); 3], ..Model::default() }.with(ModelKind::Lmo, &lmo);
//! let machine = SimulatedCluster::new(&model, "truth.json", Options { noise: 0.02, ..Options::default() })?;
//! assert_eq!(machine.provenance().get("truth"), Some("truth.json,model=lmo"));
//! # Ok::<(), orrery_models::simulated_cluster::SimulatedClusterError>(())
//! ```

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::comm::thresholds::{Pieces, SlopeCorrection};
use crate::comm::{PointToPoint, Thresholds};
use crate::model::{Model, ModelKind, PlayedFlows, PredictError, SharedPorts};
use orrery_base::units::Seconds;
use orrery_cluster::platform::{Hosts, Placement, Processor};
use orrery_cluster::sharing::{LawKind, ParameterError, PenaltyModel as _, SharingLaw, Transfer};
use orrery_measure::machine::{
    Batch, FlowTimes, IrregularCollectives, Machine, MachineError, NotModelled, SimulatedMachine,
    SlowdownModel,
};
use orrery_measure::sample::Provenance;
use orrery_play::engine::Irregularity;
use orrery_program::schedule::{Collective, Program, Reading, Reducer};

/// The ports and shared links of a simulated cluster: exchanges of several pairs share them as
/// flows, and so do collective operations if the kind of model says so.
#[derive(Debug)]
struct SimulatedFlows {
    pub ports: SharedPorts,
    /// The collective operations among them.
    pub collectives: Option<PlayedFlows>,
}

impl FlowTimes for SimulatedFlows {
    fn time(
        &self,
        program: &Program,
        placement: &Placement,
        reading: Reading,
    ) -> Option<Result<Seconds, NotModelled>> {
        let is_played = match program {
            Program::Exchanges(_) => true,
            Program::Collective(collective) => {
                self.collectives.is_some_and(|played| played.contains(collective))
            }
            _ => false,
        };
        let read = |ends: Vec<Seconds>| match reading.reducer {
            Reducer::At(rank) | Reducer::RootMinusBarrier(rank) => ends[rank.index()],
            Reducer::Maximum | Reducer::Global => {
                ends.into_iter().fold(Seconds::ZERO, Seconds::max)
            }
        };
        let ends = || {
            self.ports
                .ends(program, placement, false)
                .map_err(|error| NotModelled(error.to_string()))
        };
        is_played.then(|| ends().map(read))
    }
}

/// The sharing law of a simulated cluster, and the hosts of its processors.
#[derive(Debug, Clone)]
struct SimulatedLaw {
    law: Choice,
    hosts: Hosts,
}

/// The law, or the names of those among which the user has to choose.
#[derive(Debug, Clone)]
enum Choice {
    Law(SharingLaw),
    Ambiguous(Vec<&'static str>),
}

impl SimulatedLaw {
    /// The requested law, or the only one of the model; `None` if the model has none.
    fn of(
        requested: Option<&'static LawKind>,
        model: &Model,
    ) -> Result<Option<Self>, SimulatedClusterError> {
        let fitted: Vec<_> = model.sharing.iter().collect();
        let law = match (requested, fitted.as_slice()) {
            (Some(kind), _) if kind.parameters.is_empty() => Choice::Law(kind.law(&[])?),
            (Some(kind), _) => Choice::Law(
                model.sharing.get(kind.name).ok_or(SimulatedClusterError::NoLaw(kind.name))?.law(),
            ),
            (None, []) => return Ok(None),
            (None, [only]) => Choice::Law(only.law()),
            (None, several) => {
                Choice::Ambiguous(several.iter().map(|law| law.kind().name).collect())
            }
        };
        let mixed = model.shared_hosts();
        let hosts = if mixed.are_mixed() { mixed } else { Hosts::default() };
        Ok(Some(Self { law, hosts }))
    }

    /// The name of the law; "several" if none was chosen among those of the model.
    fn name(&self) -> &'static str {
        match &self.law {
            Choice::Law(law) => law.name(),
            Choice::Ambiguous(_) => "several",
        }
    }

    /// The node of a processor: processors of one host are one node.
    fn node(&self, processor: Processor) -> u32 {
        self.hosts.number(processor).map_or(processor.0, |number| number as u32)
    }
}

impl SlowdownModel for SimulatedLaw {
    fn slowdowns(&self, messages: &[(Processor, Processor)]) -> Result<Vec<f64>, NotModelled> {
        let transfers: Vec<Transfer> = messages
            .iter()
            .map(|&(from, to)| Transfer::between(self.node(from), self.node(to)))
            .collect();
        match &self.law {
            Choice::Law(law) => {
                law.penalties(&transfers).map_err(|error| NotModelled(error.to_string()))
            }
            Choice::Ambiguous(names) => {
                let names = names.join(" or ");
                Err(NotModelled(format!(
                    "the model holds several sharing laws; choose one with sharing={names}"
                )))
            }
        }
    }
}

/// The thresholds of linear scatter and gather of a model, which make its simulated collectives
/// irregular.
#[derive(Debug, Clone)]
struct SimulatedThresholds {
    thresholds: Vec<Thresholds>,
    corrected: Option<SlopeCorrection>,
}

impl SimulatedThresholds {
    /// The thresholds of a model, if it has any; slope corrections only if they are for this kind
    /// of model.
    fn of(kind: ModelKind, model: &Model) -> Option<Self> {
        let (thresholds, corrected) = (model.thresholds.clone(), kind.slope_correction());
        (!thresholds.is_empty()).then_some(Self { thresholds, corrected })
    }
}

impl IrregularCollectives for SimulatedThresholds {
    fn irregularity(&self, collective: &Collective) -> Irregularity {
        let found = self.thresholds.iter().find(|thresholds| thresholds.apply_to(collective));
        found
            .map(|thresholds| thresholds.irregularity(Pieces::of(collective), self.corrected))
            .unwrap_or_default()
    }
}

/// The options of a simulated cluster.
#[derive(Debug, Clone)]
pub struct Options {
    /// The kind of model; `None` for the only one.
    pub kind: Option<ModelKind>,
    /// The sharing law; `None` for the only one of the model, if it has one.
    pub sharing: Option<&'static LawKind>,
    /// The standard deviation of the noise, relative.
    pub noise: f64,
    /// The seed of the noise.
    pub seed: u64,
    /// When this becomes true, the next batch ends with [`MachineError::Interrupted`].
    pub interrupt: Option<Arc<AtomicBool>>,
}

impl Default for Options {
    fn default() -> Self {
        Self { kind: None, sharing: None, noise: 0.0, seed: 1, interrupt: None }
    }
}

/// The reason why a model cannot be simulated as a machine.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum SimulatedClusterError {
    /// The model has no communication model.
    #[error("the model has no communication model, so messages have no time; fit one to samples")]
    NoModel,
    /// The model has several kinds, and none is named.
    #[error("the model has several kinds; choose one of {}", ModelKind::listed(.0))]
    SeveralModels(Vec<ModelKind>),
    /// The model does not have the kind.
    #[error(transparent)]
    Kind(#[from] PredictError),
    /// The model does not have the parameters of the sharing law.
    #[error("the model has no parameters of {0}; fit them to timings, or leave out sharing")]
    NoLaw(&'static str),
    /// The sharing law cannot be made.
    #[error(transparent)]
    Law(#[from] ParameterError),
}

/// A simulated machine whose parameters are those of a model, with the sharing law, thresholds and
/// shared links of the model.
pub struct SimulatedCluster {
    machine: SimulatedMachine<Box<dyn PointToPoint>>,
    truth: String,
    hosts: String,
    interrupt: Option<Arc<AtomicBool>>,
}

impl SimulatedCluster {
    /// The machine of a model; `name` is that of its file in the provenance of readings.
    ///
    /// # Errors
    ///
    /// When the model does not have the kind or the law, or several kinds and none is named.
    pub fn new(model: &Model, name: &str, options: Options) -> Result<Self, SimulatedClusterError> {
        // Kinds that are views of the parameters of another one must be named.
        let kinds: Vec<ModelKind> =
            model.kinds().into_iter().filter(|kind| kind.stored_as() == *kind).collect();
        let kind = match (options.kind, kinds.as_slice()) {
            (Some(kind), _) => kind,
            (None, [only]) => *only,
            (None, []) => return Err(SimulatedClusterError::NoModel),
            (None, _) => return Err(SimulatedClusterError::SeveralModels(model.kinds())),
        };
        let network = model.network(kind)?;
        let machine = SimulatedMachine::new(network, options.noise, options.seed);
        let law = SimulatedLaw::of(options.sharing, model)?;
        let machine = match &law {
            Some(law) => machine.with_slowdowns(Box::new(law.clone())),
            None => machine,
        };
        let thresholds = SimulatedThresholds::of(kind, model);
        let machine = thresholds
            .into_iter()
            .fold(machine, |machine, all| machine.with_irregularities(Box::new(all)));
        let machine = match SharedPorts::of(model).filter(|_| kind.stored_as() == ModelKind::Ports)
        {
            Some(ports) => machine.with_flows(Box::new(SimulatedFlows {
                ports,
                collectives: PlayedFlows::of(model, kind),
            })),
            None => machine,
        };
        let words = law.map(|law| format!(",sharing={}", law.name())).unwrap_or_default();
        let truth = format!("{name},model={kind}{words}");
        Ok(Self { machine, truth, hosts: model.hosts.join(" "), interrupt: options.interrupt })
    }

    /// Ends the campaign if it is interrupted.
    fn check_interrupt(&self) -> Result<(), MachineError> {
        let is_interrupted =
            self.interrupt.as_ref().is_some_and(|interrupt| interrupt.load(Ordering::Relaxed));
        if is_interrupted { Err(MachineError::Interrupted) } else { Ok(()) }
    }
}

impl Machine for SimulatedCluster {
    fn processors(&self) -> usize {
        self.machine.processors()
    }

    fn provenance(&self) -> Provenance {
        let provenance = self.machine.provenance().with("truth", &self.truth);
        let named = self.hosts.split_whitespace().count() == self.processors();
        if named { provenance.with("hosts", &self.hosts) } else { provenance }
    }

    fn elapsed(&self) -> Seconds {
        self.machine.elapsed()
    }

    fn run_all(&mut self, batches: &[Batch]) -> Result<Vec<Vec<Seconds>>, MachineError> {
        self.check_interrupt()?;
        self.machine.run_all(batches)
    }

    fn run(&mut self, batch: &Batch) -> Result<Vec<Seconds>, MachineError> {
        self.check_interrupt()?;
        self.machine.run(batch)
    }
}
