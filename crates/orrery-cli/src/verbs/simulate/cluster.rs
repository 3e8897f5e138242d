//! The cluster of a simulation: a cluster file, or a platform of SimGrid.

use std::path::Path;

use anyhow::Context as _;
use clap::Args;
use orrery::platform::file::SharingSection;
use orrery::platform::{Topology, file, xml};
use orrery::simulate::FlowModel;
use orrery::units::Bytes;

use super::network::{Laws, Network};
use super::stage::Stage;

/// Which sends do not wait for their receive.
#[derive(Debug, Clone, Copy, Default, Args)]
pub struct Limits {
    /// Sends of fewer bytes do not wait for their receive [default: what the cluster file says, else 64K]
    #[arg(long, value_name = "SIZE", allow_negative_numbers = true)]
    pub eager: Option<Bytes>,
    /// What such messages fill at most at a receiver that has not asked for them; sends that find no room wait [default:
    /// what the cluster file says, else without end]
    #[arg(long, value_name = "SIZE", allow_negative_numbers = true)]
    pub buffer: Option<Bytes>,
}

/// Hosts, links, and what the file says of messages.
#[derive(Debug, Clone)]
pub struct Cluster {
    pub topology: Topology,
    limits: Limits,
    sharing: Option<SharingSection>,
}

/// Reads a cluster: XML by its extension or by its first character, else TOML.
pub fn load(path: &Path) -> anyhow::Result<Cluster> {
    let name = path.display().to_string();
    let text = std::fs::read_to_string(path).with_context(|| format!("cannot read {name}"))?;
    let is = |extension: &str| path.extension().is_some_and(|own| own.eq_ignore_ascii_case(extension));
    if is("xml") || !is("toml") && text.trim_start_matches('\u{feff}').trim_start().starts_with('<') {
        return Ok(Cluster { topology: xml::parse(&text, &name)?, limits: Limits::default(), sharing: None });
    }
    let file::Network { topology, sharing, eager, buffer } = file::network(&text, path)?;
    Ok(Cluster { topology, limits: Limits { eager, buffer }, sharing })
}

impl Limits {
    /// The first that is given.
    pub fn given(&self) -> Option<&'static str> {
        let given = [("--eager", self.eager.is_some()), ("--buffer", self.buffer.is_some())];
        given.into_iter().find(|(_, given)| *given).map(|(option, _)| option)
    }
}

impl Cluster {
    /// The cluster with a network; what is given goes before what the file says.
    pub fn stage(self, mut model: FlowModel, given: Limits) -> Stage {
        if let Some(eager) = given.eager.or(self.limits.eager) {
            model = model.with_eager(eager);
        }
        if let Some(buffer) = given.buffer.or(self.limits.buffer) {
            model = model.with_buffer(buffer);
        }
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
