//! Runs other programs, with errors that name the command and its output.

use std::process::{Command, Stdio};

use anyhow::{Context as _, anyhow};

/// Runs a program to its end and returns its standard output.
///
/// # Errors
///
/// When the program is missing or fails, with its standard error.
pub fn run(program: &str, arguments: &[&str]) -> anyhow::Result<String> {
    let output = Command::new(program).args(arguments).stdin(Stdio::null()).output();
    let output = output.with_context(|| {
        format!("cannot run {program}; install it (package {})", package(program))
    })?;
    if output.status.success() {
        return Ok(String::from_utf8_lossy(&output.stdout).into_owned());
    }
    let words = String::from_utf8_lossy(&output.stderr);
    Err(anyhow!("{program} {}: {}", arguments.join(" "), words.trim()))
}

/// Returns true if a program is in the search path.
pub fn is_installed(program: &str) -> bool {
    let paths = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&paths).any(|folder| folder.join(program).is_file())
}

/// The Debian package that provides a program.
fn package(program: &str) -> &str {
    match program {
        "ip" => "iproute2",
        "nsenter" | "unshare" | "chrt" => "util-linux",
        "cc" => "gcc",
        other => other,
    }
}
