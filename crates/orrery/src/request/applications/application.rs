use serde::{Deserialize, Serialize};

use super::levels::{check_set, check_variable, level_of, separated};
use super::{RequestError, check_answers, check_level};
use crate::model::Model;
use crate::run::{Configuration, Metric, variable};
use crate::scaling::{
    Application, Forecast, ForecastError, ForecastMap, Point, Region, RegionForecast, RegionOrder,
};
use crate::units::NumberList;

/// The times of runs of an application: all combinations of the given values.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ApplicationRequest {
    /// The region of the program; `None` for the only one.
    pub region: Option<String>,
    /// Configurations of processing elements.
    pub configurations: Vec<Configuration>,
    /// Problem sizes.
    pub n: Vec<f64>,
    /// Numbers of processes.
    pub processes: Vec<f64>,
    /// Rows of the process grid.
    pub p: Vec<f64>,
    /// Columns of the process grid.
    pub q: Vec<f64>,
    /// Block sizes.
    pub block: Vec<f64>,
    /// Other variables with lists of their values, and categories with lists of their levels.
    pub set: Vec<(String, String)>,
    /// The probability that a single run lies in its interval.
    pub level: f64,
    /// The order in which [`ApplicationRequest::regions`] ranks all regions.
    pub rank_by: Option<RegionOrder>,
}

impl Default for ApplicationRequest {
    fn default() -> Self {
        let none = Vec::new;
        let (n, processes, p, q, block) = (none(), none(), none(), none(), none());
        let (configurations, set) = (Vec::new(), Vec::new());
        Self {
            region: None,
            configurations,
            n,
            processes,
            p,
            q,
            block,
            set,
            level: 0.95,
            rank_by: None,
        }
    }
}

/// The operations of a forecast.
const OPERATIONS_PER_FORECAST: u64 = 100;

/// The values of a variable, or the levels of a category.
enum Values {
    Numbers(Vec<f64>),
    Levels(Vec<String>),
}

impl Values {
    /// The number of values.
    fn count(&self) -> usize {
        match self {
            Self::Numbers(list) => list.len(),
            Self::Levels(levels) => levels.len(),
        }
    }

    /// The points that are equal to this one but for the variable or label `name`, one for each of
    /// the values.
    fn each(&self, point: &Point, name: &str) -> Vec<Point> {
        let mut points = vec![point.clone(); self.count()];
        match self {
            Self::Numbers(list) => points.iter_mut().zip(list).for_each(|(point, value)| {
                point.variables.insert(name.to_owned(), *value);
            }),
            Self::Levels(levels) => points.iter_mut().zip(levels).for_each(|(point, level)| {
                point.labels.insert(name.to_owned(), level.clone());
            }),
        }
        points
    }
}

