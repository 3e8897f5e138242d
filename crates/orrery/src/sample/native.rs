use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::schedule::Algorithm;
use crate::units::UnknownName;

/// An MPI library, or the family of libraries that share its collective algorithms.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Library {
    /// Open MPI.
    #[serde(rename = "ompi")]
    OpenMpi,
    /// MPICH and libraries derived from it, Cray MPICH among them.
    Mpich,
}

impl Library {
    /// All libraries.
    pub const ALL: [Self; 2] = [Self::OpenMpi, Self::Mpich];

    /// The keyword in files and on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Self::OpenMpi => "ompi",
            Self::Mpich => "mpich",
        }
    }
}

impl fmt::Display for Library {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for Library {
    type Err = UnknownName;

    fn from_str(text: &str) -> Result<Self, UnknownName> {
        UnknownName::find("MPI library", text, &Self::ALL, |library| library.name())
    }
}

/// An algorithm that an MPI library was forced to use for a collective operation, for example by
/// `coll_tuned_bcast_algorithm` of Open MPI.
///
/// ```
/// use orrery::sample::{Library, NativeAlgorithm};
/// use orrery::schedule::Algorithm;
/// let forced = NativeAlgorithm { library: Library::OpenMpi, algorithm: Algorithm::Binomial };
/// assert_eq!(forced.to_string(), "ompi/binomial");
/// assert_eq!("ompi/binomial".parse(), Ok(forced));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct NativeAlgorithm {
    /// The library.
    pub library: Library,
    /// The algorithm, with its fan-out and segments.
    pub algorithm: Algorithm,
}

impl fmt::Display for NativeAlgorithm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.library, self.algorithm)
    }
}

impl FromStr for NativeAlgorithm {
    type Err = UnknownName;

    fn from_str(text: &str) -> Result<Self, UnknownName> {
        let (library, algorithm) = text.split_once('/').unwrap_or((text, ""));
        Ok(Self { library: library.parse()?, algorithm: algorithm.parse()? })
    }
}
