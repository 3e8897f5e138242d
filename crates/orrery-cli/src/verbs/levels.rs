//! The values of `--set`: numbers of variables, and levels of the categories of a model.

use std::collections::{BTreeMap, BTreeSet};

use orrery::scaling::{Levels, Region};

use crate::context::{Context, Usage};

/// Parses NAME=VALUE.
pub fn named(text: &str) -> Result<(String, String), String> {
    let (name, value) = text.split_once('=').ok_or("write NAME=VALUE, such as steps=100")?;
    Ok((name.trim().to_owned(), value.trim().to_owned()))
}

/// Checks that each name is set once.
pub fn check_set(set: &[(String, String)]) -> Result<(), Usage> {
    let mut names = BTreeSet::new();
    match set.iter().find(|(name, _)| !names.insert(name)) {
        Some((name, _)) => Err(Usage(format!("--set {name} is given twice; give it once"))),
        None => Ok(()),
    }
}

/// The level of a category as the model names it: numbers may be written differently.
pub fn level(known: &[&str], word: &str) -> String {
    let number = word.parse::<f64>().ok().map(|number| number.to_string());
    number
        .filter(|number| !known.contains(&word) && known.contains(&number.as_str()))
        .unwrap_or_else(|| word.to_owned())
}

/// A region at the chosen levels of the categories of its model.
pub struct RegionAtLevels {
    /// The region; its model has no categories.
    pub region: Region,
    /// The chosen levels.
    pub levels: Levels,
    /// True if a run has all of these levels.
    pub has_run: bool,
    /// The variables that a search does not vary: those that are given, and numeric categories.
    pub fixed: BTreeMap<String, f64>,
}

impl RegionAtLevels {
    /// Chooses the levels with the shortest time, and reports them; `set` gives variables and
    /// levels.
    pub fn choose(
        context: Context,
        region: &Region,
        set: &[(String, String)],
    ) -> anyhow::Result<Self> {
        check_set(set)?;
        let (mut fixed, mut given) = (BTreeMap::new(), Levels::new());
        for (name, word) in set {
            let known =
                region.model.as_terms().map(|terms| terms.effects.levels(name)).unwrap_or_default();
            if known.is_empty() {
                let number = word.parse().ok().filter(|number: &f64| number.is_finite());
                let wrong =
                    || Usage(format!("--set {name}={word}: the value must be a finite number"));
                fixed.insert(name.clone(), number.ok_or_else(wrong)?);
            } else {
                given.insert(name.clone(), level(&known, word));
            }
        }
        let levels = region.best_levels(&given);
        let at_levels = region.at_levels(&levels)?;
        let has_run = region.has_run(&levels);
        if let Some(terms) = region.model.as_terms().filter(|_| !levels.is_empty()) {
            let factor = terms.effects.factor(&levels)?;
            let never = if has_run { "" } else { "; no run has all of them" };
            context.say(format!("levels {}: {factor:.3} of the mean time{never}", text(&levels)));
        }
        let is_variable = |name: &str| {
            region.measured.first().is_some_and(|run| run.point.variables.contains_key(name))
        };
        let numbers = levels.iter().filter(|(name, _)| is_variable(name));
        fixed.extend(numbers.filter_map(|(name, level)| Some((name.clone(), level.parse().ok()?))));
        Ok(Self { region: at_levels, levels, has_run, fixed })
    }

    /// The levels of categories that are no variables.
    pub fn labels(&self) -> Levels {
        let labels = self.levels.iter().filter(|(name, _)| !self.fixed.contains_key(*name));
        labels.map(|(name, level)| (name.clone(), level.clone())).collect()
    }
}

/// Levels as text: `broadcast = 2rM, depth = 1`.
pub fn text(levels: &Levels) -> String {
    levels.iter().map(|(name, level)| format!("{name} = {level}")).collect::<Vec<_>>().join(", ")
}
