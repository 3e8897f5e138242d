//! Skipped tests are reported by one function, because the test harness hides other output of tests that pass.

use std::fs;
use std::path::PathBuf;

use super::top;

/// The Rust files in the folders of tests of all packages.
fn test_files() -> Vec<PathBuf> {
    let packages = fs::read_dir(top().join("crates")).unwrap().map(|entry| entry.unwrap().path());
    let mut folders: Vec<PathBuf> = packages.chain([top().join("testbed")]).map(|path| path.join("tests")).collect();
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
