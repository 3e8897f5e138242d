//! The execution-time models of an application, and its configurations ranked with forecasts.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use super::element_times::TermTimes;
use super::forecast::{Forecast, ForecastError};
use super::paper::{PaperModel, PaperTimes};
use super::point::{ElementTime, Point};
use super::search::{Candidate, Ranking};
use super::term_model::TermModel;
use crate::run::variable;

/// The execution-time models of an application, one for each measured region.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Application {
    /// The regions; names are unique.
    pub regions: Vec<Region>,
}

/// A measured part of a program with its model.
#[derive(Debug, Clone, PartialEq)]
pub struct Region {
    /// The name, such as a call path; empty for the whole program.
    pub name: String,
    /// The model of its execution time.
    pub model: ExecutionTimeModel,
}

/// A region that was not found.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RegionError {
    /// There is no region of this name.
    #[error("the model has no region {name:?}; its regions are {}", name_list(regions))]
    Unknown {
        /// The name.
        name: String,
        /// The regions of the model.
        regions: Vec<String>,
    },
    /// There are several regions and none was named.
    #[error("the model has {} regions, name one of {}", regions.len(), name_list(regions))]
    Ambiguous {
        /// The regions of the model.
        regions: Vec<String>,
    },
}

/// Quoted names; long lists are abbreviated.
fn name_list(names: &[String]) -> String {
    const MAX_NAMES: usize = 8;
    let mut words: Vec<String> = names.iter().take(MAX_NAMES).map(|name| format!("{name:?}")).collect();
    if names.len() > MAX_NAMES {
        words.push(format!("and {} more", names.len() - MAX_NAMES));
    }
    words.join(", ")
}

impl Application {
    /// The region of this name, or the only region if no name is given.
    ///
    /// # Errors
    ///
    /// If there is no such region, or if there are several and no name is given.
    pub fn region(&self, name: Option<&str>) -> Result<&Region, RegionError> {
        let regions = || self.regions.iter().map(|region| region.name.clone()).collect();
        match name {
            Some(name) => self
                .regions
                .iter()
                .find(|region| region.name == name)
                .ok_or_else(|| RegionError::Unknown { name: name.to_owned(), regions: regions() }),
            None if self.regions.len() == 1 => Ok(&self.regions[0]),
            None => Err(RegionError::Ambiguous { regions: regions() }),
        }
    }
}

impl Region {
    /// The time of a run at a point, see [`ExecutionTimeModel::forecast`].
    ///
    /// # Errors
    ///
    /// As [`ExecutionTimeModel::forecast`].
    pub fn forecast(&self, point: &Point, level: f64) -> Result<Forecast, ForecastError> {
        self.model.forecast(point, level)
    }
}

/// An execution-time model, by its method.
#[derive(Debug, Clone, PartialEq)]
pub enum ExecutionTimeModel {
    /// A sum of terms for all configurations, with intervals.
    Terms(TermModel),
    /// The N-T and P-T models of Kishimoto and Ichikawa (2004), without intervals.
    Paper(PaperModel),
}