impl ApplicationRequest {
    /// Returns the region of the model that is meant.
    ///
    /// # Errors
    ///
    /// When the model has no application, no such region, or several.
    pub fn region<'a>(&self, model: &'a Model) -> Result<&'a Region, RequestError> {
        Ok(application(model)?.region(self.region.as_deref())?)
    }

    /// Returns what the model estimates.
    ///
    /// # Errors
    ///
    /// When the model has no application.
    pub fn metric<'a>(&self, model: &'a Model) -> Result<&'a Metric, RequestError> {
        Ok(&application(model)?.metric)
    }

    /// Returns the times of all regions at one point, in the order `rank_by` or else by their
    /// shares.
    ///
    /// # Errors
    ///
    /// When the model has no application; when a region is named, several values of a variable are
    /// given, or no region depends on a variable of `set`; when a variable of a region is missing, or
    /// no region has a time at the point.
    pub fn regions<'a>(
        &self,
        model: &'a Model,
    ) -> Result<(Point, Vec<RegionForecast<'a>>), RequestError> {
        check_level(self.level)?;
        let application = application(model)?;
        if self.region.is_some() {
            return Err(RequestError::inapplicable("region", "a ranking of all regions"));
        }
        let count = application.regions.len();
        check_answers([count, 1], "region", OPERATIONS_PER_FORECAST)?;
        // Regions may depend on different categories: the values are those of the first that knows
        // all of them.
        let mut attempts = application.regions.iter().map(|region| self.points(region));
        let first = attempts.next().ok_or(RequestError::NoApplication)?;
        let points = first.or_else(|error| attempts.find_map(Result::ok).ok_or(error))?;
        let order = self.rank_by.unwrap_or(RegionOrder::Share);
        let [point] = &points[..] else {
            let reason = format!(
                "regions are ranked at one point, but the values give {}; give one of each",
                points.len()
            );
            return Err(RequestError::invalid("rank_by", order, reason));
        };
        let lacks = application.lacks(point);
        if !lacks.is_empty() {
            return Err(ForecastError::missing(lacks).into());
        }
        let regions = application.ranked_regions(point, self.level, order);
        // Without any time there is one reason for all, such as a missing variable.
        let is_known = |one: &RegionForecast<'_>| one.forecast.is_ok();
        match regions.first().map(|first| &first.forecast) {
            Some(Err(error)) if !regions.iter().any(is_known) => Err(error.clone().into()),
            _ => Ok((point.clone(), regions)),
        }
    }

    /// Returns the forecasts of the region over the two variables that vary most in its runs.
    ///
    /// # Errors
    ///
    /// As [`ApplicationRequest::region`] and [`Region::forecast_map`].
    pub fn forecast_map(&self, model: &Model) -> Result<ForecastMap, RequestError> {
        check_level(self.level)?;
        Ok(self.region(model)?.forecast_map(self.level)?)
    }

    /// Returns the forecast of each combination; the last variable varies fastest.
    ///
    /// # Errors
    ///
    /// As [`ApplicationRequest::region`]; when the model does not depend on a variable of `set`,
    /// or needs another one; when a variable is given twice, or there are too many combinations.
    pub fn answers(&self, model: &Model) -> Result<Vec<(Point, Forecast)>, RequestError> {
        check_level(self.level)?;
        let region = self.region(model)?;
        let answer = |point: Point| {
            let forecast = region.forecast(&point, self.level)?;
            Ok((point, forecast))
        };
        self.points(region)?.into_iter().map(answer).collect()
    }

    /// The points of all combinations of the given configurations and values; one without values if
    /// none are given.
    fn points(&self, region: &Region) -> Result<Vec<Point>, RequestError> {
        let begin = |configuration: &Configuration| Point {
            configuration: configuration.clone(),
            ..Point::default()
        };
        let mut points: Vec<Point> = self.configurations.iter().map(begin).collect();
        if points.is_empty() {
            points.push(Point::default());
        }
        let own = [
            (variable::PROBLEM_SIZE, &self.n),
            (variable::PROCESSES, &self.processes),
            (variable::GRID_ROWS, &self.p),
            (variable::GRID_COLUMNS, &self.q),
            (variable::BLOCK_SIZE, &self.block),
        ];
        let own = own.into_iter().filter(|(_, values)| !values.is_empty());
        let mut all: Vec<(&str, Values)> = Vec::new();
        for (name, values) in own {
            check_variable(region, (name, &values[0].to_string()), name)?;
            all.push((name, Values::Numbers(values.clone())));
        }
        let set = separated(&self.set);
        check_set(&set)?;
        for (name, list) in &set {
            all.push((name, values_of(region, name, list)?));
        }
        for (name, values) in all {
            check_answers([points.len(), values.count()], "forecast", OPERATIONS_PER_FORECAST)?;
            if points[0].variables.contains_key(name) || points[0].labels.contains_key(name) {
                let reason = "it is given twice; separate its values by commas";
                return Err(RequestError::invalid("set", name, reason));
            }
            points = points.iter().flat_map(|point| values.each(point, name)).collect();
        }
        Ok(points)
    }
}

/// The application of a model.
fn application(model: &Model) -> Result<&Application, RequestError> {
    model.application.as_ref().ok_or(RequestError::NoApplication)
}

/// The values of a list: levels if the model has a category of this name, otherwise numbers of a
/// variable of the model.
fn values_of(region: &Region, name: &str, list: &str) -> Result<Values, RequestError> {
    let terms = region.model.as_terms();
    let known = terms.map(|terms| terms.effects.levels(name)).unwrap_or_default();
    let levels: Vec<String> = list.split(',').map(|word| level_of(&known, word.trim())).collect();
    let numbers = match list.parse::<NumberList>() {
        Ok(numbers) if !levels.iter().any(|level| known.contains(&level.as_str())) => numbers,
        Err(error) if known.is_empty() => {
            return Err(RequestError::invalid("set", format!("{name}={list}"), error));
        }
        _ => return Ok(Values::Levels(levels)),
    };
    check_variable(region, ("set", name), name)?;
    Ok(Values::Numbers(numbers.as_slice().to_vec()))
}
