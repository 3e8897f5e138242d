//! The variable that is the size of a problem.

use std::collections::{BTreeMap, BTreeSet};

use super::point::Point;
use crate::run::variable;

/// The variable that is the size of the points: n, else the variable with the most values; `None`
/// if no variable varies.
///
/// The shape of a grid and the size of blocks are no sizes.
pub(super) fn size_variable<'a>(points: impl IntoIterator<Item = &'a Point>) -> Option<String> {
    let mut values: BTreeMap<&str, BTreeSet<u64>> = BTreeMap::new();
    for (name, value) in points.into_iter().flat_map(|point| &point.variables) {
        values.entry(name).or_default().insert(value.to_bits());
    }
    let grid = [variable::GRID_ROWS, variable::GRID_COLUMNS];
    let has_grid = grid.iter().all(|name| values.contains_key(name));
    let count = |name: &str| values.get(name).map_or(0, BTreeSet::len);
    let is_size = |name: &&str| {
        count(name) > 1 && *name != variable::BLOCK_SIZE && !(has_grid && grid.contains(name))
    };
    // The first name of those with the most values.
    let most = values.keys().copied().rev().filter(is_size).max_by_key(|name| count(name));
    Some(variable::PROBLEM_SIZE).filter(is_size).or(most).map(str::to_owned)
}
