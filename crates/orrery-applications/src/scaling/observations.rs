//! Runs grouped by measurement point, and the errors of fits.

use std::collections::BTreeMap;

use super::forecast::ForecastError;
use super::noise::RegionNoise;
use super::outliers::are_near;
use super::point::{ElementVariables, Point};
use crate::run::{Configuration, KindTimes, Run, variable};
use orrery_base::names::advice;
use orrery_base::numeric::median;

/// An error of a fit to runs.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum FitError {
    /// There are no runs.
    #[error("there are no runs to fit; import runs, or relax the conditions")]
    NoRuns,
    /// There are fewer points than coefficients.
    #[error(
        "{run} and the other runs: the number of different points is {points}, but {model} has \
            {needed} coefficients; measure at least {} more",
        needed.saturating_sub(*points)
    )]
    TooFewPoints {
        /// The first run.
        run: String,
        /// The number of different points.
        points: usize,
        /// The model to fit.
        model: String,
        /// The number of points that it requires.
        needed: usize,
    },
    /// A variable varies that the terms of a family do not contain.
    #[error(
        "{run}: {name} varies, but the terms of {family} do not contain it; use another family, or \
            keep it constant"
    )]
    UnsupportedVariable {
        /// The first run.
        run: String,
        /// The family.
        family: &'static str,
        /// The variable.
        name: String,
    },
    /// A run lacks its computation and communication times.
    #[error(
        "{run}: there is only a total time for {kind}, but N-T models need computation and \
            communication times; build HPL with -DHPL_DETAILED_TIMING, take the time in MPI from a \
            tracer, or count the total as computation"
    )]
    Undivided {
        /// The run.
        run: String,
        /// The kind.
        kind: String,
    },
    /// Any other reason, as a sentence.
    #[error("{0}")]
    Other(String),
}

impl From<String> for FitError {
    fn from(sentence: String) -> Self {
        Self::Other(sentence)
    }
}

/// An estimate that an adjustment is based on is not available.
impl From<ForecastError> for FitError {
    fn from(error: ForecastError) -> Self {
        Self::Other(error.to_string())
    }
}

impl FitError {
    /// A number of a run is invalid.
    pub(super) fn invalid(run: &str, name: &str, value: f64) -> Self {
        Self::Other(format!(
            "{run}: {name} is {value}; numbers must be finite, sizes, processes and times above 0"
        ))
    }

    /// A run lacks a variable that other runs have.
    pub(super) fn missing(run: &str, name: &str) -> Self {
        Self::Other(format!(
            "{run}: {name} is missing, which other runs have; add it, or select runs that all have \
                it or all lack it"
        ))
    }

    /// An option names a kind that no run uses.
    pub(super) fn unknown_kind(kind: &str, kinds: &[String]) -> Self {
        let advice = advice(kind, "the kinds of the runs", kinds);
        Self::Other(format!("no run uses the kind {kind:?}; {advice}"))
    }
}

/// A run, and whether it is near the others of its point.
type Repetition<'a> = (&'a Run, bool);

/// The runs of one point.
#[derive(Debug, Clone)]
pub(super) struct Group {
    pub(super) point: Point,
    /// The variables of each kind of elements, with the index of the kind; `None` for elements that
    /// are all alike.
    pub(super) kind_variables: Vec<(Option<usize>, ElementVariables)>,
    /// The times of the runs.
    pub(super) seconds: Vec<f64>,
    /// False for runs that differ from the others by more than four standard deviations, which count
    /// for the spread of runs only.
    pub(super) is_near: Vec<bool>,
    /// The median computation and communication times of each kind; `None` if a run lacks them.
    pub(super) parts: Option<Vec<(f64, f64)>>,
}

/// The largest ratio of the time at the largest value of a variable to that at its smallest one at
/// which times fall; a smaller difference may be noise.
const MAX_FALLEN: f64 = 0.8;

