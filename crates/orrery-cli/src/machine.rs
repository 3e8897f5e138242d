use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use anyhow::Context as _;
use orrery::machine::Machine;
use orrery::machine::local::{self, Emulation};
use orrery::model::{ModelKind, file as model_file};
use orrery::names::{advice, nearest};
use orrery::platform::file;
use orrery::request::RequestError;
use orrery::sharing::LawKind;
use orrery::simulated_cluster::{Options, SimulatedCluster, SimulatedClusterError};
use orrery::units::UnknownName;

use crate::context::{Context, Usage, warn};
use crate::hand_written;
use crate::refusal;
use crate::with_path::WithPath;

/// The machine that `--machine` names.
#[derive(Debug, Clone, PartialEq)]
pub enum MachineSpec {
    /// `local:N`: worker processes on this host.
    Local { workers: usize },
    /// `local:FILE.toml`: worker processes on this host that emulate the cluster of a file.
    Emulated(ClusterSource),
    /// `mpi`: the ranks of the MPI job in which this process is rank 0.
    Mpi,
    /// `sim:FILE[,…]`: a cluster whose parameters are those of a model file.
    Simulated(SimulatedSpec),
}

/// The description of a cluster to emulate.
#[derive(Debug, Clone, PartialEq)]
pub enum ClusterSource {
    /// A cluster file.
    File(PathBuf),
    /// The example that is built in.
    Example,
}

/// The file name and the text of the example that is built in.
const EXAMPLE: (&str, &str) = ("emulated.toml", include_str!("emulated.toml"));

/// The number of workers of `local` without a number.
pub const DEFAULT_WORKERS: usize = 4;

/// The largest number of worker processes on one host.
const MAX_WORKERS: usize = 256;

impl FromStr for MachineSpec {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (kind, rest) = text.split_once(':').unwrap_or((text, ""));
        match kind {
            "local" => {
                if Path::new(rest)
                    .extension()
                    .is_some_and(|extension| extension.eq_ignore_ascii_case("toml"))
                {
                    return Ok(Self::Emulated(ClusterSource::File(rest.into())));
                }
                let workers = if rest.is_empty() { Ok(DEFAULT_WORKERS) } else { rest.parse() };
                match workers {
                    Ok(workers) if (2..=MAX_WORKERS).contains(&workers) => {
                        Ok(Self::Local { workers })
                    }
                    _ => Err(format!(
                        "{rest:?} is neither a number of workers from 2 to {MAX_WORKERS} nor a \
                            file with a name in .toml; write local:4 or local:FILE.toml"
                    )),
                }
            }
            "sim" => rest.parse().map(Self::Simulated),
            "mpi" if text == kind => Ok(Self::Mpi),
            "mpi" => Err("mpi takes no argument: mpirun determines the number of ranks".into()),
            _ => {
                let near = nearest(kind, ["local", "mpi", "sim"]);
                let near = near.map(|near| format!("did you mean {near:?}? "));
                Err(format!(
                    "unknown machine {kind:?}; {}known are local:N, local:FILE.toml, mpi and \
                        sim:MODEL.json",
                    near.unwrap_or_default()
                ))
            }
        }
    }
}

impl WithPath for MachineSpec {
    fn path_mut(&mut self) -> Option<(&mut PathBuf, char, Option<char>)> {
        match self {
            Self::Emulated(ClusterSource::File(path)) => Some((path, ':', None)),
            Self::Simulated(spec) => Some((&mut spec.file, ':', Some(','))),
            Self::Local { .. } | Self::Emulated(ClusterSource::Example) | Self::Mpi => None,
        }
    }
}

impl MachineSpec {
    /// Starts the machine; `launch` is the number of the launch, `ppn` the requested number of
    /// ranks on each host, `interrupt` stops a running batch.
    pub fn start(
        &self,
        context: Context,
        launch: u32,
        time_limit: Duration,
        ppn: Option<u16>,
        interrupt: Arc<AtomicBool>,
    ) -> anyhow::Result<Box<dyn Machine>> {
        let options = |interrupt| {
            let interrupt = Some(interrupt);
            local::Options { time_limit, interrupt, ..local::Options::default() }
        };
        let started = |options: &local::Options, what: &str| -> anyhow::Result<Box<dyn Machine>> {
            let machine = local::LocalMachine::start(options);
            Ok(Box::new(machine.with_context(|| format!("cannot start {what}"))?))
        };
        match self {
            Self::Mpi => mpi(context, time_limit, interrupt),
            Self::Local { workers } => {
                let options = local::Options { workers: *workers, ..options(interrupt) };
                started(&options, "the local machine")
            }
            Self::Emulated(source) => {
                let emulation = Some(source.emulation(ppn.unwrap_or(1).into())?);
                started(&local::Options { emulation, ..options(interrupt) }, "the emulated cluster")
            }
            Self::Simulated(spec) => spec.start(launch, interrupt),
        }
    }
}

