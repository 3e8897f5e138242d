//! Uplinks of a description: links that join switches, shared by all hosts behind them.

use serde::Deserialize;

use crate::description::{Defaults, DescriptionError, Host, bytes, delay, rate};

/// The link of a group of hosts, on a switch of their own, to the switch of all other hosts.
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
    let mut taken = vec![false; hosts.len()];
    let mut all = Vec::new();
    for (number, entry) in entries.into_iter().enumerate() {
        let place = format!("uplink {}", number + 1);
        if entry.hosts.is_empty() {
            let expected = "the names of the hosts behind it";
            return Err(DescriptionError::Value { place, key: "hosts", found: String::new(), expected });
        }
        let mut members = Vec::new();
        for name in entry.hosts {
            let wrong = |expected| DescriptionError::Value {
                place: place.clone(),
                key: "hosts",
                found: name.clone(),
                expected,
            };
            let known = hosts.iter().position(|host| host.name == name);
            let host = known.ok_or_else(|| wrong("a host of [[hosts]]"))?;
            if std::mem::replace(&mut taken[host], true) {
                return Err(wrong("a host without another uplink"));
            }
            members.push(host);
        }
        members.sort_unstable();
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

#[cfg(test)]
mod tests {
    use crate::description::parse;

    const HOSTS: &str = "[[hosts]]\nname = \"a\"\n[[hosts]]\nname = \"b\"\n[[hosts]]\nname = \"c\"\n";

    #[test]
    fn hosts_behind_an_uplink_are_known_by_number() {
        let uplink = "[[uplinks]]\nhosts = [\"c\", \"b\"]\nrate = \"50Mbit\"\nqueue = \"1M\"\n";
        let found = parse(&format!("{HOSTS}{uplink}"), "x").unwrap();
        let [uplink] = &found.uplinks[..] else { panic!("one uplink") };
        assert_eq!((&uplink.hosts[..], uplink.rate, uplink.delay, uplink.queue), (&[1, 2][..], 5e7, 0.0, 1 << 20));
        assert_eq!([0, 1, 2, 3].map(|host| found.uplink_of(host)), [None, Some(0), Some(0), None]);
    }

    #[test]
    fn invalid_uplinks_are_refused() {
        let refused = |text: &str| parse(&format!("{HOSTS}{text}"), "x").unwrap_err().to_string();
        let one = |hosts: &str| format!("[[uplinks]]\nhosts = [{hosts}]\nrate = \"50Mbit\"\n");
        assert_eq!(refused(&one("\"d\"")), "uplink 1: hosts is \"d\", but a host of [[hosts]] is expected");
        let two = refused(&(one("\"a\"") + &one("\"b\", \"a\"")));
        assert_eq!(two, "uplink 2: hosts is \"a\", but a host without another uplink is expected");
        assert!(refused(&one("")).contains("the names of the hosts behind it"));
        assert!(refused("[[uplinks]]\nhosts = [\"a\"]\nrate = \"0Mbit\"\n").contains("uplink 1: rate is"));
        assert!(refused("[[uplinks]]\nhosts = [\"a\"]\n").contains("missing field `rate`"));
    }
}
