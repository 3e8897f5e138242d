//! Checks the dependency tree against `deny.toml` without cargo-deny: allowed licences, one version
//! of each crate.

use std::collections::{BTreeMap, BTreeSet};
use std::process::Command;

use spdx::{Expression, ParseMode};
use toml::Value;

use super::top;

fn rules() -> Value {
    let text = std::fs::read_to_string(top().join("deny.toml")).expect("deny.toml is readable");
    text.parse::<toml::Table>().expect("deny.toml is TOML").into()
}

fn strings(value: &Value) -> Vec<&str> {
    value.as_array().into_iter().flatten().filter_map(Value::as_str).collect()
}

/// Returns true if an SPDX expression can be satisfied with allowed licences.
///
/// The lax mode accepts the old `/` for OR and deprecated names.
fn is_satisfied(expression: &str, allowed: &[&str]) -> bool {
    let expression =
        Expression::parse_mode(expression, ParseMode::LAX).expect("licences are SPDX expressions");
    expression.evaluate(|requirement| allowed.contains(&requirement.to_string().as_str()))
}

/// The crates of the dependency tree of these packages along these kinds of edges: (name, version,
/// licence).
///
/// `cargo tree` lists what a build uses; the lock file lists more.
fn crates(packages: &[&str], edges: &str) -> BTreeSet<(String, String, String)> {
    let output = Command::new(env!("CARGO"))
        .args(["tree", "--offline", "--edges", edges, "--prefix", "none", "--no-dedupe"])
        .args(["--target", "all", "--format", "{p}\t{l}"])
        .args(packages)
        .current_dir(top())
        .output()
        .expect("cargo runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout)
        .lines()
        .filter_map(|line| {
            let (package, licence) = line.split_once('\t')?;
            let (name, version) = package.split_once(" v")?;
            let version = version.split(' ').next()?;
            Some((name.into(), version.into(), licence.trim_end_matches(" (*)").into()))
        })
        .collect()
}

#[test]
fn licences_are_allowed() {
    let rules = rules();
    let allowed = strings(&rules["licenses"]["allow"]);
    let mut exceptions: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for exception in
        rules["licenses"].get("exceptions").and_then(Value::as_array).into_iter().flatten()
    {
        let name = exception.get("crate").or_else(|| exception.get("name")).and_then(Value::as_str);
        exceptions
            .insert(name.expect("an exception names its crate"), strings(&exception["allow"]));
    }
    let all = crates(&["--workspace"], "normal,build,dev");
    assert!(all.len() > 10, "too few crates: {all:?}");
    for (name, version, licence) in &all {
        let own = exceptions.get(name.as_str()).into_iter().flatten();
        let allowed: Vec<&str> = allowed.iter().chain(own).copied().collect();
        assert!(
            is_satisfied(licence, &allowed),
            "deny.toml does not allow {licence:?} of {name} {version}"
        );
    }
}

#[test]
fn crates_have_one_version() {
    let rules = rules();
    let skipped: Vec<(&str, &str)> = rules["bans"]
        .get("skip")
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
        .filter_map(|entry| {
            entry.as_str().or_else(|| entry.get("crate")?.as_str())?.split_once('@')
        })
        .collect();
    let is_skipped = |name: &str, version: &str| {
        skipped.iter().any(|(n, begin)| {
            *n == name && version.strip_prefix(begin).is_some_and(|v| v.starts_with('.'))
        })
    };
    let mut versions: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for (name, version, _) in crates(&["--workspace"], "normal,build") {
        if !is_skipped(&name, &version) {
            versions.entry(name).or_default().insert(version);
        }
    }
    let twice: Vec<_> = versions.iter().filter(|(_, versions)| versions.len() > 1).collect();
    assert!(
        twice.is_empty(),
        "several versions: {twice:?}; align them or add a reason to deny.toml"
    );
}

/// The largest number of crates that a program without features of the library builds, the library
/// included, on any system.
const MAX_CRATES_WITHOUT_FEATURES: usize = 60;

#[test]
fn programs_that_use_models_only_build_few_crates() {
    let all = crates(&["--package", "orrery-model"], "normal,build").len();
    let without = crates(&["--package", "orrery-model", "--no-default-features"], "normal,build");
    let names: Vec<&str> = without.iter().map(|(name, ..)| name.as_str()).collect();
    assert!(
        (20..=MAX_CRATES_WITHOUT_FEATURES).contains(&names.len()),
        "{} crates: {names:?}",
        names.len()
    );
    assert!(names.len() < all, "the features of the library leave out no crate");
    let left_out = [
        "flate2",
        "jiff",
        "matrixmultiply",
        "nalgebra",
        "rayon",
        "rustix",
        "simba",
        "socket2",
        "wide",
        "zerocopy",
        "zstd",
    ];
    for left_out in left_out {
        assert!(!names.contains(&left_out), "{left_out} is built without its feature");
    }
}

#[test]
fn expressions_are_evaluated() {
    let allowed = ["MIT", "Apache-2.0", "Apache-2.0 WITH LLVM-exception"];
    for expression in
        ["MIT", "MIT/GPL-3.0", "GPL-3.0 OR (MIT AND Apache-2.0)", "Apache-2.0 WITH LLVM-exception"]
    {
        assert!(is_satisfied(expression, &allowed), "{expression}");
    }
    for expression in ["GPL-3.0", "MIT AND GPL-3.0", "(MIT OR Apache-2.0) AND Zlib"] {
        assert!(!is_satisfied(expression, &allowed), "{expression}");
    }
}
