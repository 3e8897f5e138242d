//! The cluster of a simulation: a cluster file, or a platform of SimGrid.

use std::path::Path;

use anyhow::Context as _;
use orrery::platform::file::SharingLaw;
use orrery::platform::{Topology, file, xml};
use orrery::simulate::FlowModel;
use orrery::units::Bytes;

use super::network::{Laws, Network};
use super::stage::Stage;

/// Hosts, links, and what the file says of messages.
#[derive(Debug, Clone)]
pub struct Cluster {
    pub topology: Topology,
    pub eager: Option<Bytes>,
    sharing: Option<SharingLaw>,
}

/// Reads a cluster: XML by its extension or by its first character, else TOML.
pub fn load(path: &Path) -> anyhow::Result<Cluster> {
    let name = path.display().to_string();
    let text = std::fs::read_to_string(path).with_context(|| format!("cannot read {name}"))?;
    let is = |extension: &str| path.extension().is_some_and(|own| own.eq_ignore_ascii_case(extension));
    if is("xml") || !is("toml") && text.trim_start_matches('\u{feff}').trim_start().starts_with('<') {
        return Ok(Cluster { topology: xml::parse(&text, &name)?, eager: None, sharing: None });
    }
    let file::Network { topology, sharing, eager } = file::network(&text, path)?;
    Ok(Cluster { topology, eager, sharing })
}

impl Cluster {
    /// The cluster with a network, and with a limit of eager sends where one is given.
    pub fn stage(self, model: FlowModel, eager: Option<Bytes>) -> Stage {
        let model = match eager.or(self.eager) {
            Some(eager) => model.with_eager(eager),
            None => model,
        };
        Stage::Flows { topology: self.topology, model }
    }

    /// The network that the file names; SimGrid's SMPI where it names none.
    pub fn model(&self, path: &Path, laws: &Laws) -> anyhow::Result<FlowModel> {
        match &self.sharing {
            None => Network::Shared(FlowModel::SMPI).flows(laws),
            Some(sharing) => laws.named(sharing, path),
        }
    }
}
