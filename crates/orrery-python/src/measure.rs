//! Campaigns: what to measure on a machine, how often, and where readings are kept.

use std::path::PathBuf;
use std::sync::atomic::Ordering;

use orrery::estimation::Estimation;
use orrery::measure::{Campaign, CampaignEnd, CollectiveDesign, CommDesign, Design, Parallelism};
use orrery::request::{self, RepetitionRequest, Repetitions};
use orrery::sample::file::Writer;
use orrery::sample::{Provenance, Samples as Readings};
use orrery::schedule::CollectiveKind;
use orrery::units::{Bytes, Seconds};
use pyo3::prelude::*;

use crate::argument::{self, Words};
use crate::error;
use crate::machine::{Machine, Spec};
use crate::samples::Samples;
use crate::work::{self, Interrupt};

/// The settings of a campaign.
struct Settings {
    repetitions: Repetitions,
    seed: u64,
    parallel: Parallelism,
    /// The size for the test whether experiments can run in parallel.
    test_size: Bytes,
    time_limit: Option<Seconds>,
    output: Option<(PathBuf, bool)>,
    verb: &'static str,
}

/// A number of seconds above 0 as a time limit.
fn time_limit(seconds: Option<f64>) -> PyResult<Option<Seconds>> {
    let limit = |seconds| argument::positive("max_time", seconds).map(Seconds::new);
    seconds.map(limit).transpose()
}

/// Measures round trips and one-to-two experiments, from which communication models are fitted.
///
/// `size` is the message size besides 0, `sizes` are further sizes of round trips. `triplets` of
/// the one-to-two experiments are `spread`, `full` or `brief`; with `shared_links` pairs exchange
/// messages at the same time, unless all processors are on one host. Each experiment is repeated
/// `min_reps` to `max_reps` times, until the half-width of the interval at `level` is at most `eps`
/// of the median. `parallel` is `auto`, `on` or `off`. No experiment starts after `max_time`
/// seconds. `output` names a samples file, to which readings are written as they are taken; an
/// existing one is replaced only with `force`.
#[pyfunction]
#[pyo3(signature = (machine, *, size = None, sizes = None, triplets = "spread", shared_links = true, min_reps = 5, max_reps = None,
    eps = 0.025, level = 0.95, warm_up = 1, seed = 1, parallel = "auto", max_time = None, output = None, force = false))]
#[expect(clippy::too_many_arguments, reason = "each is an option of its own in Python")]
pub(crate) fn measure_comm(
    py: Python<'_>,
    machine: &Bound<'_, Machine>,
    size: Option<&Bound<'_, PyAny>>,
    sizes: Option<&Bound<'_, PyAny>>,
    triplets: &str,
    shared_links: bool,
    min_reps: u32,
    max_reps: Option<u32>,
    eps: f64,
    level: f64,
    warm_up: u32,
    seed: u64,
    parallel: &str,
    max_time: Option<f64>,
    output: Option<PathBuf>,
    force: bool,
) -> PyResult<Py<Samples>> {
    let size = size.map(argument::size).transpose()?;
    if size == Some(Bytes::ZERO) {
        return Err(error::argument(
            "size must be above 0: empty messages are measured in any case",
        ));
    }
    let sizes = sizes.map(argument::sizes).transpose()?.unwrap_or_default();
    let triplets = argument::parse(triplets)?;
    let mut estimation = Estimation { size, ..Estimation::default() };
    estimation.experiments = CommDesign { sizes, triplets, shared_links, ..estimation.experiments };
    let size = estimation.choose_size(&[]).size();
    let repetitions = RepetitionRequest { min_reps, max_reps, eps, level, warm_up };
    let settings = Settings {
        repetitions: repetitions.checked().map_err(error::request)?,
        seed,
        parallel: argument::parse(parallel)?,
        test_size: size,
        time_limit: time_limit(max_time)?,
        output: output.map(|path| (path, force)),
        verb: "orrery.measure_comm",
    };
    let design = move |provenance: &Provenance, _| Ok(estimation.design(size, provenance));
    measure(py, machine.get().spec(), settings, design)
}

/// Measures collective operations.
///
/// `operations` names them, by default scatter and gather; `algorithms` and `segments` are those of
/// `predict`. `sizes` are those of the block of one processor, or of the vector. `root` is a rank,
/// several, or `all`; `procs` the number of processors that take part, by default all. Further
/// arguments are those of `measure_comm`.
#[pyfunction]
#[pyo3(signature = (machine, *, operations = None, sizes = None, algorithms = None, segments = None, root = None, procs = None,
    min_reps = 5, max_reps = None, eps = 0.025, level = 0.95, warm_up = 1, seed = 1, max_time = None, output = None, force = false))]
