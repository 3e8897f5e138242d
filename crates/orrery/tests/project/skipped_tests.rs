//! Skipped tests are reported by one function, because the test harness hides other output of tests
//! that pass.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::top;

/// The Rust files in the folders of tests of all packages.
fn test_files() -> Vec<PathBuf> {
    let packages = fs::read_dir(top().join("crates")).unwrap().map(|entry| entry.unwrap().path());
    let mut folders: Vec<PathBuf> =
        packages.chain([top().join("testbed")]).map(|path| path.join("tests")).collect();
    let mut files = Vec::new();
    while let Some(folder) = folders.pop() {
        let Ok(entries) = fs::read_dir(folder) else { continue };
        for path in entries.map(|entry| entry.unwrap().path()) {
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                files.push(path);
            }
        }
    }
    files
}

#[test]
fn skipped_tests_are_reported_by_skip() {
    let files = test_files();
    assert!(files.len() > 50, "only {} files of tests", files.len());
    let mut callers = 0;
    for file in files {
        let text = fs::read_to_string(&file).unwrap();
        callers += usize::from(text.contains(concat!("    skip", "(")));
        for print in [concat!("println!(", "\"skipped"), concat!("print!(", "\"skipped")] {
            assert!(!text.contains(print), "{}: report skipped tests with skip()", file.display());
        }
    }
    assert!(callers >= 4, "only {callers} files report skipped tests");
}

/// Writes a shell script.
fn write_script(path: &Path, body: &str) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, format!("#!/bin/sh\n{body}\n")).unwrap();
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
}

/// `scripts/test` with a cargo that runs nothing and skips one test, and without an MPI library.
#[test]
fn skipped_tests_are_printed_and_counted_at_the_end() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    write_script(
        &at("bin/cargo"),
        "case \"$*\" in 'test --quiet --workspace'*) echo 'skipped: one: no browser' >&2 ;; esac",
    );
    write_script(&at("scripts/test-mpi"), "echo 'skipped: the MPI machine: mpicc is missing' >&2");
    for script in ["check-features", "growth", "test-scalapack", "test-python"] {
        write_script(&at(&format!("scripts/{script}")), "true");
    }
    for file in ["scripts/test", "scripts/mpi-libraries"] {
        fs::copy(top().join(file), at(file)).unwrap();
    }
    let path = format!("{}:{}", at("bin").display(), std::env::var("PATH").unwrap());
    let output = Command::new(at("scripts/test")).env("PATH", path).output().unwrap();
    let stdout = String::from_utf8(output.stdout).unwrap();
    let end: Vec<&str> = stdout.lines().rev().take(3).collect();
    assert!(output.status.success() && end[0].ends_with(", 2 skipped"), "{stdout}");
    assert!(end[1..].contains(&"skipped: one: no browser"), "{stdout}");
    assert!(end[1..].contains(&"skipped: the MPI machine: mpicc is missing"), "{stdout}");
}
