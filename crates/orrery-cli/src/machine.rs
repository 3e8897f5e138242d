use std::path::PathBuf;
use std::str::FromStr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use anyhow::Context as _;
use orrery::comm::PointToPoint;
use orrery::machine::{Batch, Machine, MachineError, SimulatedMachine, local};
use orrery::model::{ModelKind, file};
use orrery::sample::Provenance;
use orrery::sharing::LawKind;
use orrery::units::Seconds;

use crate::context::{Context, Usage, warn};
use crate::simulated_law::SimulatedLaw;
use crate::simulated_thresholds::SimulatedThresholds;

/// A machine as it is named on the command line.
#[derive(Debug, Clone, PartialEq)]
pub enum MachineSpec {
    /// `local:N`: worker processes on this host.
    Local { workers: usize },
    /// `mpi`: the ranks of the MPI job in which this process leads.
    Mpi,
    /// `sim:FILE[,model=KEY][,sharing=LAW][,noise=σ][,seed=N]`: a cluster whose truth is a model.
    Simulated { file: PathBuf, model: Option<ModelKind>, sharing: Option<&'static LawKind>, noise: f64, seed: u64 },
}

/// More worker processes than this on one host are a slip of the pen.
const MOST_WORKERS: usize = 256;

impl FromStr for MachineSpec {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (kind, rest) = text.split_once(':').unwrap_or((text, ""));
        match kind {
            "local" => {
                let workers = if rest.is_empty() { Ok(4) } else { rest.parse() };
                match workers {
                    Ok(workers) if (2..=MOST_WORKERS).contains(&workers) => Ok(Self::Local { workers }),
                    _ => Err(format!("local:N takes a number of workers from 2 to {MOST_WORKERS}")),
                }
            }
            "sim" => simulated(rest),
            "mpi" if text == kind => Ok(Self::Mpi),
            "mpi" => Err("mpi takes nothing behind it: mpirun says how many ranks there are".into()),
            _ => Err(format!("unknown machine {kind:?}; known are local:N, mpi and sim:MODEL.json")),
        }
    }
}

fn simulated(text: &str) -> Result<MachineSpec, String> {
    let mut parts = text.split(',');
    let file = parts.next().filter(|file| !file.is_empty()).ok_or("sim: needs a model file, as in sim:model.json")?;
    let (mut model, mut sharing, mut noise, mut seed) = (None, None, 0.0, 1);
    for part in parts {
        let (key, value) = part.split_once('=').ok_or_else(|| format!("{part:?} is not of the form key=value"))?;
        match key {
            "model" => model = Some(value.parse()?),
            "sharing" => sharing = Some(LawKind::from_name(value).map_err(|error| error.to_string())?),
            "noise" => {
                noise = value
                    .parse()
                    .ok()
                    .filter(|noise: &f64| (0.0..=10.0).contains(noise))
                    .ok_or("noise is a standard deviation from 0 to 10, such as 0.05")?;
            }
            "seed" => seed = value.parse().map_err(|_| "seed is a whole number".to_owned())?,
            _ => return Err(format!("unknown option {key:?} of sim; known are model, sharing, noise and seed")),
        }
    }
    Ok(MachineSpec::Simulated { file: file.into(), model, sharing, noise, seed })
}

impl MachineSpec {
    /// Starts the machine for the so-many-th time; `interrupt` ends what it runs.
    pub fn start(
        &self,
        context: Context,
        launch: u32,
        time_limit: Duration,
        interrupt: Arc<AtomicBool>,
    ) -> anyhow::Result<Box<dyn Machine>> {
        match self {
            Self::Mpi => mpi(context, time_limit, interrupt),
            Self::Local { workers } => {
                let interrupt = Some(interrupt);
                let options = local::Options { workers: *workers, time_limit, interrupt, ..local::Options::default() };
                Ok(Box::new(local::LocalMachine::start(&options).context("cannot start the local machine")?))
            }
            Self::Simulated { file, model, sharing, noise, seed } => {
                let loaded = file::read(file)?;
                loaded.warnings.iter().for_each(warn);
                let kinds = loaded.model.kinds();
                let kind = match (model, kinds.as_slice()) {
                    (Some(kind), _) => *kind,
                    (None, [only] | [only @ ModelKind::Hockney, ModelKind::HockneyMean]) => *only,
                    (None, []) => {
                        let why =
                            "there is no communication model in it, so messages have no time; add one with orrery fit";
                        anyhow::bail!("{}: {why}", file.display());
                    }
                    (None, several) => {
                        let words: Vec<_> = several.iter().map(|kind| kind.name()).collect();
                        let file = file.display();
                        let words = words.join(", ");
                        return Err(Usage(format!(
                            "{file}: it holds several models; choose one with sim:{file},model=KEY, where KEY is one of {words}"
                        ))
                        .into());
                    }
                };
                let network = loaded.model.network(kind).with_context(|| file.display().to_string())?;
                // Each launch has noise of its own.
                let machine = SimulatedMachine::new(network, *noise, seed.wrapping_add(u64::from(launch) << 32));
                let law = SimulatedLaw::of(*sharing, &loaded.model).with_context(|| file.display().to_string())?;
                let machine = match &law {
                    Some(law) => machine.with_slowdowns(Box::new(law.clone())),
                    None => machine,
                };
                let thresholds = SimulatedThresholds::of(kind, &loaded.model);
                let machine =
                    thresholds.into_iter().fold(machine, |machine, all| machine.with_irregularities(Box::new(all)));
                let words = law.map(|law| format!(",sharing={}", law.name())).unwrap_or_default();
                let truth = format!("{},model={kind}{words}", file.display());
                Ok(Box::new(SimulatedCluster { machine, truth, hosts: loaded.model.hosts.join(" "), interrupt }))
            }
        }
    }
}

#[cfg(feature = "mpi")]
fn mpi(context: Context, time_limit: Duration, interrupt: Arc<AtomicBool>) -> anyhow::Result<Box<dyn Machine>> {
    let job = context.job.context("this process leads no MPI job")?;
    let before_abort = Some(
        (|error: &MachineError| {
            let hint = crate::hints::for_machine(error).map(|hint| format!("; {hint}")).unwrap_or_default();
            eprintln!("orrery: {error}{hint}");
        }) as fn(&MachineError),
    );
    let options = orrery_mpi::Options { time_limit, interrupt: Some(interrupt), before_abort };
    Ok(Box::new(orrery_mpi::MpiMachine::start(job, options).context("cannot start the MPI machine")?))
}

#[cfg(not(feature = "mpi"))]
fn mpi(_: Context, _: Duration, _: Arc<AtomicBool>) -> anyhow::Result<Box<dyn Machine>> {
    Err(Usage("this orrery was built without MPI".into()).into())
}

/// A simulated machine that knows its file and stops between batches when asked to.
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
