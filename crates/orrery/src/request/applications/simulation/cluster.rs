//! Clusters whose links are shared, with the network that is chosen.

use std::fmt;

use crate::platform::xml::{LocatedSetting, Setting};
use crate::platform::{Assumption, HostOverheads, Network, Topology};
use crate::request::RequestError;
use crate::simulate::{FlowModel, SettingEffect};
use crate::units::Bytes;

/// When sends complete: the limits of eager messages, and the end of the others; `None` for those
/// of the network.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct EagerLimits {
    /// The eager limit: smaller sends complete without their receive.
    pub eager: Option<Bytes>,
    /// The buffer of a rank for eager messages without a receive.
    pub buffer: Option<Bytes>,
    /// The buffer of a connection: sends beyond the eager limit end when no more data of their
    /// connection is left.
    pub send_buffer: Option<Bytes>,
}

/// Hosts with links that flows share.
#[derive(Debug, Clone)]
pub struct SharedLinks {
    /// Hosts and links.
    pub topology: Topology,
    /// How flows share them.
    pub model: FlowModel,
    /// The processor time of messages.
    pub overheads: HostOverheads,
    /// What is assumed, since the file of the cluster does not have it.
    pub assumed: Vec<Assumed>,
}

/// What a simulation assumes, since a file does not have it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Assumed {
    /// The name of the file.
    pub file: String,
    /// What is assumed.
    pub assumption: Assumption,
}

impl fmt::Display for Assumed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.file, self.assumption)
    }
}

/// A setting of a platform without an effect in the chosen network.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnusedSetting {
    /// The file, the line, the column, and the setting.
    pub at: String,
    /// The network that the setting names and another one replaces; `None` for a setting that
    /// SimGrid does not use there.
    pub replaced: Option<&'static str>,
}

impl EagerLimits {
    /// These limits; those that are missing are the others.
    #[must_use]
    pub fn or(self, others: Self) -> Self {
        Self {
            eager: self.eager.or(others.eager),
            buffer: self.buffer.or(others.buffer),
            send_buffer: self.send_buffer.or(others.send_buffer),
        }
    }

    /// The flow model with these limits; those that are missing are its own.
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

impl SharedLinks {
    /// The links of a cluster with a flow model, and the settings without an effect in it.
    ///
    /// The limits take precedence over those of the cluster.
    ///
    /// ```
    /// use orrery::FlowModel;
    /// use orrery::platform::file;
    /// use orrery::request::{EagerLimits, SharedLinks, SimulatedPlatform};
    /// let text = "
    ///     links = { bandwidth = \"125MBps\", latency = \"50us\" }
    ///     [[hosts]]
    ///     names = \"node[1-4]\"
    ///     kind = \"xeon\"
    ///     cores = 4
    ///     speed = \"2Gf\"
    /// ";
    /// let cluster = file::network(text, "cluster.toml")?;
    /// let (links, unused) =
    ///     SharedLinks::new(cluster, FlowModel::MAXMIN, EagerLimits::default())?;
    /// assert!(unused.is_empty());
    /// let platform = SimulatedPlatform::Flows(links);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// A setting that the flow model does not support.
    pub fn new(
        cluster: Network,
        mut model: FlowModel,
        limits: EagerLimits,
    ) -> Result<(Self, Vec<UnusedSetting>), RequestError> {
        let mut unused = Vec::new();
        for one in &cluster.settings {
            let at = place(&cluster, one);
            match (model.apply(&one.setting), &one.setting) {
                (SettingEffect::Applied, _) => {}
                (SettingEffect::Unused, Setting::NetworkModel(named)) => {
                    unused.push(UnusedSetting { at, replaced: Some(named) });
                }
                (SettingEffect::Unused, _) => unused.push(UnusedSetting { at, replaced: None }),
                (SettingEffect::Unsupported, _) => return Err(unsupported(&at, model.name())),
            }
        }
        let file = cluster.path.display().to_string();
        let Network { topology, overheads, eager, buffer, assumed, .. } = cluster;
        let assumed =
            assumed.into_iter().map(|assumption| Assumed { file: file.clone(), assumption });
        let of_file = EagerLimits { eager, buffer, send_buffer: None };
        let model = limits.or(of_file).of(model);
        Ok((Self { topology, model, overheads, assumed: assumed.collect() }, unused))
    }
}

/// The hosts of a cluster for a network that uses their speeds only, and the settings that it
/// replaces.
///
/// # Errors
///
/// Settings and overheads of hosts, which such a network does not have.
pub fn host_speeds(
    cluster: Network,
    network: &str,
) -> Result<(Topology, Vec<UnusedSetting>), RequestError> {
    let mut unused = Vec::new();
    for one in &cluster.settings {
        let at = place(&cluster, one);
        let Setting::NetworkModel(named) = one.setting else {
            return Err(unsupported(&at, network));
        };
        unused.push(UnusedSetting { at, replaced: Some(named) });
    }
    if !cluster.overheads.are_zero() {
        let reason = format!(
            "{}: the overheads of hosts (fixed_delay, byte_delay, smpi/os, smpi/ois, smpi/or) are \
                for networks with flows and not for {network}; remove them",
            cluster.path.display()
        );
        return Err(RequestError::failed_with(reason, "network", None));
    }
    Ok((cluster.topology, unused))
}

/// The position and the name of a setting.
fn place(cluster: &Network, one: &LocatedSetting) -> String {
    format!("{}:{}: the setting {}", cluster.path.display(), one.position, one.name)
}

/// The error for a setting, with its position, that a network does not support.
fn unsupported(at: &str, network: &str) -> RequestError {
    let reason = format!("{at} is for the networks simgrid-… and not for {network}; remove it");
    RequestError::failed_with(reason, "network", None)
}
