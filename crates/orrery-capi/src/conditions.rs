//! The present conditions of a cluster: read, asked of a service, freed; paths of monitored links;
//! models under conditions.

use std::ffi::c_char;
use std::sync::Arc;

use orrery::conditions::{Conditions, ConditionsOfPath, Current, file};

use crate::argument::{array, is_given, optional, put, put_text, text};
use crate::forecast::CForecast;
use crate::handles::{self, ModelHandle, StoredModel};
use crate::registry::Registry;
use crate::status::{Failure, Status, guard};

/// The present load of the hosts and links of a cluster. A handle of zeros names none.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ConditionsHandle {
    /// The number of the handle.
    pub id: u64,
}

/// All conditions of the process.
static CONDITIONS: Registry<Conditions> = Registry::new("conditions");

/// Stores conditions; returns their handle.
fn insert(conditions: Conditions) -> Result<ConditionsHandle, Failure> {
    CONDITIONS.insert(conditions).map(|id| ConditionsHandle { id })
}

/// The conditions of a handle.
fn get(handle: ConditionsHandle) -> Result<Arc<Conditions>, Failure> {
    CONDITIONS.get(handle.id)
}

/// The failure of a file of conditions.
fn of_file(error: &dyn std::error::Error) -> Failure {
    Failure::caused(Status::ORRERY_FILE, error)
}

/// Reads a file of conditions, as the service of `orrery monitor serve` sends them.
/// `orrery_conditions_free` frees them.
///
/// # Safety
///
/// `path` is a text; `conditions` points to memory for a handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn orrery_conditions_read(
    path: *const c_char,
    conditions: *mut ConditionsHandle,
) -> Status {
    guard(|| {
        is_given(conditions, "conditions")?;
        // SAFETY: as the caller guarantees.
        let path = unsafe { text(path, "path") }?;
        let read = file::read(path).map_err(|error| of_file(&error))?;
        // SAFETY: as the caller guarantees.
        unsafe { put(conditions, insert(read)?, "conditions") }
    })
}

/// Reads conditions from the text of a file; messages contain `name` as the name of the file.
///
/// # Safety
///
/// There are `length` bytes at `content`; `name` is a text; `conditions` points to memory for a
/// handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn orrery_conditions_parse(
    content: *const c_char,
    length: usize,
    name: *const c_char,
    conditions: *mut ConditionsHandle,
) -> Status {
    guard(|| {
        is_given(conditions, "conditions")?;
        // SAFETY: as the caller guarantees.
        let (content, name) =
            unsafe { (array(content.cast::<u8>(), length, "content")?, text(name, "name")?) };
        let parsed = file::parse(content, name).map_err(|error| of_file(&error))?;
        // SAFETY: as the caller guarantees.
        unsafe { put(conditions, insert(parsed)?, "conditions") }
    })
}

/// Asks the service of `orrery monitor serve` at an address, such as "http://127.0.0.1:7410", for
/// the present conditions; waits for at most half a minute. `token_file` has the token that the
/// service requires, `ca_file` the certificates of the authorities that sign the certificate of the
/// service, in PEM format; null for no token, and for the certificates of this host.
///
/// # Safety
///
/// `url` is a text, `token_file` and `ca_file` are texts or null; `conditions` points to memory for
/// a handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn orrery_conditions_fetch(
    url: *const c_char,
    token_file: *const c_char,
    ca_file: *const c_char,
    conditions: *mut ConditionsHandle,
) -> Status {
    guard(|| {
        is_given(conditions, "conditions")?;
        // SAFETY: as the caller guarantees.
        let (url, [token_file, ca_file]) = unsafe {
            (
                text(url, "url")?,
                [optional(token_file, "token_file")?, optional(ca_file, "ca_file")?],
            )
        };
        let answer = crate::service::conditions(url, token_file, ca_file)?;
        let parsed = file::parse(answer, url).map_err(|error| of_file(&error))?;
        // SAFETY: as the caller guarantees.
        unsafe { put(conditions, insert(parsed)?, "conditions") }
    })
}

/// Frees conditions. Their handle is invalid from then on; models under them remain.
#[unsafe(no_mangle)]
pub extern "C" fn orrery_conditions_free(conditions: ConditionsHandle) -> Status {
    guard(|| CONDITIONS.remove(conditions.id))
}

