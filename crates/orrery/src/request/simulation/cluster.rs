//! Clusters whose links are shared: a cluster file in TOML, or a platform of SimGrid in XML.

use std::path::{Path, PathBuf};

use crate::file::FileError;
use crate::platform::file::{self, SharingSection};
use crate::platform::xml::{self, LocatedSetting, Setting};
use crate::platform::{HostOverheads, Topology};
use crate::request::RequestError;
use crate::simulate::{FlowModel, SettingEffect};
use crate::units::Bytes;

/// Hosts and links, and the settings of messages in their file.
///
/// ```
/// use orrery::FlowModel;
/// use orrery::request::{Cluster, EagerLimits, SimulatedPlatform};
/// # let folder = tempfile::tempdir()?;
/// # let path = folder.path().join("cluster.toml");
/// std::fs::write(&path, "
///     [links]
///     bandwidth = \"125MBps\"
///     latency = \"50us\"
///     [[hosts]]
///     name = \"node[1-4]\"
///     speed = \"2Gf\"
/// ")?;
/// let cluster = Cluster::read(&path)?;
/// let (links, unused) = cluster.links(FlowModel::MAXMIN, EagerLimits::default())?;
/// assert!(unused.is_empty());
/// let platform = SimulatedPlatform::Flows(links);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct Cluster {
    /// Hosts and links.
    pub topology: Topology,
    /// The network that a cluster file names.
    pub sharing: Option<SharingSection>,
    path: PathBuf,
    overheads: HostOverheads,
    limits: EagerLimits,
    settings: Vec<LocatedSetting>,
}

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

impl Cluster {
    /// Reads a cluster: XML by extension or first character, else TOML.
    ///
    /// # Errors
    ///
    /// A file that cannot be read, or its content with the position.
    pub fn read(path: &Path) -> Result<Self, FileError> {
        let text = std::fs::read_to_string(path).map_err(|reason| FileError::System {
            path: path.to_owned(),
            format: "cluster",
            action: "read",
            reason,
        })?;
        Self::parse(&text, path)
    }

    /// The cluster in the text of a file.
    ///
    /// # Errors
    ///
    /// Its content with the position.
    pub fn parse(text: &str, path: &Path) -> Result<Self, FileError> {
        let is = |extension: &str| {
            path.extension().is_some_and(|own| own.eq_ignore_ascii_case(extension))
        };
        let starts_as_xml = text.trim_start_matches('\u{feff}').trim_start().starts_with('<');
        let none = EagerLimits::default();
        let (topology, overheads, sharing, limits, settings) =
            if is("xml") || !is("toml") && starts_as_xml {
                let platform = xml::parse(text, &path.display().to_string())?;
                (platform.topology, platform.overheads, None, none, platform.settings)
            } else {
                let network = file::network(text, path)?;
                let (eager, buffer) = (network.eager, network.buffer);
                let limits = EagerLimits { eager, buffer, ..none };
                (network.topology, network.overheads, network.sharing, limits, Vec::new())
            };
        Ok(Self { topology, sharing, path: path.to_owned(), overheads, limits, settings })
    }

    /// The network of SimGrid that the settings of a platform name, by default SMPI.
    pub fn simgrid_network(&self) -> FlowModel {
        let named = self.settings.iter().find_map(|one| match one.setting {
            Setting::NetworkModel(name) => FlowModel::from_simgrid_name(name),
            _ => None,
        });
        named.unwrap_or(FlowModel::SMPI)
    }

    /// The links of the cluster with a network, and the settings without an effect in it.
    ///
    /// These limits take precedence over those of the file.
    ///
    /// # Errors
    ///
    /// A setting that the network does not support.
    pub fn links(
        self,
        mut model: FlowModel,
        limits: EagerLimits,
    ) -> Result<(SharedLinks, Vec<UnusedSetting>), RequestError> {
        let mut unused = Vec::new();
        for one in &self.settings {
            let at = self.place(one);
            match (model.apply(&one.setting), &one.setting) {
                (SettingEffect::Applied, _) => {}
                (SettingEffect::Unused, Setting::NetworkModel(named)) => {
                    unused.push(UnusedSetting { at, replaced: Some(named) });
                }
                (SettingEffect::Unused, _) => unused.push(UnusedSetting { at, replaced: None }),
                (SettingEffect::Unsupported, _) => return Err(unsupported(&at, model.name())),
            }
        }
        let model = limits.or(self.limits).of(model);
        Ok((SharedLinks { topology: self.topology, model, overheads: self.overheads }, unused))
    }

    /// The hosts for a network that uses their speeds only, and the settings that it replaces.
    ///
    /// # Errors
    ///
    /// Settings and overheads of hosts, which such a network does not have.
    pub fn hosts(self, network: &str) -> Result<(Topology, Vec<UnusedSetting>), RequestError> {
        let mut unused = Vec::new();
        for one in &self.settings {
            let at = self.place(one);
            let Setting::NetworkModel(named) = one.setting else {
                return Err(unsupported(&at, network));
            };
            unused.push(UnusedSetting { at, replaced: Some(named) });
        }
        if !self.overheads.are_zero() {
            return Err(RequestError::run(format!(
                "{}: the overheads of hosts (fixed_delay, byte_delay, smpi/os, smpi/ois, smpi/or) \
                    are for networks with flows and not for {network}; remove them, or choose \
                    another network",
                self.path.display()
            )));
        }
        Ok((self.topology, unused))
    }

    /// The position and the name of a setting.
    fn place(&self, one: &LocatedSetting) -> String {
        format!("{}:{}: the setting {}", self.path.display(), one.position, one.name)
    }
}

/// The error for a setting, with its position, that a network does not support.
fn unsupported(at: &str, network: &str) -> RequestError {
    RequestError::run(format!(
        "{at} is for the networks simgrid-… and not for {network}; remove it, or choose one of \
            these"
    ))
}
