use std::collections::{BTreeMap, BTreeSet};

use nalgebra::DMatrix;

use super::prior::{self, Deviation};
use super::structure::{Counts, OPERATIONS, Term, counts};
use super::{CollectiveReadings, Implementation, MeasuredError, Point, Row};
use orrery_measure::sample::LibraryAlgorithm;
use orrery_program::schedule::CollectiveKind;

/// The maximum number of rows: their covariance takes 8 MiB then, and the time of a fit grows with
/// the cube of the number.
pub const MAX_ROWS: usize = 1024;

/// The rows that can be read, with their counts and the covariance of their deviations.
#[derive(Debug, Clone)]
pub struct Design {
    pub(super) procs: usize,
    rows: Vec<Row>,
    cells: Vec<Cell>,
    pub(super) counts: Vec<Counts>,
    pub(super) covariance: DMatrix<f64>,
}

/// The rows of a point: all its implementations in all its launches.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cell {
    /// The operation and the size.
    pub point: Point,
    /// The implementations in order.
    pub implementations: Vec<Implementation>,
    /// The launches in which the point is read.
    pub launches: Vec<u32>,
    /// The index of its first row. The rows follow each other by implementation, then by launch.
    first: usize,
}

impl Cell {
    /// The indices of the rows of the implementation at a position.
    pub(super) fn rows_of(&self, implementation: usize) -> std::ops::Range<usize> {
        let first = self.first + implementation * self.launches.len();
        first..first + self.launches.len()
    }
}

impl Design {
    /// A design of these rows for choices on this number of processors. `further` are points of
    /// launches without a row of their own, such as those of the library's own choice.
    ///
    /// Each point has all its implementations in all its launches.
    ///
    /// # Errors
    ///
    /// If there are no rows or too many.
    pub fn new(
        procs: usize,
        rows: impl IntoIterator<Item = Row>,
        further: impl IntoIterator<Item = (Point, u32)>,
    ) -> Result<Self, MeasuredError> {
        let mut points: BTreeMap<Point, (BTreeSet<Implementation>, BTreeSet<u32>)> =
            BTreeMap::new();
        for Row { point, implementation, launch } in rows {
            let (implementations, launches) = points.entry(point).or_default();
            implementations.insert(implementation);
            launches.insert(launch);
        }
        for (point, launch) in further {
            points.entry(point).and_modify(|(_, launches)| _ = launches.insert(launch));
        }
        points.retain(|point, _| OPERATIONS.contains(&point.operation));
        let (mut all, mut cells) = (Vec::new(), Vec::new());
        for (point, (implementations, launches)) in points {
            let first = all.len();
            for &implementation in &implementations {
                all.extend(launches.iter().map(|&launch| Row { point, implementation, launch }));
            }
            let (implementations, launches) =
                (Vec::from_iter(implementations), Vec::from_iter(launches));
            cells.push(Cell { point, implementations, launches, first });
        }
        match all.len() {
            0 => Err(MeasuredError::Nothing),
            rows if rows > MAX_ROWS => Err(MeasuredError::TooMany { rows, limit: MAX_ROWS }),
            _ => {
                let counts = all.iter().map(counts_or_fastest).collect();
                let covariance = covariance(&all);
                Ok(Self { procs, rows: all, cells, counts, covariance })
            }
        }
    }

    /// The design of all algorithms of an operation at all points of a choice: those measured on the
    /// number of processors of the choice, and those `asked` for. The algorithms are those that were
    /// read, and `also` these. Rows on other numbers of processors are those that were read, and all
    /// rows with several processes on each host.
    ///
    /// # Errors
    ///
    /// If there are no rows or too many.
    pub fn of(
        readings: &CollectiveReadings,
        also: impl IntoIterator<Item = (CollectiveKind, Implementation)>,
        asked: impl IntoIterator<Item = Point>,
    ) -> Result<Self, MeasuredError> {
        if readings.per_host > 1 {
            // The counts describe ranks of different hosts: each row deviates by itself, and those
            // that were not read are not predicted.
            let mut design = Self::new(readings.procs, readings.times.keys().copied(), [])?;
            for row in 0..design.rows.len() {
                design.covariance[(row, row)] += prior::CROWDED_ROW.powi(2);
            }
            return Ok(design);
        }
        let mut implementations: BTreeSet<(CollectiveKind, Implementation)> =
            also.into_iter().collect();
        implementations
            .extend(readings.times.keys().map(|row| (row.point.operation, row.implementation)));
        let read = readings.times.keys().map(|row| (row.point, row.launch));
        let mut points: BTreeSet<(Point, u32)> =
            read.chain(readings.defaults.keys().copied()).collect();
        points.retain(|(point, _)| point.procs == readings.procs);
        // An operation without readings on this number of processors has one launch there.
        let launches = |point: Point| {
            let of_operation = points.iter().filter(|(one, _)| one.operation == point.operation);
            let launches: BTreeSet<u32> = of_operation.map(|(_, launch)| *launch).collect();
            if launches.is_empty() { BTreeSet::from([0]) } else { launches }
        };
        let asked: Vec<(Point, u32)> = asked
            .into_iter()
            .flat_map(|point| launches(point).into_iter().map(move |launch| (point, launch)))
            .filter(|(point, _)| points.iter().all(|(one, _)| one != point))
            .collect();
        points.extend(asked);
        let count = |&(point, _): &(Point, u32)| {
            implementations.iter().filter(|(kind, _)| *kind == point.operation).count()
        };
        let elsewhere = readings.times.keys().filter(|row| row.point.procs != readings.procs);
        let rows = points.iter().map(count).fold(elsewhere.clone().count(), usize::saturating_add);
        if rows > MAX_ROWS {
            return Err(MeasuredError::TooMany { rows, limit: MAX_ROWS });
        }
        let all = points.iter().flat_map(|&(point, launch)| {
            let of_operation =
                implementations.iter().filter(move |(kind, _)| *kind == point.operation);
            of_operation.map(move |&(_, implementation)| Row { point, implementation, launch })
        });
        Self::new(readings.procs, all.chain(elsewhere.copied()), [])
    }

