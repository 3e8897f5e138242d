use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use super::structure::OPERATIONS;
use super::transfer::{self, REACH};
use orrery_base::numeric::median;
use orrery_base::units::Bytes;
use orrery_cluster::platform::Processor;
use orrery_measure::sample::{
    Experiment, Library, LibraryAlgorithm, NativeAlgorithm, PROCESSES_PER_HOST, Provenance,
    Samples, Series,
};
use orrery_program::schedule::CollectiveKind;

/// An algorithm as carried out by a library, or made of point-to-point messages.
///
/// Of equally good implementations of an algorithm those of libraries come first: any program can
/// use them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Implementation {
    /// The algorithm.
    pub algorithm: LibraryAlgorithm,
    /// The library that was forced to use it; `None` if it is made of point-to-point messages.
    pub library: Option<Library>,
}

impl Implementation {
    /// The operation and the implementation of an experiment; `None` if it is no collective
    /// operation by a known algorithm.
    pub fn of(experiment: &Experiment) -> Option<(CollectiveKind, Self)> {
        let parts = Parts::of(experiment)?;
        Some((parts.point.operation, parts.implementation?))
    }
}

impl Ord for Implementation {
    fn cmp(&self, other: &Self) -> Ordering {
        let key = |one: &Self| (one.algorithm, one.library.is_none(), one.library);
        key(self).cmp(&key(other))
    }
}

impl PartialOrd for Implementation {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl fmt::Display for Implementation {
    /// As in the names of experiments: `binomial`, `ompi/binomial`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.library {
            Some(library) => f.pad(&format!("{library}/{}", self.algorithm)),
            None => f.pad(&self.algorithm.to_string()),
        }
    }
}

/// A point of a choice: an operation on a number of processors, with a size.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Point {
    /// The operation.
    pub operation: CollectiveKind,
    /// The number of processors.
    pub procs: usize,
    /// The size of the block of one processor, or of the vector of operations without blocks.
    pub size: Bytes,
}

impl Point {
    /// The size of the whole vector, of all blocks together, in bytes.
    pub fn vector(self) -> f64 {
        let blocks = if self.operation.has_blocks() { self.procs } else { 1 };
        self.size.get() as f64 * blocks as f64
    }
}

/// What can be read: the time of an implementation at a point, in one launch.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Row {
    /// The operation and the size.
    pub point: Point,
    /// The implementation.
    pub implementation: Implementation,
    /// The launch: a separate job, possibly on other nodes.
    pub launch: u32,
}

impl Row {
    /// The name of its experiment in samples files: `bcast/binomial`, `native/bcast/ompi/binomial`.
    pub fn experiment_name(&self) -> String {
        let (Point { operation, .. }, implementation) = (self.point, self.implementation);
        let prefix = if implementation.library.is_some() { "native/" } else { "" };
        format!("{prefix}{operation}/{implementation}")
    }
}

/// Which collective operations of samples are compared.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Selection {
    /// The operations; all if empty.
    pub operations: Vec<CollectiveKind>,
    /// The number of processors of the choice; required if the samples contain several. An
    /// operation that was not measured on it is compared by its times on all numbers within
    /// [`REACH`](super::REACH).
    pub procs: Option<usize>,
    /// The root of operations with one; required if the samples contain several.
    pub root: Option<Processor>,
}

/// The times of collective operations in samples, by launch, algorithm and size: the median of the
/// readings of each launch.
#[derive(Debug, Clone, PartialEq)]
pub struct CollectiveReadings {
    /// The number of processors of the choice.
    pub procs: usize,
    /// The largest number of processes on one host.
    pub per_host: usize,
    /// The root of operations with one.
    pub root: Processor,
    /// The times in seconds of the rows: on this number of processors, or on others.
    pub times: BTreeMap<Row, f64>,
    /// The times in seconds of the library's own choice.
    pub defaults: BTreeMap<(Point, u32), f64>,
    /// The operations without times within reach, with the numbers of processors on which they
    /// were measured.
    pub out_of_reach: BTreeMap<CollectiveKind, BTreeSet<usize>>,
}

