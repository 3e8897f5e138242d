//! The description of a testbed: its TOML file.

use std::collections::BTreeSet;
use std::net::Ipv4Addr;

use serde::Deserialize;

use crate::uplinks::{Uplink, UplinkEntry, uplinks};

/// A description of a testbed.
#[derive(Debug, Clone, PartialEq)]
pub struct Description {
    /// The name of the testbed, part of all names that it creates.
    pub name: String,
    /// The first three bytes of all addresses.
    pub network: [u8; 3],
    /// The hosts, in the order of the file.
    pub hosts: Vec<Host>,
    /// The links between switches. They form a tree: of two groups one contains the other, or they
    /// have no host in common.
    pub uplinks: Vec<Uplink>,
}

/// A host and its link to the switch.
#[derive(Debug, Clone, PartialEq)]
pub struct Host {
    /// The name of the host.
    pub name: String,
    /// The rate of its link in each direction, in bits of payload per second in full frames.
    pub rate: f64,
    /// The delay of the link in each direction, in seconds.
    pub delay: f64,
    /// The size of the queue at the switch towards the host, in bytes; further frames are dropped.
    pub queue: u64,
    /// The bytes that pass immediately after the link was idle.
    pub burst: u64,
    /// The fraction of a processor core that the host may use; `None` for no limit.
    pub share: Option<f64>,
}

impl Description {
    /// The address of a host; the hub has the one after the last host.
    pub fn address(&self, host: usize) -> Ipv4Addr {
        let [a, b, c] = self.network;
        Ipv4Addr::new(a, b, c, host as u8 + 1)
    }

    /// The network in CIDR notation.
    pub fn subnet(&self) -> String {
        let [a, b, c] = self.network;
        format!("{a}.{b}.{c}.0/24")
    }

    /// The number of a host.
    pub fn host(&self, name: &str) -> Option<usize> {
        self.hosts.iter().position(|host| host.name == name)
    }
}

/// Why a description is invalid.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum DescriptionError {
    /// The file is not TOML of this form.
    #[error("{line}:{column}: {reason}")]
    Form {
        /// The line, from 1.
        line: usize,
        /// The character in it, from 1.
        column: usize,
        /// What is wrong.
        reason: String,
    },
    /// A value is out of range or malformed.
    #[error("{place}: {key} is {found:?}, but {expected} is expected")]
    Value {
        /// The section: the testbed, a host or an uplink.
        place: String,
        /// The key.
        key: &'static str,
        /// The value in the file.
        found: String,
        /// The allowed values.
        expected: &'static str,
    },
    /// Two uplinks have hosts in common, but neither group contains the other.
    #[error(
        "uplink {second}: the host {host:?} is behind uplink {first} too; of two uplinks with a \
            host in common, one has \
         to have all hosts of the other and more"
    )]
    Overlap {
        /// The number of the first uplink, from 1.
        first: usize,
        /// The number of the second uplink, from 1.
        second: usize,
        /// A host of both.
        host: String,
    },
    /// Two hosts have the same name.
    #[error("the host {0:?} is described twice; give each its own name")]
    Twice(String),
    /// There is no host, or there are too many.
    #[error("{0} hosts are described; a testbed has 1 to 200, each in its own [[hosts]]")]
    Hosts(usize),
}

/// The content of a description file.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    name: Option<String>,
    network: Option<String>,
    #[serde(default)]
    defaults: Defaults,
    #[serde(default)]
    hosts: Vec<HostEntry>,
    #[serde(default)]
    uplinks: Vec<UplinkEntry>,
}

/// The values for hosts that do not set their own.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Defaults {
    rate: Option<String>,
    delay: Option<String>,
    pub(crate) queue: Option<String>,
    burst: Option<String>,
    share: Option<f64>,
}

/// A host in a description file.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct HostEntry {
    name: String,
    rate: Option<String>,
    delay: Option<String>,
    queue: Option<String>,
    burst: Option<String>,
    share: Option<f64>,
}

