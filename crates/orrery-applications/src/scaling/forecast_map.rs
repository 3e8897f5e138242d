//! Forecasts over two variables: at the measured values and beyond them.

use std::collections::{BTreeMap, BTreeSet};

use super::application::Region;
use super::forecast::{Forecast, ForecastError};
use super::measured::MeasuredPoint;
use super::point::{Point, PointKey};
use super::term_model::TermModel;
use crate::run::variable;
use orrery_base::numeric::median;
use orrery_base::units::Seconds;

/// The largest number of measured values of an axis.
const MAX_VALUES: usize = 10;

/// The values beyond the largest measured one, as multiples of it.
const BEYOND: [f64; 2] = [2.0, 4.0];

/// The values of a variable of a map.
#[derive(Debug, Clone, PartialEq)]
pub struct MapAxis {
    /// The variable.
    pub variable: String,
    /// Measured values, then twice and four times the largest; ascending.
    pub values: Vec<f64>,
    /// The number of measured values, which are the first ones.
    pub measured: usize,
}

/// The forecast at one point of a map.
#[derive(Debug, Clone, PartialEq)]
pub struct MapCell {
    /// The point.
    pub point: Point,
    /// Its time, or why the model has none.
    pub forecast: Result<Forecast, ForecastError>,
    /// The median of the runs of this point; `None` if it was not measured.
    pub measured: Option<Seconds>,
}

/// The forecasts of a region over the two variables that vary most in its runs.
#[derive(Debug, Clone, PartialEq)]
pub struct ForecastMap {
    /// The values of the first variable.
    pub columns: MapAxis,
    /// The values of the second variable.
    pub rows: MapAxis,
    /// The variables and the configuration that all points have in common.
    pub fixed: Point,
    /// The forecasts row by row; rows and columns are in the order of their values.
    pub cells: Vec<MapCell>,
}

impl Region {
    /// The forecasts over the two variables with the most measured values; `level` is the
    /// probability of the intervals. Other variables and the configuration are those of the most
    /// measured points, and the largest ones if several have equally many.
    ///
    /// # Errors
    ///
    /// If the time depends on fewer than two variables that vary, or no point has a time.
    pub fn forecast_map(&self, level: f64) -> Result<ForecastMap, ForecastError> {
        let [columns, rows] = self.map_variables()?;
        let without = |point: &Point| {
            let mut rest = point.clone();
            let both = [&columns, &rows].map(|name| rest.variables.remove(name).is_some());
            (both == [true, true]).then_some(rest)
        };
        let mut groups: BTreeMap<PointKey, Vec<&MeasuredPoint>> = BTreeMap::new();
        for measured in &self.measured {
            if let Some(rest) = without(&measured.point) {
                groups.entry(rest.key()).or_default().push(measured);
            }
        }
        // Bits of positive numbers are in the order of the numbers; the last of several is taken.
        let most = groups.into_values().max_by_key(Vec::len).unwrap_or_default();
        let fixed = most.first().and_then(|one| without(&one.point));
        let fixed = fixed.ok_or_else(|| too_few_variables(&[]))?;
        let [columns, rows] = [columns, rows].map(|name| MapAxis::of(name, &most));
        let mut seconds: BTreeMap<PointKey, Vec<f64>> = BTreeMap::new();
        for measured in most {
            seconds.entry(measured.point.key()).or_default().extend(&measured.seconds);
        }
        let cell = |row: f64, column: f64| {
            let mut point = fixed.clone();
            point.variables.insert(columns.variable.clone(), column);
            point.variables.insert(rows.variable.clone(), row);
            let measured = seconds.get(&point.key()).map(|all| Seconds::new(median(all)));
            MapCell { forecast: self.forecast(&point, level), point, measured }
        };
        let mut cells = Vec::with_capacity(rows.values.len() * columns.values.len());
        for row in &rows.values {
            cells.extend(columns.values.iter().map(|column| cell(*row, *column)));
        }
        match cells.first().map(|first: &MapCell| &first.forecast) {
            Some(Err(error)) if cells.iter().all(|cell| cell.forecast.is_err()) => {
                Err(error.clone())
            }
            _ => Ok(ForecastMap { columns, rows, fixed, cells }),
        }
    }

