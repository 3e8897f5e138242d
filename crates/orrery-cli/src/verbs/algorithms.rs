use std::str::FromStr;

use clap::Args;
use orrery::collective::{in_segments, with_common_segments};
use orrery::machine::ForcibleAlgorithm;
use orrery::sample::{Library, LibraryAlgorithm, NativeAlgorithm};
use orrery::schedule::{Algorithm, AlgorithmError, CollectiveKind};
use orrery::units::{Bytes, SizeList, UnitError};

use crate::context::Usage;

/// The options that select algorithms of collective operations.
#[derive(Debug, Clone, Default, Args)]
pub struct AlgorithmOptions {
    /// Algorithms, separated by commas: all, or names such as binomial, knomial-4, pipeline:64K
    /// (fan-out 4, segments of 64 KiB) [default: linear and binomial of scatter and gather, all of
    /// other operations]
    #[arg(long, alias = "algorithm", value_name = "LIST")]
    algorithms: Option<Algorithms>,
    /// Sizes of segments, beside undivided vectors, of algorithms that can divide them: 8K,64K, or
    /// none [default of a choice: powers of two from 1K to 1M; otherwise none]
    #[arg(long, value_name = "SIZES")]
    segments: Option<Segments>,
}

/// Sizes of segments on the command line.
#[derive(Debug, Clone, PartialEq)]
pub enum Segments {
    None,
    Sizes(SizeList),
}

impl Segments {
    /// The sizes; empty for none.
    pub fn sizes(&self) -> Vec<Bytes> {
        match self {
            Self::None => Vec::new(),
            Self::Sizes(sizes) => sizes.iter().collect(),
        }
    }
}

impl FromStr for Segments {
    type Err = UnitError;

    fn from_str(list: &str) -> Result<Self, UnitError> {
        if list == "none" { Ok(Self::None) } else { list.parse().map(Self::Sizes) }
    }
}

/// A list of algorithms on the command line.
#[derive(Debug, Clone, PartialEq)]
enum Algorithms {
    All,
    Named(Vec<Algorithm>),
}

impl FromStr for Algorithms {
    type Err = AlgorithmError;

    fn from_str(list: &str) -> Result<Self, AlgorithmError> {
        if list == "all" {
            return Ok(Self::All);
        }
        list.split(',')
            .map(|word| word.trim().parse())
            .collect::<Result<Vec<_>, _>>()
            .map(Self::Named)
    }
}

impl AlgorithmOptions {
    /// The options with a single algorithm.
    pub fn single(algorithm: Algorithm) -> Self {
        Self { algorithms: Some(Algorithms::Named(vec![algorithm])), segments: None }
    }

    /// Returns true if one of the options is given.
    pub const fn is_given(&self) -> bool {
        self.algorithms.is_some() || self.segments.is_some()
    }

    /// Returns true if `--algorithms` is given.
    pub const fn names_algorithms(&self) -> bool {
        self.algorithms.is_some()
    }

    /// Returns the algorithms that an MPI library is forced to use for an operation, among the
    /// known ones: those that are named, or all; those with segments after those without.
    ///
    /// # Errors
    ///
    /// As [`AlgorithmOptions::of`].
    pub fn forced(
        &self,
        operation: CollectiveKind,
        procs: usize,
        known: &[ForcibleAlgorithm],
    ) -> Result<ForcedAlgorithms, Usage> {
        if let Some(Algorithms::Named(_)) = self.algorithms {
            let mut found = ForcedAlgorithms::default();
            for algorithm in self.of(operation, procs)? {
                match known.iter().find_map(|forcible| forcible.as_scheduled(algorithm)) {
                    Some(forced) => found.forced.push(forced),
                    None => found.missing.push(algorithm),
                }
            }
            return Ok(found);
        }
        let segments = self.segments()?;
        let divided = segments
            .iter()
            .flat_map(|&size| known.iter().filter_map(move |one| one.with_segment(size)));
        let divided: Vec<NativeAlgorithm> = divided.collect();
        let is_undivided = divided.is_empty() && !segments.is_empty();
        let forced = known.iter().filter_map(|forcible| forcible.whole()).chain(divided).collect();
        Ok(ForcedAlgorithms { forced, missing: Vec::new(), is_undivided })
    }

