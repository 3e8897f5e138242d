//! Holds the tree of dependencies to `deny.toml` without cargo-deny: allowed licences, one version of each crate.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::Command;

/// What is read of `deny.toml`: a small part of TOML, laid out as that file is.
#[derive(Debug, Default, PartialEq)]
struct Rules {
    /// Licences that any crate may have.
    allowed: BTreeSet<String>,
    /// (crate, licence) allowed besides.
    exceptions: BTreeSet<(String, String)>,
    /// (crate, beginning of its version) that may stand beside another version.
    skipped: BTreeSet<(String, String)>,
}

impl Rules {
    fn read(text: &str) -> Self {
        let mut rules = Self::default();
        let mut key = "";
        for line in text.lines().map(str::trim).filter(|line| !line.starts_with('#')) {
            if line.starts_with('[') {
                key = "";
            }
            if let Some((name, _)) = line.split_once('=').filter(|_| !line.starts_with('{')) {
                key = name.trim();
            }
            let words: Vec<String> = line.split('"').skip(1).step_by(2).map(String::from).collect();
            match (key, words.as_slice()) {
                ("allow", words) => rules.allowed.extend(words.iter().cloned()),
                ("exceptions", [name, licences @ ..]) => {
                    rules.exceptions.extend(licences.iter().map(|licence| (name.clone(), licence.clone())));
                }
                ("skip", [name, ..]) => {
                    let (name, version) = name.split_once('@').expect("skip names crate@version");
                    rules.skipped.insert((name.into(), version.into()));
                }
                _ => {}
            }
        }
        rules
    }

    fn allows(&self, name: &str, expression: &str) -> bool {
        satisfied(expression, |licence| {
            self.allowed.contains(licence) || self.exceptions.contains(&(name.into(), licence.into()))
        })
    }

    fn skips(&self, name: &str, version: &str) -> bool {
        self.skipped.iter().any(|(skipped, begin)| {
            skipped == name && version.strip_prefix(begin.as_str()).is_some_and(|rest| rest.starts_with('.'))
        })
    }
}

/// Whether an SPDX expression can be met with licences that `allowed` accepts. AND binds tighter than OR; an old `/`
/// is an OR.
fn satisfied(expression: &str, allowed: impl Fn(&str) -> bool) -> bool {
    let spaced = expression.replace('/', " OR ").replace('(', " ( ").replace(')', " ) ");
    let tokens: Vec<&str> = spaced.split_whitespace().collect();
    let mut rest = tokens.as_slice();
    any(&mut rest, &allowed) && rest.is_empty()
}

fn any(rest: &mut &[&str], allowed: &impl Fn(&str) -> bool) -> bool {
    let mut met = all(rest, allowed);
    while let Some((&"OR", after)) = rest.split_first() {
        *rest = after;
        met |= all(rest, allowed);
    }
    met
}

fn all(rest: &mut &[&str], allowed: &impl Fn(&str) -> bool) -> bool {
    let mut met = one(rest, allowed);
    while let Some((&"AND", after)) = rest.split_first() {
        *rest = after;
        met &= one(rest, allowed);
    }
    met
}

fn one(rest: &mut &[&str], allowed: &impl Fn(&str) -> bool) -> bool {
    match *rest {
        ["(", after @ ..] => {
            *rest = after;
            let met = any(rest, allowed);
            *rest = rest.strip_prefix(&[")"]).unwrap_or(&["unbalanced"]);
            met
        }
        [licence, "WITH", exception, after @ ..] => {
            *rest = after;
            allowed(&format!("{licence} WITH {exception}"))
        }
        [licence, after @ ..] => {
            *rest = after;
            allowed(licence)
        }
        [] => false,
    }
}

