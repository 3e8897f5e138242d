//! The configuration of an agent, in TOML.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::time::Duration;

use orrery::names::with_nearest;
use orrery::units::{Bytes, Seconds};
use serde::{Deserialize, Deserializer, de};

use crate::name::{Quantity, SeriesName};
use crate::sensor::Cpus;
use crate::store::{Resolution, Retention};

/// The maximum number of peers: a clique with more of them is measured too seldom.
pub const MAX_PEERS: usize = 100;

/// The maximum size of a transfer that measures a bandwidth.
pub const MAX_BANDWIDTH_BYTES: u64 = 1 << 30;

/// What an agent measures, and where samples go.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AgentConfig {
    /// The name of this host in the names of series; the name that the system has for it by
    /// default.
    pub host: Option<String>,
    /// The file of the database of samples.
    pub store: PathBuf,
    /// The processors whose availability is measured; those that the agent may use by default.
    #[serde(default, deserialize_with = "cpus")]
    pub cpus: Option<Cpus>,
    /// Folders whose file systems are measured.
    #[serde(default)]
    pub disks: Vec<PathBuf>,
    /// The time between two readings of the sensors.
    #[serde(default)]
    pub interval: Intervals,
    /// How long samples and summaries are kept.
    #[serde(default, deserialize_with = "retention")]
    pub retention: Retention,
    /// The service to which samples are sent.
    pub forward: Option<ForwardConfig>,
    /// Probes of the links to peers.
    pub probe: Option<ProbeConfig>,
}

/// The time between two readings of each group of sensors.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
#[serde(
    deny_unknown_fields,
    default,
    expecting = "a table [interval] with processor, memory or disk, such as processor = \"10s\""
)]
pub struct Intervals {
    /// Of availability, load and pressure stall information; 5 s by default.
    #[serde(deserialize_with = "duration")]
    pub processor: Duration,
    /// Of memory and swap space; 30 s by default.
    #[serde(deserialize_with = "duration")]
    pub memory: Duration,
    /// Of disk space; 60 s by default.
    #[serde(deserialize_with = "duration")]
    pub disk: Duration,
}

impl Default for Intervals {
    fn default() -> Self {
        let [processor, memory, disk] = [5, 30, 60].map(Duration::from_secs);
        Self { processor, memory, disk }
    }
}

/// The service to which samples are sent.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ForwardConfig {
    /// Its address, such as `https://monitor:7410`.
    pub url: String,
    /// The file with its bearer token.
    pub token_file: Option<PathBuf>,
    /// The file with the certificates of the authorities that may sign its certificate.
    pub ca_file: Option<PathBuf>,
}

/// Probes of latency and bandwidth between the members of a clique.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ProbeConfig {
    /// The address at which peers reach this agent; a free port of the loopback interface by
    /// default.
    #[serde(default = "loopback")]
    pub listen: SocketAddr,
    /// The file with the secret that all members of the clique have; needed beyond the loopback
    /// interface.
    pub secret_file: Option<PathBuf>,
    /// The other members of the clique.
    #[serde(default)]
    pub peers: Vec<PeerConfig>,
    /// The time between two probes of a link; 60 s by default.
    #[serde(default = "minute", deserialize_with = "duration")]
    pub interval: Duration,
    /// The size of the transfer that measures the bandwidth; 1 MiB by default.
    #[serde(default = "mebibyte", deserialize_with = "bytes")]
    pub bandwidth_bytes: Bytes,
    /// The maximum number of bytes that this agent sends, and receives, for measurements of
    /// bandwidth in an hour; 256 MiB by default.
    #[serde(default = "hourly_bytes", deserialize_with = "bytes")]
    pub bytes_per_hour: Bytes,
}

/// Another member of a clique.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PeerConfig {
    /// Its name in the names of series; that in its own configuration.
    pub host: String,
    /// Its address and port.
    pub address: SocketAddr,
}

impl AgentConfig {
    /// Reads and checks a file.
    ///
    /// # Errors
    ///
    /// Returns an error with line and column if the file cannot be read, has unknown keys or values
    /// that are not valid.
    pub fn read(path: &Path) -> Result<Self, ConfigError> {
        let unreadable = |reason| ConfigError::Read { path: path.to_owned(), reason };
        let text = orrery::file::read_string(path).map_err(unreadable)?;
        Self::parse(&text).map_err(|(place, reason)| ConfigError::Text {
            file: path.to_owned(),
            place,
            reason,
        })
    }

    /// Parses and checks a text; an error has its place, if it has one, and its reason.
    fn parse(text: &str) -> Result<Self, (Place, String)> {
        let config: Self = toml::from_str(text).map_err(|error| {
            let offset = error.span().map_or(0, |span| span.start);
            (Place::of(text, offset), with_nearest(&error.message().replace('\n', " ")))
        })?;
        config.check().map_err(|reason| (Place::default(), reason))?;
        Ok(config)
    }

