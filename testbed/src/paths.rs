//! The files, namespaces and control groups of a testbed, all of which carry its name.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, anyhow, bail};

use crate::description::{self, Description};

/// The folder with the files of all testbeds.
const ROOT: &str = "/run/orrery-testbed";

/// The files, namespaces and control groups of a testbed.
#[derive(Debug, Clone)]
pub struct TestbedPaths {
    /// The name of the testbed.
    pub name: String,
}

impl TestbedPaths {
    /// The paths of a testbed, which need not exist.
    pub fn of(name: &str) -> Self {
        Self { name: name.to_owned() }
    }

    /// The folder of the testbed.
    pub fn folder(&self) -> PathBuf {
        Path::new(ROOT).join(&self.name)
    }

    /// A file in the folder of the testbed.
    pub fn file(&self, name: &str) -> PathBuf {
        self.folder().join(name)
    }

    /// Creates the folder; fails if a testbed of this name is up.
    pub fn create(&self) -> anyhow::Result<()> {
        fs::create_dir_all(ROOT)
            .with_context(|| format!("cannot create {ROOT}; testbeds need root"))?;
        match fs::create_dir(self.folder()) {
            Ok(()) => Ok(()),
            Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {
                let name = &self.name;
                bail!("a testbed {name} is up already; take it down with: testbed down {name}")
            }
            Err(error) => {
                Err(error).with_context(|| format!("cannot create {}", self.folder().display()))
            }
        }
    }

    /// Reads the description of the testbed.
    pub fn description(&self) -> anyhow::Result<Description> {
        let file = self.file("description.toml");
        let text = fs::read_to_string(&file).map_err(|_| {
            anyhow!(
                "no testbed {} is up; start one with: testbed up FILE ({})",
                self.name,
                Self::running_testbeds()
            )
        })?;
        description::parse(&text, &self.name).with_context(|| file.display().to_string())
    }

    /// The names of the testbeds that are up, in words.
    fn running_testbeds() -> String {
        let names = Self::all();
        if names.is_empty() { "none is up".to_owned() } else { format!("up: {}", names.join(", ")) }
    }

    /// The names of all testbeds with a folder.
    pub fn all() -> Vec<String> {
        let entries = fs::read_dir(ROOT).into_iter().flatten().flatten();
        let mut names: Vec<String> =
            entries.filter_map(|entry| entry.file_name().into_string().ok()).collect();
        names.sort();
        names
    }

    /// The name of the namespace of a host.
    pub fn namespace(&self, host: &str) -> String {
        format!("{}{host}", self.prefix())
    }

    /// The prefix of the names of its namespaces.
    pub fn prefix(&self) -> String {
        format!("orrery.{}.", self.name)
    }

    /// The file that represents the namespace of a host.
    pub fn namespace_file(&self, host: &str) -> PathBuf {
        Path::new("/run/netns").join(self.namespace(host))
    }
}