/// Parses a description; `stem` is the name if the text has none.
///
/// # Errors
///
/// When the text is not TOML of this form, with line and column, or a value is invalid, with its
/// host.
pub fn parse(text: &str, stem: &str) -> Result<Description, DescriptionError> {
    let file: File = toml::from_str(text).map_err(|error| {
        let at = error.span().map_or(0, |span| span.start).min(text.len());
        let before = &text[..at];
        let column = before.rsplit('\n').next().map_or(0, |line| line.chars().count()) + 1;
        DescriptionError::Form {
            line: before.matches('\n').count() + 1,
            column,
            reason: error.message().to_owned(),
        }
    })?;
    let name = word("the testbed", "name", file.name.as_deref().unwrap_or(stem), 20)?;
    let network = network(file.network.as_deref().unwrap_or("10.77.0.0/24"))?;
    if file.hosts.is_empty() || file.hosts.len() > 200 {
        return Err(DescriptionError::Hosts(file.hosts.len()));
    }
    let mut names = BTreeSet::from(["hub".to_owned()]);
    let mut hosts = Vec::new();
    for entry in file.hosts {
        let name = word("a host", "name", &entry.name, 40)?;
        if !names.insert(name.clone()) {
            return Err(DescriptionError::Twice(name));
        }
        let place = format!("host {name}");
        let given = |own: Option<String>, default: &Option<String>, usual: &str| {
            own.or_else(|| default.clone()).unwrap_or_else(|| usual.to_owned())
        };
        let defaults = &file.defaults;
        let share = entry.share.or(defaults.share);
        if let Some(share) = share.filter(|share| !(0.05..=1.0).contains(share)) {
            let expected = "a part of a processor from 0.05 to 1";
            return Err(DescriptionError::Value {
                place,
                key: "share",
                found: share.to_string(),
                expected,
            });
        }
        hosts.push(Host {
            rate: rate(&place, &given(entry.rate, &defaults.rate, "100Mbit"))?,
            delay: delay(&place, &given(entry.delay, &defaults.delay, "0us"))?,
            queue: bytes(&place, "queue", &given(entry.queue, &defaults.queue, "128K"))?,
            burst: bytes(&place, "burst", &given(entry.burst, &defaults.burst, "0"))?,
            share: share.filter(|share| *share < 1.0),
            name,
        });
    }
    let uplinks = uplinks(file.uplinks, &hosts, &file.defaults)?;
    Ok(Description { name, network, hosts, uplinks })
}

/// The error for a value.
fn wrong(place: &str, key: &'static str, found: &str, expected: &'static str) -> DescriptionError {
    DescriptionError::Value { place: place.to_owned(), key, found: found.to_owned(), expected }
}

/// Checks a name.
fn word(
    place: &str,
    key: &'static str,
    text: &str,
    longest: usize,
) -> Result<String, DescriptionError> {
    let fits = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    let is_word = !text.is_empty()
        && text.len() <= longest
        && text.chars().all(fits)
        && !text.starts_with('-');
    if is_word {
        Ok(text.to_owned())
    } else {
        Err(wrong(place, key, text, "a short word of a-z, 0-9 and -"))
    }
}

/// Parses the address of a network.
fn network(text: &str) -> Result<[u8; 3], DescriptionError> {
    let address = text.strip_suffix("/24").and_then(|address| address.parse::<Ipv4Addr>().ok());
    let octets =
        address.map(|address| address.octets()).filter(|octets| octets[3] == 0 && octets[0] == 10);
    let [a, b, c, _] = octets.ok_or_else(|| {
        wrong("the testbed", "network", text, "a private network such as 10.77.0.0/24")
    })?;
    Ok([a, b, c])
}

/// Parses a number with one of these units and multiplies it by the factor of the unit.
fn quantity(text: &str, units: &[(&str, f64)]) -> Option<f64> {
    let (unit, factor) = units.iter().find(|(unit, _)| text.ends_with(unit))?;
    let number: f64 = text.strip_suffix(unit)?.trim().parse().ok()?;
    (number.is_finite() && number >= 0.0).then_some(number * factor)
}

