//! Machines to measure on: worker processes on this host, and models that are simulated.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use orrery::machine::Machine as Running;
use orrery::machine::local::{self, Emulation, LocalMachine};
use orrery::model::Model as Fitted;
use orrery::platform::file;
use orrery::sharing::LawKind;
use orrery::simulated_cluster::{Options, SimulatedCluster};
use pyo3::prelude::*;

use crate::model::Model;
use crate::work::Interrupt;
use crate::{argument, error};

/// The largest number of worker processes on one host.
const MAX_WORKERS: usize = 256;

/// The largest standard deviation of the noise.
const MAX_NOISE: f64 = 10.0;

/// A machine to measure on. It starts when a campaign begins.
#[pyclass(frozen, module = "orrery", name = "Machine")]
pub(crate) struct Machine {
    spec: Spec,
}

/// What a machine is made of.
#[derive(Clone)]
pub(crate) enum Spec {
    /// Worker processes on this host.
    Local { workers: usize, python: PathBuf, time_limit: Duration },
    /// Worker processes on this host that emulate the cluster of a file, some on each of its hosts.
    Emulated { file: PathBuf, per_host: usize, python: PathBuf, time_limit: Duration },
    /// A model with its name.
    Simulated { fitted: Arc<Fitted>, name: String, options: Options },
}

impl Machine {
    /// What the machine is made of.
    pub(crate) fn spec(&self) -> Spec {
        self.spec.clone()
    }
}

#[pymethods]
impl Machine {
    fn __repr__(&self) -> String {
        match &self.spec {
            Spec::Local { workers, .. } => {
                format!("<orrery.Machine of {workers} worker processes>")
            }
            Spec::Emulated { file, per_host: 1, .. } => {
                format!("<orrery.Machine that emulates {}>", file.display())
            }
            Spec::Emulated { file, per_host, .. } => {
                format!(
                    "<orrery.Machine that emulates {}, {per_host} processes on each host>",
                    file.display()
                )
            }
            Spec::Simulated { fitted, options, .. } => {
                format!(
                    "<orrery.Machine of {} simulated processors, noise {}>",
                    fitted.processors(),
                    options.noise
                )
            }
        }
    }
}

/// Worker processes on this host: a number of them, or the cluster file (TOML) of a cluster that
/// they emulate.
///
/// Each host of a cluster has `ppn` processes, by default one. A campaign fails if a worker does
/// not respond for `time_limit` seconds.
#[pyfunction]
#[pyo3(signature = (workers, *, ppn = None, time_limit = 30.0))]
pub(crate) fn local_machine(
    py: Python<'_>,
    workers: &Bound<'_, PyAny>,
    ppn: Option<i64>,
    time_limit: f64,
) -> PyResult<Machine> {
    let time_limit = Duration::try_from_secs_f64(argument::positive("time_limit", time_limit)?);
    let time_limit = time_limit.map_err(error::input)?;
    let python = py.import("sys")?.getattr("executable")?.extract::<Option<PathBuf>>()?;
    let python = python.filter(|path| !path.as_os_str().is_empty());
    let python = python.ok_or_else(|| {
        error::argument("sys.executable is unknown, which workers need; run it by python")
    })?;
    let spec = if let Ok(workers) = workers.extract::<i64>() {
        if let Some(ppn) = ppn {
            return Err(error::argument(format!(
                "ppn {ppn} is for a cluster file; {workers} workers are on one host"
            )));
        }
        let valid =
            usize::try_from(workers).ok().filter(|workers| (2..=MAX_WORKERS).contains(workers));
        let workers = valid.ok_or_else(|| {
            error::argument(format!("workers {workers}: valid numbers are 2 to {MAX_WORKERS}"))
        })?;
        Spec::Local { workers, python, time_limit }
    } else {
        let valid =
            usize::try_from(ppn.unwrap_or(1)).ok().filter(|ppn| (1..=MAX_WORKERS).contains(ppn));
        let per_host = valid.ok_or_else(|| {
            error::argument(format!(
                "ppn {}: valid numbers are 1 to {MAX_WORKERS}",
                ppn.unwrap_or_default()
            ))
        })?;
        Spec::Emulated { file: workers.extract()?, per_host, python, time_limit }
    };
    Ok(Machine { spec })
}

