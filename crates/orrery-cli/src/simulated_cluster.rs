//! The simulated machine of the command line: a cluster whose parameters are those of a model file.

use std::path::PathBuf;
use std::str::FromStr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::Context as _;
use orrery::comm::thresholds::{Pieces, SlopeCorrection};
use orrery::comm::{PointToPoint, Thresholds};
use orrery::engine::Irregularity;
use orrery::machine::{Batch, FlowTimes, IrregularCollectives, Machine, MachineError, NotModelled, SimulatedMachine};
use orrery::model::{Model, ModelKind, SharedPorts, file};
use orrery::platform::Placement;
use orrery::sample::Provenance;
use orrery::schedule::{Collective, Program, Reading, Reducer};
use orrery::sharing::LawKind;
use orrery::units::{Seconds, UnknownName};

use crate::context::{Usage, warn};
use crate::simulated_law::SimulatedLaw;

/// The specification of a simulated machine: `FILE[,model=KEY][,sharing=LAW][,noise=σ][,seed=N]`.
#[derive(Debug, Clone, PartialEq)]
pub struct SimulatedSpec {
    file: PathBuf,
    model: Option<ModelKind>,
    sharing: Option<&'static LawKind>,
    /// The standard deviation of the noise.
    noise: f64,
    seed: u64,
}

/// The largest standard deviation of the noise.
const MAX_NOISE: f64 = 10.0;

impl FromStr for SimulatedSpec {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let mut parts = text.split(',');
        let file =
            parts.next().filter(|file| !file.is_empty()).ok_or("sim: needs a model file, as in sim:model.json")?;
        let (mut model, mut sharing, mut noise, mut seed) = (None, None, 0.0, 1);
        for part in parts {
            let (key, value) = part.split_once('=').ok_or_else(|| format!("{part:?} is not of the form key=value"))?;
            match key {
                "model" => model = Some(value.parse().map_err(|error: UnknownName| error.to_string())?),
                "sharing" => sharing = Some(LawKind::from_name(value).map_err(|error| error.to_string())?),
                "noise" => {
                    noise = value
                        .parse()
                        .ok()
                        .filter(|noise: &f64| (0.0..=MAX_NOISE).contains(noise))
                        .ok_or("noise is a standard deviation from 0 to 10, such as 0.05")?;
                }
                "seed" => seed = value.parse().map_err(|_| "seed is a whole number".to_owned())?,
                _ => return Err(format!("unknown option {key:?} of sim; known are model, sharing, noise and seed")),
            }
        }
        Ok(Self { file: file.into(), model, sharing, noise, seed })
    }
}

impl SimulatedSpec {
    /// Starts the machine; `launch` is the number of the launch, `interrupt` stops a running batch.
    pub fn start(&self, launch: u32, interrupt: Arc<AtomicBool>) -> anyhow::Result<Box<dyn Machine>> {
        let loaded = file::read(&self.file)?;
        loaded.warnings.iter().for_each(warn);
        // The queues of ports are the usual view of them.
        let kinds: Vec<ModelKind> = loaded.model.kinds().into_iter().filter(|kind| !kind.shares_ports()).collect();
        let kind = match (self.model, kinds.as_slice()) {
            (Some(kind), _) => kind,
            (None, [only] | [only @ ModelKind::Hockney, ModelKind::HockneyMean]) => *only,
            (None, []) => {
                let why = "it has no communication model, so messages have no time; add one with orrery fit";
                anyhow::bail!("{}: {why}", self.file.display());
            }
            (None, several) => {
                let words: Vec<_> = several.iter().map(|kind| kind.name()).collect();
                let file = self.file.display();
                let words = words.join(", ");
                return Err(Usage(format!(
                    "{file}: it has several models; choose one with sim:{file},model=KEY, where KEY is one of {words}"
                ))
                .into());
            }
        };
        let network = loaded.model.network(kind).with_context(|| self.file.display().to_string())?;
        // Each launch has different noise.
        let machine = SimulatedMachine::new(network, self.noise, self.seed.wrapping_add(u64::from(launch) << 32));
        let law = SimulatedLaw::of(self.sharing, &loaded.model).with_context(|| self.file.display().to_string())?;
        let machine = match &law {
            Some(law) => machine.with_slowdowns(Box::new(law.clone())),
            None => machine,
        };
        let thresholds = SimulatedThresholds::of(kind, &loaded.model);
        let machine = thresholds.into_iter().fold(machine, |machine, all| machine.with_irregularities(Box::new(all)));
        let machine = match SharedPorts::of(&loaded.model).filter(|_| kind.stored_as() == ModelKind::Ports) {
            Some(ports) => machine.with_flows(Box::new(SimulatedFlows { ports, collectives: kind.shares_ports() })),
            None => machine,
        };
        let words = law.map(|law| format!(",sharing={}", law.name())).unwrap_or_default();
        let truth = format!("{},model={kind}{words}", self.file.display());
        Ok(Box::new(SimulatedCluster { machine, truth, hosts: loaded.model.hosts.join(" "), interrupt }))
    }
}

