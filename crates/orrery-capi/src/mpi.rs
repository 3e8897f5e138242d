//! Models that are estimated at run time, on the ranks of a program that has initialised MPI.
//!
//! Source of the interface: the CPM module `LMO` of Lastovetsky, Rychkov and O'Flynn, whose `LMO_estimate` takes a communicator, a
//! precision, message sizes and a flag for parallel experiments.

use std::ffi::c_char;

use orrery::estimation::Estimation;
use orrery::measure::{Parallelism, Precision, TripletDesign};
use orrery::model::{ModelKind, file};
use orrery::units::Bytes;
use orrery_mpi::{Job, MpiMachine, Options, RawComm, UserComm};

use crate::argument::{array, is_given, put, text};
use crate::handles::{self, ModelHandle};
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
    /// The message sizes of round trips besides 0 and that of one-to-two experiments; null for none.
    pub sizes: *const u64,
    /// Their number.
    pub size_count: usize,
    /// The message size of one-to-two experiments; 0 for 32 KiB, or less if `thresholds` finds a smaller threshold of scatter.
    pub size: u64,
    /// The seed of the order of experiments.
    pub seed: u64,
    /// True if experiments of different processors run at the same time, where a test shows that they do not disturb each other.
    pub parallel: bool,
    /// True to search for links that several processors share.
    pub shared_links: bool,
    /// True to measure linear scatters and gathers first, and to estimate their thresholds.
    pub thresholds: bool,
    /// True for a sixth of the one-to-two experiments: processor delays have wider intervals. On a simulated
    /// cluster of 16 ranks with the speeds of Gigabit Ethernet, LMO then takes 0.83 s of the network with messages of 16 KiB.
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

/// Estimates the model LMO on the ranks of a communicator, all of which call this with the same options, or null for the usual ones.
/// Each gets a model of its own. Three ranks or more are needed. As with other collective calls of MPI, ranks wait for each other.
/// `orrery_model_warnings` returns reasons to doubt the model, such as ranks that share cores.
///
/// # Safety
///
/// `comm` is an intracommunicator; `options` is null, or points to options with `struct_size`; `model` points to memory for a handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn orrery_lmo_estimate(
    comm: RawComm,
    options: *const EstimationOptions,
    model: *mut ModelHandle,
) -> Status {
    // SAFETY: as the caller guarantees; the name is a text.
    unsafe { orrery_estimate(comm, c"lmo".as_ptr(), options, model) }
}

/// Estimates models of some kinds, separated by commas, such as "lmo,hockney,ports", as `orrery_lmo_estimate` does. Kinds of the
/// LogP family measure message trains, too.
///
/// # Safety
///
/// As `orrery_lmo_estimate`; `kinds` is a text.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn orrery_estimate(
    comm: RawComm,
    kinds: *const c_char,
    options: *const EstimationOptions,
    model: *mut ModelHandle,
) -> Status {
    guard(|| {
        is_given(model, "model")?;
        // SAFETY: as the caller guarantees.
        let (plan, comm) = unsafe { (Plan::new(kinds, options)?, UserComm::new(comm)) };
        let job = Job::attach(comm).map_err(|error| of_mpi(&error))?;
        let shared = if job.rank() == 0 {
            let outcome = plan.lead(&job);
            let _ = job.stop_serving();
            match outcome {
                Ok(text) => job.share(format!("{OK}{text}")),
                Err(failure) => job.share(format!("{FAILED}{}", failure.message)),
            }
        } else {
            job.serve().and_then(|()| job.share(String::new()))
        };
        let shared = shared.map_err(|error| of_mpi(&error))?;
        job.end().map_err(|error| of_mpi(&error))?;
        let content = shared.strip_prefix(OK).and_then(|content| content.split_once(END_OF_WARNINGS));
        let Some((warnings, content)) = content else {
            return Err(Failure::new(Status::ORRERY_MODEL, shared.trim_start_matches(FAILED)));
        };
        let loaded = file::parse(content, "the estimated model");
        let loaded = loaded.map_err(|error| Failure::caused(Status::ORRERY_INTERNAL, &error))?;
        // SAFETY: as the caller guarantees.
        unsafe { put(model, handles::insert_with(loaded.model, warnings.to_owned())?, "model") }
    })
}

