//! Clusters whose links are shared: a cluster file in TOML, or a platform of SimGrid in XML.

use std::path::Path;

use orrery::file::advice;
use orrery::platform::file::Network;
use orrery::sharing::LawKind;
use orrery::simulate::FlowModel;
use orrery::units::UnknownName;
use pyo3::prelude::*;

use crate::error;

/// The named network, or the one in the file of a cluster, by default SimGrid's SMPI.
pub(crate) fn flow_model(cluster: &Network, network: Option<&str>) -> PyResult<FlowModel> {
    match (network, &cluster.sharing) {
        (Some(name), _) => named(name, &[]),
        (None, Some(sharing)) => named(sharing.law, &sharing.parameters),
        (None, None) => Ok(FlowModel::of_settings(&cluster.settings)),
    }
}

/// The text of a cluster file.
pub(crate) fn text(path: &Path) -> PyResult<String> {
    std::fs::read_to_string(path).map_err(|reason| {
        let words = format!(
            "{}: cannot read the cluster: {reason}{}",
            path.display(),
            advice(&reason, "read")
        );
        error::system(std::io::Error::new(reason.kind(), words))
    })
}

/// The network of a name: a flow model, or a sharing law with these values of its parameters.
fn named(name: &str, parameters: &[(&str, f64)]) -> PyResult<FlowModel> {
    let unknown = match name.parse::<FlowModel>() {
        Ok(model) => return Ok(model),
        Err(unknown) => unknown,
    };
    let Ok(kind) = LawKind::from_name(name) else {
        let known =
            unknown.known.iter().copied().chain(orrery::sharing::LAWS.iter().map(|kind| kind.name));
        return Err(error::input(UnknownName { known: known.collect(), ..unknown }));
    };
    let value = |parameter: &str| {
        parameters.iter().find(|(own, _)| *own == parameter).map(|(_, value)| *value)
    };
    let values: Option<Vec<f64>> = kind.parameter_names().map(value).collect();
    let values = values.ok_or_else(|| {
        let names: Vec<&str> = kind.parameter_names().collect();
        error::argument(format!(
            "network {name}: give its parameters in the section [sharing] of the cluster file: {}",
            names.join(", ")
        ))
    })?;
    kind.law(&values).map(FlowModel::from_law).map_err(error::input)
}