    /// The two variables with the most measured values, the problem size first; of those with
    /// equally many, the ones with the widest ranges.
    fn map_variables(&self) -> Result<[String; 2], ForecastError> {
        let points = || self.measured.iter().map(|one| &one.point);
        let mut values: BTreeMap<&String, BTreeSet<u64>> = BTreeMap::new();
        for (name, value) in points().flat_map(|point| &point.variables) {
            values.entry(name).or_default().insert(value.to_bits());
        }
        // The sides of a grid of a given number of processes do not vary alone.
        let is_given = |point: &Point| {
            let has = |name: &str| point.variables.contains_key(name);
            let count = has(variable::PROCESSES) || !point.configuration.shares.is_empty();
            count && has(variable::GRID_ROWS) && has(variable::GRID_COLUMNS)
        };
        if points().any(is_given) {
            let bound = [variable::GRID_ROWS, variable::GRID_COLUMNS, variable::PROCESSES];
            values.retain(|name, _| !bound.contains(&name.as_str()));
        }
        let known = self.model.as_terms().map(TermModel::variables);
        values.retain(|name, own| {
            let is_known = known.as_ref().is_none_or(|known| known.contains(&name.as_str()));
            is_known && own.len() > 1 && own.iter().all(|bits| f64::from_bits(*bits) > 0.0)
        });
        let ratio = |own: &BTreeSet<u64>| {
            let ends = own.first().zip(own.last());
            ends.map_or(1.0, |(low, high)| f64::from_bits(*high) / f64::from_bits(*low))
        };
        let mut varying: Vec<(&String, BTreeSet<u64>)> = values.into_iter().collect();
        varying.sort_by(|(_, a), (_, b)| {
            b.len().cmp(&a.len()).then_with(|| ratio(b).total_cmp(&ratio(a)))
        });
        let names: Vec<&String> = varying.into_iter().map(|(name, _)| name).collect();
        let [one, other, ..] = names[..] else { return Err(too_few_variables(&names)) };
        let mut two = [one.clone(), other.clone()];
        two.sort_by_key(|name| (name != variable::PROBLEM_SIZE, name.clone()));
        Ok(two)
    }
}

/// The error of a region of whose measured variables at most one counts.
fn too_few_variables(names: &[&String]) -> ForecastError {
    let there = names.first().map_or_else(String::new, |name| format!("; there is only {name}"));
    ForecastError::Other(format!(
        "a map needs two variables that vary in the runs and on which the time depends{there}"
    ))
}

impl MapAxis {
    /// The values of a variable of some points, which have it.
    fn of(variable: String, points: &[&MeasuredPoint]) -> Self {
        let value = |one: &&MeasuredPoint| one.point.variables.get(&variable).copied();
        let mut all: Vec<f64> = points.iter().filter_map(value).collect();
        all.sort_by(f64::total_cmp);
        all.dedup();
        let measured = all.len().min(MAX_VALUES);
        let steps = measured.saturating_sub(1).max(1);
        let mut values: Vec<f64> =
            (0..measured).map(|step| all[step * (all.len() - 1) / steps]).collect();
        let beyond = all.last().map(|last| BEYOND.map(|times| times * last));
        values.extend(beyond.into_iter().flatten().filter(|value| value.is_finite()));
        Self { variable, values, measured }
    }
}

impl ForecastMap {
    /// The rows of cells, in the order of their values.
    pub fn by_row(&self) -> impl DoubleEndedIterator<Item = (f64, &[MapCell])> + ExactSizeIterator {
        self.rows.values.iter().copied().zip(self.cells.chunks(self.columns.values.len().max(1)))
    }
}
