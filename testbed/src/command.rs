//! Other programs, with errors that say what was tried and what came back.

use std::process::{Command, Stdio};

use anyhow::{Context as _, anyhow};

/// Runs a program to its end; gives what it printed.
///
/// # Errors
///
/// When it is not there, or fails: with its own words.
pub fn run(program: &str, arguments: &[&str]) -> anyhow::Result<String> {
    let output = Command::new(program).args(arguments).stdin(Stdio::null()).output();
    let output = output.with_context(|| format!("cannot run {program}; install it (package {})", package(program)))?;
    if output.status.success() {
        return Ok(String::from_utf8_lossy(&output.stdout).into_owned());
    }
    let words = String::from_utf8_lossy(&output.stderr);
    Err(anyhow!("{program} {}: {}", arguments.join(" "), words.trim()))
}

/// Whether a program is there.
pub fn is_there(program: &str) -> bool {
    let paths = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&paths).any(|folder| folder.join(program).is_file())
}

/// The Debian package of a program.
fn package(program: &str) -> &str {
    match program {
        "ip" => "iproute2",
        "nsenter" | "unshare" | "chrt" => "util-linux",
        "cc" => "gcc",
        other => other,
    }
}
