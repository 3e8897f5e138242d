//! Runs of applications: their file, import, remarks and errors.

mod by_file;
mod caliper;
mod cubex;
mod experiment;
mod extrap;
mod file;
mod hatchet;
mod hpl;
mod plan;
mod public;
mod table;
mod table_layout;

use std::path::Path;

use orrery::run::Run;
use orrery::run::import::{ImportOptions, Imported, Importer};

/// A text among the test data.
fn text(name: &str) -> String {
    std::fs::read_to_string(
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/runs").join(name),
    )
    .unwrap()
}

/// The content of a file among the test data.
fn content(name: &str) -> Vec<u8> {
    std::fs::read(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/runs").join(name))
        .unwrap()
}

/// A content with a part replaced by another one of the same length.
fn changed(mut content: Vec<u8>, from: &[u8], to: &[u8]) -> Vec<u8> {
    let place = content.windows(from.len()).position(|part| part == from).unwrap();
    content[place..place + to.len()].copy_from_slice(to);
    content
}

/// The options with a map of columns.
fn options(map: &str) -> ImportOptions {
    ImportOptions { map: map.parse().unwrap(), ..ImportOptions::default() }
}

/// What is imported of a text called `f`.
fn import(text: &(impl AsRef<[u8]> + ?Sized), options: ImportOptions) -> Imported {
    let mut importer = Importer::new(options);
    importer.add(text, "f").unwrap();
    importer.finish().unwrap()
}

/// Why a text called `f` is not imported.
fn refused(text: &(impl AsRef<[u8]> + ?Sized), options: ImportOptions) -> String {
    let mut importer = Importer::new(options);
    importer.add(text, "f").and_then(|()| importer.finish().map(drop)).unwrap_err().to_string()
}

fn remarks(imported: &Imported) -> Vec<String> {
    imported.remarks.iter().map(ToString::to_string).collect()
}

/// The variables of a run by name.
fn numbers(run: &Run, names: &[&str]) -> Vec<f64> {
    names
        .iter()
        .map(|name| run.variable(name).unwrap_or_else(|| panic!("no {name} in {run:?}")))
        .collect()
}

/// Checks a number up to the last digits of a sum.
fn assert_near(found: f64, expected: f64) {
    assert!((found - expected).abs() <= 1e-9 * expected.abs(), "{found} is not {expected}");
}
