//! Predicted times of messages and collective operations.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::ffi::c_char;
use std::sync::{Arc, Weak};

use orrery::comm::PointToPoint;
use orrery::engine::{Message, single_message};
use orrery::model::{Model, ModelKind, Prediction};
use orrery::request::{
    AlgorithmSelection, Answer, CollectiveRequest, MessageRequest, Queries, RequestError,
    check_ends,
};
use orrery::schedule::{Algorithm, CollectiveKind};
use orrery::units::{Bytes, Seconds};

use crate::argument::{bytes, is_given, kind, processor, put, text};
use crate::handles::{self, ModelHandle, StoredModel};
use crate::status::{Failure, Status, guard};

/// A predicted time.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CPrediction {
    /// Set it to `sizeof(orrery_prediction)` before a call: later versions of the library may have
    /// more fields.
    pub struct_size: usize,
    /// The time \[s\]; the median if the operation may escalate.
    pub seconds: f64,
    /// The lower end of the interval, with errors of the parameters and of the model, at the
    /// confidence level of the parameters, usually 95 % \[s\]; not-a-number if it is unknown.
    pub low: f64,
    /// The upper end \[s\].
    pub high: f64,
    /// The number of reasons why the prediction may not hold although its interval is narrow;
    /// `orrery_explain_…` names those of messages and collective operations.
    pub alarms: u32,
    /// 0.
    pub reserved: u32,
}

impl CPrediction {
    /// Writes a prediction for the caller.
    ///
    /// # Safety
    ///
    /// `place` is null, or points to a struct whose `struct_size` is set.
    pub(crate) unsafe fn put(place: *mut Self, prediction: &Prediction) -> Result<(), Failure> {
        // SAFETY: as the caller guarantees.
        unsafe {
            Self::put_time(place, prediction.seconds, prediction.interval, prediction.alarms.len())
        }
    }

    /// Writes a time with its interval and the number of its alarms for the caller.
    ///
    /// # Safety
    ///
    /// As [`CPrediction::put`].
    pub(crate) unsafe fn put_time(
        place: *mut Self,
        seconds: Seconds,
        interval: Option<(Seconds, Seconds)>,
        alarms: usize,
    ) -> Result<(), Failure> {
        let (low, high) =
            interval.map_or((f64::NAN, f64::NAN), |(low, high)| (low.get(), high.get()));
        let (struct_size, alarms) = (size_of::<Self>(), alarms as u32);
        // SAFETY: as the caller guarantees.
        unsafe {
            put(
                place,
                Self { struct_size, seconds: seconds.get(), low, high, alarms, reserved: 0 },
                "prediction",
            )
        }
    }

    /// Checks the struct of the caller before work begins.
    ///
    /// # Safety
    ///
    /// As [`CPrediction::put`].
    pub(crate) unsafe fn check(place: *mut Self) -> Result<(), Failure> {
        is_given(place, "prediction")?;
        // SAFETY: the caller guarantees that it is set.
        let size = unsafe { (&raw const (*place).struct_size).read() };
        if size == size_of::<Self>() {
            return Ok(());
        }
        let message = format!(
            "struct_size is {size}; set it to sizeof(orrery_prediction), {}",
            size_of::<Self>()
        );
        Err(Failure::argument(message))
    }
}

/// The name of the argument for a field of a request.
fn argument(field: &str) -> String {
    match field {
        "models" => "kind_name",
        "algorithms" => "algorithm",
        "sizes" => "size",
        "min_reps" => "min_repetitions",
        "max_reps" => "max_repetitions",
        "eps" => "precision",
        field => field,
    }
    .to_owned()
}

/// The failure of a request, or of the prediction behind it.
pub(crate) fn failed(error: impl Into<RequestError>) -> Failure {
    let error = error.into();
    let is_absent = error.is_absent_from_model();
    let status = if is_absent { Status::ORRERY_MODEL } else { Status::ORRERY_ARGUMENT };
    match error.cause() {
        Some(cause) => Failure::caused(status, cause),
        None => Failure::new(status, error.worded(argument)),
    }
}

/// The answer to the only query of a request.
pub(crate) fn answer(
    model: &Model,
    queries: Result<Queries, RequestError>,
) -> Result<Answer, Failure> {
    let answers = queries.and_then(|queries| queries.answers(model)).map_err(failed)?;
    let only = answers.into_iter().next();
    only.ok_or_else(|| Failure::new(Status::ORRERY_INTERNAL, "no answer"))
}

/// The request for a message by a kind of model.
///
/// # Safety
///
/// The name is null or a text.
pub(crate) unsafe fn message(
    kind_name: *const c_char,
    (from, to, size): (usize, usize, u64),
) -> Result<MessageRequest, Failure> {
    // SAFETY: as the caller guarantees.
    let models = vec![unsafe { kind(kind_name) }?];
    let (from, to) = (processor(from)?, processor(to)?);
    Ok(MessageRequest { models, from, to, sizes: vec![bytes(size)] })
}

