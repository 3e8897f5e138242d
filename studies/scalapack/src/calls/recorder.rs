//! The recorder of messages and kernels, `recorder.c`.

use std::ffi::{CStr, c_char, c_int, c_longlong};

/// A record as `recorder.c` defines it.
#[repr(C)]
struct RawRecord {
    event: *const c_char,
    peer: c_int,
    bytes: c_longlong,
    kernel: *const c_char,
    variant: [c_char; 4],
    m: c_int,
    n: c_int,
    k: c_int,
    calls: c_int,
    first: usize,
    ranks: c_int,
}

unsafe extern "C" {
    fn orrery_record_start();
    fn orrery_record_stop() -> c_longlong;
    fn orrery_records() -> *const RawRecord;
    fn orrery_record_groups() -> *const c_int;
}

/// A message, a collective operation or a kernel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Record {
    /// What it is: the name of a function of MPI, or `kernel`.
    pub event: String,
    /// The other rank of a message, or the root of a collective operation.
    pub peer: Option<u32>,
    /// The size.
    pub bytes: Option<u64>,
    /// The name of a kernel.
    pub kernel: String,
    /// Its variant.
    pub variant: String,
    /// Its dimensions m, n and k.
    pub dimensions: [Option<u32>; 3],
    /// The number of successive calls of a kernel with the same arguments.
    pub calls: Option<u32>,
    /// The ranks of a collective operation.
    pub group: Vec<u32>,
}

/// Calls a function, and returns its result with what it did.
///
/// # Errors
///
/// When memory does not suffice for the records.
pub(crate) fn record<T>(call: impl FnOnce() -> T) -> Result<(T, Vec<Record>), String> {
    // SAFETY: one thread calls the recorder.
    unsafe { orrery_record_start() };
    let result = call();
    // SAFETY: as above.
    let count = unsafe { orrery_record_stop() };
    let count = usize::try_from(count)
        .map_err(|_| "too little memory for the records of the trace".to_owned())?;
    // SAFETY: the recorder has that many records, which stay until the next recording; groups are
    // within its array of ranks.
    let records = unsafe { (0..count).map(|place| read(&*orrery_records().add(place))).collect() };
    Ok((result, records))
}

/// Copies a record.
///
/// # Safety
///
/// It is one of the recorder.
unsafe fn read(raw: &RawRecord) -> Record {
    // SAFETY: names are constants of the recorder, or null.
    let text = |name: *const c_char| unsafe {
        if name.is_null() {
            String::new()
        } else {
            CStr::from_ptr(name).to_string_lossy().into_owned()
        }
    };
    let letters = raw.variant.iter().take_while(|&&letter| letter != 0);
    let kernel = text(raw.kernel);
    Record {
        event: text(raw.event),
        peer: u32::try_from(raw.peer).ok(),
        bytes: u64::try_from(raw.bytes).ok(),
        variant: letters.map(|&letter| letter as u8 as char).collect(),
        dimensions: [raw.m, raw.n, raw.k].map(|dimension| u32::try_from(dimension).ok()),
        calls: if kernel.is_empty() { None } else { u32::try_from(raw.calls).ok() },
        kernel,
        // SAFETY: the group of the record is within the array of the recorder.
        group: (0..raw.ranks as usize)
            .map(|one| unsafe { *orrery_record_groups().add(raw.first + one) as u32 })
            .collect(),
    }
}