impl ExecutionTimeModel {
    /// The keyword of the method in files.
    pub const fn method(&self) -> &'static str {
        match self {
            Self::Terms(_) => "terms",
            Self::Paper(_) => "paper",
        }
    }

    /// The time of a run at a point; `level` is the probability of its interval, if the method has intervals.
    ///
    /// # Errors
    ///
    /// As [`TermModel::forecast`] and [`PaperModel::forecast`].
    pub fn forecast(&self, point: &Point, level: f64) -> Result<Forecast, ForecastError> {
        match self {
            Self::Terms(model) => model.forecast(point, level),
            Self::Paper(model) => model.forecast(point),
        }
    }

    /// The element times of these kinds for a search; `fixed` are the variables that the search does not vary.
    ///
    /// # Errors
    ///
    /// If a kind is unknown to the model, or a variable of the model is missing.
    pub fn element_times<'a>(
        &'a self,
        kinds: &'a [String],
        fixed: &BTreeMap<String, f64>,
    ) -> Result<Box<dyn ElementTime + 'a>, ForecastError> {
        match self {
            Self::Terms(model) => Ok(Box::new(TermTimes::new(model, kinds, fixed)?)),
            Self::Paper(model) => {
                if let Some(kind) = kinds.iter().find(|kind| !model.kinds.contains(kind)) {
                    return Err(ForecastError::UnknownKind { kind: kind.clone(), kinds: model.kinds.clone() });
                }
                let missing = || ForecastError::MissingVariable { name: variable::PROBLEM_SIZE.to_owned() };
                let size = fixed.get(variable::PROBLEM_SIZE).copied().ok_or_else(missing)?;
                Ok(Box::new(PaperTimes { model, kinds, size }))
            }
        }
    }

    /// The measured kinds of processing elements; empty if all elements are alike.
    pub fn kinds(&self) -> &[String] {
        match self {
            Self::Terms(model) => &model.kinds,
            Self::Paper(model) => &model.kinds,
        }
    }

    /// The number of runs that the model was fitted to.
    pub fn runs(&self) -> usize {
        match self {
            Self::Terms(model) => model.runs,
            Self::Paper(model) => model.runs,
        }
    }

    /// The sum of terms; `None` for another method.
    pub fn as_terms(&self) -> Option<&TermModel> {
        match self {
            Self::Terms(model) => Some(model),
            Self::Paper(_) => None,
        }
    }

    /// The N-T and P-T models; `None` for another method.
    pub fn as_paper(&self) -> Option<&PaperModel> {
        match self {
            Self::Terms(_) => None,
            Self::Paper(model) => Some(model),
        }
    }
}

impl From<TermModel> for ExecutionTimeModel {
    fn from(model: TermModel) -> Self {
        Self::Terms(model)
    }
}

impl From<PaperModel> for ExecutionTimeModel {
    fn from(model: PaperModel) -> Self {
        Self::Paper(model)
    }
}

/// A configuration of a ranking with its forecast, compared with the best.
#[derive(Debug, Clone, PartialEq)]
pub struct RankedConfiguration {
    /// The configuration with its layout, time and cost.
    pub candidate: Candidate,
    /// The point of the configuration, including the fixed variables.
    pub point: Point,
    /// The time with the interval of a single run.
    pub forecast: Forecast,
    /// True if the configuration is significantly worse than the best; `None` for the best itself and for models without
    /// uncertainty.
    pub significantly_worse: Option<bool>,
}

impl RankedConfiguration {
    /// Adds forecasts to the candidates of a ranking and compares each with the first.
    ///
    /// `fixed` are the variables that the search did not vary; `level` is the probability of the intervals and the
    /// confidence of the comparison.
    ///
    /// # Errors
    ///
    /// As [`ExecutionTimeModel::forecast`].
    pub fn from_ranking(
        model: &ExecutionTimeModel,
        ranking: &Ranking,
        fixed: &BTreeMap<String, f64>,
        level: f64,
    ) -> Result<Vec<Self>, ForecastError> {
        let point = |c: &Candidate| Point::of_configuration(&c.configuration, c.layout, fixed);
        // The objective value per second.
        let rate = |c: &Candidate| c.value / c.time.get();
        let first = ranking.candidates.first().map(|first| (point(first), rate(first)));
        let ranked = |(index, candidate): (usize, &Candidate)| {
            let (own, forecast) = (point(candidate), model.forecast(&point(candidate), level)?);
            let significantly_worse = match (&first, model.as_terms()) {
                (Some((best, best_rate)), Some(terms)) if index > 0 => {
                    let order = terms.compare_at_rates((best, *best_rate), (&own, rate(candidate)), level)?;
                    Some(order == Some(Ordering::Less))
                }
                _ => None,
            };
            Ok(Self { candidate: candidate.clone(), point: own, forecast, significantly_worse })
        };
        ranking.candidates.iter().enumerate().map(ranked).collect()
    }
}
