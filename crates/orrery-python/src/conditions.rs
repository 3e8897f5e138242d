//! The present conditions of a cluster: read, asked of a service, applied to models.

use std::path::PathBuf;
use std::sync::Arc;

use orrery::conditions::{Conditions as Present, file};
use orrery_monitor::{Client, ClientError, Secret};
use orrery_report::{notebook, tables};
use pyo3::prelude::*;

use crate::forecast::Forecast;
use crate::model::Model;
use crate::table::{self, Table};
use crate::{error, work};

/// The present load of the hosts and links of a cluster: a table with a row for each monitored
/// quantity of a host or link.
///
/// Columns: host, to (the receiver of a link), quantity (availability, load, memory_free,
/// swap_free, disk_free, latency, bandwidth), folder (of disk_free), unit, value, low, high, age
/// (of the last sample in seconds), stale, idle (the value of an idle link).
#[pyclass(extends = Table, frozen, module = "orrery", name = "Conditions")]
pub(crate) struct Conditions {
    present: Arc<Present>,
    /// The file or the address that they are of.
    name: String,
}

/// The conditions of messages from one host to another, along the path of monitored links `hosts`;
/// two hosts if the pair itself is monitored.
///
/// `latency` in seconds is the sum of the links, `bandwidth` in bytes per second their smallest
/// one; None if one is unknown. `is_reversed` is true if a link was measured in the other direction
/// only.
#[pyclass(frozen, get_all, module = "orrery", name = "ConditionsOfPath")]
pub(crate) struct ConditionsOfPath {
    hosts: Vec<String>,
    latency: Option<Py<Forecast>>,
    bandwidth: Option<Py<Forecast>>,
    idle_latency: Option<f64>,
    idle_bandwidth: Option<f64>,
    is_reversed: bool,
}

#[pymethods]
impl ConditionsOfPath {
    fn __repr__(&self) -> String {
        format!("<orrery.ConditionsOfPath along {}>", self.hosts.join(" "))
    }
}

impl Conditions {
    /// Conditions as an object.
    fn object(py: Python<'_>, present: Present, name: String) -> PyResult<Py<Self>> {
        let present = Arc::new(present);
        let columns = |present: &Present| table::columns(&tables::conditions(present));
        let html = |present: &Present| notebook::table(&tables::conditions(present));
        let table = Table::of("conditions", &present, columns, html);
        Py::new(py, PyClassInitializer::from(table).add_subclass(Self { present, name }))
    }
}

#[pymethods]
impl Conditions {
    /// When they were collected: seconds since 1970-01-01 UTC.
    #[getter]
    fn time(&self) -> f64 {
        self.present.time.get()
    }

    /// The level of the intervals; None if it is unknown.
    #[getter]
    fn level(&self) -> Option<f64> {
        self.present.level
    }

    /// The conditions of messages from one host to another: those of the pair if it is monitored,
    /// else along the path of monitored links with the smallest latency.
    fn path(&self, py: Python<'_>, from_: &str, to: &str) -> PyResult<ConditionsOfPath> {
        let found = self.present.path(from_, to).ok_or_else(|| {
            error::argument(format!(
                "{}: no path of monitored links leads from {from_} to {to}; monitor links of both \
                    hosts",
                self.name
            ))
        })?;
        let forecast = |current| Py::new(py, Forecast::monitored(current));
        Ok(ConditionsOfPath {
            latency: found.latency.map(forecast).transpose()?,
            bandwidth: found.bandwidth.map(forecast).transpose()?,
            idle_latency: found.idle_latency,
            idle_bandwidth: found.idle_bandwidth,
            is_reversed: found.is_reversed,
            hosts: found.hosts,
        })
    }

    /// The model under these conditions: links are slower by their present latency and bandwidth,
    /// and kernels take longer where other programs leave a part of the processor. Its `notes` are
    /// what the conditions do not say about its hosts and links.
    fn apply(&self, py: Python<'_>, model: &Bound<'_, Model>) -> PyResult<Py<Model>> {
        let model = model.get();
        if model.availability.is_some() {
            return Err(error::argument(
                "the model is under conditions already; apply new ones to the model that it was \
                    made of",
            ));
        }
        let (conditions, fitted) = (Arc::clone(&self.present), Arc::clone(&model.fitted));
        if !conditions.concern(&fitted) {
            let monitored = conditions.host_names();
            return Err(error::argument(format!(
                "{}: none of the hosts of the model has a load that is known now; monitored are \
                    {monitored}; compare the names with \
                 model.hosts",
                self.name
            )));
        }
        let name = format!("{} under {}", model.name, self.name);
        let present = work::run(py, move |_| Ok(conditions.apply(&fitted)))?;
        let notes = present.warnings().cloned().collect();
        Model::object(py, present.model, name, notes, None, Some(present.availability))
    }
}

/// Reads a file of conditions, as a service of `orrery monitor serve` sends them.
#[pyfunction]
pub(crate) fn read_conditions(py: Python<'_>, path: PathBuf) -> PyResult<Py<Conditions>> {
    let name = path.display().to_string();
    let present = work::run(py, move |_| file::read(path).map_err(error::file))?;
    Conditions::object(py, present, name)
}

/// Asks the service of `orrery monitor serve` at an address, such as `http://127.0.0.1:7410`, for
/// the present conditions; waits for at most half a minute.
///
/// `token_file` has the token that the service requires, `ca_file` the certificates of the
/// authorities that sign the certificate of the service, in PEM format, by default those of this
/// host.
#[pyfunction]
#[pyo3(signature = (url, *, token_file = None, ca_file = None))]
pub(crate) fn fetch_conditions(
    py: Python<'_>,
    url: String,
    token_file: Option<PathBuf>,
    ca_file: Option<PathBuf>,
) -> PyResult<Py<Conditions>> {
    let name = url.clone();
    let present = work::run(py, move |_| {
        let token =
            token_file.map(|path| Secret::read(&path)).transpose().map_err(error::system)?;
        let client = Client::new(&url, token, ca_file.as_deref());
        let answer =
            client.and_then(|client| client.get_json("/v1/conditions")).map_err(of_client)?;
        file::parse(answer, url).map_err(error::file)
    })?;
    Conditions::object(py, present, name)
}

/// The exception for a request.
fn of_client(failure: ClientError) -> PyErr {
    match failure {
        ClientError::Url { .. } | ClientError::TokenInClear { .. } => error::input(failure),
        ClientError::Secret(_)
        | ClientError::Certificates { .. }
        | ClientError::NoCertificates { .. } => error::system(failure),
        ClientError::Unreachable { .. }
        | ClientError::Refused { .. }
        | ClientError::Answer { .. } => error::service(failure),
    }
}
