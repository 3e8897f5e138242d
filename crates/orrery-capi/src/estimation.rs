//! What is measured and fitted: the options of an estimation, and estimations on simulated
//! clusters.
//!
//! Source of the interface: the CPM module `LMO` of Lastovetsky, Rychkov and O'Flynn, whose
//! `LMO_estimate` takes a precision, message sizes and a flag for parallel experiments.

use std::ffi::c_char;

use orrery::budget::Budget;
use orrery::estimation::{Estimated, Estimation};
use orrery::machine::Machine;
use orrery::measure::{CommDesign, Parallelism, Precision, TripletDesign};
use orrery::model::ModelKind;
use orrery::request::RepetitionRequest;
use orrery::simulated_cluster::{self, SimulatedCluster};
use orrery::units::Bytes;

use crate::argument::{array, is_given, kind, put, text};
use crate::handles::{self, ModelHandle};
use crate::predict::failed;
use crate::status::{Failure, Status, guard};

/// How a model is estimated. `orrery_estimation_options()` gives the usual values.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct EstimationOptions {
    /// `sizeof(orrery_estimation)`.
    pub struct_size: usize,
    /// The minimum number of repetitions of an experiment.
    pub min_repetitions: u32,
    /// The maximum number of repetitions.
    pub max_repetitions: u32,
    /// The relative half-width of the interval of the median at which repetitions stop.
    pub precision: f64,
    /// The confidence level of this interval.
    pub level: f64,
    /// The message sizes of round trips besides 0 and that of one-to-two experiments; null for
    /// none.
    pub sizes: *const u64,
    /// Their number.
    pub size_count: usize,
    /// The message size of one-to-two experiments; 0 for 32 KiB, or less if `thresholds` finds a
    /// smaller threshold of scatter.
    pub size: u64,
    /// The seed of the order of experiments.
    pub seed: u64,
    /// True if experiments of different processors run at the same time, where a test shows that
    /// they do not disturb each other.
    pub parallel: bool,
    /// True to search for links that several processors share.
    pub shared_links: bool,
    /// True to measure linear scatters and gathers first, and to estimate their thresholds.
    pub thresholds: bool,
    /// True for a sixth of the one-to-two experiments: processor delays have wider intervals. On a
    /// simulated cluster of 16 ranks with the speeds of Gigabit Ethernet, LMO then takes 0.83 s of
    /// the network with messages of 16 KiB.
    pub brief: bool,
}

/// The usual options of an estimation.
#[unsafe(no_mangle)]
pub extern "C" fn orrery_estimation_options() -> EstimationOptions {
    let Precision { min_reps, max_reps, level, eps, .. } = Precision::default();
    EstimationOptions {
        struct_size: size_of::<EstimationOptions>(),
        min_repetitions: min_reps,
        max_repetitions: max_reps,
        precision: eps,
        level,
        sizes: std::ptr::null(),
        size_count: 0,
        size: 0,
        seed: 1,
        parallel: true,
        shared_links: false,
        thresholds: false,
        brief: false,
    }
}

