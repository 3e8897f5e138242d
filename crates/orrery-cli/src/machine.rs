use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use anyhow::Context as _;
use orrery::machine::local::Emulation;
use orrery::machine::{Machine, local};
use orrery::platform::file;

use crate::context::Context;
use crate::hand_written;
use crate::simulated_cluster::SimulatedSpec;

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
                        "local:N takes a number of workers from 2 to {MAX_WORKERS}, \
                            local:FILE.toml a cluster file"
                    )),
                }
            }
            "sim" => rest.parse().map(Self::Simulated),
            "mpi" if text == kind => Ok(Self::Mpi),
            "mpi" => Err("mpi takes no argument: mpirun determines the number of ranks".into()),
            _ => Err(format!(
                "unknown machine {kind:?}; known are local:N, local:FILE.toml, mpi and \
                    sim:MODEL.json"
            )),
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
            eprint!("{message}");
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
