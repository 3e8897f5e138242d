use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::RequestError;
use crate::collective::{in_segments, with_common_segments};
use crate::file::Fault;
use crate::names::advice;
use crate::sample::{Library, LibraryAlgorithm, NativeAlgorithm};
use crate::schedule::{Algorithm, CollectiveKind};
use crate::units::Bytes;

/// Algorithms of collective operations.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Algorithms {
    /// Linear and binomial scatter and gather; all of other operations.
    #[default]
    Usual,
    /// All that an operation has.
    All,
    /// These.
    #[serde(untagged)]
    Named(Vec<Algorithm>),
}

impl FromStr for Algorithms {
    type Err = Fault;

    /// Parses `all`, or names separated by commas.
    fn from_str(list: &str) -> Result<Self, Fault> {
        if list == "all" {
            return Ok(Self::All);
        }
        let named = list.split(',').map(|word| word.trim().parse());
        named.collect::<Result<_, _>>().map(Self::Named)
    }
}

/// The selection of algorithms of a collective operation, and of the sizes of their segments.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct AlgorithmSelection {
    /// The algorithms.
    pub names: Algorithms,
    /// Sizes of segments, beside undivided vectors, of algorithms that can divide them; `None` for
    /// the default of a request, an empty list for undivided vectors only.
    pub segments: Option<Vec<Bytes>>,
}

/// A size for which no library takes another algorithm because there is too little to divide.
const LARGE: Bytes = Bytes::new(1 << 30);

impl AlgorithmSelection {
    /// The selection of a single algorithm.
    pub fn single(algorithm: Algorithm) -> Self {
        Self { names: Algorithms::Named(vec![algorithm]), segments: None }
    }

    /// Returns the sizes of segments, which are none by default.
    ///
    /// # Errors
    ///
    /// When a segment has 0 bytes.
    pub fn segments(&self) -> Result<&[Bytes], RequestError> {
        let sizes = self.segments.as_deref().unwrap_or_default();
        if sizes.contains(&Bytes::ZERO) {
            let reason = "a segment has at least 1 byte; leave out 0";
            return Err(RequestError::invalid("segments", 0, reason));
        }
        Ok(sizes)
    }

    /// Returns the part of the selection that applies to one of the operations that it is for. For
    /// several operations, these are the named algorithms that this one has, and segments if one
    /// of them can divide its vector. Where no named algorithm applies, the whole selection
    /// remains, so that [`AlgorithmSelection::of`] refuses it.
    #[must_use]
    pub fn part_of(&self, operations: &[CollectiveKind], operation: CollectiveKind) -> Self {
        let Self { mut names, mut segments } = self.clone();
        if operations.len() == 1 {
            return Self { names, segments };
        }
        let own = match &mut names {
            Algorithms::Named(named) => {
                if named.iter().any(|algorithm| operation.has(*algorithm)) {
                    named.retain(|algorithm| operation.has(*algorithm));
                }
                named
            }
            Algorithms::Usual => operation.usual_algorithms(),
            Algorithms::All => operation.algorithms(),
        };
        if in_segments(operation, own, &[Bytes::new(1)]).is_empty() {
            segments = None;
        }
        Self { names, segments }
    }

    /// Returns the algorithms of an operation on this number of processors, those with segments
    /// after those without.
    ///
    /// # Errors
    ///
    /// When the operation does not have a named algorithm, when one does not run on the number of
    /// processors, when a segment has 0 bytes, or when no algorithm can divide its vector.
    pub fn of(
        &self,
        operation: CollectiveKind,
        procs: usize,
    ) -> Result<Vec<Algorithm>, RequestError> {
        let mut found: Vec<Algorithm> = match &self.names {
            Algorithms::Usual => {
                let usual = operation.usual_algorithms().iter().copied();
                usual.filter(|algorithm| algorithm.runs_on(procs)).collect()
            }
            Algorithms::All => operation.algorithms_on(procs).collect(),
            Algorithms::Named(named) => {
                named.iter().try_for_each(|&one| check(one, operation, procs))?;
                named.clone()
            }
        };
        if found.is_empty() {
            return Err(RequestError::missing("algorithms", operation, "at least one name"));
        }
        let sizes = self.segments()?;
        let divided = in_segments(operation, &found, sizes);
        if divided.is_empty() && !sizes.is_empty() {
            let words = format!("{operation} by {}", words(&found));
            return Err(RequestError::inapplicable("segments", words));
        }
        found.extend(divided);
        Ok(found)
    }

    /// Returns the algorithms that an MPI library can be forced to use for an operation on this
    /// number of processors: the named ones, or all that are known.
    ///
    /// # Errors
    ///
    /// As [`AlgorithmSelection::of`], and when the algorithms of the library are not known.
    pub fn of_library(
        &self,
        library: Library,
        operation: CollectiveKind,
        procs: usize,
    ) -> Result<Vec<Algorithm>, RequestError> {
        if let Algorithms::Named(_) = self.names {
            return self.of(operation, procs);
        }
        let runs = |algorithm: &Algorithm| {
            let algorithm_of_library = LibraryAlgorithm::Scheduled(*algorithm);
            let forced = NativeAlgorithm { library, algorithm: algorithm_of_library };
            algorithm.runs_on(procs) && forced.runs_on(operation, procs, LARGE)
        };
        let known: Vec<Algorithm> =
            library.algorithms(operation).into_iter().filter(runs).collect();
        if known.is_empty() {
            let subject = format!("{operation} of {library}");
            let content = "names of algorithms, as those of the library are not known";
            return Err(RequestError::missing("algorithms", subject, content));
        }
        Self { names: Algorithms::Named(known), segments: self.segments.clone() }
            .of(operation, procs)
    }

    /// Returns the algorithms among which one is chosen for sizes up to `largest`: as
    /// [`AlgorithmSelection::of`], and by default also those with segments of common sizes.
    ///
    /// # Errors
    ///
    /// As [`AlgorithmSelection::of`].
    pub fn candidates(
        &self,
        operation: CollectiveKind,
        procs: usize,
        largest: Bytes,
    ) -> Result<Vec<Algorithm>, RequestError> {
        let found = self.of(operation, procs)?;
        if self.segments.is_some() {
            return Ok(found);
        }
        Ok(with_common_segments(operation, found, largest))
    }
}

/// Checks that an operation has an algorithm, and that it runs on a number of processors.
fn check(
    algorithm: Algorithm,
    operation: CollectiveKind,
    procs: usize,
) -> Result<(), RequestError> {
    if !operation.has(algorithm) {
        let known = operation.algorithms().iter().map(ToString::to_string);
        let advice = advice(&algorithm.to_string(), "its algorithms", known);
        let reason = format!("{operation} has no such algorithm; {advice}");
        return Err(RequestError::invalid("algorithms", algorithm, reason));
    }
    if !algorithm.runs_on(procs) {
        let reason = format!(
            "{operation}/{algorithm} needs a power of two of processors; choose another number"
        );
        return Err(RequestError::invalid("procs", procs, reason));
    }
    Ok(())
}

/// The names of algorithms, separated by commas.
pub(super) fn words(algorithms: &[Algorithm]) -> String {
    algorithms.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
}
