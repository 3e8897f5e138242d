//! Uplinks of a description: links that join switches, shared by all hosts behind them.

use serde::Deserialize;

use crate::description::{Defaults, DescriptionError, Host, bytes, delay, rate};

/// The link of a group of hosts, on switches of their own, to the switch of the smallest group
/// around them, or to that of the hosts that are behind no uplink.
#[derive(Debug, Clone, PartialEq)]
pub struct Uplink {
    /// The numbers of the hosts behind it, ascending.
    pub hosts: Vec<usize>,
    /// Its rate in each direction, in bits of payload per second in full frames.
    pub rate: f64,
    /// Its delay in each direction, in seconds.
    pub delay: f64,
    /// The size of the queue before it in each direction, in bytes; further frames are dropped.
    pub queue: u64,
}

/// An uplink in a description file.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct UplinkEntry {
    hosts: Vec<String>,
    rate: String,
    delay: Option<String>,
    queue: Option<String>,
}

/// Checks the uplinks of a description with these hosts.
pub(crate) fn uplinks(
    entries: Vec<UplinkEntry>,
    hosts: &[Host],
    defaults: &Defaults,
) -> Result<Vec<Uplink>, DescriptionError> {
    let mut all: Vec<Uplink> = Vec::new();
    for (number, entry) in entries.into_iter().enumerate() {
        let place = format!("uplink {}", number + 1);
        let wrong = |found: &str, expected| DescriptionError::Value {
            place: place.clone(),
            key: "hosts",
            found: found.to_owned(),
            expected,
        };
        let mut members = Vec::new();
        for name in &entry.hosts {
            let known = hosts.iter().position(|host| host.name == *name);
            let host = known.ok_or_else(|| wrong(name, "a host of [[hosts]]"))?;
            if members.contains(&host) {
                return Err(wrong(name, "each host once"));
            }
            members.push(host);
        }
        if members.is_empty() {
            return Err(wrong("", "the names of the hosts behind it"));
        }
        if members.len() == hosts.len() {
            return Err(wrong("all hosts", "a group with at least one host outside it"));
        }
        members.sort_unstable();
        for (other, uplink) in all.iter().enumerate() {
            if let Some(host) = overlap(&uplink.hosts, &members) {
                let host = hosts[host].name.clone();
                return Err(DescriptionError::Overlap {
                    first: other + 1,
                    second: number + 1,
                    host,
                });
            }
        }
        let usual = |own: Option<String>, default: &Option<String>, last: &str| {
            own.or_else(|| default.clone()).unwrap_or_else(|| last.to_owned())
        };
        all.push(Uplink {
            hosts: members,
            rate: rate(&place, &entry.rate)?,
            delay: delay(&place, &entry.delay.unwrap_or_else(|| "0us".to_owned()))?,
            queue: bytes(&place, "queue", &usual(entry.queue, &defaults.queue, "128K"))?,
        });
    }
    Ok(all)
}

/// A host of both groups if neither contains all hosts of the other and more.
fn overlap(one: &[usize], other: &[usize]) -> Option<usize> {
    let common: Vec<usize> = one.iter().copied().filter(|host| other.contains(host)).collect();
    let is_nested = one.len() != other.len() && common.len() == one.len().min(other.len());
    common.first().copied().filter(|_| !is_nested)
}

#[cfg(test)]
mod tests {
    use crate::description::parse;

    const HOSTS: &str =
        "[[hosts]]\nname = \"a\"\n[[hosts]]\nname = \"b\"\n[[hosts]]\nname = \"c\"\n";

    #[test]
    fn hosts_behind_an_uplink_are_known_by_number() {
        let uplink = "[[uplinks]]\nhosts = [\"c\", \"b\"]\nrate = \"50Mbit\"\nqueue = \"1M\"\n";
        let found = parse(&format!("{HOSTS}{uplink}"), "x").unwrap();
        let [uplink] = &found.uplinks[..] else { panic!("one uplink") };
        assert_eq!(
            (&uplink.hosts[..], uplink.rate, uplink.delay, uplink.queue),
            (&[1, 2][..], 5e7, 0.0, 1 << 20)
        );
    }

    #[test]
    fn groups_may_contain_each_other() {
        let uplink = |hosts: &str| format!("[[uplinks]]\nhosts = [{hosts}]\nrate = \"50Mbit\"\n");
        for (one, other) in
            [("\"b\", \"c\"", "\"c\""), ("\"c\"", "\"b\", \"c\""), ("\"b\"", "\"c\"")]
        {
            let found = parse(&format!("{HOSTS}{}{}", uplink(one), uplink(other)), "x").unwrap();
            assert_eq!(found.uplinks.len(), 2);
        }
    }

    #[test]
    fn invalid_uplinks_are_refused() {
        let refused = |text: &str| parse(&format!("{HOSTS}{text}"), "x").unwrap_err().to_string();
        let one = |hosts: &str| format!("[[uplinks]]\nhosts = [{hosts}]\nrate = \"50Mbit\"\n");
        assert_eq!(
            refused(&one("\"d\"")),
            "uplink 1: hosts is \"d\", but a host of [[hosts]] is expected"
        );
        let groups = |first: &str, second: &str| refused(&(one(first) + &one(second)));
        let overlap = groups("\"a\", \"b\"", "\"c\", \"b\"");
        assert!(
            overlap.starts_with("uplink 2: the host \"b\" is behind uplink 1 too;"),
            "{overlap}"
        );
        assert!(
            groups("\"a\", \"b\"", "\"b\", \"a\"")
                .starts_with("uplink 2: the host \"a\" is behind uplink 1 too;")
        );
        assert_eq!(
            refused(&one("\"b\", \"b\"")),
            "uplink 1: hosts is \"b\", but each host once is expected"
        );
        assert!(
            refused(&one("\"a\", \"b\", \"c\""))
                .contains("hosts is \"all hosts\", but a group with at least one host")
        );
        assert!(refused(&one("")).contains("the names of the hosts behind it"));
        for (key, value) in [
            ("rate", "0Mbit"),
            ("rate", "-1Mbit"),
            ("rate", "nanMbit"),
            ("delay", "2s"),
            ("queue", "1K"),
        ] {
            let rate = if key == "rate" { "" } else { "rate = \"50Mbit\"\n" };
            let found =
                refused(&format!("[[uplinks]]\nhosts = [\"a\"]\n{rate}{key} = \"{value}\"\n"));
            assert!(found.starts_with(&format!("uplink 1: {key} is \"{value}\", but ")), "{found}");
        }
        let line = refused("[[uplinks]]\nhosts = [\"a\"]\nbandwidth = \"1MBps\"\n");
        assert!(line.starts_with("9:1: unknown field `bandwidth`"), "{line}");
        assert!(refused("[[uplinks]]\nhosts = [\"a\"]\n").contains("missing field `rate`"));
    }
}
