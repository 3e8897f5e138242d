//! Models: read, made of numbers, written, freed.

use std::ffi::c_char;

use orrery::comm::Lmo;
use orrery::model::{Model, ModelKind, file};
use orrery::numeric::Estimate;
use orrery::platform::{Pairs, PerPair};

use crate::argument::{array, is_given, put, put_text, text};
use crate::handles::{self, ModelHandle};
use crate::status::{Failure, Status, guard};

/// The failure of a model file.
fn of_file(error: &dyn std::error::Error) -> Failure {
    Failure::caused(Status::ORRERY_FILE, error)
}

/// The warnings of a file, one on each line.
fn lines(warnings: &[file::Warning]) -> String {
    warnings.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
}

/// Stores a model of a file with its warnings.
fn insert(loaded: file::Loaded) -> Result<ModelHandle, Failure> {
    let warnings = lines(&loaded.warnings);
    handles::insert_with(loaded.model, warnings)
}

/// Reads a model file. `orrery_model_free` frees the model.
///
/// # Safety
///
/// `path` is a text; `model` points to memory for a handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn orrery_model_read(path: *const c_char, model: *mut ModelHandle) -> Status {
    guard(|| {
        is_given(model, "model")?;
        // SAFETY: as the caller guarantees.
        let path = unsafe { text(path, "path") }?;
        let loaded = file::read(path).map_err(|error| of_file(&error))?;
        // SAFETY: as the caller guarantees.
        unsafe { put(model, insert(loaded)?, "model") }
    })
}

/// Reads a model from the text of a file; messages contain `name` as the name of the file.
///
/// # Safety
///
/// There are `length` bytes at `content`; `name` is a text; `model` points to memory for a handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn orrery_model_parse(
    content: *const c_char,
    length: usize,
    name: *const c_char,
    model: *mut ModelHandle,
) -> Status {
    guard(|| {
        is_given(model, "model")?;
        // SAFETY: as the caller guarantees.
        let (content, name) =
            unsafe { (array(content.cast::<u8>(), length, "content")?, text(name, "name")?) };
        let loaded = file::parse(content, name).map_err(|error| of_file(&error))?;
        // SAFETY: as the caller guarantees.
        unsafe { put(model, insert(loaded)?, "model") }
    })
}

/// Makes a model LMO of n processors: fixed processing delays C_i \[s\] and delays per byte t_i
/// \[s/B\] of the processors, latencies L_ij \[s\] and delays per byte 1/β_ij \[s/B\] of the
/// n(n−1)/2 links, in the order 0-1, 0-2, …, 1-2, ….
///
/// # Safety
///
/// The arrays have as many values; `model` points to memory for a handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn orrery_model_of_lmo(
    processors: usize,
    fixed_delay: *const f64,
    byte_delay: *const f64,
    link_latency: *const f64,
    link_byte_delay: *const f64,
    model: *mut ModelHandle,
) -> Status {
    guard(|| {
        is_given(model, "model")?;
        if !(2..=MAX_PROCESSORS).contains(&processors) {
            return Err(Failure::argument(format!(
                "a model has 2 to {MAX_PROCESSORS} processors, not {processors}"
            )));
        }
        let pairs = Pairs::of(processors).count();
        let exact = |values, count, what| {
            // SAFETY: as the caller guarantees.
            unsafe { array(values, count, what) }.and_then(|all| estimates(all, what))
        };
        let of_pairs = |values, what| {
            let values = exact(values, pairs, what)?;
            PerPair::new(processors, values)
                .ok_or_else(|| Failure::argument("one value for each pair is needed"))
        };
        let lmo = Lmo {
            fixed_delay: exact(fixed_delay, processors, "fixed_delay")?,
            byte_delay: exact(byte_delay, processors, "byte_delay")?,
            link_latency: Some(of_pairs(link_latency, "link_latency")?),
            link_byte_delay: of_pairs(link_byte_delay, "link_byte_delay")?,
        };
        let made = Model { hosts: vec![String::new(); processors], ..Model::default() }
            .with(ModelKind::Lmo, &lmo);
        // SAFETY: as the caller guarantees.
        unsafe { put(model, handles::insert(made)?, "model") }
    })
}

/// The largest number of processors of a model made of numbers.
const MAX_PROCESSORS: usize = 1 << 14;

/// Known values of parameters, which are finite and not negative.
fn estimates(values: &[f64], what: &str) -> Result<Vec<Estimate>, Failure> {
    if let Some(place) = values.iter().position(|value| !value.is_finite() || *value < 0.0) {
        return Err(Failure::argument(format!(
            "{what}[{place}] is {}, no delay; give a number from 0 up",
            values[place]
        )));
    }
    Ok(values.iter().copied().map(Estimate::exact).collect())
}