/// The first characters of what rank 0 shares: warnings and a model, or why there is none.
const OK: char = '+';
const FAILED: char = '-';

/// The character between the warnings, one on each line, and the text of the model.
const END_OF_WARNINGS: char = '\0';

/// The failure of a call of MPI.
fn of_mpi(error: &dyn std::error::Error) -> Failure {
    Failure::caused(Status::ORRERY_MODEL, error)
}

/// What is measured and fitted.
struct Plan {
    estimation: Estimation,
}

impl Plan {
    /// The plan of these options.
    ///
    /// # Safety
    ///
    /// As [`orrery_estimate`].
    unsafe fn new(kinds: *const c_char, options: *const EstimationOptions) -> Result<Self, Failure> {
        // SAFETY: as the caller guarantees.
        let kinds = unsafe { text(kinds, "kinds") }?;
        let kinds = kinds.split(',').map(|kind| kind.trim().parse().map_err(Failure::invalid));
        let kinds = kinds.collect::<Result<Vec<ModelKind>, Failure>>()?;
        let mut chosen = orrery_estimation_options();
        if !options.is_null() {
            // SAFETY: the caller guarantees that it is set.
            let size = unsafe { (&raw const (*options).struct_size).read() };
            if size != size_of::<EstimationOptions>() {
                let expected = size_of::<EstimationOptions>();
                return Err(Failure::argument(format!(
                    "struct_size is {size}; start from orrery_estimation_options(), {expected}"
                )));
            }
            // SAFETY: as the caller guarantees.
            chosen = unsafe { options.read() };
        }
        let EstimationOptions { min_repetitions, max_repetitions, precision, level, seed, .. } = chosen;
        let are_valid = (1..=max_repetitions).contains(&min_repetitions)
            && precision > 0.0
            && precision.is_finite()
            && level > 0.0
            && level < 1.0;
        if !are_valid {
            let rule = "1 <= min_repetitions <= max_repetitions, precision above 0, level between 0 and 1";
            return Err(Failure::argument(format!("the options are invalid: {rule}")));
        }
        // SAFETY: as the caller guarantees.
        let sizes = unsafe { array(chosen.sizes, chosen.size_count, "sizes") }?;
        let rule =
            Precision { min_reps: min_repetitions, max_reps: max_repetitions, level, ..Precision::within(precision) };
        let mut estimation = Estimation::of(kinds)
            .precision(rule)
            .seed(seed)
            .sizes(sizes.iter().copied().map(Bytes::new))
            .parallel(if chosen.parallel { Parallelism::Auto } else { Parallelism::Off })
            .shared_links(chosen.shared_links)
            .thresholds(chosen.thresholds)
            .triplets(if chosen.brief { TripletDesign::Brief } else { TripletDesign::default() });
        if chosen.size > 0 {
            estimation = estimation.size(Bytes::new(chosen.size));
        }
        Ok(Self { estimation })
    }

    /// Measures and fits, on rank 0; the warnings and the text of the model.
    fn lead(&self, job: &Job) -> Result<String, Failure> {
        let failed = |error: &dyn std::error::Error| Failure::caused(Status::ORRERY_MODEL, error);
        // Nobody but the program itself ends it.
        let options = Options { time_limit: std::time::Duration::MAX, ..Options::default() };
        let mut machine = MpiMachine::start(job, options).map_err(|error| failed(&error))?;
        let estimated = self.estimation.estimate(&mut machine).map_err(|error| failed(&error))?;
        let warnings = estimated.warnings().join("\n").replace(END_OF_WARNINGS, "");
        let model = file::to_text(&estimated.fit.model).map_err(|error| failed(&error))?;
        Ok(format!("{warnings}{END_OF_WARNINGS}{model}"))
    }
}
