use std::str::FromStr;

use clap::Args;
use orrery::machine::ForcibleAlgorithm;
use orrery::request::{AlgorithmSelection, Algorithms, RequestError};
use orrery::sample::NativeAlgorithm;
use orrery::schedule::{Algorithm, CollectiveKind};
use orrery::units::{Bytes, SizeList, UnitError};

/// The options that select algorithms of collective operations.
#[derive(Debug, Clone, Default, Args)]
pub struct AlgorithmOptions {
    /// Algorithms, separated by commas: all, or names such as binomial, knomial-4, pipeline:64K
    /// (fan-out 4, segments of 64 KiB) [default: linear and binomial of scatter and gather, all of
    /// other operations]
    #[arg(long, alias = "algorithm", value_name = "LIST")]
    algorithms: Option<Algorithms>,
    /// Sizes of segments into which algorithms that can divide vectors do so, besides undivided
    /// vectors: 8K,64K, or none [default of a choice: powers of two from 1K to 1M; otherwise none]
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

impl AlgorithmOptions {
    /// The options with a single algorithm.
    pub fn single(algorithm: Algorithm) -> Self {
        Self { algorithms: Some(Algorithms::Named(vec![algorithm])), segments: None }
    }

    /// Returns true if `--algorithms` is given.
    pub const fn names_algorithms(&self) -> bool {
        self.algorithms.is_some()
    }

    /// The selection of a request.
    pub fn selection(&self) -> AlgorithmSelection {
        AlgorithmSelection {
            names: self.algorithms.clone().unwrap_or_default(),
            segments: self.segments.as_ref().map(Segments::sizes),
        }
    }
}

/// Returns the algorithms that an MPI library is forced to use for an operation, among the known
/// ones: those that are named, or all; those with segments after those without.
///
/// # Errors
///
/// As [`AlgorithmSelection::of`].
pub fn forced(
    selection: &AlgorithmSelection,
    operation: CollectiveKind,
    procs: usize,
    known: &[ForcibleAlgorithm],
) -> Result<ForcedAlgorithms, RequestError> {
    if let Algorithms::Named(_) = selection.names {
        let mut found = ForcedAlgorithms::default();
        for algorithm in selection.of(operation, procs)? {
            match known.iter().find_map(|forcible| forcible.as_scheduled(algorithm)) {
                Some(forced) => found.forced.push(forced),
                None => found.missing.push(algorithm),
            }
        }
        return Ok(found);
    }
    let segments = selection.segments()?;
    let divided = segments
        .iter()
        .flat_map(|&size| known.iter().filter_map(move |one| one.with_segment(size)));
    let divided: Vec<NativeAlgorithm> = divided.collect();
    let is_undivided = divided.is_empty() && !segments.is_empty();
    let forced = known.iter().filter_map(|forcible| forcible.whole()).chain(divided).collect();
    Ok(ForcedAlgorithms { forced, missing: Vec::new(), is_undivided })
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