    /// Checks what the types of the values do not guarantee: names, paths, numbers of peers and
    /// bytes, and that probes beyond this host have a secret. The error is the reason in words.
    fn check(&self) -> Result<(), String> {
        let is_host = |host: &str| {
            SeriesName::new(host, Quantity::Load, None).map(drop).map_err(|e| e.to_string())
        };
        self.host.as_deref().map_or(Ok(()), is_host)?;
        if let Some(folder) = self.disks.iter().find(|folder| !folder.is_absolute()) {
            return Err(format!(
                "disks: {} is no absolute path; write one such as /scratch",
                folder.display()
            ));
        }
        let Some(probe) = &self.probe else { return Ok(()) };
        probe.peers.iter().try_for_each(|peer| is_host(&peer.host))?;
        let mut hosts: Vec<&str> =
            probe.peers.iter().map(|peer| peer.host.as_str()).chain(self.host.as_deref()).collect();
        hosts.sort_unstable();
        if let Some([host, _]) = hosts.windows(2).find(|pair| pair.first() == pair.last()) {
            return Err(format!(
                "probe: the host {host} occurs twice; name each peer once, and not this host"
            ));
        }
        if probe.peers.len() > MAX_PEERS {
            return Err(format!(
                "probe: there are {} peers, but at most {MAX_PEERS} are possible; make several \
                    cliques",
                probe.peers.len()
            ));
        }
        if !(1..=MAX_BANDWIDTH_BYTES).contains(&probe.bandwidth_bytes.get()) {
            return Err("probe: bandwidth_bytes must be 1 to 1G; write such as 1M".to_owned());
        }
        let is_local = probe.listen.ip().is_loopback()
            && probe.peers.iter().all(|peer| peer.address.ip().is_loopback());
        if !is_local && probe.secret_file.is_none() {
            return Err(
                "probe: addresses beyond the loopback interface need secret_file; make one by \
                    `openssl rand -hex 32`, and \
                 copy it to all members"
                    .to_owned(),
            );
        }
        Ok(())
    }
}

/// A line and column of a text; none if the reason is not at one place.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Place(Option<(usize, usize)>);

impl Place {
    /// The line and the column, from 1, of a byte of a text.
    fn of(text: &str, offset: usize) -> Self {
        let before = text.get(..offset).unwrap_or(text);
        let line = before.matches('\n').count() + 1;
        let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
        Self(Some((line, column)))
    }
}

impl std::fmt::Display for Place {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.map_or(Ok(()), |(line, column)| write!(f, ":{line}:{column}"))
    }
}

/// The reason why a configuration cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    /// The file cannot be read.
    #[error("{}: the configuration cannot be read: {reason}; check the name, and that it is \
        text", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// The error.
        reason: std::io::Error,
    },
    /// The text is not valid.
    #[error("{}{place}: {reason}", file.display())]
    Text {
        /// The file.
        file: PathBuf,
        /// Where it is wrong.
        place: Place,
        /// What is wrong.
        reason: String,
    },
}

fn loopback() -> SocketAddr {
    SocketAddr::from(([127, 0, 0, 1], 0))
}

fn minute() -> Duration {
    Duration::from_secs(60)
}

fn mebibyte() -> Bytes {
    Bytes::new(1 << 20)
}

fn hourly_bytes() -> Bytes {
    Bytes::new(256 << 20)
}

/// A duration of 0.1 s to ten years: `90s`, `10m`, `24h`, `30d`; the error is the reason in words.
fn parse_duration(text: &str) -> Result<Duration, String> {
    const TEN_YEARS: f64 = 10.0 * 365.0 * 86_400.0;
    let fail = || {
        format!(
            "'{text}' is no duration between 0.1s and 3650d; write one such as 10s, 5m, 24h or 30d"
        )
    };
    let seconds = Seconds::parse_duration(text)
        .map(Seconds::get)
        .filter(|one| (0.1..=TEN_YEARS).contains(one));
    seconds.map(Duration::from_secs_f64).ok_or_else(fail)
}

/// Reads a duration, such as `90s`.
fn duration<'de, D: Deserializer<'de>>(value: D) -> Result<Duration, D::Error> {
    parse_duration(&String::deserialize(value)?).map_err(de::Error::custom)
}

/// A number of bytes, or a text such as `1M`.
fn bytes<'de, D: Deserializer<'de>>(value: D) -> Result<Bytes, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged, expecting = "a number of bytes, such as 1000000 or \"1M\"")]
    enum Size {
        Number(u64),
        Text(String),
    }
    match Size::deserialize(value)? {
        Size::Number(bytes) => Ok(Bytes::new(bytes)),
        Size::Text(text) => text.parse().map_err(de::Error::custom),
    }
}