/// Crates of the workspace's tree along these kinds of edges, as (name, version, licence).
///
/// `cargo tree` knows which features are in use and asks for nothing that a build does not need.
fn crates(edges: &str) -> BTreeSet<(String, String, String)> {
    let output = Command::new(env!("CARGO"))
        .args(["tree", "--workspace", "--offline", "--edges", edges, "--prefix", "none", "--no-dedupe"])
        .args(["--format", "{p}|{l}"])
        .current_dir(top())
        .output()
        .expect("cargo can be started");
    assert!(output.status.success(), "cargo tree: {}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8(output.stdout).expect("cargo writes UTF-8");
    text.lines()
        .filter_map(|line| line.split_once('|'))
        .map(|(package, licence)| {
            let (name, rest) = package.split_once(" v").expect("cargo tree names crate and version");
            let version = rest.split(' ').next().unwrap_or(rest);
            // cargo tree marks crates that it listed before.
            (name.into(), version.into(), licence.trim_end_matches(" (*)").into())
        })
        .collect()
}

fn top() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))
}

fn rules() -> Rules {
    Rules::read(&std::fs::read_to_string(top().join("deny.toml")).expect("deny.toml stands at the top"))
}

#[test]
fn every_licence_is_allowed() {
    let rules = rules();
    let all = crates("normal,build,dev");
    assert!(all.len() > 10, "cargo tree lists hardly any crate: {all:?}");
    let refused: Vec<String> = all
        .iter()
        .filter(|(name, _, licence)| !rules.allows(name, licence))
        .map(|(name, version, licence)| format!("{name} {version}: {licence:?}"))
        .collect();
    assert!(
        refused.is_empty(),
        "not allowed by deny.toml:\n{}\nchoose another crate, or add an exception with its reason",
        refused.join("\n")
    );
}

#[test]
fn one_version_of_each_crate() {
    let rules = rules();
    let mut versions: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for (name, version, _) in crates("normal,build") {
        let versions = versions.entry(name.clone()).or_default();
        if !rules.skips(&name, &version) {
            versions.insert(version);
        }
    }
    versions.retain(|_, versions| versions.len() > 1);
    assert!(
        versions.is_empty(),
        "more than one version of {versions:?}\ncargo tree --duplicates shows who asks for them; bring them together, or \
         add the older one to `skip` in deny.toml with its reason"
    );
}

#[test]
fn skipped_versions_are_still_there() {
    let tree = crates("normal,build");
    for (name, begin) in rules().skipped {
        let there = tree.iter().any(|(other, version, _)| *other == name && version.starts_with(&begin));
        assert!(there, "deny.toml skips {name}@{begin}, which nothing needs any more: remove that line");
    }
}

#[test]
fn expressions() {
    let allowed = |licence: &str| ["MIT", "Zlib", "Apache-2.0 WITH LLVM-exception"].contains(&licence);
    for met in ["MIT", "GPL-3.0 OR MIT", "GPL-3.0/MIT", "(GPL-3.0 OR MIT) AND Zlib", "Apache-2.0 WITH LLVM-exception"] {
        assert!(satisfied(met, allowed), "{met}");
    }
    for unmet in ["", "GPL-3.0", "MIT AND GPL-3.0", "GPL-3.0 OR MIT AND GPL-2.0", "(MIT", "MIT MIT", "Apache-2.0"] {
        assert!(!satisfied(unmet, allowed), "{unmet}");
    }
}

#[test]
fn rules_are_read() {
    let text = "[licenses]\n# a \"comment\"\nallow = [\n \"MIT\",\n \"Zlib\",\n]\n\
                exceptions = [{ crate = \"a\", allow = [\"MIT-0\"] }]\n\
                [bans]\nmultiple-versions = \"deny\"\nskip = [\n { crate = \"b@2\", reason = \"why\" },\n]\n";
    let pair = |a: &str, b: &str| BTreeSet::from([(a.to_string(), b.to_string())]);
    let expected = Rules {
        allowed: BTreeSet::from(["MIT".into(), "Zlib".into()]),
        exceptions: pair("a", "MIT-0"),
        skipped: pair("b", "2"),
    };
    assert_eq!(Rules::read(text), expected);
    assert!(expected.skips("b", "2.0.1") && !expected.skips("b", "20.0.1") && !expected.skips("c", "2.0.1"));
}