/// Writes a model to a file, which is complete or unchanged; an older model file is replaced, a file
/// of another kind is not.
///
/// # Safety
///
/// `path` is a text.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn orrery_model_write(model: ModelHandle, path: *const c_char) -> Status {
    guard(|| {
        // SAFETY: as the caller guarantees.
        let path = unsafe { text(path, "path") }?;
        file::write(path, &*handles::get(model)?).map_err(|error| of_file(&error))
    })
}

/// The text of a model as a file has it.
///
/// # Safety
///
/// `buffer` has `capacity` bytes or is null; `needed` points to memory for a number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn orrery_model_text(
    model: ModelHandle,
    buffer: *mut c_char,
    capacity: usize,
    needed: *mut usize,
) -> Status {
    guard(|| {
        let text = file::to_text(&*handles::get(model)?).map_err(|error| of_file(&error))?;
        // SAFETY: as the caller guarantees.
        unsafe { put_text(&text, buffer, capacity, needed) }
    })
}

/// Checks a model file without keeping the model. `buffer` gets its warnings, one on each line; an
/// empty text for none.
///
/// # Safety
///
/// `path` is a text; `buffer` has `capacity` bytes or is null; `needed` points to memory for a
/// number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn orrery_model_check(
    path: *const c_char,
    buffer: *mut c_char,
    capacity: usize,
    needed: *mut usize,
) -> Status {
    guard(|| {
        // SAFETY: as the caller guarantees.
        let path = unsafe { text(path, "path") }?;
        let loaded = file::read(path).map_err(|error| of_file(&error))?;
        // SAFETY: as the caller guarantees.
        unsafe { put_text(&lines(&loaded.warnings), buffer, capacity, needed) }
    })
}

/// The warnings of the file or of the estimation that a model is of, one on each line; an empty
/// text for none. After an estimation, they are reasons to doubt the model: ranks that share cores,
/// iterations that did not converge, suspected causes of misfit. A model of `orrery_model_now` also
/// has what the conditions do not say about its hosts and links.
///
/// # Safety
///
/// `buffer` has `capacity` bytes or is null; `needed` points to memory for a number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn orrery_model_warnings(
    model: ModelHandle,
    buffer: *mut c_char,
    capacity: usize,
    needed: *mut usize,
) -> Status {
    guard(|| {
        let model = handles::get(model)?;
        // SAFETY: as the caller guarantees.
        unsafe { put_text(&model.warnings, buffer, capacity, needed) }
    })
}

/// Frees a model. Its handle is invalid from then on; calls of other threads that use it end as
/// usual.
#[unsafe(no_mangle)]
pub extern "C" fn orrery_model_free(model: ModelHandle) -> Status {
    guard(|| handles::remove(model))
}

/// The number of processors of a model.
///
/// # Safety
///
/// `processors` points to memory for a number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn orrery_model_processors(
    model: ModelHandle,
    processors: *mut usize,
) -> Status {
    guard(|| {
        let count = handles::get(model)?.processors();
        // SAFETY: as the caller guarantees.
        unsafe { put(processors, count, "processors") }
    })
}

/// The name of the host of a processor; an empty text if it is unknown.
///
/// # Safety
///
/// `buffer` has `capacity` bytes or is null; `needed` points to memory for a number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn orrery_model_host(
    model: ModelHandle,
    processor: usize,
    buffer: *mut c_char,
    capacity: usize,
    needed: *mut usize,
) -> Status {
    guard(|| {
        let model = handles::get(model)?;
        let host = model.hosts.get(processor).ok_or_else(|| {
            Failure::argument(format!(
                "there is no processor {processor}: the model has {}, numbered from 0",
                model.processors()
            ))
        })?;
        // SAFETY: as the caller guarantees.
        unsafe { put_text(host, buffer, capacity, needed) }
    })
}

/// The kinds of communication models in a model, separated by blanks: "hockney hockney-mean lmo".
///
/// # Safety
///
/// `buffer` has `capacity` bytes or is null; `needed` points to memory for a number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn orrery_model_kinds(
    model: ModelHandle,
    buffer: *mut c_char,
    capacity: usize,
    needed: *mut usize,
) -> Status {
    guard(|| {
        let kinds: Vec<&str> =
            handles::get(model)?.kinds().into_iter().map(ModelKind::name).collect();
        // SAFETY: as the caller guarantees.
        unsafe { put_text(&kinds.join(" "), buffer, capacity, needed) }
    })
}
