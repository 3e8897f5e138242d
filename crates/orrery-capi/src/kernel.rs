//! Times and memory of compute kernels on hosts: `fast_comp_time` and `fast_comp_size` of FAST.

use std::ffi::c_char;

use orrery::kernel::{Kernel, KernelCall};
use orrery::model::KernelChoice;
use orrery::request::KernelRequest;

use crate::argument::{is_given, optional, own_dimensions, put, text};
use crate::handles::{self, ModelHandle};
use crate::predict::{CPrediction, failed};
use crate::status::{Failure, Status, guard};

/// The call of a kernel; its first variant for null.
///
/// # Safety
///
/// The names are null or texts.
unsafe fn call(
    kernel: *const c_char,
    variant: *const c_char,
    dimensions: [u64; 3],
) -> Result<KernelCall, Failure> {
    // SAFETY: as the caller guarantees.
    let (kernel, variant) = unsafe { (text(kernel, "kernel")?, optional(variant, "variant")?) };
    let kernel: Kernel = kernel.parse().map_err(Failure::invalid)?;
    let [m, n, k] = own_dimensions(kernel.routine.dimensions(), dimensions);
    let (variant, kernels) = (variant.map(str::to_owned), KernelChoice::default());
    KernelRequest { kernel, variant, m, n, k, kernels }.call().map_err(failed)
}

/// Predicts the time of a call of a kernel, such as "dgemm", on a host: T without load, and T/a
/// where the conditions of the model leave the part a of a processor \[s\]. `variant`, such as
/// "nt", is null for the first one; dimensions of m, n and k that the kernel does not have are
/// ignored. The alarms are dimensions outside the measured ones, the load of the host, and a load
/// that is not known now: the time is then T, and its interval reaches to that with the largest load.
///
/// # Safety
///
/// The names are texts, `variant` may be null; `prediction` points to a struct whose `struct_size`
/// is set.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn orrery_kernel_time(
    model: ModelHandle,
    kernel: *const c_char,
    variant: *const c_char,
    m: u64,
    n: u64,
    k: u64,
    host: *const c_char,
    prediction: *mut CPrediction,
) -> Status {
    guard(|| {
        // SAFETY: as the caller guarantees.
        let (call, host) = unsafe {
            CPrediction::check(prediction)?;
            (call(kernel, variant, [m, n, k])?, text(host, "host")?)
        };
        let model = handles::get(model)?;
        let found = model.forecaster()?.kernel_time(&call, host).map_err(failed)?;
        let alarms = found.alarms.len();
        // SAFETY: as the caller guarantees.
        unsafe { CPrediction::put_time(prediction, found.seconds, found.interval, alarms) }
    })
}

/// The memory of a call of a kernel on a host, with the arguments of `orrery_kernel_time`: operands
/// and measured work space \[B\].
///
/// # Safety
///
/// The names are texts, `variant` may be null; `space` points to memory for a number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn orrery_kernel_space(
    model: ModelHandle,
    kernel: *const c_char,
    variant: *const c_char,
    m: u64,
    n: u64,
    k: u64,
    host: *const c_char,
    space: *mut u64,
) -> Status {
    guard(|| {
        is_given(space, "space")?;
        // SAFETY: as the caller guarantees.
        let (call, host) = unsafe { (call(kernel, variant, [m, n, k])?, text(host, "host")?) };
        let model = handles::get(model)?;
        let found = model.forecaster()?.kernel_space(&call, host).map_err(failed)?;
        // SAFETY: as the caller guarantees.
        unsafe { put(space, found.get(), "space") }
    })
}
