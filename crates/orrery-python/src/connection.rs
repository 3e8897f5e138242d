//! Latency and bandwidth between two processors of a model.

use std::sync::Arc;

use orrery::model::Connections;
use orrery::platform::Processor;
use orrery::request::check_ends;
use orrery::units::Bytes;
use orrery_report::tables::alarm_lines;
use pyo3::prelude::*;

use crate::forecast::Forecast;
use crate::model::Model;
use crate::{argument, error, work};

/// The size at which bandwidths are taken by default.
const DEFAULT_SIZE: Bytes = Bytes::new(1 << 20);

/// The processors of two arguments; an exception unless they are different ones of a model with
/// `processors` of them.
fn ends(from: i64, to: i64, processors: usize) -> PyResult<[Processor; 2]> {
    let (from, to) = (argument::rank("from_", from)?, argument::rank("to", to)?);
    check_ends(from, to, processors).map_err(error::request)?;
    Ok([from, to])
}

/// The latency from one processor to another in seconds: the time of an empty message. `kind` names
/// the kind of model; it may be left out if the model has only one.
#[pyfunction]
#[pyo3(signature = (model, from_, to, *, kind = None))]
pub(crate) fn latency(
    py: Python<'_>,
    model: &Bound<'_, Model>,
    from_: i64,
    to: i64,
    kind: Option<&str>,
) -> PyResult<Forecast> {
    let fitted = Arc::clone(&model.get().fitted);
    let kind = argument::kind("kind", kind, &fitted)?;
    let [from, to] = ends(from_, to, fitted.processors())?;
    work::run(py, move |_| {
        let found = Connections::new(&fitted, kind)
            .map_err(error::input)?
            .latency(from, to)
            .map_err(error::input)?;
        Ok(Forecast::time(found.seconds, found.interval, alarm_lines(&found.alarms)))
    })
}

/// The bandwidth from one processor to another in bytes per second at a size m: (m − h) / (T(m) −
/// T(h)) with h = ⌊m/2⌋. `kind` names the kind of model; it may be left out if the model has only
/// one.
#[pyfunction]
#[pyo3(signature = (model, from_, to, *, size = None, kind = None))]
pub(crate) fn bandwidth(
    py: Python<'_>,
    model: &Bound<'_, Model>,
    from_: i64,
    to: i64,
    size: Option<&Bound<'_, PyAny>>,
    kind: Option<&str>,
) -> PyResult<Forecast> {
    let fitted = Arc::clone(&model.get().fitted);
    let kind = argument::kind("kind", kind, &fitted)?;
    let size = size.map_or(Ok(DEFAULT_SIZE), argument::size)?;
    let [from, to] = ends(from_, to, fitted.processors())?;
    work::run(py, move |_| {
        let mut connections = Connections::new(&fitted, kind).map_err(error::input)?;
        let found = connections.bandwidth(from, to, size).map_err(error::input)?;
        let interval = found.interval.map(|(low, high)| (low.get(), high.get()));
        Ok(Forecast {
            value: found.rate.get(),
            interval,
            age: None,
            alarms: alarm_lines(&found.alarms),
        })
    })
}