/// Runs grouped by point.
#[derive(Debug, Clone)]
pub(super) struct Observations {
    /// The name of the first run in errors.
    pub(super) first: String,
    /// The kinds of elements, sorted.
    pub(super) kinds: Vec<String>,
    /// The smallest and the largest value of each variable.
    pub(super) ranges: BTreeMap<String, (f64, f64)>,
    /// The points in the order of their median times.
    pub(super) groups: Vec<Group>,
    /// The noise of the regions of the program, if it is known.
    pub(super) noise: Option<RegionNoise>,
}

impl Observations {
    /// Validates runs and groups them.
    pub(super) fn of(runs: &[&Run]) -> Result<Self, FitError> {
        let first = runs.first().ok_or(FitError::NoRuns)?;
        let mut kinds: Vec<String> = runs
            .iter()
            .flat_map(|run| run.configuration.shares.iter().map(|share| share.kind.clone()))
            .collect();
        kinds.sort_unstable();
        kinds.dedup();
        let is_near = are_near(runs);
        let mut by_point: BTreeMap<(Vec<u64>, &Configuration), Vec<Repetition>> = BTreeMap::new();
        for (index, (run, is_near)) in runs.iter().zip(is_near).enumerate() {
            check(run, first, &kinds, index)?;
            let bits = run.variables.values().map(|value| value.to_bits()).collect();
            by_point.entry((bits, &run.configuration)).or_default().push((run, is_near));
        }
        let mut groups: Vec<Group> =
            by_point.into_values().map(|runs| Group::of(&runs, &kinds)).collect();
        groups.sort_by(|a, b| median(&a.seconds).total_cmp(&median(&b.seconds)));
        let (first, ranges) = (run_name(first, 0), ranges(&groups));
        Ok(Self { first, kinds, ranges, groups, noise: None })
    }

    /// The groups for whose index `keep` returns true.
    pub(super) fn subset(&self, keep: impl Fn(usize) -> bool) -> Self {
        let groups = self.groups.iter().enumerate().filter(|(index, _)| keep(*index));
        Self { groups: groups.map(|(_, group)| group.clone()).collect(), ..self.clone() }
    }

    /// The groups for which `keep` returns true, with their own ranges of variables.
    pub(super) fn restricted(&self, keep: impl Fn(&Group) -> bool) -> Self {
        let mut kept = self.subset(|index| keep(&self.groups[index]));
        kept.ranges = ranges(&kept.groups);
        kept
    }

    /// The same runs without the times of their parts.
    pub(super) fn without_parts(&self) -> Self {
        let mut whole = self.clone();
        whole.groups.iter_mut().for_each(|group| group.parts = None);
        whole
    }

    /// The variables that have more than one value.
    pub(super) fn varying(&self) -> Vec<&str> {
        self.ranges
            .iter()
            .filter(|(_, (low, high))| low < high)
            .map(|(name, _)| name.as_str())
            .collect()
    }

    /// The varying variables that do not follow from others, as a grid of one row from the number of
    /// processes.
    pub(super) fn varying_freely(&self) -> Vec<&str> {
        let is_given = |name: &&str| self.groups[0].point.variables.contains_key(*name);
        self.varying().into_iter().filter(is_given).collect()
    }

    /// The variable in which runs scale strongly: the only number that varies, at least 1, if the
    /// time at its largest value is at most [`MAX_FALLEN`] of that at its smallest one; `None` if
    /// there is none.
    pub(super) fn falling_variable(&self) -> Option<&str> {
        let [name] = self.varying_freely()[..] else { return None };
        let (low, high) = self.ranges[name];
        let at = |value: f64| {
            let has_value = |group: &&Group| group.kind_variables[0].1.get(name) == Some(value);
            self.groups.iter().find(has_value).map(|group| median(&group.seconds))
        };
        let is_alike = self.kinds.len() < 2 && self.groups.iter().all(|one| one.parts.is_none());
        (is_alike && low >= 1.0 && at(high)? <= MAX_FALLEN * at(low)?).then_some(name)
    }

    /// The number of runs.
    pub(super) fn runs(&self) -> usize {
        self.groups.iter().map(|group| group.seconds.len()).sum()
    }
}

