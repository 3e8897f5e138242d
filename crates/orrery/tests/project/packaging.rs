//! Recipes of packages agree with the workspace.

use std::collections::BTreeSet;
use std::fs;

use super::top;

fn text(path: &str) -> String {
    fs::read_to_string(top().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

#[test]
fn packages_have_the_version_of_the_workspace() {
    let manifest: toml::Table = text("Cargo.toml").parse().expect("Cargo.toml is TOML");
    let version =
        manifest["workspace"]["package"]["version"].as_str().expect("the version is a text");
    let changelog = text("packaging/debian/changelog");
    let newest = changelog.lines().next().expect("debian/changelog has a first line");
    assert!(
        newest.starts_with(&format!("orrery ({version}) ")),
        "debian/changelog begins with {newest:?}, not {version}"
    );
}

/// The text after a key in each paragraph of a control file.
fn fields<'a>(control: &'a str, key: &str) -> BTreeSet<&'a str> {
    control.lines().filter_map(|line| line.strip_prefix(key)).map(str::trim).collect()
}

#[test]
fn lists_of_files_belong_to_debian_packages() {
    let control = text("packaging/debian/control") + &text("packaging/debian/control.python");
    let packages = fields(&control, "Package:");
    assert!(packages.len() >= 6, "{packages:?}");
    let mut listed = BTreeSet::new();
    for entry in fs::read_dir(top().join("packaging/debian")).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        let Some((package, kind)) = name.rsplit_once('.') else { continue };
        if ["install", "docs", "examples", "lintian-overrides"].contains(&kind) {
            assert!(
                packages.contains(package),
                "packaging/debian/{name} belongs to no package of control"
            );
        }
        if kind == "install" {
            listed.insert(package.to_owned());
        }
    }
    let packages: BTreeSet<String> = packages.into_iter().map(str::to_owned).collect();
    assert_eq!(listed, packages, "each package lists its files");
}

#[test]
fn the_document_names_every_script() {
    let document = text("docs/packages.md");
    for entry in fs::read_dir(top().join("packaging")).unwrap().map(Result::unwrap) {
        if entry.file_type().unwrap().is_file() && entry.file_name() != "common" {
            let name = entry.file_name().into_string().unwrap();
            assert!(
                document.contains(&format!("`packaging/{name}`")),
                "docs/packages.md does not name packaging/{name}"
            );
        }
    }
}
