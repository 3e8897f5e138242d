//! Models that are estimated at run time, on the ranks of a program that has initialised MPI.
//!
//! Source of the interface: the CPM module `LMO` of Lastovetsky, Rychkov and O'Flynn, whose
//! `LMO_estimate` takes a communicator, a precision, message sizes and a flag for parallel
//! experiments.

use std::ffi::c_char;

use orrery::estimation::Estimation;
use orrery::model::file;
use orrery_mpi::{Job, MpiMachine, Options, RawComm, UserComm};

use crate::argument::{is_given, put};
use crate::estimation::{EstimationOptions, estimation, warnings};
use crate::handles::{self, ModelHandle};
use crate::status::{Failure, Status, guard};

/// Estimates the model LMO on the ranks of a communicator, all of which call this with the same
/// options, or null for the usual ones. Each gets a model of its own. Three ranks or more are
/// needed. As with other collective calls of MPI, ranks wait for each other.
/// `orrery_model_warnings` returns reasons to doubt the model, such as ranks that share cores.
///
/// # Safety
///
/// `comm` is an intracommunicator; `options` is null, or points to options with `struct_size`;
/// `model` points to memory for a handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn orrery_lmo_estimate(
    comm: RawComm,
    options: *const EstimationOptions,
    model: *mut ModelHandle,
) -> Status {
    // SAFETY: as the caller guarantees; the name is a text.
    unsafe { orrery_estimate(comm, c"lmo".as_ptr(), options, model) }
}

/// Estimates models of some kinds, separated by commas, such as "lmo,hockney,ports", as
/// `orrery_lmo_estimate` does. Kinds of the LogP family measure message trains, too.
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
        let (estimation, comm) = unsafe { (estimation(kinds, options)?, UserComm::new(comm)) };
        let job = Job::attach(comm).map_err(|error| of_mpi(&error))?;
        let shared = if job.rank() == 0 {
            let outcome = lead(&estimation, &job);
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
        let content =
            shared.strip_prefix(OK).and_then(|content| content.split_once(END_OF_WARNINGS));
        let Some((warnings, content)) = content else {
            return Err(Failure::new(Status::ORRERY_MODEL, shared.trim_start_matches(FAILED)));
        };
        let loaded = file::parse(content, "the estimated model");
        let loaded = loaded.map_err(|error| Failure::caused(Status::ORRERY_INTERNAL, &error))?;
        // SAFETY: as the caller guarantees.
        unsafe { put(model, handles::insert_with(loaded.model, warnings.to_owned())?, "model") }
    })
}

/// The first character of what rank 0 shares if warnings and a model follow.
const OK: char = '+';
/// The first character of what rank 0 shares if the reason follows why there is no model.
const FAILED: char = '-';

/// The character between the warnings, one on each line, and the text of the model.
const END_OF_WARNINGS: char = '\0';

/// The failure of a call of MPI.
fn of_mpi(error: &dyn std::error::Error) -> Failure {
    Failure::caused(Status::ORRERY_MODEL, error)
}

/// Measures and fits, on rank 0; returns the warnings and the text of the model, with
/// [`END_OF_WARNINGS`] between them.
fn lead(estimation: &Estimation, job: &Job) -> Result<String, Failure> {
    // Nobody but the program itself ends it.
    let options = Options { time_limit: std::time::Duration::MAX, ..Options::default() };
    let mut machine = MpiMachine::start(job, options).map_err(|error| of_mpi(&error))?;
    let estimated = estimation.estimate(&mut machine).map_err(|error| of_mpi(&error))?;
    let warnings = warnings(&estimated).replace(END_OF_WARNINGS, "");
    let model = file::to_text(&estimated.fit.model).map_err(|error| of_mpi(&error))?;
    Ok(format!("{warnings}{END_OF_WARNINGS}{model}"))
}