/// A simulated machine with the name of its model file, which can be interrupted between batches.
struct SimulatedCluster {
    machine: SimulatedMachine<Box<dyn PointToPoint>>,
    truth: String,
    hosts: String,
    interrupt: Arc<AtomicBool>,
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
        if self.interrupt.load(Ordering::Relaxed) {
            return Err(MachineError::Interrupted);
        }
        self.machine.run_all(batches)
    }

    fn run(&mut self, batch: &Batch) -> Result<Vec<Seconds>, MachineError> {
        if self.interrupt.load(Ordering::Relaxed) {
            return Err(MachineError::Interrupted);
        }
        self.machine.run(batch)
    }
}

/// The ports and shared links of a simulated cluster: exchanges of several pairs share them as flows, and so do collective
/// operations if the kind of model says so.
#[derive(Debug)]
struct SimulatedFlows {
    ports: SharedPorts,
    collectives: bool,
}

impl FlowTimes for SimulatedFlows {
    fn time(&self, program: &Program, placement: &Placement, reading: Reading) -> Option<Result<Seconds, NotModelled>> {
        let is_played = match program {
            Program::Exchanges(_) => true,
            Program::Collective(_) => self.collectives,
            _ => false,
        };
        let read = |ends: Vec<Seconds>| match reading.reducer {
            Reducer::At(rank) | Reducer::RootMinusBarrier(rank) => ends[rank.index()],
            Reducer::Maximum | Reducer::Global => ends.into_iter().fold(Seconds::ZERO, Seconds::max),
        };
        let ends = || self.ports.ends(program, placement, false).map_err(|error| NotModelled(error.to_string()));
        is_played.then(|| ends().map(read))
    }
}

/// The thresholds of linear scatter and gather of a model, which make its simulated collectives irregular.
#[derive(Debug, Clone)]
struct SimulatedThresholds {
    thresholds: Vec<Thresholds>,
    corrected: Option<SlopeCorrection>,
}

impl SimulatedThresholds {
    /// The thresholds of a model, if it has any; slope corrections only if they are for this kind of model.
    fn of(kind: ModelKind, model: &Model) -> Option<Self> {
        let (thresholds, corrected) = (model.thresholds.clone(), kind.slope_correction());
        (!thresholds.is_empty()).then_some(Self { thresholds, corrected })
    }
}

impl IrregularCollectives for SimulatedThresholds {
    fn irregularity(&self, collective: &Collective) -> Irregularity {
        let found = self.thresholds.iter().find(|thresholds| thresholds.apply_to(collective));
        found.map(|thresholds| thresholds.irregularity(Pieces::of(collective), self.corrected)).unwrap_or_default()
    }
}
