//! Clusters whose links are shared: a cluster file in TOML, or a platform of SimGrid in XML.

use std::path::Path;

use orrery::file::advice;
use orrery::platform::file::SharingSection;
use orrery::platform::xml::{LocatedSetting, Setting};
use orrery::platform::{HostOverheads, Topology, file, xml};
use orrery::sharing::LawKind;
use orrery::simulate::{FlowModel, SettingEffect};
use orrery::units::{Bytes, UnknownName};
use pyo3::prelude::*;

use crate::error;

/// Hosts and links, and the settings of messages in their file.
pub(crate) struct Cluster {
    pub topology: Topology,
    pub overheads: HostOverheads,
    name: String,
    limits: (Option<Bytes>, Option<Bytes>),
    sharing: Option<SharingSection>,
    settings: Vec<LocatedSetting>,
}

impl Cluster {
    /// Reads a cluster: XML by extension or first character, else TOML.
    pub(crate) fn read(path: &Path) -> PyResult<Self> {
        let name = path.display().to_string();
        let text = text(path)?;
        let is = |extension: &str| {
            path.extension().is_some_and(|own| own.eq_ignore_ascii_case(extension))
        };
        if is("xml")
            || !is("toml") && text.trim_start_matches('\u{feff}').trim_start().starts_with('<')
        {
            let xml::Platform { topology, overheads, settings } =
                xml::parse(&text, &name).map_err(error::input)?;
            return Ok(Self {
                topology,
                overheads,
                name,
                limits: (None, None),
                sharing: None,
                settings,
            });
        }
        let file::Network { topology, overheads, sharing, eager, buffer } =
            file::network(&text, path).map_err(error::file)?;
        Ok(Self {
            topology,
            overheads,
            name,
            limits: (eager, buffer),
            sharing,
            settings: Vec::new(),
        })
    }

    /// The named network, or the one in the file, by default SimGrid's SMPI, with the settings of
    /// the file.
    pub(crate) fn flow_model(&self, network: Option<&str>) -> PyResult<FlowModel> {
        let mut model = match (network, &self.sharing) {
            (Some(name), _) => named(name, &[])?,
            (None, Some(sharing)) => named(sharing.law, &sharing.parameters)?,
            (None, None) => {
                let of_file = self.settings.iter().find_map(|one| match one.setting {
                    Setting::NetworkModel(name) => FlowModel::from_simgrid_name(name),
                    _ => None,
                });
                of_file.unwrap_or(FlowModel::SMPI)
            }
        };
        for LocatedSetting { setting, name, position } in &self.settings {
            if model.apply(setting) == SettingEffect::Unsupported {
                return Err(error::argument(format!(
                    "{}:{position}: the setting {name} is for the networks simgrid-… and not for \
                        {}; remove it, or name one of \
                     these with network",
                    self.name,
                    model.name()
                )));
            }
        }
        if let Some(eager) = self.limits.0 {
            model = model.with_eager(eager);
        }
        if let Some(buffer) = self.limits.1 {
            model = model.with_buffer(buffer);
        }
        Ok(model)
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