/// The processors of a model, whose parameters are then the truth.
///
/// Each reading is multiplied by log-normal noise with the relative standard deviation `noise`.
/// `kind` names the kind of model, `sharing` the sharing law; each may be left out if the model has
/// only one.
#[pyfunction]
#[pyo3(signature = (model, *, noise = 0.0, seed = 1, kind = None, sharing = None))]
pub(crate) fn simulated_machine(
    model: &Bound<'_, Model>,
    noise: f64,
    seed: u64,
    kind: Option<&str>,
    sharing: Option<&str>,
) -> PyResult<Machine> {
    if !(0.0..=MAX_NOISE).contains(&noise) {
        return Err(error::argument(format!(
            "noise {noise}: a standard deviation from 0 to 10 is expected, such as 0.05"
        )));
    }
    let fitted = Arc::clone(&model.get().fitted);
    let kind = kind.map(argument::parse).transpose()?;
    let sharing = sharing.map(LawKind::from_name).transpose().map_err(error::input)?;
    let options = Options { kind, sharing, noise, seed, interrupt: None };
    // An invalid choice is reported here and not by a campaign.
    let name = model.get().name.clone();
    SimulatedCluster::new(&fitted, &name, options.clone()).map_err(error::input)?;
    Ok(Machine { spec: Spec::Simulated { fitted, name, options } })
}

impl Spec {
    /// The number of processors.
    pub(crate) fn processors(&self) -> PyResult<usize> {
        match self {
            Self::Local { workers, .. } => Ok(*workers),
            Self::Emulated { file, per_host, .. } => Ok(emulation(file, *per_host)?.workers()),
            Self::Simulated { fitted, .. } => Ok(fitted.processors()),
        }
    }

    /// Starts the machine; `interrupt` stops a running batch.
    pub(crate) fn start(self, interrupt: &Interrupt) -> PyResult<Box<dyn Running>> {
        let interrupt = Some(Arc::clone(interrupt));
        match self {
            Self::Simulated { fitted, name, options } => {
                let options = Options { interrupt, ..options };
                Ok(Box::new(SimulatedCluster::new(&fitted, &name, options).map_err(error::input)?))
            }
            Self::Local { workers, python, time_limit } => {
                let options =
                    local::Options { workers, time_limit, interrupt, ..in_python(python) };
                Ok(Box::new(LocalMachine::start(&options).map_err(error::machine)?))
            }
            Self::Emulated { file, per_host, python, time_limit } => {
                let emulation = Some(emulation(&file, per_host)?);
                let options =
                    local::Options { emulation, time_limit, interrupt, ..in_python(python) };
                Ok(Box::new(LocalMachine::start(&options).map_err(error::machine)?))
            }
        }
    }
}

/// Workers that run in an interpreter of this kind.
fn in_python(python: PathBuf) -> local::Options {
    let arguments = ["-m", "orrery._worker"].map(Into::into).to_vec();
    local::Options { program: Some(python), arguments, ..local::Options::default() }
}

/// The emulation of a cluster file, with some processes on each host.
fn emulation(path: &std::path::Path, per_host: usize) -> PyResult<Emulation> {
    let text = crate::simulate::text(path)?;
    let network = file::network(&text, path).map_err(error::file)?;
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    Emulation::new(name, network.topology, network.overheads, per_host).map_err(error::input)
}

/// Serves as a worker of a local machine until it ends; returns false if this process is none.
#[pyfunction]
pub(crate) fn serve_worker(py: Python<'_>) -> PyResult<bool> {
    match py.detach(local::serve_if_worker) {
        None => Ok(false),
        Some(result) => result.map(|()| true).map_err(error::machine),
    }
}