/// Parses a rate in bits per second.
pub(crate) fn rate(place: &str, text: &str) -> Result<f64, DescriptionError> {
    let rate = quantity(text, &[("Gbit", 1e9), ("Mbit", 1e6), ("kbit", 1e3)]);
    let rate = rate.filter(|rate| (1e5..=1e10).contains(rate));
    rate.ok_or_else(|| wrong(place, "rate", text, "a rate from 100kbit to 10Gbit, such as 100Mbit"))
}

/// Parses a delay in seconds.
pub(crate) fn delay(place: &str, text: &str) -> Result<f64, DescriptionError> {
    let delay =
        quantity(text, &[("us", 1e-6), ("ms", 1e-3), ("s", 1.0)]).filter(|delay| *delay <= 1.0);
    delay.ok_or_else(|| wrong(place, "delay", text, "a time up to 1s, such as 50us"))
}

/// Parses a number of bytes.
pub(crate) fn bytes(place: &str, key: &'static str, text: &str) -> Result<u64, DescriptionError> {
    let size =
        quantity(text, &[("K", 1024.0), ("M", 1_048_576.0), ("", 1.0)]).filter(|size| *size <= 1e9);
    let size =
        size.ok_or_else(|| wrong(place, key, text, "a number of bytes, such as 64K"))? as u64;
    if key == "queue" && size < 3028 {
        return Err(wrong(place, key, text, "room for two frames, 3028 bytes, or more"));
    }
    Ok(size)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_description_has_defaults_and_exceptions() {
        let text = "[defaults]\nrate = \"100Mbit\"\nqueue = \"64K\"\n[[hosts]]\nname \
            = \"a\"\n[[hosts]]\nname = \"b\"\n\
                    rate = \"50Mbit\"\ndelay = \"20us\"\nshare = 0.5\n";
        let found = parse(text, "two").unwrap();
        assert_eq!((found.name.as_str(), found.subnet().as_str()), ("two", "10.77.0.0/24"));
        let [a, b] = &found.hosts[..] else { panic!("two hosts") };
        assert_eq!((a.rate, a.delay, a.queue, a.burst, a.share), (1e8, 0.0, 65_536, 0, None));
        assert_eq!((b.rate, b.share), (5e7, Some(0.5)));
        assert!((b.delay - 2e-5).abs() < 1e-12);
        assert_eq!(found.address(1), Ipv4Addr::new(10, 77, 0, 2));
    }

    #[test]
    fn invalid_descriptions_are_refused() {
        let refused = |text: &str| parse(text, "x").unwrap_err().to_string();
        let host = |line: &str| refused(&format!("[[hosts]]\nname = \"a\"\n{line}\n"));
        assert_eq!(
            refused(""),
            "0 hosts are described; a testbed has 1 to 200, each in its own [[hosts]]"
        );
        assert!(refused("[[hosts]]\nnme = \"a\"\n").starts_with("2:1: unknown field `nme`"));
        assert!(refused("[[hosts]\n").starts_with("1:"));
        assert!(host("rate = \"fast\"").contains("host a: rate is \"fast\""));
        assert!(host("share = 2.0").contains("share is \"2\""));
        assert!(host("queue = \"1K\"").contains("two frames"));
        assert!(host("delay = \"-1ms\"").contains("delay is"));
        assert!(refused("name = \"A b\"\n[[hosts]]\nname = \"a\"").contains("a short word"));
        assert!(refused("network = \"8.8.8.0/24\"\n[[hosts]]\nname = \"a\"").contains("private"));
        assert!(refused("[[hosts]]\nname = \"a\"\n[[hosts]]\nname = \"a\"").contains("twice"));
        assert!(refused("[[hosts]]\nname = \"hub\"").contains("twice"));
    }
}
