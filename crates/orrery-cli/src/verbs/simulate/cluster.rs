//! The cluster of a simulation: a cluster file, or a SimGrid platform.

use std::path::Path;

use anyhow::{Context as _, anyhow};
use clap::Args;
use orrery::platform::file::SharingSection;
use orrery::platform::xml::{LocatedSetting, Setting};
use orrery::platform::{HostOverheads, Topology, file, xml};
use orrery::simulate::{FlowModel, SettingEffect};
use orrery::units::Bytes;

use super::network::{FlowNetwork, LawOptions};
use super::platform::{SharedLinks, SimulatedPlatform};
use crate::context::Context;
use crate::hand_written;

/// When sends complete: the limits of eager messages, and the end of the others.
#[derive(Debug, Clone, Copy, Default, Args)]
pub struct EagerLimits {
    /// Eager limit: smaller sends complete without their receive [default: that of the cluster file
    /// or of the model, else 64K]
    #[arg(long, value_name = "SIZE", allow_negative_numbers = true)]
    pub eager: Option<Bytes>,
    /// Buffer of a rank for eager messages without a receive; sends that do not fit wait [default:
    /// that of the cluster file, else unlimited]
    #[arg(long, value_name = "SIZE", allow_negative_numbers = true)]
    pub buffer: Option<Bytes>,
    /// Buffer of a connection: sends beyond the eager limit end when no more data of their
    /// connection is left, as over TCP [default: none: when their message has arrived]
    #[arg(long, value_name = "SIZE", allow_negative_numbers = true)]
    pub send_buffer: Option<Bytes>,
}

/// Hosts and links, and the settings of messages in the file.
#[derive(Debug, Clone)]
pub struct Cluster {
    pub topology: Topology,
    name: String,
    limits: EagerLimits,
    sharing: Option<SharingSection>,
    overheads: HostOverheads,
    settings: Vec<LocatedSetting>,
}

/// Loads a cluster: XML by extension or first character, else TOML.
pub fn load(path: &Path) -> anyhow::Result<Cluster> {
    let name = path.display().to_string();
    let text = std::fs::read_to_string(path).with_context(|| format!("cannot read {name}"))?;
    let is =
        |extension: &str| path.extension().is_some_and(|own| own.eq_ignore_ascii_case(extension));
    if is("xml") || !is("toml") && text.trim_start_matches('\u{feff}').trim_start().starts_with('<')
    {
        let xml::Platform { topology, overheads, settings } = xml::parse(&text, &name)?;
        return Ok(Cluster {
            topology,
            name,
            limits: EagerLimits::default(),
            sharing: None,
            overheads,
            settings,
        });
    }
    hand_written::check_end(path, text.as_bytes());
    let file::Network { topology, overheads, sharing, eager, buffer } = file::network(&text, path)?;
    let limits = EagerLimits { eager, buffer, send_buffer: None };
    Ok(Cluster { topology, name, limits, sharing, overheads, settings: Vec::new() })
}

impl EagerLimits {
    /// The names of these options.
    pub const NAMES: [&str; 3] = ["--eager", "--buffer", "--send-buffer"];

    /// The flow model with these limits; those that are not given are its own.
    pub fn of(self, mut model: FlowModel) -> FlowModel {
        if let Some(eager) = self.eager {
            model = model.with_eager(eager);
        }
        if let Some(buffer) = self.buffer {
            model = model.with_buffer(buffer);
        }
        if let Some(buffer) = self.send_buffer {
            model = model.with_send_buffer(buffer);
        }
        model
    }
}

impl Cluster {
    /// The cluster with a network. EagerLimits given as options take precedence over those of the
    /// file.
    pub fn platform(
        self,
        mut model: FlowModel,
        given: EagerLimits,
        context: Context,
    ) -> anyhow::Result<SimulatedPlatform> {
        self.apply_settings(&mut model, context)?;
        let (eager, buffer) =
            (given.eager.or(self.limits.eager), given.buffer.or(self.limits.buffer));
        let model = Box::new(EagerLimits { eager, buffer, ..given }.of(model));
        Ok(SimulatedPlatform::Flows(SharedLinks {
            topology: self.topology,
            model,
            overheads: self.overheads,
        }))
    }

    /// Applies the settings of a platform to a network; prints a note for those that SimGrid does
    /// not use there.
    fn apply_settings(&self, model: &mut FlowModel, context: Context) -> anyhow::Result<()> {
        for LocatedSetting { setting, name, position } in &self.settings {
            let at = format!("{}:{position}: the setting {name}", self.name);
            let network = model.name();
            match (model.apply(setting), setting) {
                (SettingEffect::Applied, _) => {}
                (SettingEffect::Unused, Setting::NetworkModel(named)) => {
                    context.say(format!("{at}={named} is overridden by --network {network}"));
                }
                (SettingEffect::Unused, _) => {
                    context.say(format!("{at} has no effect in {network}, as in SimGrid"));
                }
                (SettingEffect::Unsupported, _) => {
                    return Err(for_simgrid_networks(&at, network));
                }
            }
        }
        Ok(())
    }

    /// The hosts for a network that uses their speeds only. Settings and overheads of a platform
    /// are refused.
    pub fn host_speeds(self, network: &str, context: Context) -> anyhow::Result<Topology> {
        for LocatedSetting { setting, name, position } in &self.settings {
            let at = format!("{}:{position}: the setting {name}", self.name);
            if let Setting::NetworkModel(named) = setting {
                context.say(format!("{at}={named} is overridden by --network {network}"));
            } else {
                return Err(for_simgrid_networks(&at, network));
            }
        }
        if !self.overheads.are_zero() {
            return Err(anyhow!(
                "{}: the overheads of hosts (fixed_delay, byte_delay, smpi/os, smpi/ois, smpi/or) \
                    are for networks with \
                 flows and not for {network}; remove them, or choose another network with \
                 --network",
                self.name
            ));
        }
        Ok(self.topology)
    }

    /// The network that the file names, by default SimGrid's SMPI.
    pub fn flow_model(&self, path: &Path, laws: &LawOptions) -> anyhow::Result<FlowModel> {
        if let Some(sharing) = &self.sharing {
            return laws.of_section(sharing, path);
        }
        let named = self.settings.iter().find_map(|one| match one.setting {
            Setting::NetworkModel(name) => FlowModel::from_simgrid_name(name),
            _ => None,
        });
        FlowNetwork::Model(Box::new(named.unwrap_or(FlowModel::SMPI))).flow_model(laws)
    }
}

/// The error for a setting, with its position, that a network does not support.
fn for_simgrid_networks(at: &str, network: &str) -> anyhow::Error {
    anyhow!(
        "{at} is for the networks simgrid-… and not for {network}; remove it, or choose one of \
            these with --network"
    )
}
