//! The MPI library that is installed on this machine.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::str::FromStr;

use anyhow::{Context as _, bail};
use orrery::tuning::mpi::{SelectionTree, Target};
use orrery::units::UnknownName;

use crate::context::{Usage, shell_word};

/// The release on the command line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Release {
    /// That of the `mpirun` that is found first.
    Auto,
    /// A named one.
    Named(Target),
}

impl FromStr for Release {
    type Err = UnknownName;

    fn from_str(text: &str) -> Result<Self, UnknownName> {
        if text == "auto" { Ok(Self::Auto) } else { text.parse().map(Self::Named) }
    }
}

impl Release {
    /// The release; `auto` is that of `mpirun --version`.
    pub fn target(self) -> anyhow::Result<Target> {
        let Self::Named(target) = self else {
            let output = Command::new("mpirun").arg("--version").stdin(Stdio::null()).output();
            let output = output
                .context("--for auto: cannot run mpirun --version; name the release with --for")?;
            let text = String::from_utf8_lossy(&output.stdout);
            return Target::of_version(&text).context("--for auto");
        };
        Ok(target)
    }
}

/// Where the library of MPICH usually is.
const LIBRARIES: [&str; 6] = [
    "/usr/lib/x86_64-linux-gnu/libmpich.so.12",
    "/usr/lib/aarch64-linux-gnu/libmpich.so.12",
    "/usr/lib64/mpich/lib/libmpi.so.12",
    "/usr/lib/libmpi.so.12",
    "/usr/local/lib/libmpi.so.12",
    "/usr/local/lib/libmpich.so.12",
];

/// The selection tree of a file or of the library of MPICH; of the installed one if none is named.
pub fn selection_tree(named: Option<&Path>) -> anyhow::Result<(SelectionTree, PathBuf)> {
    let installed = || LIBRARIES.iter().map(Path::new).find(|path| path.exists());
    let Some(path) = named.or_else(installed) else {
        bail!(Usage(
            "rules of MPICH are added to the selection tree of its release: give --base with \
                generic.json or libmpi.so.12"
                .into()
        ));
    };
    let content = orrery::file::read_bytes(path)
        .with_context(|| format!("cannot read {}", path.display()))?;
    let tree = SelectionTree::parse(&content).with_context(|| path.display().to_string())?;
    Ok((tree, path.to_owned()))
}

/// The variables of the environment that put rules to work, as a shell has them before a command.
pub fn environment(target: Target, rules: &Path, tuned_rules: &Path) -> String {
    let name = |path: &Path| path.display().to_string();
    let variables = target.environment(&name(rules), &name(tuned_rules)).into_iter();
    // The names as displayed may lack bytes of the paths.
    let word = |value: String| {
        let path = [rules, tuned_rules].into_iter().find(|path| name(path) == value);
        path.map_or_else(|| shell_word(&value), shell_word)
    };
    variables.map(|(name, value)| format!("{name}={}", word(value))).collect::<Vec<_>>().join(" ")
}