/// The request for a collective operation by a kind of model and one algorithm.
///
/// # Safety
///
/// The names are null or texts.
pub(crate) unsafe fn collective(
    kind_name: *const c_char,
    (operation, algorithm): (*const c_char, *const c_char),
    (root, procs, size): (usize, usize, u64),
) -> Result<CollectiveRequest, Failure> {
    // SAFETY: as the caller guarantees.
    let (kind, operation, algorithm) =
        unsafe { (kind(kind_name)?, text(operation, "operation")?, text(algorithm, "algorithm")?) };
    let operation = operation.parse().map_err(Failure::invalid)?;
    let algorithm = algorithm.parse().map_err(Failure::invalid)?;
    of_algorithm(kind, operation, algorithm, (root, procs, bytes(size)))
}

/// The request for an operation by a kind of model and one algorithm, with the root and the size if
/// the operation has them.
pub(crate) fn of_algorithm(
    kind: ModelKind,
    operation: CollectiveKind,
    algorithm: Algorithm,
    (root, procs, size): (usize, usize, Bytes),
) -> Result<CollectiveRequest, Failure> {
    let has_size = operation != CollectiveKind::Barrier;
    Ok(CollectiveRequest {
        models: vec![kind],
        algorithms: AlgorithmSelection::single(algorithm),
        root: operation.has_root().then(|| processor(root)).transpose()?,
        procs: Some(procs),
        sizes: has_size.then_some(size).into_iter().collect(),
        ..CollectiveRequest::new(operation)
    })
}

/// Predicts a message of `size` bytes.
///
/// # Safety
///
/// `kind_name` is a text; `prediction` points to a struct whose `struct_size` is set.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn orrery_predict_message(
    model: ModelHandle,
    kind_name: *const c_char,
    from: usize,
    to: usize,
    size: u64,
    prediction: *mut CPrediction,
) -> Status {
    guard(|| {
        // SAFETY: as the caller guarantees.
        let request = unsafe {
            CPrediction::check(prediction)?;
            message(kind_name, (from, to, size))?
        };
        let model = handles::get(model)?;
        let (predicted, _) = answer(&model, request.queries(&model))?;
        // SAFETY: as the caller guarantees.
        unsafe { CPrediction::put(prediction, &predicted) }
    })
}

/// Predicts a collective operation, such as "scatter" by "binomial", of the processors 0 to `procs`
/// − 1. `size` is the block of one processor, or the vector of bcast, reduce, allreduce, scan and
/// exscan. The root counts for operations that have one.
///
/// # Safety
///
/// The names are texts; `prediction` points to a struct whose `struct_size` is set.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn orrery_predict_collective(
    model: ModelHandle,
    kind_name: *const c_char,
    operation: *const c_char,
    algorithm: *const c_char,
    root: usize,
    procs: usize,
    size: u64,
    prediction: *mut CPrediction,
) -> Status {
    guard(|| {
        // SAFETY: as the caller guarantees.
        let request = unsafe {
            CPrediction::check(prediction)?;
            collective(kind_name, (operation, algorithm), (root, procs, size))?
        };
        let model = handles::get(model)?;
        let (predicted, _) = answer(&model, request.queries(&model))?;
        // SAFETY: as the caller guarantees.
        unsafe { CPrediction::put(prediction, &predicted) }
    })
}

/// A network of a model that this thread has used, as long as the model exists.
struct Known {
    model: Weak<StoredModel>,
    network: Box<dyn PointToPoint>,
}

/// The largest number of networks that a thread keeps.
const MAX_KNOWN: usize = 16;

thread_local! {
    /// The networks that this thread has used.
    static NETWORKS: RefCell<BTreeMap<(ModelHandle, ModelKind), Known>> = const { RefCell::new(BTreeMap::new()) };
}

/// The time of a message of `size` bytes \[s\] without its interval: millions of calls per second.
///
/// # Safety
///
/// `kind_name` is a text; `seconds` points to memory for a number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn orrery_message_time(
    model: ModelHandle,
    kind_name: *const c_char,
    from: usize,
    to: usize,
    size: u64,
    seconds: *mut f64,
) -> Status {
    guard(|| {
        is_given(seconds, "seconds")?;
        // SAFETY: as the caller guarantees.
        let kind = unsafe { kind(kind_name) }?;
        let (from, to, size) = (processor(from)?, processor(to)?, bytes(size));
        let current = handles::get(model)?;
        check_ends(from, to, current.processors()).map_err(failed)?;
        let time = NETWORKS.with_borrow_mut(|known| -> Result<f64, Failure> {
            let is_current =
                |known: &Known| std::ptr::eq(known.model.as_ptr(), Arc::as_ptr(&current));
            if !known.get(&(model, kind)).is_some_and(is_current) {
                let network = current.network(kind).map_err(failed)?;
                known.retain(|_, one| one.model.strong_count() > 0);
                if known.len() >= MAX_KNOWN {
                    known.clear();
                }
                known.insert((model, kind), Known { model: Arc::downgrade(&current), network });
            }
            let network = known.get_mut(&(model, kind)).map(|one| &mut *one.network);
            let network =
                network.ok_or_else(|| Failure::new(Status::ORRERY_INTERNAL, "no network"))?;
            Ok(single_message(network, Message { from, to, size }).get())
        })?;
        // SAFETY: as the caller guarantees.
        unsafe { put(seconds, time, "seconds") }
    })
}