/// Makes the model under these conditions: links are slower by their present latency and bandwidth,
/// and kernels take longer where other programs leave a part of the processor. All functions of
/// models answer for this load; `orrery_model_warnings` returns what the conditions do not say, and
/// `orrery_model_write` writes the slower links, not the load of hosts. The status is
/// `ORRERY_MODEL` if the conditions concern no host of the model, and `ORRERY_ARGUMENT` if the
/// model is itself one under conditions.
///
/// # Safety
///
/// `now` points to memory for a handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn orrery_model_now(
    model: ModelHandle,
    conditions: ConditionsHandle,
    now: *mut ModelHandle,
) -> Status {
    guard(|| {
        is_given(now, "now")?;
        let (stored, conditions) = (handles::get(model)?, get(conditions)?);
        if stored.availability.is_some() {
            return Err(Failure::argument(
                "the model is under conditions already; apply new ones to the model that it was \
                    made of",
            ));
        }
        if !conditions.concern(&stored) {
            let monitored = conditions.host_names();
            return Err(Failure::new(
                Status::ORRERY_MODEL,
                format!(
                    "none of the hosts of the model has a load that is known now; monitored are \
                        {monitored}; compare the names with \
                     those of orrery_model_host"
                ),
            ));
        }
        let present = conditions.apply(&stored);
        let own = (!stored.warnings.is_empty()).then(|| stored.warnings.clone());
        let lines: Vec<String> = own.into_iter().chain(present.warnings().cloned()).collect();
        let (model, availability) = (present.model, Some(present.availability));
        let made = handles::insert_stored(StoredModel {
            model,
            warnings: lines.join("\n"),
            availability,
            changes: 0,
        })?;
        // SAFETY: as the caller guarantees.
        unsafe { put(now, made, "now") }
    })
}

/// The path of monitored links between two hosts.
///
/// # Safety
///
/// The names are texts or null.
unsafe fn path(
    conditions: ConditionsHandle,
    from_host: *const c_char,
    to_host: *const c_char,
) -> Result<ConditionsOfPath, Failure> {
    // SAFETY: as the caller guarantees.
    let (from, to) = unsafe { (text(from_host, "from_host")?, text(to_host, "to_host")?) };
    get(conditions)?.path(from, to).ok_or_else(|| {
        let message = format!(
            "no path of monitored links leads from {from} to {to}; monitor links of both hosts"
        );
        Failure::new(Status::ORRERY_MODEL, message)
    })
}

/// Writes the forecast of a quantity of a path for the caller.
///
/// # Safety
///
/// The names are texts or null; `forecast` is null, or points to a struct whose `struct_size` is
/// set.
unsafe fn put_forecast(
    conditions: ConditionsHandle,
    (from_host, to_host): (*const c_char, *const c_char),
    (what, pick): (&str, fn(&ConditionsOfPath) -> Option<Current>),
    forecast: *mut CForecast,
) -> Result<(), Failure> {
    // SAFETY: as the caller guarantees.
    let path = unsafe {
        CForecast::check(forecast)?;
        path(conditions, from_host, to_host)?
    };
    let current = pick(&path).ok_or_else(|| {
        let message =
            format!("the {what} of a link along {} is not monitored", path.hosts.join(" "));
        Failure::new(Status::ORRERY_MODEL, message)
    })?;
    let of_current = CForecast::new(current.value, current.interval);
    let written =
        CForecast { age: current.age.get(), alarms: path.is_reversed.into(), ..of_current };
    // SAFETY: as the caller guarantees.
    unsafe { written.put(forecast) }
}

/// The present latency from one host to another \[s\]: that of the pair if it is monitored, else
/// the sum along the path of monitored links with the smallest latency. The status is
/// `ORRERY_MODEL` if there is no path.
///
/// # Safety
///
/// The names are texts; `forecast` points to a struct whose `struct_size` is set.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn orrery_conditions_latency(
    conditions: ConditionsHandle,
    from_host: *const c_char,
    to_host: *const c_char,
    forecast: *mut CForecast,
) -> Status {
    // SAFETY: as the caller guarantees.
    guard(|| unsafe {
        put_forecast(conditions, (from_host, to_host), ("latency", |path| path.latency), forecast)
    })
}

/// The present bandwidth from one host to another \[B/s\]: the smallest one along the path of
/// `orrery_conditions_latency`.
///
/// # Safety
///
/// As `orrery_conditions_latency`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn orrery_conditions_bandwidth(
    conditions: ConditionsHandle,
    from_host: *const c_char,
    to_host: *const c_char,
    forecast: *mut CForecast,
) -> Status {
    // SAFETY: as the caller guarantees.
    guard(|| unsafe {
        put_forecast(
            conditions,
            (from_host, to_host),
            ("bandwidth", |path| path.bandwidth),
            forecast,
        )
    })
}

/// The hosts along the path from one host to another, separated by blanks: "n1 n2 n3"; two if the
/// pair itself is monitored.
///
/// # Safety
///
/// The names are texts; `buffer` has `capacity` bytes or is null; `needed` points to memory for a
/// number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn orrery_conditions_path(
    conditions: ConditionsHandle,
    from_host: *const c_char,
    to_host: *const c_char,
    buffer: *mut c_char,
    capacity: usize,
    needed: *mut usize,
) -> Status {
    guard(|| {
        is_given(needed, "needed")?;
        // SAFETY: as the caller guarantees.
        unsafe {
            put_text(
                &path(conditions, from_host, to_host)?.hosts.join(" "),
                buffer,
                capacity,
                needed,
            )
        }
    })
}
