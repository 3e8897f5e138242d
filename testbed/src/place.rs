//! Where a testbed keeps what it is made of: everything carries its name.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, anyhow, bail};

use crate::description::{self, Description};

/// The folder of all testbeds.
const ROOT: &str = "/run/orrery-testbed";

/// The files, namespaces and control groups of a testbed.
#[derive(Debug, Clone)]
pub struct Place {
    /// The name of the testbed.
    pub name: String,
}

impl Place {
    /// The place of a testbed, which need not exist.
    pub fn of(name: &str) -> Self {
        Self { name: name.to_owned() }
    }

    /// The folder with its files.
    pub fn folder(&self) -> PathBuf {
        Path::new(ROOT).join(&self.name)
    }

    /// A file of it.
    pub fn file(&self, name: &str) -> PathBuf {
        self.folder().join(name)
    }

    /// Takes the name; fails where it is taken.
    pub fn take(&self) -> anyhow::Result<()> {
        fs::create_dir_all(ROOT).with_context(|| format!("cannot make {ROOT}; testbeds need root"))?;
        match fs::create_dir(self.folder()) {
            Ok(()) => Ok(()),
            Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {
                let name = &self.name;
                bail!("a testbed {name} is up already; take it down with: testbed down {name}")
            }
            Err(error) => Err(error).with_context(|| format!("cannot make {}", self.folder().display())),
        }
    }

    /// Its description.
    pub fn description(&self) -> anyhow::Result<Description> {
        let file = self.file("description.toml");
        let text = fs::read_to_string(&file).map_err(|_| {
            anyhow!("no testbed {} is up; raise one with: testbed up FILE ({})", self.name, Self::those_that_are_up())
        })?;
        description::parse(&text, &self.name).with_context(|| file.display().to_string())
    }

    fn those_that_are_up() -> String {
        let names = Self::all();
        if names.is_empty() { "none is up".to_owned() } else { format!("up: {}", names.join(", ")) }
    }

    /// The names of all testbeds that have files.
    pub fn all() -> Vec<String> {
        let entries = fs::read_dir(ROOT).into_iter().flatten().flatten();
        let mut names: Vec<String> = entries.filter_map(|entry| entry.file_name().into_string().ok()).collect();
        names.sort();
        names
    }

    /// The namespace of a host.
    pub fn namespace(&self, host: &str) -> String {
        format!("{}{host}", self.prefix())
    }

    /// What the names of its namespaces begin with.
    pub fn prefix(&self) -> String {
        format!("orrery.{}.", self.name)
    }

    /// The file of the namespace of a host.
    pub fn namespace_file(&self, host: &str) -> PathBuf {
        Path::new("/run/netns").join(self.namespace(host))
    }
}
