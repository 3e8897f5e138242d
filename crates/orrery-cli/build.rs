//! Composes what `orrery --version` prints: the version, the commit where it is built from a
//! checkout, and whether it is built with MPI.

use std::env;
use std::path::Path;
use std::process::Command;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let mpi = if env::var_os("CARGO_FEATURE_MPI").is_some() { "with MPI" } else { "without MPI" };
    let details = commit().map_or_else(|| mpi.to_owned(), |commit| format!("{commit}; {mpi}"));
    let version = env::var("CARGO_PKG_VERSION").unwrap_or_default();
    println!("cargo::rustc-env=ORRERY_VERSION={version} ({details})");
}

/// The abbreviated hash and the date of the commit that is checked out; `None` without git or
/// outside a checkout of this project.
fn commit() -> Option<String> {
    let package = env::var("CARGO_MANIFEST_DIR").ok()?;
    // A copy of the package inside the checkout of another project has no commit of its own.
    let root = Path::new(&package).parent()?.parent()?.canonicalize().ok()?;
    if Path::new(&git(&package, &["rev-parse", "--show-toplevel"])?).canonicalize().ok()? != root {
        return None;
    }
    // HEAD changes with the branch, its log with every commit.
    for name in ["HEAD", "logs/HEAD"] {
        let path = git(&package, &["rev-parse", "--git-path", name])?;
        println!("cargo::rerun-if-changed={}", Path::new(&package).join(path).display());
    }
    git(&package, &["log", "-1", "--abbrev=7", "--format=%h, %cs"])
}

/// The first line that git prints; `None` if it fails or prints nothing.
fn git(folder: &str, arguments: &[&str]) -> Option<String> {
    let output = Command::new("git").arg("-C").arg(folder).args(arguments).output().ok()?;
    let line = String::from_utf8(output.stdout).ok()?.lines().next()?.to_owned();
    (output.status.success() && !line.is_empty()).then_some(line)
}