/// Reads a set of processors, such as `0-3,8`.
fn cpus<'de, D: Deserializer<'de>>(value: D) -> Result<Option<Cpus>, D::Error> {
    String::deserialize(value)?.parse().map(Some).map_err(de::Error::custom)
}

/// Reads how long samples and summaries are kept; without summaries, those of the default.
fn retention<'de, D: Deserializer<'de>>(value: D) -> Result<Retention, D::Error> {
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Kept {
        #[serde(deserialize_with = "duration")]
        width: Duration,
        #[serde(deserialize_with = "duration")]
        age: Duration,
    }
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Ages {
        #[serde(deserialize_with = "duration")]
        samples: Duration,
        #[serde(default)]
        summaries: Option<Vec<Kept>>,
    }
    let ages = Ages::deserialize(value)?;
    let resolution =
        |kept: Kept| Resolution { width: Seconds::from(kept.width), age: Seconds::from(kept.age) };
    let summaries: Vec<Resolution> = match ages.summaries {
        Some(summaries) => summaries.into_iter().map(resolution).collect(),
        None => Retention::default().summaries,
    };
    let mut widths: Vec<f64> = summaries.iter().map(|one| one.width.get()).collect();
    widths.sort_by(f64::total_cmp);
    for (fine, coarse) in widths.iter().zip(widths.iter().skip(1)) {
        if coarse <= fine || (coarse / fine).fract() != 0.0 {
            return Err(de::Error::custom(format!(
                "summaries of {coarse} s cannot be made of those of {fine} s; set different widths \
                    that are multiples of the smaller ones"
            )));
        }
    }
    Ok(Retention { samples: Seconds::from(ages.samples), summaries })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_shortest_configuration_has_defaults() {
        let config = AgentConfig::parse("store = 'a.db'").expect("it is valid");
        assert_eq!(config.interval, Intervals::default());
        assert_eq!(config.retention, Retention::default());
        assert_eq!((config.cpus, config.forward, config.probe), (None, None, None));
    }

    #[test]
    fn all_keys_are_read() {
        // Lines of the example that are keys, and not words.
        let text = include_str!("../../../../packaging/systemd/agent.toml").lines().map(|line| {
            let key = line.strip_prefix('#').filter(|key| !key.starts_with(' '));
            format!("{}\n", key.unwrap_or(line))
        });
        let text: String = text.collect();
        let config = AgentConfig::parse(&text).expect("it is valid");
        assert_eq!(config.cpus, Some("0-3".parse().expect("it is valid")));
        assert_eq!(config.interval.memory, Duration::from_secs(30));
        assert_eq!(config.retention.summaries.len(), 2);
        let probe = config.probe.expect("there are probes");
        assert_eq!(probe.bandwidth_bytes, Bytes::new(1 << 20));
        assert_eq!(probe.peers.len(), 2);
        assert_eq!(config.forward.expect("samples are sent").url, "https://monitor.cluster:7410");
    }

    #[test]
    fn errors_have_places() {
        for (text, place, reason) in [
            ("store = 'a.db'\nstor = 1", ":2:1", "unknown field"),
            ("store = 'a.db'\ninterval = { processor = '5 parsecs' }", ":2:", "5 parsecs"),
            ("store = 'a.db'\ninterval = { disk = '0s' }", ":2:", "10s"),
            ("store = 'a.db'\ncpus = '3-1'", ":2:8", "0-3,8"),
            ("store = 1", ":1:9", "invalid type"),
            ("host = 'a'", ":1:1", "store"),
            ("store = 'a.db'\n[probe]\nbandwidth_bytes = '1X'", ":3:", "1MiB"),
            ("store = 'a.db'\n[probe]\nbandwidth_bytes = []", ":3:", "a number of bytes"),
            ("store = 'a.db'\nhost = 'no de'", "", "a host has letters"),
            ("store = 'a.db'\ndisks = ['scratch']", "", "no absolute path"),
            ("store = 'a.db'\n[probe]\nlisten = '10.0.0.1:7'", "", "secret_file"),
            ("store = 'a.db'\n[probe]\nlisten = '[::]:7'", "", "secret_file"),
            (
                "store = 'a.db'\n[probe]\npeers = [{host='a', address='10.0.0.1:7'}]",
                "",
                "secret_file",
            ),
            (
                "store = 'a.db'\nhost = 'a'\n[probe]\npeers = [{host='a', address='127.0.0.1:7'}]",
                "",
                "twice",
            ),
            ("store = 'a.db'\n[probe]\nbandwidth_bytes = 0", "", "bandwidth_bytes"),
        ] {
            let (at, why) = AgentConfig::parse(text).expect_err(text);
            assert!(
                at.to_string().starts_with(place) && at.to_string().is_empty() == place.is_empty(),
                "{text}: {at}"
            );
            assert!(why.contains(reason), "{text}: {why}");
        }
    }
}
