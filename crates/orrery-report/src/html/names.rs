//! What processors are called in figures.

use std::collections::BTreeSet;

/// Longer names are cut at their beginning: what tells hosts apart stands at the end.
const LONGEST: usize = 12;

/// A short name for each processor: its host where all hosts differ, else its number.
///
/// A domain that all hosts share is left out.
pub(super) fn names(hosts: &[String]) -> Vec<String> {
    let domain = |host: &String| host.split_once('.').map(|(_, domain)| domain.to_owned());
    let domains: BTreeSet<Option<String>> = hosts.iter().map(domain).collect();
    let short = |host: &String| -> String {
        let host = if domains.len() == 1 { host.split('.').next().unwrap_or(host) } else { host };
        let letters: Vec<char> = host.chars().collect();
        match letters.len().checked_sub(LONGEST) {
            None | Some(0) => host.to_owned(),
            Some(more) => format!("…{}", letters[more + 1..].iter().collect::<String>()),
        }
    };
    let short: Vec<String> = hosts.iter().map(short).collect();
    let distinct: BTreeSet<&String> = short.iter().filter(|name| !name.is_empty()).collect();
    if distinct.len() == hosts.len() { short } else { (0..hosts.len()).map(|number| number.to_string()).collect() }
}

#[cfg(test)]
mod tests {
    use super::names;

    fn of(hosts: &[&str]) -> Vec<String> {
        names(&hosts.iter().map(ToString::to_string).collect::<Vec<_>>())
    }

    #[test]
    fn a_shared_domain_is_left_out() {
        assert_eq!(of(&["a.site.org", "b.site.org"]), ["a", "b"]);
        assert_eq!(of(&["a.one.org", "a.two.org"]), ["a.one.org", "a.two.org"]);
    }

    #[test]
    fn hosts_that_do_not_differ_are_numbered() {
        assert_eq!(of(&["a", "a", "b"]), ["0", "1", "2"]);
        assert_eq!(of(&["", ""]), ["0", "1"]);
    }

    #[test]
    fn long_names_keep_their_ends() {
        assert_eq!(of(&["computenode-rack3-0001", "computenode-rack3-0002"]), ["…-rack3-0001", "…-rack3-0002"]);
    }
}
