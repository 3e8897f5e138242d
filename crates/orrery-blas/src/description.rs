use std::fmt;
use std::path::PathBuf;

/// The library behind a machine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LibraryDescription {
    /// The name by which it was requested.
    pub library: String,
    /// The loaded file that holds the kernels, if it is known.
    pub path: Option<PathBuf>,
    /// The version as the library reports it.
    pub version: Option<String>,
    /// The number of threads of a call; `None` if the environment sets it.
    pub threads: Option<u32>,
    /// True if matrices are added by a loop of Orrery, because the library has no function for it.
    pub adds_by_own_loop: bool,
}

impl fmt::Display for LibraryDescription {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.library)?;
        if let Some(path) = &self.path {
            write!(f, " ({})", path.display())?;
        }
        if let Some(version) = &self.version {
            write!(f, ", {version}")?;
        }
        match self.threads {
            Some(1) => write!(f, ", 1 thread")?,
            Some(threads) => write!(f, ", {threads} threads")?,
            None => write!(f, ", threads by the environment")?,
        }
        if self.adds_by_own_loop {
            write!(f, "; matrices are added by a loop of Orrery")?;
        }
        Ok(())
    }
}
