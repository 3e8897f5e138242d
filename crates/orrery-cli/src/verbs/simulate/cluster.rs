//! The cluster of a simulation: a cluster file, or a SimGrid platform.

use std::path::Path;

use anyhow::Context as _;
use clap::Args;
use orrery::file::read_string;
use orrery::platform::Topology;
use orrery::platform::file::{self, Network};
use orrery::request::{self, SharedLinks, UnusedSetting, host_speeds};
use orrery::simulate::FlowModel;
use orrery::units::Bytes;

use super::network::LawOptions;
use crate::context::Context;
use crate::{hand_written, refusal};

/// When sends complete: the limits of eager messages, and the end of the others.
#[derive(Debug, Clone, Copy, Default, Args)]
pub struct EagerLimits {
    /// Eager limit: smaller sends complete without their receive [default: that of the cluster file
    /// or of the model, else 64K]
    #[arg(long, value_name = "SIZE", allow_negative_numbers = true)]
    eager: Option<Bytes>,
    /// Buffer of a rank for eager messages without a receive; sends that do not fit wait [default:
    /// that of the cluster file, else unlimited]
    #[arg(long, value_name = "SIZE", allow_negative_numbers = true)]
    buffer: Option<Bytes>,
    /// Buffer of a connection: sends beyond the eager limit end when no more data of their
    /// connection is left, as over TCP [default: none: when their message has arrived]
    #[arg(long, value_name = "SIZE", allow_negative_numbers = true)]
    send_buffer: Option<Bytes>,
}

impl EagerLimits {
    /// The names of these options.
    pub const NAMES: [&str; 3] = ["--eager", "--buffer", "--send-buffer"];

    /// The given limits.
    pub fn given(self) -> request::EagerLimits {
        let Self { eager, buffer, send_buffer } = self;
        request::EagerLimits { eager, buffer, send_buffer }
    }
}

/// Loads a cluster.
pub fn load(path: &Path) -> anyhow::Result<Network> {
    let name = path.display();
    let text = read_string(path).with_context(|| format!("cannot read {name}"))?;
    if !text.trim_start_matches('\u{feff}').trim_start().starts_with('<') {
        hand_written::check_end(path, text.as_bytes());
    }
    Ok(file::any_network(&text, path)?)
}

/// The links of a cluster with a network; prints a note for settings that have no effect there.
pub fn links(
    cluster: Network,
    model: FlowModel,
    limits: EagerLimits,
    context: Context,
) -> anyhow::Result<SharedLinks> {
    let network = model.name();
    let (links, unused) =
        SharedLinks::new(cluster, model, limits.given()).map_err(refusal::without_file)?;
    say(&unused, network, context);
    Ok(links)
}

/// The hosts of a cluster for a network that uses their speeds only.
pub fn hosts(cluster: Network, network: &str, context: Context) -> anyhow::Result<Topology> {
    let (topology, unused) = host_speeds(cluster, network).map_err(refusal::without_file)?;
    say(&unused, network, context);
    Ok(topology)
}

/// Prints a note for each setting without effect.
pub fn say(unused: &[UnusedSetting], network: &str, context: Context) {
    for UnusedSetting { at, replaced } in unused {
        match replaced {
            Some(named) => {
                context.say(format!("{at}={named} is overridden by --network {network}"));
            }
            None => context.say(format!("{at} has no effect in {network}, as in SimGrid")),
        }
    }
}

/// The network that the file at `path` names, by default SimGrid's SMPI.
pub fn flow_model(cluster: &Network, path: &Path, laws: &LawOptions) -> anyhow::Result<FlowModel> {
    match &cluster.sharing {
        Some(sharing) => laws.of_section(sharing, path),
        None => laws.of_model(FlowModel::of_settings(&cluster.settings)),
    }
}
