//! The labels and codes of runs that can be categories, and the level of each in each run.

use std::collections::{BTreeMap, BTreeSet};

use crate::run::{Run, hpl, is_identifier, is_result, variable};
use crate::scaling::effects::Levels;

/// The number of runs for each level of a category, at least.
const RUNS_PER_LEVEL: usize = 3;

/// The largest number of levels of a category.
const MAX_LEVELS: usize = 32;

/// The variables that a model needs as numbers.
const QUANTITIES: [&str; 6] = [
    variable::PROBLEM_SIZE,
    variable::PROCESSES,
    variable::GRID_ROWS,
    variable::GRID_COLUMNS,
    variable::PROCESSES_PER_ELEMENT,
    variable::SPANS_ELEMENTS,
];

/// A label or a numeric variable that can be a category.
#[derive(Debug, Clone)]
pub(super) struct Candidate {
    pub(super) name: String,
    /// True for a numeric variable.
    pub(super) is_numeric: bool,
    /// True for a numeric variable that terms can also contain.
    pub(super) is_optional: bool,
    /// The level of each run.
    pub(super) levels: Vec<String>,
}

/// The labels of a run, with the code of HPL as its parameters, and the variables as text.
pub(in crate::scaling) fn levels_of(
    labels: &BTreeMap<String, String>,
    variables: &BTreeMap<String, f64>,
) -> Levels {
    let mut levels: Levels =
        variables.iter().map(|(name, value)| (name.clone(), value.to_string())).collect();
    levels.extend(hpl::parameters(labels));
    levels
}

/// The candidates of runs: labels that all runs have, variables with values that no product can
/// contain, and codes.
pub(super) fn candidates(runs: &[&Run]) -> Vec<Candidate> {
    let levels: Vec<Levels> =
        runs.iter().map(|run| levels_of(&run.labels, &run.variables)).collect();
    let Some(first) = levels.first() else { return Vec::new() };
    let candidate = |name: &String| {
        if is_result(name) || is_identifier(name) {
            return None;
        }
        let own: Vec<String> =
            levels.iter().map(|levels| levels.get(name).cloned()).collect::<Option<_>>()?;
        let numbers: Option<Vec<f64>> = runs.iter().map(|run| run.variable(name)).collect();
        let numbers = numbers.filter(|_| !runs[0].labels.contains_key(name));
        let is_numeric = numbers.is_some();
        let is_optional = match numbers {
            Some(_) if QUANTITIES.contains(&name.as_str()) => return None,
            Some(numbers) if numbers.iter().any(|number| *number <= 0.0) => false,
            Some(numbers) if name == variable::BLOCK_SIZE || are_codes(&numbers) => true,
            Some(_) => return None,
            None => false,
        };
        (has_levels(&own) && !is_confounded(name, &own, runs)).then(|| Candidate {
            name: name.clone(),
            is_numeric,
            is_optional,
            levels: own,
        })
    };
    without_aliases(first.keys().filter_map(candidate).collect())
}

/// The candidates without those that divide the runs as another one does. The first of them is
/// kept, but none if they are parameters of HPL, because any of these can have the effect.
fn without_aliases(candidates: Vec<Candidate>) -> Vec<Candidate> {
    let partitions: Vec<Vec<usize>> = candidates.iter().map(partition).collect();
    let is_kept = |index: usize| {
        let mut others = (0..candidates.len())
            .filter(|&other| other != index && partitions[other] == partitions[index]);
        let is_parameter = |index: usize| hpl::is_parameter(&candidates[index].name);
        others.all(|other| index < other && !(is_parameter(index) && is_parameter(other)))
    };
    let kept: Vec<bool> = (0..candidates.len()).map(is_kept).collect();
    candidates
        .into_iter()
        .zip(kept)
        .filter_map(|(candidate, kept)| kept.then_some(candidate))
        .collect()
}

/// For each run the index of the first run with the same level.
fn partition(candidate: &Candidate) -> Vec<usize> {
    let mut first = BTreeMap::new();
    candidate
        .levels
        .iter()
        .enumerate()
        .map(|(run, level)| *first.entry(level).or_insert(run))
        .collect()
}

/// Returns true if the different numbers are consecutive integers.
fn are_codes(numbers: &[f64]) -> bool {
    let distinct: BTreeSet<i64> = numbers.iter().map(|number| *number as i64).collect();
    let whole =
        numbers.iter().all(|number| number.fract().abs() < f64::EPSILON && number.abs() < 1e6);
    let ends = distinct.first().zip(distinct.last());
    whole
        && distinct.len() > 2
        && ends.is_some_and(|(first, last)| (last - first) as usize + 1 == distinct.len())
}