    /// The sizes of `--segments`; empty for none.
    fn segments(&self) -> Result<&[Bytes], Usage> {
        let Some(Segments::Sizes(segments)) = &self.segments else { return Ok(&[]) };
        if segments.iter().any(|size| size == Bytes::ZERO) {
            return Err(Usage("--segments: a segment has at least 1 byte; leave out 0".into()));
        }
        Ok(segments.as_slice())
    }

    /// Returns the algorithms of an operation on this number of processors, those with segments
    /// after those without.
    ///
    /// # Errors
    ///
    /// When the operation has none of the named algorithms, when a named one does not run on the
    /// number of processors, or when a segment has 0 bytes.
    pub fn of(&self, operation: CollectiveKind, procs: usize) -> Result<Vec<Algorithm>, Usage> {
        let mut algorithms = match &self.algorithms {
            None => {
                let usual = operation.usual_algorithms().iter().copied();
                usual.filter(|algorithm| algorithm.runs_on(procs)).collect()
            }
            Some(Algorithms::All) => operation.algorithms_on(procs).collect(),
            Some(Algorithms::Named(named)) => named_of(named, operation, procs)?,
        };
        let divided = in_segments(operation, &algorithms, self.segments()?);
        algorithms.extend(divided);
        Ok(algorithms)
    }

    /// Returns the algorithms that an MPI library can be forced to use for an operation on this
    /// number of processors; without `--algorithms` all that are known.
    ///
    /// # Errors
    ///
    /// As [`AlgorithmOptions::of`], and when the algorithms of the library are not known.
    pub fn of_library(
        &self,
        library: Library,
        operation: CollectiveKind,
        procs: usize,
    ) -> Result<Vec<Algorithm>, Usage> {
        if let Some(Algorithms::Named(_)) = self.algorithms {
            return self.of(operation, procs);
        }
        let runs = |algorithm: &Algorithm| {
            let forced =
                NativeAlgorithm { library, algorithm: LibraryAlgorithm::Scheduled(*algorithm) };
            algorithm.runs_on(procs) && forced.runs_on(operation, procs, LARGE)
        };
        let known: Vec<Algorithm> =
            library.algorithms(operation).into_iter().filter(runs).collect();
        if known.is_empty() {
            return Err(Usage(format!(
                "--library: the algorithms of {library} for {operation} are not known; name some \
                    with --algorithms"
            )));
        }
        Self { algorithms: Some(Algorithms::Named(known)), segments: self.segments.clone() }
            .of(operation, procs)
    }

    /// Returns the algorithms among which one is chosen for sizes up to `largest`: as
    /// [`AlgorithmOptions::of`], and without `--segments` those with segments of common sizes.
    ///
    /// # Errors
    ///
    /// As [`AlgorithmOptions::of`].
    pub fn candidates(
        &self,
        operation: CollectiveKind,
        procs: usize,
        largest: Bytes,
    ) -> Result<Vec<Algorithm>, Usage> {
        let algorithms = self.of(operation, procs)?;
        if self.segments.is_some() {
            return Ok(algorithms);
        }
        Ok(with_common_segments(operation, algorithms, largest))
    }
}

/// The algorithms of an MPI library for an operation.
#[derive(Debug, Default)]
pub struct ForcedAlgorithms {
    /// Those that it is forced to use.
    pub forced: Vec<NativeAlgorithm>,
    /// Named ones that it cannot be forced to use.
    pub missing: Vec<Algorithm>,
    /// True if `--segments` has sizes, and the library cannot be forced to divide the vector.
    pub is_undivided: bool,
}

/// A size for which no library takes another algorithm because there is too little to divide.
const LARGE: Bytes = Bytes::new(1 << 30);

/// The named algorithms that an operation has.
fn named_of(
    named: &[Algorithm],
    operation: CollectiveKind,
    procs: usize,
) -> Result<Vec<Algorithm>, Usage> {
    let found: Vec<Algorithm> =
        named.iter().copied().filter(|algorithm| operation.has(*algorithm)).collect();
    if let Some(algorithm) = found.iter().find(|algorithm| !algorithm.runs_on(procs)) {
        let words = format!(
            "{operation}/{algorithm} needs a power of two of processors, not {procs}; choose \
                another --procs"
        );
        return Err(Usage(words));
    }
    if found.is_empty() {
        let words = |list: &[Algorithm]| {
            list.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
        };
        let (named, has) = (words(named), words(operation.algorithms()));
        return Err(Usage(format!("{operation} has no algorithm {named}; it has {has}")));
    }
    Ok(found)
}
