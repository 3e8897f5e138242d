use std::str::FromStr;

use clap::Args;
use orrery::schedule::{Algorithm, AlgorithmError, CollectiveKind};
use orrery::units::{Bytes, SizeList};

use crate::context::Usage;

/// The options that select algorithms of collective operations.
#[derive(Debug, Clone, Default, Args)]
pub struct AlgorithmOptions {
    /// Algorithms, separated by commas: all, or names such as binomial, knomial-4, pipeline:64K (fan-out 4, segments of 64 KiB)
    /// [default: linear and binomial of scatter and gather, all of other operations]
    #[arg(long, alias = "algorithm", value_name = "LIST")]
    algorithms: Option<Algorithms>,
    /// Sizes of segments, beside undivided vectors, of algorithms that can divide them: 8K,64K
    #[arg(long, value_name = "SIZES")]
    segments: Option<SizeList>,
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
        list.split(',').map(|word| word.trim().parse()).collect::<Result<Vec<_>, _>>().map(Self::Named)
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

    /// Returns the algorithms of an operation on this number of processors, those with segments after those without.
    ///
    /// # Errors
    ///
    /// When the operation has none of the named algorithms, when a named one does not run on the number of processors, or when a
    /// segment has 0 bytes.
    pub fn of(&self, operation: CollectiveKind, procs: usize) -> Result<Vec<Algorithm>, Usage> {
        let mut algorithms = match &self.algorithms {
            None => {
                let usual = operation.usual_algorithms().iter().copied();
                usual.filter(|algorithm| algorithm.runs_on(procs)).collect()
            }
            Some(Algorithms::All) => operation.algorithms_on(procs).collect(),
            Some(Algorithms::Named(named)) => named_of(named, operation, procs)?,
        };
        let Some(segments) = &self.segments else { return Ok(algorithms) };
        if segments.iter().any(|size| size == Bytes::ZERO) {
            return Err(Usage("--segments: a segment has at least 1 byte; leave out 0".into()));
        }
        let undivided = algorithms.clone();
        let divided = segments
            .iter()
            .flat_map(|size| undivided.iter().filter_map(move |algorithm| algorithm.with_segment(size)))
            .filter(|algorithm| operation.has(*algorithm));
        algorithms.extend(divided);
        Ok(algorithms)
    }
}

/// The named algorithms that an operation has.
fn named_of(named: &[Algorithm], operation: CollectiveKind, procs: usize) -> Result<Vec<Algorithm>, Usage> {
    let found: Vec<Algorithm> = named.iter().copied().filter(|algorithm| operation.has(*algorithm)).collect();
    if let Some(algorithm) = found.iter().find(|algorithm| !algorithm.runs_on(procs)) {
        let words =
            format!("{operation}/{algorithm} needs a power of two of processors, not {procs}; choose another --procs");
        return Err(Usage(words));
    }
    if found.is_empty() {
        let words = |list: &[Algorithm]| list.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
        let (named, has) = (words(named), words(operation.algorithms()));
        return Err(Usage(format!("{operation} has no algorithm {named}; it has {has}")));
    }
    Ok(found)
}
