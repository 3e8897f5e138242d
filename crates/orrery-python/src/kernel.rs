//! Times and memory of compute kernels on hosts.

use orrery::kernel::{Kernel, KernelCall, Operands};
use orrery::model::{Forecaster, KernelChoice};
use orrery::units::Bytes;
use orrery_report::tables::kernel_alarm_lines;
use pyo3::prelude::*;

use crate::forecast::Forecast;
use crate::model::Model;
use crate::{argument, error, work};

/// The call of a kernel with the dimensions that it has.
fn call(kernel: &str, variant: Option<&str>, dimensions: [Option<i64>; 3]) -> PyResult<KernelCall> {
    let kernel: Kernel = argument::parse(kernel)?;
    let mut own = [1; 3];
    let given = ["m", "n", "k"].into_iter().zip(dimensions).zip(kernel.routine.dimensions());
    for (value, ((name, dimension), exists)) in own.iter_mut().zip(given) {
        match (dimension, exists) {
            (Some(dimension), true) => *value = argument::dimension(name, dimension)?,
            (None, false) => {}
            (None, true) => {
                return Err(error::argument(format!(
                    "{kernel} needs {name}, a dimension such as 1000"
                )));
            }
            (Some(_), false) => {
                return Err(error::argument(format!("{name} does not apply to {kernel}")));
            }
        }
    }
    KernelCall::new(kernel, variant.unwrap_or(kernel.routine.variants()[0]), own)
        .map_err(error::input)
}

/// The choice among models of a kernel.
fn choice(
    library: Option<String>,
    threads: Option<u32>,
    operands: Option<&str>,
) -> PyResult<KernelChoice> {
    let operands: Option<Operands> = operands.map(argument::parse).transpose()?;
    Ok(KernelChoice { host: None, library, threads, operands })
}

/// Predicts the time of a call of a kernel, such as `dgemm`, on a host in seconds: T without load,
/// and T/a where the conditions of the model leave the part a of a processor.
///
/// Dimensions that the kernel does not have are left out. `variant` is such as `nt`, by default the
/// first one. `library`, `threads` and `operands` choose among several models of the kernel.
#[pyfunction]
#[pyo3(signature = (model, kernel, m = None, n = None, k = None, *, host, variant = None, library = None, threads = None, operands = None))]
#[expect(clippy::too_many_arguments, reason = "each is an option of its own in Python")]
pub(crate) fn kernel_time(
    py: Python<'_>,
    model: &Bound<'_, Model>,
    kernel: &str,
    m: Option<i64>,
    n: Option<i64>,
    k: Option<i64>,
    host: String,
    variant: Option<&str>,
    library: Option<String>,
    threads: Option<u32>,
    operands: Option<&str>,
) -> PyResult<Forecast> {
    let (call, choice) = (call(kernel, variant, [m, n, k])?, choice(library, threads, operands)?);
    let load = model.get().load();
    work::run(py, move |_| {
        let found = load
            .forecaster()?
            .with_kernels(choice)
            .kernel_time(&call, &host)
            .map_err(error::input)?;
        let alarms = kernel_alarm_lines(&found, &host, load.availability.of(&host));
        Ok(Forecast::time(found.seconds, found.interval, alarms))
    })
}

/// The memory of a call of a kernel on a host in bytes: operands and measured work space. The
/// arguments are those of `kernel_time`.
#[pyfunction]
#[pyo3(signature = (model, kernel, m = None, n = None, k = None, *, host, variant = None, library = None, threads = None, operands = None))]
#[expect(clippy::too_many_arguments, reason = "each is an option of its own in Python")]
pub(crate) fn kernel_space(
    model: &Bound<'_, Model>,
    kernel: &str,
    m: Option<i64>,
    n: Option<i64>,
    k: Option<i64>,
    host: &str,
    variant: Option<&str>,
    library: Option<String>,
    threads: Option<u32>,
    operands: Option<&str>,
) -> PyResult<u64> {
    let (call, choice) = (call(kernel, variant, [m, n, k])?, choice(library, threads, operands)?);
    let forecaster = Forecaster::new(&model.get().fitted).with_kernels(choice);
    forecaster.kernel_space(&call, host).map(Bytes::get).map_err(error::input)
}
