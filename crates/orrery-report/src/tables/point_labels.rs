//! Labels of the points of an evaluation.

use orrery::run::variable::{GRID_COLUMNS, GRID_ROWS, PROBLEM_SIZE, PROCESSES};
use orrery::scaling::{Evaluation, Point};

use super::application::names;

/// Labels of points of one size: the configuration, the process grid, all other variables that
/// vary, and the levels of categories that vary.
///
/// What follows from the rest of a label is left out: the number of processes of a configuration or
/// of a grid, and the grid of a configuration that was measured on one grid only.
#[derive(Debug, Clone, Default)]
pub(crate) struct PointLabels {
    /// The variables that vary, except the size.
    varying: Vec<String>,
    /// The categories whose levels vary.
    labels: Vec<String>,
    /// True if a configuration was measured on several grids.
    has_grids: bool,
}

impl PointLabels {
    /// The labels for the points of an evaluation.
    pub(crate) fn of(evaluation: &Evaluation) -> Self {
        let refused = evaluation.without_estimate.iter().map(|(point, _)| point);
        let points: Vec<&Point> =
            evaluation.points.iter().map(|pair| &pair.point).chain(refused).collect();
        let all = names(points.iter().flat_map(|point| point.variables.keys()));
        let varies = |name: &&str| {
            points.iter().any(|p| p.variables.get(*name) != points[0].variables.get(*name))
        };
        let varying = all
            .into_iter()
            .filter(|name| *name != PROBLEM_SIZE && varies(name))
            .map(ToOwned::to_owned);
        let other_grid =
            |a: &Point, b: &Point| a.configuration == b.configuration && grid(a) != grid(b);
        let mut by_configuration = points.clone();
        by_configuration.sort_by_key(|point| point.configuration.to_string());
        let has_grids = by_configuration.windows(2).any(|pair| other_grid(pair[0], pair[1]));
        let labels = names(points.iter().flat_map(|point| point.labels.keys()));
        let differs =
            |name: &&str| points.iter().any(|p| p.labels.get(*name) != points[0].labels.get(*name));
        let labels = labels.into_iter().filter(differs).map(ToOwned::to_owned).collect();
        Self { varying: varying.collect(), labels, has_grids }
    }

    /// The label of a point; empty if its size identifies it.
    pub(crate) fn label(&self, point: &Point) -> String {
        let configuration = Some(point.configuration.to_string())
            .filter(|_| !point.configuration.shares.is_empty());
        let grid = grid(point);
        let shown_grid = grid.filter(|_| self.has_grids || configuration.is_none());
        let is_implied = |name: &str| match name {
            GRID_ROWS | GRID_COLUMNS => grid.is_some(),
            PROCESSES => configuration.is_some() || grid.is_some(),
            _ => false,
        };
        let others = self.varying.iter().filter(|name| !is_implied(name));
        let others =
            others.filter_map(|name| Some(format!("{name}={}", point.variables.get(name)?)));
        let labels = point.labels.iter().filter(|(name, _)| self.labels.contains(name));
        let labels = labels.map(|(name, level)| format!("{name}={level}"));
        let grid = shown_grid.map(|(rows, columns)| format!("{rows}×{columns}"));
        configuration
            .clone()
            .into_iter()
            .chain(grid)
            .chain(others)
            .chain(labels)
            .collect::<Vec<_>>()
            .join(", ")
    }
}

/// The numbers of rows and columns of the process grid of a point; `None` if it has no such
/// variables.
fn grid(point: &Point) -> Option<(f64, f64)> {
    let get = |name: &str| point.variables.get(name).copied();
    get(GRID_ROWS).zip(get(GRID_COLUMNS))
}