/// Returns true if there are several levels and each has several runs.
fn has_levels(levels: &[String]) -> bool {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    levels.iter().for_each(|level| *counts.entry(level).or_default() += 1);
    let most = MAX_LEVELS.min(levels.len() / RUNS_PER_LEVEL);
    (2..=most).contains(&counts.len()) && counts.values().all(|count| *count > 1)
}

/// Returns true if the levels have ranges of a variable, or configurations, that do not overlap, as
/// those of a date: runs cannot distinguish the effect of the levels from that of the variable.
fn is_confounded(name: &str, levels: &[String], runs: &[&Run]) -> bool {
    let apart = |mut ranges: Vec<(f64, f64)>| {
        ranges.sort_by(|a, b| a.0.total_cmp(&b.0));
        ranges.windows(2).all(|pair| pair[0].1 < pair[1].0)
    };
    let ranges = |values: Vec<f64>| {
        let mut ranges: BTreeMap<&str, (f64, f64)> = BTreeMap::new();
        for (level, value) in levels.iter().zip(values) {
            let range = ranges.entry(level).or_insert((value, value));
            *range = (range.0.min(value), range.1.max(value));
        }
        ranges.into_values().collect()
    };
    let others = runs[0].variables.keys().filter(|other| *other != name);
    let values =
        |other: &String| runs.iter().map(|run| run.variable(other)).collect::<Option<Vec<f64>>>();
    let mut level_of = BTreeMap::new();
    let mut shares_configuration = false;
    for (level, run) in levels.iter().zip(runs) {
        shares_configuration |=
            level_of.insert(&run.configuration, level).is_some_and(|other| other != level);
    }
    others.filter_map(values).any(|values| apart(ranges(values))) || !shares_configuration
}

#[cfg(test)]
mod tests {
    use super::*;
    use orrery_base::units::Seconds;

    fn names(runs: &[Run]) -> Vec<String> {
        let runs: Vec<&Run> = runs.iter().collect();
        candidates(&runs).into_iter().map(|candidate| candidate.name).collect()
    }

    fn runs(label: impl Fn(usize) -> String, n: impl Fn(usize) -> f64) -> Vec<Run> {
        let run = |k: usize| {
            let mut run = Run::new(Seconds::new(1.0));
            run.variables.insert("n".into(), n(k));
            run.variables.insert("depth".into(), (k % 2) as f64);
            run.labels.insert("label".into(), label(k));
            run
        };
        (0..24).map(run).collect()
    }

    #[test]
    fn labels_of_single_runs_and_of_ranges_of_the_size_are_no_categories() {
        let n = |k: usize| (1 + k / 8) as f64;
        assert_eq!(names(&runs(|k| (k % 3).to_string(), n)), ["depth", "label"]);
        assert_eq!(names(&runs(|k| k.to_string(), n)), ["depth"], "job ids");
        assert_eq!(names(&runs(|k| (k / 8).to_string(), n)), ["depth"], "one date for each size");
        assert_eq!(
            names(&runs(|k| (k / 8).to_string(), |k| k as f64)),
            ["depth"],
            "dates in the order of the sizes"
        );
    }

    #[test]
    fn parameters_that_vary_together_are_no_categories() {
        let mut both = runs(|k| (k % 3).to_string(), |k| k as f64);
        for (k, run) in both.iter_mut().enumerate() {
            let level = run.labels["label"].clone();
            run.labels.insert("other".into(), format!("{level}x"));
            run.labels.insert("swap".into(), format!("mix:{}", k / 2 % 2));
            run.labels.insert("align".into(), format!("{}", 8 + k / 2 % 2));
        }
        assert_eq!(
            names(&both),
            ["depth", "label"],
            "swap and align vary together, other as label"
        );
    }

    #[test]
    fn the_code_of_hpl_is_several_categories() {
        let code = |k: usize| format!("WR{}{}C2R4", k % 2, k / 2 % 3);
        assert_eq!(names(&runs(code, |k| k as f64)), ["depth", "label"]);
        let mut hpl = runs(code, |k| k as f64);
        for run in &mut hpl {
            run.variables.remove("depth");
            let code = run.labels.remove("label").unwrap();
            run.labels.insert("variant".into(), code);
        }
        assert_eq!(names(&hpl), ["broadcast", "depth"]);
    }
}