/// The smallest and the largest value of each variable.
fn ranges(groups: &[Group]) -> BTreeMap<String, (f64, f64)> {
    let mut ranges: BTreeMap<String, (f64, f64)> = BTreeMap::new();
    for (_, variables) in groups.iter().flat_map(|group| &group.kind_variables) {
        for (name, value) in variables.iter() {
            let range = ranges.entry(name.to_owned()).or_insert((value, value));
            *range = (range.0.min(value), range.1.max(value));
        }
    }
    ranges
}

impl Group {
    /// The times of the runs that are no outliers.
    pub(super) fn near(&self) -> Vec<f64> {
        let times = self.seconds.iter().zip(&self.is_near);
        times.filter(|(_, is_near)| **is_near).map(|(&seconds, _)| seconds).collect()
    }

    /// The group of the runs of one point.
    fn of(runs: &[Repetition], kinds: &[String]) -> Self {
        let point = Point::of(runs[0].0);
        let index = |kind: &str| kinds.iter().position(|known| known == kind);
        let shares = &point.configuration.shares;
        let kind_variables: Vec<_> = if shares.is_empty() {
            vec![(None, point.element_variables(None))]
        } else {
            shares
                .iter()
                .map(|share| (index(&share.kind), point.element_variables(Some(share))))
                .collect()
        };
        let part = |kind: &str| {
            let parts = runs.iter().map(|(run, _)| run.parts.iter().find(|part| part.kind == kind));
            let parts: Vec<_> = parts.collect::<Option<_>>()?;
            let middle = |of: &dyn Fn(&KindTimes) -> f64| {
                median(&parts.iter().map(|p| of(p)).collect::<Vec<_>>())
            };
            Some((middle(&|part| part.computation.get()), middle(&|part| part.communication.get())))
        };
        let parts = shares.iter().map(|share| part(&share.kind)).collect::<Option<Vec<_>>>();
        let parts = parts.filter(|parts| !parts.is_empty());
        Self {
            kind_variables,
            seconds: runs.iter().map(|(run, _)| run.seconds.get()).collect(),
            is_near: runs.iter().map(|(_, is_near)| *is_near).collect(),
            parts,
            point,
        }
    }
}

/// The name of a run in errors: its origin, or its number.
pub(super) fn run_name(run: &Run, index: usize) -> String {
    if run.origin.is_empty() { format!("run {}", index + 1) } else { run.origin.clone() }
}

/// Rejects a run whose time or variables are no valid numbers.
pub(super) fn check_numbers(run: &Run, this: &dyn Fn() -> String) -> Result<(), FitError> {
    let seconds = run.seconds.get();
    if !(seconds.is_finite() && seconds > 0.0) {
        return Err(FitError::invalid(&this(), "seconds", seconds));
    }
    match run.variables.iter().find(|(_, value)| !value.is_finite()) {
        Some((name, &value)) => Err(FitError::invalid(&this(), name, value)),
        None => Ok(()),
    }
}

/// Rejects runs that no model can be fitted to.
fn check(run: &Run, first: &Run, kinds: &[String], index: usize) -> Result<(), FitError> {
    let this = || run_name(run, index);
    check_numbers(run, &this)?;
    for known in first.variables.keys().chain(run.variables.keys()) {
        let without = [run, first].into_iter().find(|run| !run.variables.contains_key(known));
        if let Some(without) = without {
            let run = if std::ptr::eq(without, run) { this() } else { run_name(first, 0) };
            return Err(FitError::missing(&run, known));
        }
    }
    if !kinds.is_empty() && run.configuration.shares.is_empty() {
        return Err(FitError::missing(&this(), "configuration"));
    }
    let get = |name| run.variable(name);
    let grid = get(variable::GRID_ROWS).zip(get(variable::GRID_COLUMNS));
    let given = if kinds.is_empty() { get(variable::PROCESSES) } else { run.processes() };
    match (grid, given) {
        (Some((rows, columns)), Some(processes)) if (rows * columns - processes).abs() > 0.5 => {
            Err(FitError::Other(format!(
                "{}: a grid of {rows}×{columns} has {} processes, not {processes}; correct one of \
                    them",
                this(),
                rows * columns
            )))
        }
        _ => Ok(()),
    }
}
