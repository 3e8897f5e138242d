//! Times and memory of compute kernels on hosts.

use orrery::model::{Forecaster, KernelChoice};
use orrery::request::KernelRequest;
use orrery::units::Bytes;
use orrery_report::tables::kernel_alarm_lines;
use pyo3::prelude::*;

use crate::forecast::Forecast;
use crate::model::Model;
use crate::{argument, error, work};

/// The request for a call of a kernel by one of the models that these names select.
fn request(
    (kernel, variant): (&str, Option<String>),
    [m, n, k]: [Option<i64>; 3],
    (library, threads, operands): (Option<String>, Option<u32>, Option<&str>),
) -> PyResult<KernelRequest> {
    let operands = operands.map(argument::parse).transpose()?;
    Ok(KernelRequest {
        kernel: argument::parse(kernel)?,
        variant,
        m: argument::list("m", m)?,
        n: argument::list("n", n)?,
        k: argument::list("k", k)?,
        kernels: KernelChoice { host: None, library, threads, operands },
    })
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
    variant: Option<String>,
    library: Option<String>,
    threads: Option<u32>,
    operands: Option<&str>,
) -> PyResult<Forecast> {
    let request = request((kernel, variant), [m, n, k], (library, threads, operands))?;
    let call = request.call().map_err(error::request)?;
    let load = model.get().load();
    work::run(py, move |_| {
        let found = load
            .forecaster()?
            .with_kernels(request.kernels)
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
    variant: Option<String>,
    library: Option<String>,
    threads: Option<u32>,
    operands: Option<&str>,
) -> PyResult<u64> {
    let request = request((kernel, variant), [m, n, k], (library, threads, operands))?;
    let call = request.call().map_err(error::request)?;
    let forecaster = Forecaster::new(&model.get().fitted).with_kernels(request.kernels);
    forecaster.kernel_space(&call, host).map(Bytes::get).map_err(error::input)
}