impl ClusterSource {
    /// Reads the cluster, which has this number of ranks on each host.
    fn emulation(&self, per_host: usize) -> anyhow::Result<Emulation> {
        let text;
        let (path, text) = match self {
            Self::File(path) => {
                text = hand_written::read(path)
                    .with_context(|| format!("cannot read {}", path.display()))?;
                (path.as_path(), text.as_str())
            }
            Self::Example => (Path::new(EXAMPLE.0), EXAMPLE.1),
        };
        let network = file::network(text, path)?;
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        Emulation::new(name, network.topology, network.overheads, per_host)
            .with_context(|| path.display().to_string())
    }
}

/// Starts the MPI machine of the job that this process leads.
#[cfg(feature = "mpi")]
fn mpi(
    context: Context,
    time_limit: Duration,
    interrupt: Arc<AtomicBool>,
) -> anyhow::Result<Box<dyn Machine>> {
    let job = context.job.context("this process is not rank 0 of an MPI job")?;
    let before_abort = Some(
        (|error: &orrery::machine::MachineError| {
            let hint = crate::hints::for_machine(error)
                .map(|hint| format!("; {hint}"))
                .unwrap_or_default();
            // In one piece, since a launcher may mix the output of ranks.
            let message = format!("orrery: {error}{hint}\n");
            let _ = std::io::Write::write_all(&mut std::io::stderr(), message.as_bytes());
        }) as fn(&orrery::machine::MachineError),
    );
    let options = orrery_mpi::Options { time_limit, interrupt: Some(interrupt), before_abort };
    Ok(Box::new(
        orrery_mpi::MpiMachine::start(job, options).context("cannot start the MPI machine")?,
    ))
}

/// The error for a command that is built without MPI.
#[cfg(not(feature = "mpi"))]
fn mpi(_: Context, _: Duration, _: Arc<AtomicBool>) -> anyhow::Result<Box<dyn Machine>> {
    anyhow::bail!("this orrery was built without MPI")
}

/// The specification of a simulated machine: `FILE[,model=KEY][,sharing=LAW][,noise=FRACTION][,seed=N]`.
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
        let file = parts
            .next()
            .filter(|file| !file.is_empty())
            .ok_or("sim: needs a model file, as in sim:model.json")?;
        let (mut model, mut sharing, mut noise, mut seed) = (None, None, 0.0, 1);
        for part in parts {
            let (key, value) = part.split_once('=').ok_or_else(|| {
                format!("{part:?} is not of the form key=value, as in noise=0.05")
            })?;
            match key {
                "model" => {
                    model = Some(value.parse().map_err(|error: UnknownName| error.to_string())?);
                }
                "sharing" => {
                    sharing = Some(LawKind::from_name(value).map_err(|error| error.to_string())?);
                }
                "noise" => {
                    noise = value
                        .parse()
                        .ok()
                        .filter(|noise: &f64| (0.0..=MAX_NOISE).contains(noise))
                        .ok_or("noise is a standard deviation from 0 to 10, such as 0.05")?;
                }
                "seed" => {
                    seed = value
                        .parse()
                        .map_err(|_| "seed is a whole number, as in seed=1".to_owned())?;
                }
                _ => {
                    let advice = advice(key, "known", ["model", "sharing", "noise", "seed"]);
                    return Err(format!("unknown option {key:?} of sim; {advice}"));
                }
            }
        }
        Ok(Self { file: file.into(), model, sharing, noise, seed })
    }
}

impl SimulatedSpec {
    /// Starts the machine; `launch` is the number of the launch, `interrupt` stops a running batch.
    pub fn start(
        &self,
        launch: u32,
        interrupt: Arc<AtomicBool>,
    ) -> anyhow::Result<Box<dyn Machine>> {
        let loaded = model_file::read(&self.file)?;
        loaded.warnings.iter().for_each(warn);
        // Each launch has different noise.
        let seed = self.seed.wrapping_add(u64::from(launch) << 32);
        let (noise, interrupt) = (self.noise, Some(interrupt));
        let options = Options { kind: self.model, sharing: self.sharing, noise, seed, interrupt };
        let file = self.file.display();
        match SimulatedCluster::new(&loaded.model, &file.to_string(), options) {
            Ok(machine) => Ok(Box::new(machine)),
            Err(SimulatedClusterError::SeveralModels(several)) => {
                let words = several.iter().map(|kind| kind.name()).collect::<Vec<_>>().join(", ");
                Err(Usage(format!(
                    "{file}: there are several models; choose one with sim:{file},model=KEY, where \
                        KEY is one of {words}"
                ))
                .into())
            }
            Err(SimulatedClusterError::NoModel) => {
                Err(refusal::failure(RequestError::NoCommunication, &self.file))
            }
            Err(error) => Err(anyhow::Error::new(error).context(file.to_string())),
        }
    }
}
