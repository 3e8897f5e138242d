//! What a configuration means on this host.

use std::time::Duration;

use rustix::system::uname;

use super::config::{AgentConfig, ForwardConfig};
use super::error::AgentError;
use crate::client::Client;
use crate::name::{NameError, Quantity, SeriesName};
use crate::secret::Secret;
use crate::sensor::Cpus;
use crate::store::StoreFile;

/// A configuration with what it takes from the host: its name, its processors, secrets and
/// certificates.
#[derive(Debug)]
pub struct AgentSettings {
    /// The configuration.
    pub config: AgentConfig,
    /// The name of the host in the names of series.
    pub host: String,
    /// The processors whose availability is measured.
    pub cpus: Cpus,
    pub(super) client: Option<Client>,
    pub(super) secret: Vec<u8>,
}

impl AgentSettings {
    /// Reads what the configuration names.
    ///
    /// # Errors
    ///
    /// Returns an error if a secret or a certificate cannot be read, if a token would be sent
    /// without encryption, or if the name of the host is not valid.
    pub fn new(config: AgentConfig) -> Result<Self, AgentError> {
        let host = config
            .host
            .clone()
            .unwrap_or_else(|| uname().nodename().to_string_lossy().into_owned());
        SeriesName::new(&host, Quantity::Load, None)?;
        StoreFile::check_path(&config.store)?;
        let cpus = config.cpus.clone().map_or_else(Cpus::allowed, Ok)?;
        let client = config.forward.as_ref().map(client).transpose()?;
        let secret_file = config.probe.as_ref().and_then(|probe| probe.secret_file.as_deref());
        let secret = secret_file.map(Secret::read).transpose()?;
        let secret = secret.map(|secret| secret.expose().as_bytes().to_vec()).unwrap_or_default();
        Ok(Self { config, host, cpus, client, secret })
    }

    /// The series that are measured, each with the time between samples.
    ///
    /// # Errors
    ///
    /// Returns an error if a folder is no valid target in the name of a series.
    pub fn series(&self) -> Result<Vec<(SeriesName, Duration)>, NameError> {
        let mut series = Vec::new();
        let mut add = |quantity: &Quantity, target: Option<&str>, interval| {
            series.push((SeriesName::new(&self.host, quantity.clone(), target)?, interval));
            Ok::<_, NameError>(())
        };
        let intervals = self.config.interval;
        for quantity in &Quantity::MEASURED {
            match quantity {
                Quantity::MemoryFree | Quantity::SwapFree => add(quantity, None, intervals.memory)?,
                Quantity::DiskFree => {
                    for folder in &self.config.disks {
                        add(quantity, Some(&folder.display().to_string()), intervals.disk)?;
                    }
                }
                Quantity::Latency | Quantity::Bandwidth => {
                    for (probe, peer) in self
                        .config
                        .probe
                        .iter()
                        .flat_map(|p| p.peers.iter().map(move |peer| (p, peer)))
                    {
                        add(quantity, Some(&peer.host), probe.interval)?;
                    }
                }
                _ => add(quantity, None, intervals.processor)?,
            }
        }
        Ok(series)
    }
}

/// The client of the service.
fn client(config: &ForwardConfig) -> Result<Client, AgentError> {
    let token = config.token_file.as_deref().map(Secret::read).transpose()?;
    Ok(Client::new(&config.url, token, config.ca_file.as_deref())?)
}
