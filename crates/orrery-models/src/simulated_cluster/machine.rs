use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use super::flows::SimulatedFlows;
use super::law::SimulatedLaw;
use super::thresholds::SimulatedThresholds;
use crate::comm::PointToPoint;
use crate::model::{Model, ModelKind, PlayedFlows, PredictError, SharedPorts};
use orrery_base::units::Seconds;
use orrery_cluster::sharing::{LawKind, ParameterError};
use orrery_measure::machine::{Batch, Machine, MachineError, SimulatedMachine};
use orrery_measure::sample::Provenance;

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
    #[error("the model has several kinds; choose one of {}", words(.0))]
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

/// The names of kinds, separated by commas.
fn words(kinds: &[ModelKind]) -> String {
    kinds.iter().map(|kind| kind.name()).collect::<Vec<_>>().join(", ")
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
        // The queues of ports are the usual view of them.
        let kinds: Vec<ModelKind> =
            model.kinds().into_iter().filter(|kind| !kind.shares_ports()).collect();
        let kind = match (options.kind, kinds.as_slice()) {
            (Some(kind), _) => kind,
            (None, [only] | [only @ ModelKind::Hockney, ModelKind::HockneyMean]) => *only,
            (None, []) => return Err(SimulatedClusterError::NoModel),
            (None, several) => return Err(SimulatedClusterError::SeveralModels(several.to_vec())),
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