    /// The rows in order: by operation, size, implementation, launch.
    pub fn rows(&self) -> &[Row] {
        &self.rows
    }

    /// The points in order, each with its rows.
    pub fn cells(&self) -> &[Cell] {
        &self.cells
    }

    /// The points on the number of processors of the choice.
    pub(super) fn cells_of_choice(&self) -> impl Iterator<Item = &Cell> {
        self.cells.iter().filter(|cell| cell.point.procs == self.procs)
    }

    /// The index of a row; `None` if the design does not have it.
    pub fn index_of(&self, row: &Row) -> Option<usize> {
        self.rows.binary_search(row).ok()
    }
}

/// The counts of a row. An algorithm without counts has those of the algorithm of its operation
/// that is the fastest a priori.
fn counts_or_fastest(row: &Row) -> Counts {
    let Point { operation, procs, .. } = row.point;
    let size = row.point.vector();
    let of = |algorithm: LibraryAlgorithm| counts(operation, algorithm, procs, size);
    let time = |counts: &Counts| {
        counts.iter().zip(prior::MEDIANS).map(|(count, median)| count * median).sum::<f64>()
    };
    let fastest = || {
        operation
            .algorithms()
            .iter()
            .filter_map(|&algorithm| of(LibraryAlgorithm::Scheduled(algorithm)))
            .min_by(|a, b| time(a).total_cmp(&time(b)))
    };
    let mut counts = of(row.implementation.algorithm).or_else(fastest).unwrap_or_default();
    // An operation of one rank has no messages; its time is positive all the same.
    counts[Term::Latency as usize] = counts[Term::Latency as usize].max(1.0);
    counts
}

/// The prior covariance of the deviations of the log times of two rows, without that of the
/// parameters. With d = |log₂ m − log₂ m′| of the sizes of whole vectors and the correlation M(d) =
/// (1 + √3·d/ℓ)·exp(−√3·d/ℓ), it is the sum of constant² + smooth²·M(d) over what the rows have in
/// common: the operation, the algorithm, the implementation; if there are several launches on their
/// number of processors, the operation and the implementation in one launch; and if there are
/// several numbers of processors, the operation and the implementation on one of them, and the
/// algorithm on powers of two or on others.
///
/// Source of M: Rasmussen, Williams, "Gaussian processes for machine learning", section 4.2.1
/// (Matérn, ν = 3/2).
fn covariance(rows: &[Row]) -> DMatrix<f64> {
    let mut launches: BTreeMap<usize, BTreeSet<u32>> = BTreeMap::new();
    for row in rows {
        launches.entry(row.point.procs).or_default().insert(row.launch);
    }
    let has_several = launches.len() > 1;
    let doublings: Vec<f64> =
        rows.iter().map(|row| (row.point.size.get().max(1) as f64).log2()).collect();
    let blocks = |point: Point| {
        if point.operation.has_blocks() { (point.procs as f64).log2() } else { 0.0 }
    };
    DMatrix::from_fn(rows.len(), rows.len(), |i, j| {
        let (a, b) = (&rows[i], &rows[j]);
        if a.point.operation != b.point.operation {
            return 0.0;
        }
        let apart = doublings[i] - doublings[j] + (blocks(a.point) - blocks(b.point));
        let distance = 3_f64.sqrt() * apart.abs() / prior::LENGTH;
        let correlation = (1.0 + distance) * (-distance).exp();
        let part =
            |Deviation { constant, smooth }| constant * constant + smooth * smooth * correlation;
        let is_algorithm = a.implementation.algorithm == b.implementation.algorithm;
        let is_same = a.implementation == b.implementation;
        let on_same = a.point.procs == b.point.procs;
        let has_launches = on_same && launches[&a.point.procs].len() > 1;
        let in_launch = has_launches && a.launch == b.launch;
        let is_parity = a.point.procs.is_power_of_two() == b.point.procs.is_power_of_two();
        let shared = [
            (true, prior::OPERATION),
            (is_algorithm, prior::ALGORITHM),
            (is_same, prior::IMPLEMENTATION),
            (in_launch, prior::LAUNCH),
            (in_launch && is_same, prior::LAUNCH_IMPLEMENTATION),
            (has_several && on_same, prior::PROCESSORS),
            (has_several && on_same && is_same, prior::PROCESSORS_IMPLEMENTATION),
            (has_several && is_parity && is_algorithm, prior::PARITY),
        ];
        shared.into_iter().filter(|(is_shared, _)| *is_shared).map(|(_, one)| part(one)).sum()
    })
}
