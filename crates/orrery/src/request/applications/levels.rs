use std::collections::{BTreeMap, BTreeSet};

use super::RequestError;
use crate::names::advice;
use crate::run::variable;
use crate::scaling::{Levels, Region, TermModel};

/// The level of a category as the model names it: numbers may be written differently.
pub(super) fn level_of(known: &[&str], word: &str) -> String {
    let number = word.parse::<f64>().ok().map(|number| number.to_string());
    number
        .filter(|number| !known.contains(&word) && known.contains(&number.as_str()))
        .unwrap_or_else(|| word.to_owned())
}

/// The variables of `set`, also those behind a comma, as in `x=1,2,y=3`.
pub(super) fn separated(set: &[(String, String)]) -> Vec<(String, String)> {
    let mut all: Vec<(String, String)> = Vec::new();
    for (name, list) in set {
        all.push((name.clone(), String::new()));
        for (place, part) in list.split(',').enumerate() {
            match (part.split_once('='), all.last_mut()) {
                (Some((name, value)), _) if place > 0 => {
                    all.push((name.trim().to_owned(), value.to_owned()));
                }
                (_, Some((_, values))) if place > 0 => {
                    values.push(',');
                    values.push_str(part);
                }
                (_, Some((_, values))) => values.push_str(part),
                (_, None) => {}
            }
        }
    }
    all
}

/// Checks that each name is set once.
pub(super) fn check_set(set: &[(String, String)]) -> Result<(), RequestError> {
    let mut names = BTreeSet::new();
    match set.iter().find(|(name, _)| !names.insert(name)) {
        Some((name, _)) => {
            Err(RequestError::invalid("set", name, "it is given twice; give it once"))
        }
        None => Ok(()),
    }
}

/// Checks that the time of a region may depend on a variable: that a run or a term has it, or that
/// what they have follows from it.
pub(super) fn check_variable(
    region: &Region,
    (field, value): (&'static str, &str),
    name: &str,
) -> Result<(), RequestError> {
    let terms = region.model.as_terms();
    let in_terms = terms.map(TermModel::variables).unwrap_or_default();
    let has = |name: &str| {
        in_terms.contains(&name)
            || region.measured.iter().any(|run| run.point.variables.contains_key(name))
            || terms.is_some_and(|terms| terms.ranges.contains_key(name))
            || terms.is_none() && name == variable::PROBLEM_SIZE
    };
    let is_process_count = |name: &str| {
        [variable::PROCESSES, variable::GRID_ROWS, variable::GRID_COLUMNS].contains(&name)
    };
    // A variable p without q is a parameter of the program, and no grid.
    let has_processes = || {
        has(variable::PROCESSES)
            || has(variable::GRID_ROWS) && has(variable::GRID_COLUMNS)
            || !region.model.kinds().is_empty()
    };
    if has(name) || is_process_count(name) && has_processes() {
        return Ok(());
    }
    let categories = terms.map(|terms| terms.effects.categories()).unwrap_or_default();
    let names: Vec<&str> = in_terms
        .into_iter()
        .filter(|name| ![variable::PROCESSES_PER_ELEMENT, variable::SPANS_ELEMENTS].contains(name))
        .chain(categories)
        .collect();
    let reason = match &names[..] {
        [] => "the model has no variables; leave it out".to_owned(),
        names => format!(
            "the model has no variable of this name; {}; leave it out, or name one of them",
            advice(name, "its variables", names)
        ),
    };
    Err(RequestError::invalid(field, value, reason))
}

/// A region at the chosen levels of the categories of its model.
#[derive(Debug, Clone)]
pub struct RegionAtLevels {
    /// The region; its model has no categories.
    pub region: Region,
    /// The chosen levels.
    pub levels: Levels,
    /// The time at these levels relative to the mean; `None` for a model without categories.
    pub factor: Option<f64>,
    /// True if a run has all of these levels.
    pub has_run: bool,
    /// The variables that a search does not vary: those that are given, and numeric categories.
    pub fixed: BTreeMap<String, f64>,
}

impl RegionAtLevels {
    /// Chooses the levels with the shortest time; `set` gives variables and levels.
    pub(super) fn choose(region: &Region, set: &[(String, String)]) -> Result<Self, RequestError> {
        let set = &separated(set);
        check_set(set)?;
        let (mut fixed, mut given) = (BTreeMap::new(), Levels::new());
        let terms = region.model.as_terms();
        for (name, word) in set {
            let known = terms.map(|terms| terms.effects.levels(name)).unwrap_or_default();
            if known.is_empty() {
                check_variable(region, ("set", name), name)?;
                let number = word.parse().ok().filter(|number: &f64| number.is_finite());
                let reason = "the value must be a finite number";
                let wrong = || RequestError::invalid("set", format!("{name}={word}"), reason);
                fixed.insert(name.clone(), number.ok_or_else(wrong)?);
            } else {
                given.insert(name.clone(), level_of(&known, word));
            }
        }
        let levels = region.best_levels(&given);
        let at_levels = region.at_levels(&levels)?;
        let terms = terms.filter(|_| !levels.is_empty());
        let factor = terms.map(|terms| terms.effects.factor(&levels)).transpose()?;
        let is_variable = |name: &str| {
            region.measured.first().is_some_and(|run| run.point.variables.contains_key(name))
        };
        let numbers = levels.iter().filter(|(name, _)| is_variable(name));
        fixed.extend(numbers.filter_map(|(name, level)| Some((name.clone(), level.parse().ok()?))));
        let has_run = region.has_run(&levels);
        Ok(Self { region: at_levels, levels, factor, has_run, fixed })
    }

    /// The levels of categories that are no variables.
    pub fn labels(&self) -> Levels {
        let labels = self.levels.iter().filter(|(name, _)| !self.fixed.contains_key(*name));
        labels.map(|(name, level)| (name.clone(), level.clone())).collect()
    }
}