/// Estimates models of some kinds, separated by commas, on a simulated cluster whose parameters are
/// those of the model `truth` of the kind `truth_kind`: what `orrery_estimate` would find with
/// these options, and how long it would use the network.
///
/// Each reading is multiplied by log-normal noise with the relative standard deviation `noise`; the
/// seed of the options is that of the noise, too. Thresholds and shared links of the model are
/// simulated. `seconds` gets the time of all experiments on the simulated network \[s\].
///
/// # Safety
///
/// `truth_kind` and `kinds` are texts; `options` is null, or points to options with `struct_size`;
/// `model` points to memory for a handle, `seconds` to memory for a number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn orrery_estimate_simulated(
    truth: ModelHandle,
    truth_kind: *const c_char,
    noise: f64,
    kinds: *const c_char,
    options: *const EstimationOptions,
    model: *mut ModelHandle,
    seconds: *mut f64,
) -> Status {
    guard(|| {
        is_given(model, "model")?;
        is_given(seconds, "seconds")?;
        if !(0.0..=MAX_NOISE).contains(&noise) {
            let rule =
                format!("a standard deviation from 0 to {MAX_NOISE} is expected, such as 0.05");
            return Err(Failure::argument(format!("noise {noise}: {rule}")));
        }
        // SAFETY: as the caller guarantees.
        let (truth_kind, estimation, seed) =
            unsafe { (kind(truth_kind)?, estimation(kinds, options)?, given(options)?.seed) };
        let cluster = simulated_cluster::Options {
            kind: Some(truth_kind),
            noise,
            seed,
            ..Default::default()
        };
        let of_model = |error: &dyn std::error::Error| Failure::caused(Status::ORRERY_MODEL, error);
        let truth = handles::get(truth)?;
        let processors = truth.processors();
        let what = format_args!("an estimation on {processors} processors");
        let memory = estimation.memory(processors);
        Budget::of_input(0).check_memory(what, memory).map_err(failed)?;
        let mut machine =
            SimulatedCluster::new(&truth, "truth", cluster).map_err(|error| of_model(&error))?;
        let estimated = estimation.estimate(&mut machine).map_err(|error| of_model(&error))?;
        let warnings = warnings(&estimated);
        // SAFETY: as the caller guarantees.
        unsafe {
            put(seconds, machine.elapsed().get(), "seconds")?;
            put(model, handles::insert_with(estimated.fit.model, warnings)?, "model")
        }
    })
}

/// The largest standard deviation of noise.
const MAX_NOISE: f64 = 10.0;

/// The warnings of an estimation, one on each line.
pub(crate) fn warnings(estimated: &Estimated) -> String {
    estimated.warnings().join("\n")
}

/// The options that a caller gives, or the usual ones.
///
/// # Safety
///
/// The pointer is null, or points to options with `struct_size`.
unsafe fn given(options: *const EstimationOptions) -> Result<EstimationOptions, Failure> {
    if options.is_null() {
        return Ok(orrery_estimation_options());
    }
    // SAFETY: the caller guarantees that it is set.
    let size = unsafe { (&raw const (*options).struct_size).read() };
    if size != size_of::<EstimationOptions>() {
        let expected = size_of::<EstimationOptions>();
        return Err(Failure::argument(format!(
            "struct_size is {size}; start from orrery_estimation_options(), {expected}"
        )));
    }
    // SAFETY: as the caller guarantees.
    Ok(unsafe { options.read() })
}

/// The estimation of some kinds with these options.
///
/// # Safety
///
/// `kinds` is a text or null; `options` is null, or points to options with `struct_size`.
pub(crate) unsafe fn estimation(
    kinds: *const c_char,
    options: *const EstimationOptions,
) -> Result<Estimation, Failure> {
    // SAFETY: as the caller guarantees.
    let (kinds, chosen) = unsafe { (text(kinds, "kinds")?, given(options)?) };
    let kinds = kinds.split(',').map(|kind| kind.trim().parse().map_err(Failure::invalid));
    let kinds = kinds.collect::<Result<Vec<ModelKind>, Failure>>()?;
    let EstimationOptions { min_repetitions, max_repetitions, precision, level, seed, .. } = chosen;
    let repetitions = RepetitionRequest {
        min_reps: min_repetitions,
        max_reps: Some(max_repetitions),
        eps: precision,
        level,
        ..RepetitionRequest::default()
    };
    let repetitions = repetitions.checked().map_err(failed)?;
    // SAFETY: as the caller guarantees.
    let sizes = unsafe { array(chosen.sizes, chosen.size_count, "sizes") }?;
    let mut estimation = Estimation {
        precision: repetitions.precision,
        seed,
        parallelism: if chosen.parallel { Parallelism::Auto } else { Parallelism::Off },
        thresholds: chosen.thresholds,
        size: (chosen.size > 0).then(|| Bytes::new(chosen.size)),
        ..Estimation::of(kinds)
    };
    estimation.experiments = CommDesign {
        sizes: sizes.iter().copied().map(Bytes::new).collect(),
        triplets: if chosen.brief { TripletDesign::Brief } else { TripletDesign::default() },
        shared_links: chosen.shared_links,
        ..estimation.experiments
    };
    Ok(estimation)
}