impl CollectiveReadings {
    /// Returns the times of the selected operations.
    ///
    /// # Errors
    ///
    /// If the number of processors or the root is ambiguous, if no operation was measured within
    /// reach of the number of processors, or on it with several processes on each host, if a median
    /// is 0, or if there is no algorithm.
    pub fn of(samples: &Samples, selection: &Selection) -> Result<Self, MeasuredError> {
        let per_host = processes_per_host(&samples.provenance);
        let is_selected = |kind: CollectiveKind| {
            OPERATIONS.contains(&kind)
                && (selection.operations.is_empty() || selection.operations.contains(&kind))
        };
        let all: Vec<(&Series, Parts)> = samples
            .in_order()
            .filter_map(|series| Some((series, Parts::of(&series.experiment)?)))
            .collect();
        let operations = all.iter().map(|(_, parts)| parts.point.operation);
        let known: BTreeSet<CollectiveKind> =
            operations.filter(|operation| OPERATIONS.contains(operation)).collect();
        let collective: Vec<(&Series, Parts)> =
            all.into_iter().filter(|(_, parts)| is_selected(parts.point.operation)).collect();
        if collective.is_empty() && !known.is_empty() {
            let found = known.into_iter().collect();
            return Err(MeasuredError::Operations { wanted: selection.operations.clone(), found });
        }
        let found: BTreeSet<usize> =
            collective.iter().map(|(_, parts)| parts.point.procs).collect();
        let procs = only(selection.procs, found.clone())
            .map_err(|found| MeasuredError::Procs { found })?
            .ok_or(MeasuredError::Nothing)?;
        let mut measured: BTreeMap<CollectiveKind, BTreeSet<usize>> = BTreeMap::new();
        for (_, Parts { point, implementation, .. }) in &collective {
            if implementation.is_some() {
                measured.entry(point.operation).or_default().insert(point.procs);
            }
        }
        if measured.is_empty() {
            return Err(MeasuredError::Nothing);
        }
        let mut sources: BTreeMap<CollectiveKind, BTreeSet<usize>> = BTreeMap::new();
        let mut out_of_reach = BTreeMap::new();
        for (operation, counts) in measured {
            let near = transfer::sources(procs, &counts);
            if near.is_empty() {
                out_of_reach.insert(operation, counts);
            } else {
                sources.insert(operation, near);
            }
        }
        if sources.is_empty() {
            return Err(MeasuredError::OutOfReach { procs, found: found.into_iter().collect() });
        }
        let is_measured = |counts: &BTreeSet<usize>| counts.contains(&procs);
        if per_host > 1 && !sources.values().all(is_measured) {
            return Err(MeasuredError::SeveralPerHost { per_host });
        }
        let of_sources = || {
            collective.iter().filter(|(_, Parts { point, .. })| {
                sources.get(&point.operation).is_some_and(|counts| counts.contains(&point.procs))
            })
        };
        let roots = of_sources()
            .filter(|(_, parts)| parts.point.operation.has_root())
            .map(|(_, parts)| parts.root);
        let root = only(selection.root, roots.collect())
            .map_err(|found| MeasuredError::Roots { found })?;
        let root = root.unwrap_or(Processor(0));
        let (mut times, mut defaults) = (BTreeMap::new(), BTreeMap::new());
        for (series, Parts { point, implementation, .. }) in of_sources()
            .filter(|(_, parts)| !parts.point.operation.has_root() || parts.root == root)
        {
            for (launch, seconds) in launch_medians(series) {
                if seconds <= 0.0 {
                    return Err(MeasuredError::Zero { experiment: series.experiment.to_string() });
                }
                match *implementation {
                    Some(implementation) => {
                        times.insert(Row { point: *point, implementation, launch }, seconds);
                    }
                    None => {
                        defaults.insert((*point, launch), seconds);
                    }
                }
            }
        }
        if times.is_empty() {
            return Err(MeasuredError::Nothing);
        }
        Ok(Self { procs, per_host, root, times, defaults, out_of_reach })
    }
}

/// The parts of a collective experiment.
pub(super) struct Parts {
    pub(super) point: Point,
    pub(super) implementation: Option<Implementation>,
    pub(super) root: Processor,
}

impl Parts {
    /// The parts of an experiment; `None` if it is not a collective operation.
    pub(super) fn of(experiment: &Experiment) -> Option<Self> {
        let (operation, implementation, root, procs, size) = match *experiment {
            Experiment::Collective { kind, algorithm, root, procs, size } => {
                let algorithm = LibraryAlgorithm::Scheduled(algorithm);
                (kind, Some(Implementation { algorithm, library: None }), root, procs, size)
            }
            Experiment::Native { kind, algorithm, root, procs, size } => {
                let of = |NativeAlgorithm { library, algorithm }| Implementation {
                    algorithm,
                    library: Some(library),
                };
                (kind, algorithm.map(of), root, procs, size)
            }
            _ => return None,
        };
        Some(Self { point: Point { operation, procs, size }, implementation, root })
    }
}

