use std::collections::BTreeMap;

use super::{ElementVariables, Point, ScalingError};
use crate::numeric::median;
use crate::run::{Configuration, Run, variable};

/// The runs of one point.
#[derive(Debug, Clone)]
pub(super) struct Group {
    pub(super) point: Point,
    /// What the elements of each kind see, the kind by its place among all; one view without a kind where all are alike.
    pub(super) views: Vec<(Option<usize>, ElementVariables)>,
    pub(super) seconds: Vec<f64>,
    /// Computation and communication by view, each the median over the runs, where every run has them.
    pub(super) parts: Option<Vec<(f64, f64)>>,
}

/// Runs as an estimator sees them: by point.
#[derive(Debug, Clone)]
pub(super) struct Observations {
    /// The first run, as errors name it.
    pub(super) first: String,
    pub(super) kinds: Vec<String>,
    /// The smallest and the largest value of each variable.
    pub(super) ranges: BTreeMap<String, (f64, f64)>,
    /// In the order of their median time, so that the last are the largest problems.
    pub(super) groups: Vec<Group>,
}

impl Observations {
    pub(super) fn of(runs: &[&Run]) -> Result<Self, ScalingError> {
        let first = runs.first().ok_or(ScalingError::NoRuns)?;
        let mut kinds: Vec<String> =
            runs.iter().flat_map(|run| run.configuration.shares.iter().map(|share| share.kind.clone())).collect();
        kinds.sort_unstable();
        kinds.dedup();
        let mut by_point: BTreeMap<(Vec<u64>, &Configuration), Vec<&Run>> = BTreeMap::new();
        for (place, run) in runs.iter().enumerate() {
            check(run, first, &kinds, place)?;
            let bits = run.variables.values().map(|value| value.to_bits()).collect();
            by_point.entry((bits, &run.configuration)).or_default().push(run);
        }
        let mut groups: Vec<Group> = by_point.into_values().map(|runs| Group::of(&runs, &kinds)).collect();
        groups.sort_by(|a, b| median(&a.seconds).total_cmp(&median(&b.seconds)));
        if groups.len() < 2 {
            let [run, point] = [name(first, 0), point(first)];
            return Err(ScalingError::NothingVaries { run, runs: runs.len(), point });
        }
        let mut ranges: BTreeMap<String, (f64, f64)> = BTreeMap::new();
        for (_, view) in groups.iter().flat_map(|group| &group.views) {
            for (name, value) in view.iter() {
                let range = ranges.entry(name.to_owned()).or_insert((value, value));
                *range = (range.0.min(value), range.1.max(value));
            }
        }
        Ok(Self { first: name(first, 0), kinds, ranges, groups })
    }

    /// The same with some groups only.
    pub(super) fn subset(&self, keep: impl Fn(usize) -> bool) -> Self {
        let groups = self.groups.iter().enumerate().filter(|(place, _)| keep(*place));
        Self { groups: groups.map(|(_, group)| group.clone()).collect(), ..self.clone() }
    }

    /// The variables that have more than one value.
    pub(super) fn varying(&self) -> Vec<&str> {
        self.ranges.iter().filter(|(_, (low, high))| low < high).map(|(name, _)| name.as_str()).collect()
    }

    pub(super) fn runs(&self) -> usize {
        self.groups.iter().map(|group| group.seconds.len()).sum()
    }
}

impl Group {
    fn of(runs: &[&Run], kinds: &[String]) -> Self {
        let point = Point::of(runs[0]);
        let place = |kind: &str| kinds.iter().position(|known| known == kind);
        let shares = &point.configuration.shares;
        let views: Vec<_> = if shares.is_empty() {
            vec![(None, point.view(None))]
        } else {
            shares.iter().map(|share| (place(&share.kind), point.view(Some(share)))).collect()
        };
        let part = |kind: &str| {
            let parts = runs.iter().map(|run| run.parts.iter().find(|part| part.kind == kind));
            let parts: Vec<_> = parts.collect::<Option<_>>()?;
            let middle =
                |of: &dyn Fn(&crate::run::KindTimes) -> f64| median(&parts.iter().map(|p| of(p)).collect::<Vec<_>>());
            Some((middle(&|part| part.computation.get()), middle(&|part| part.communication.get())))
        };
        let parts = shares.iter().map(|share| part(&share.kind)).collect::<Option<Vec<_>>>();
        let parts = parts.filter(|parts| !parts.is_empty());
        Self { views, seconds: runs.iter().map(|run| run.seconds.get()).collect(), parts, point }
    }
}

/// The name of a run in errors: where it stands, or its number.
pub(super) fn name(run: &Run, place: usize) -> String {
    if run.origin.is_empty() { format!("run {}", place + 1) } else { run.origin.clone() }
}

/// A point in words.
pub(super) fn point(run: &Run) -> String {
    let variables = run.variables.iter().map(|(name, value)| format!("{name} = {value}"));
    let configuration = (!run.configuration.shares.is_empty()).then(|| run.configuration.to_string());
    variables.chain(configuration).collect::<Vec<_>>().join(", ")
}

/// Refuses what no estimator can take.
fn check(run: &Run, first: &Run, kinds: &[String], place: usize) -> Result<(), ScalingError> {
    let this = || name(run, place);
    let seconds = run.seconds.get();
    if !(seconds.is_finite() && seconds > 0.0) {
        return Err(ScalingError::Value { run: this(), name: "seconds".to_owned(), value: seconds });
    }
    if let Some((name, &value)) = run.variables.iter().find(|(_, value)| !value.is_finite()) {
        return Err(ScalingError::Value { run: this(), name: name.clone(), value });
    }
    for known in first.variables.keys().chain(run.variables.keys()) {
        let lacking = [run, first].into_iter().find(|run| !run.variables.contains_key(known));
        if let Some(lacking) = lacking {
            let run = if std::ptr::eq(lacking, run) { this() } else { name(first, 0) };
            return Err(ScalingError::Lacks { run, name: known.clone() });
        }
    }
    if !kinds.is_empty() && run.configuration.shares.is_empty() {
        return Err(ScalingError::Lacks { run: this(), name: "configuration".to_owned() });
    }
    let get = |name| run.variable(name);
    let grid = get(variable::GRID_ROWS).zip(get(variable::GRID_COLUMNS));
    let given = if kinds.is_empty() { get(variable::PROCESSES) } else { run.processes() };
    match (grid, given) {
        (Some((rows, columns)), Some(processes)) if (rows * columns - processes).abs() > 0.5 => {
            Err(ScalingError::Grid { run: this(), rows, columns, processes })
        }
        _ => Ok(()),
    }
}
