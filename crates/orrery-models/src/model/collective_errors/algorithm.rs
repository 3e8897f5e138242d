use std::fmt;
use std::str::FromStr;

use orrery_base::units::Bytes;
use orrery_cluster::platform::Processor;
use orrery_measure::sample::{Experiment, Library, LibraryAlgorithm, NativeAlgorithm};
use orrery_program::schedule::{Algorithm, CollectiveKind};

/// An algorithm of a collective operation, made of point-to-point messages or as an MPI library
/// carries it out.
///
/// ```
/// use orrery_models::model::CollectiveAlgorithm;
/// let algorithm: CollectiveAlgorithm = "native/bcast/ompi/binomial".parse().unwrap();
/// assert_eq!(algorithm.to_string(), "native/bcast/ompi/binomial");
/// assert_eq!("bcast/pipeline:8K".parse::<CollectiveAlgorithm>().unwrap().library, None);
/// assert!("native/bcast".parse::<CollectiveAlgorithm>().is_err());
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct CollectiveAlgorithm {
    /// The operation.
    pub operation: CollectiveKind,
    /// The library; `None` for messages of Orrery.
    pub library: Option<Library>,
    /// The algorithm.
    pub algorithm: Algorithm,
}

/// The reason why a text is no algorithm of a collective operation.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "unknown algorithm {0:?}; write bcast/binomial, or native/bcast/ompi/binomial for one of an \
        MPI library"
)]
pub struct UnknownAlgorithm(String);

impl CollectiveAlgorithm {
    /// Returns the algorithm of an experiment: of names for the same messages at its size, the
    /// simplest one. `None` for algorithms without a schedule and for other experiments.
    pub fn of(experiment: &Experiment) -> Option<Self> {
        let named = Self::named(experiment)?;
        let algorithm = named
            .library
            .map_or_else(|| named.algorithm.simplest(experiment.size()), |_| named.algorithm);
        Some(Self { algorithm, ..named })
    }

    /// Returns the algorithm that an experiment names; `None` for experiments that are no
    /// collective operations, and for calls of a library by its own choice or by an algorithm
    /// without a schedule.
    fn named(experiment: &Experiment) -> Option<Self> {
        match *experiment {
            Experiment::Collective { kind, algorithm, .. } => {
                Some(Self { operation: kind, library: None, algorithm })
            }
            Experiment::Native { kind, algorithm: Some(forced), .. } => match forced.algorithm {
                LibraryAlgorithm::Scheduled(algorithm) => {
                    Some(Self { operation: kind, library: Some(forced.library), algorithm })
                }
                _ => None,
            },
            _ => None,
        }
    }

    /// Returns the operation with this algorithm.
    pub fn experiment(&self, root: Processor, procs: usize, size: Bytes) -> Experiment {
        let Self { operation: kind, library, algorithm } = *self;
        match library {
            None => Experiment::Collective { kind, algorithm, root, procs, size },
            Some(library) => {
                let algorithm = Some(NativeAlgorithm {
                    library,
                    algorithm: LibraryAlgorithm::Scheduled(algorithm),
                });
                Experiment::Native { kind, algorithm, root, procs, size }
            }
        }
    }
}

/// As in the first column of samples files: `bcast/binomial`, `native/bcast/ompi/binomial`.
impl fmt::Display for CollectiveAlgorithm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.experiment(Processor(0), 0, Bytes::ZERO).name())
    }
}

impl FromStr for CollectiveAlgorithm {
    type Err = UnknownAlgorithm;

    fn from_str(text: &str) -> Result<Self, UnknownAlgorithm> {
        let template = Experiment::collective_template(text);
        template
            .and_then(|template| Self::named(&template))
            .ok_or_else(|| UnknownAlgorithm(text.to_owned()))
    }
}