#[expect(clippy::too_many_arguments, reason = "each is an option of its own in Python")]
pub(crate) fn measure_collectives(
    py: Python<'_>,
    machine: &Bound<'_, Machine>,
    operations: Option<Words>,
    sizes: Option<&Bound<'_, PyAny>>,
    algorithms: Option<Words>,
    segments: Option<&Bound<'_, PyAny>>,
    root: Option<&Bound<'_, PyAny>>,
    procs: Option<i64>,
    min_reps: u32,
    max_reps: Option<u32>,
    eps: f64,
    level: f64,
    warm_up: u32,
    seed: u64,
    max_time: Option<f64>,
    output: Option<PathBuf>,
    force: bool,
) -> PyResult<Py<Samples>> {
    let sizes = match sizes {
        Some(sizes) => argument::sizes(sizes)?,
        None => (10..=15).map(|bit| Bytes::new(1 << bit)).collect(),
    };
    let spec = machine.get().spec();
    let processors = spec.processors()?;
    let procs = argument::optional("procs", procs)?;
    let procs = request::procs(procs, processors).map_err(error::request)?;
    let roots = argument::roots(root)?.of(procs).map_err(error::request)?;
    let selection = argument::algorithms(algorithms.as_ref(), segments)?;
    let kinds = operations
        .map_or_else(|| Ok(CollectiveKind::SCATTER_GATHER.to_vec()), |words| words.parse())?;
    let mut found = Vec::new();
    for &kind in &kinds {
        let of_kind = selection.part_of(&kinds, kind).of(kind, procs).map_err(error::request)?;
        found.extend(of_kind.into_iter().map(|algorithm| (kind, algorithm)));
    }
    let repetitions = RepetitionRequest { min_reps, max_reps, eps, level, warm_up };
    let settings = Settings {
        repetitions: repetitions.checked().map_err(error::request)?,
        seed,
        // Collective operations occupy all processors, so nothing can run in parallel.
        parallel: Parallelism::Off,
        test_size: Bytes::ZERO,
        time_limit: time_limit(max_time)?,
        output: output.map(|path| (path, force)),
        verb: "orrery.measure_collectives",
    };
    let design = move |_: &Provenance, _: usize| {
        Ok(CollectiveDesign { operations: found, native: Vec::new(), roots, procs, sizes })
    };
    measure(py, spec, settings, design)
}

/// Measures a design, which may depend on the provenance and the number of processors of the
/// machine.
fn measure<D: Design>(
    py: Python<'_>,
    spec: Spec,
    settings: Settings,
    design: impl FnOnce(&Provenance, usize) -> PyResult<D> + Send + 'static,
) -> PyResult<Py<Samples>> {
    let (readings, notes) =
        work::run_to_end(py, move |interrupt| campaign(spec, settings, design, interrupt))?;
    notes.iter().try_for_each(|words| error::warn(py, words))?;
    Samples::object(py, readings)
}

/// Runs a campaign, and writes its readings to the file of the settings, if it has one; returns the
/// readings, those so far after an interrupt, and remarks for warnings.
fn campaign<D: Design>(
    spec: Spec,
    settings: Settings,
    design: impl FnOnce(&Provenance, usize) -> PyResult<D>,
    interrupt: &Interrupt,
) -> PyResult<(Readings, Vec<String>)> {
    let mut machine = spec.start(interrupt)?;
    let provenance = machine.provenance();
    let design = design(&provenance, machine.processors())?;
    let mut head = Provenance::new()
        .with("orrery", env!("CARGO_PKG_VERSION"))
        .with("command", settings.verb)
        .with("seed", settings.seed.to_string());
    provenance.iter().for_each(|(key, value)| head.set(key, value));
    head.set("precision", settings.repetitions.words());
    let timing = head.timing();
    head.set("timing", timing.description());
    let mut samples = Readings::new(head);
    let writer = settings
        .output
        .map(|(path, force)| Writer::create(path, &samples.provenance, force))
        .transpose();
    let mut sink = writer.map_err(error::file)?;
    let (parallel, _) =
        settings.parallel.decide(&mut *machine, settings.test_size).map_err(error::machine)?;
    let mut campaign = Campaign::new(&mut *machine, &mut samples)
        .precision(settings.repetitions.precision)
        .warm_up(settings.repetitions.warm_up)
        .timing(timing)
        .seed(settings.seed)
        .parallel(parallel)
        .deadline(settings.time_limit);
    if let Some(sink) = &mut sink {
        campaign = campaign.sink(sink);
    }
    let end = campaign.measure(&design).map_err(error::machine);
    if let Some(writer) = sink {
        writer.finish().map_err(error::file)?;
    }
    // After an interrupt its exception is raised, whatever ended the campaign.
    let end = if interrupt.load(Ordering::Relaxed) { CampaignEnd::Complete } else { end? };
    let mut notes: Vec<String> =
        provenance.shared_cores().iter().map(ToString::to_string).collect();
    notes.extend(end.remark(settings.repetitions.precision.min_reps));
    Ok((samples, notes))
}