/// The median of each launch in seconds.
pub(crate) fn launch_medians(series: &Series) -> BTreeMap<u32, f64> {
    let mut launches: BTreeMap<u32, Vec<f64>> = BTreeMap::new();
    for reading in &series.readings {
        launches.entry(reading.launch).or_default().push(reading.seconds.get());
    }
    launches.into_iter().map(|(launch, seconds)| (launch, median(&seconds))).collect()
}

/// The selected value, or the only one that was found, if any.
///
/// # Errors
///
/// The found values if there are several and none is selected.
fn only<T: Copy>(selected: Option<T>, found: BTreeSet<T>) -> Result<Option<T>, Vec<T>> {
    match selected {
        Some(_) => Ok(selected),
        None if found.len() > 1 => Err(found.into_iter().collect()),
        None => Ok(found.into_iter().next()),
    }
}

/// The largest number of processes on one host, by the hosts or by the number that an importer
/// recorded; 1 if neither is known.
fn processes_per_host(provenance: &Provenance) -> usize {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    provenance.hosts().into_iter().for_each(|host| *counts.entry(host).or_default() += 1);
    let recorded =
        provenance.get(PROCESSES_PER_HOST).and_then(|count| count.parse().ok()).unwrap_or(1);
    counts.into_values().max().unwrap_or(1).max(recorded)
}

/// The names of operations.
fn names(operations: &[CollectiveKind]) -> String {
    operations.iter().map(|operation| operation.name()).collect::<Vec<_>>().join(", ")
}

/// The reason why no algorithm can be chosen by samples.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum MeasuredError {
    /// The samples contain no collective operation with several algorithms.
    #[error(
        "there are no collective operations with a known algorithm here; rows such as \
            bcast/binomial or native/bcast/ompi/binomial are needed"
    )]
    Nothing,
    /// None of the selected operations was measured.
    #[error(
        "{} was not measured; the samples have {}: measure it, or select one of these",
        names(.wanted), names(.found)
    )]
    Operations {
        /// The selected operations.
        wanted: Vec<CollectiveKind>,
        /// The measured ones.
        found: Vec<CollectiveKind>,
    },
    /// Several processes ran on one host.
    #[error(
        "{per_host} processes ran on each host; times that were not measured are predicted for one \
            process per host only; choose at measured sizes and numbers of processors"
    )]
    SeveralPerHost {
        /// The largest number of processes on one host.
        per_host: usize,
    },
    /// The samples are of several numbers of processors.
    #[error("the collective operations ran on {} processors; select one number", list(.found))]
    Procs {
        /// The numbers of processors, ascending.
        found: Vec<usize>,
    },
    /// All operations were measured on numbers of processors out of reach only.
    #[error(
        "the collective operations ran on {} processors; choices for {procs} need times on a number \
            within a factor of {REACH}, farther ones lose more than the library's own choice; \
            measure on {} to {} processors",
        list(.found), procs.div_ceil(REACH), procs.saturating_mul(REACH)
    )]
    OutOfReach {
        /// The number of processors of the choice.
        procs: usize,
        /// The numbers of processors that were measured, ascending.
        found: Vec<usize>,
    },
    /// No size is near the measured ones.
    #[error(
        "the collective operations were measured from {least} to {most}; sizes up to a factor of \
            {REACH} beyond are compared; measure the sizes needed"
    )]
    Sizes {
        /// The smallest measured size.
        least: Bytes,
        /// The largest measured size.
        most: Bytes,
    },
    /// The samples are from several roots.
    #[error("the collective operations have the roots {}; select one", list(.found))]
    Roots {
        /// The roots, ascending.
        found: Vec<Processor>,
    },
    /// A reading is 0 and has no logarithm.
    #[error("the median time of {experiment} is 0; its clock is too coarse, remove its rows")]
    Zero {
        /// The experiment.
        experiment: String,
    },
    /// There are too many rows.
    #[error(
        "there are {rows} combinations of launch, algorithm and size; at most {limit} can be \
            compared at a time, select operations"
    )]
    TooMany {
        /// The number of combinations.
        rows: usize,
        /// The limit.
        limit: usize,
    },
    /// The covariance of the readings cannot be inverted.
    #[error(
        "the readings contradict each other so much that the covariance of their times cannot be \
            inverted; measure again"
    )]
    Singular,
}

/// The values with commas.
fn list<T: ToString>(values: &[T]) -> String {
    values.iter().map(T::to_string).collect::<Vec<_>>().join(", ")
}
