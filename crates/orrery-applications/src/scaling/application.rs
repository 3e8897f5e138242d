//! The execution-time models of an application.

use std::collections::{BTreeMap, BTreeSet};

use super::effects::Levels;
use super::element_times::TermTimes;
use super::forecast::{Forecast, ForecastError};
use super::measured::MeasuredPoint;
use super::paper::{PaperModel, PaperTimes};
use super::point::{ElementTime, Point};
use super::term_model::TermModel;
use crate::run::{Metric, Run, variable};
use orrery_base::names::advice;
use orrery_base::numeric::{mean, median};
use orrery_base::units::Seconds;

/// The execution-time models of an application, one for each measured region.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Application {
    /// What the models estimate; a time unless runs of another metric were fitted.
    pub metric: Metric,
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
    /// The runs that the model was fitted to, by point.
    pub measured: Vec<MeasuredPoint>,
}

/// A region that a question cannot be about.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RegionError {
    /// A region that was not found, or none named of several, as a sentence.
    #[error("{0}")]
    Name(String),
    /// A region of a model of the whole application.
    #[error("the model has no region {0:?}: it is of the whole application; leave the region out")]
    Whole(String),
    /// Models of another metric than a time.
    #[error(
        "the model estimates the metric {metric}, which is no time; give one that was fitted to times"
    )]
    NoTime {
        /// The metric.
        metric: String,
    },
}

impl Application {
    /// The region of this name, or the only region if no name is given.
    ///
    /// # Errors
    ///
    /// If there is no such region, or if there are several and no name is given.
    pub fn region(&self, name: Option<&str>) -> Result<&Region, RegionError> {
        let found = match (name, self.regions.as_slice()) {
            (None, [only]) => Some(only),
            (name, regions) => regions.iter().find(|region| Some(region.name.as_str()) == name),
        };
        found.ok_or_else(|| {
            let count = self.regions.len();
            match (name, self.regions.as_slice()) {
                (Some(name), [only]) if only.name.is_empty() => RegionError::Whole(name.to_owned()),
                (Some(name), regions) => {
                    let names = regions.iter().map(|region| &region.name);
                    let advice = advice(name, "its regions", names);
                    RegionError::Name(format!("the model has no region {name:?}; {advice}"))
                }
                (None, _) => RegionError::Name(format!(
                    "the model has {count} regions, name one of {}",
                    self.names()
                )),
            }
        })
    }

    /// The region as [`Application::region`] returns it, whose model estimates a time.
    ///
    /// # Errors
    ///
    /// As [`Application::region`], and if the models estimate no time.
    pub fn timed_region(&self, name: Option<&str>) -> Result<&Region, RegionError> {
        if self.metric.is_time() {
            return self.region(name);
        }
        Err(RegionError::NoTime { metric: self.metric.name().to_owned() })
    }

    /// The quoted names of the regions; a long list is abbreviated.
    fn names(&self) -> String {
        const MAX_NAMES: usize = 8;
        let names = self.regions.iter().take(MAX_NAMES).map(|region| format!("{:?}", region.name));
        let more = self.regions.len().checked_sub(MAX_NAMES + 1);
        let more = more.map(|more| format!("and {} more", more + 1));
        names.chain(more).collect::<Vec<_>>().join(", ")
    }
}

impl Region {
    /// The variants of the program that were measured, each once.
    pub fn variants(&self) -> BTreeSet<&BTreeMap<String, String>> {
        self.measured
            .iter()
            .map(|measured| &measured.variant)
            .filter(|variant| !variant.is_empty())
            .collect()
    }

    /// The labels of the variant that takes the shortest times relative to the model: the least
    /// mean of ln t/T̂ over the points measured with it, t is the median of their runs. `None` if
    /// no variant is known.
    pub fn fastest_variant(&self) -> Option<&BTreeMap<String, String>> {
        let deviation = |variant: &&BTreeMap<String, String>| {
            let points = self.measured.iter().filter(|measured| measured.variant == **variant);
            let deviations = points.filter_map(|measured| {
                let forecast = self.model.estimate(&measured.point).ok()?;
                Some((median(&measured.seconds) / forecast.seconds.get()).ln())
            });
            let deviations: Vec<f64> = deviations.collect();
            if deviations.is_empty() { f64::INFINITY } else { mean(&deviations) }
        };
        self.variants().into_iter().min_by(|a, b| deviation(a).total_cmp(&deviation(b)))
    }

    /// The region at fixed levels of the categories of its model: a model without effects, and the
    /// measured points at these levels. All choices between configurations are made by such a
    /// region.
    ///
    /// # Errors
    ///
    /// A category or a level that no run has.
    pub fn at_levels(&self, levels: &Levels) -> Result<Self, ForecastError> {
        let Some(terms) = self.model.as_terms().filter(|terms| !terms.effects.is_empty()) else {
            return match levels.keys().next() {
                None => Ok(self.clone()),
                Some(category) => Err(ForecastError::unknown_category(category, &[])),
            };
        };
        let measured = MeasuredPoint::at_levels(&self.measured, terms, levels)?;
        Ok(Self { name: self.name.clone(), model: terms.at_levels(levels)?.into(), measured })
    }

    /// The levels of the categories of the model with the shortest time, measured together or not;
    /// `fixed` are given ones.
    pub fn best_levels(&self, fixed: &Levels) -> Levels {
        self.model.as_terms().map(|terms| terms.effects.best_levels(fixed)).unwrap_or_default()
    }

    /// Returns true if a run has all of these levels.
    pub fn has_run(&self, levels: &Levels) -> bool {
        let Some(terms) = self.model.as_terms() else { return false };
        self.measured
            .iter()
            .any(|run| terms.known_levels(&run.variant, &run.point.variables) == *levels)
    }

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
    /// Runs whose labels are the levels of the categories of this model, as forecasts of their
    /// points require.
    pub fn with_levels<'a>(&self, runs: impl IntoIterator<Item = &'a Run>) -> Vec<Run> {
        let with_levels = |run: &Run| {
            let mut run = run.clone();
            let levels =
                self.as_terms().map(|terms| terms.known_levels(&run.labels, &run.variables));
            run.labels = levels.unwrap_or_default();
            run.labels.retain(|name, _| !run.variables.contains_key(name));
            run
        };
        runs.into_iter().map(with_levels).collect()
    }

    /// The keyword of the method in files.
    pub const fn method(&self) -> &'static str {
        match self {
            Self::Terms(_) => "terms",
            Self::Paper(_) => "paper",
        }
    }

    /// The time of a run at a point; `level` is the probability of its interval, if the method has
    /// intervals.
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

    /// The typical time of a run at a point, without an interval.
    ///
    /// # Errors
    ///
    /// As [`ExecutionTimeModel::forecast`].
    pub fn estimate(&self, point: &Point) -> Result<Forecast, ForecastError> {
        match self {
            Self::Terms(model) => model.estimate(point),
            Self::Paper(model) => model.forecast(point),
        }
    }

    /// The element times of these kinds for a search; `fixed` are the variables that the search
    /// does not vary.
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
                    return Err(ForecastError::unknown_kind(kind, &model.kinds));
                }
                let missing = || ForecastError::missing([variable::PROBLEM_SIZE]);
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

/// The ratio of the ends of an interval above which a forecast is worthless: not even the order of
/// magnitude is known.
const WORTHLESS_RATIO: f64 = 100.0;

/// The ratio of the ends of an interval above which they are only noise.
const READABLE_RATIO: f64 = 1e6;

/// The largest number of variables whose extremes are combined.
const MAX_VARIABLES: usize = 8;

impl Forecast {
    /// Returns true if the runs do not determine the time: it is 0, or the ends of its interval
    /// differ by more than a factor of 100.
    pub fn is_worthless(&self) -> bool {
        self.seconds.get() <= 0.0 || self.ratio() > WORTHLESS_RATIO
    }

    /// The interval, if its ends say anything: they differ by at most a factor of a million.
    pub fn readable_interval(&self) -> Option<(Seconds, Seconds)> {
        self.interval.filter(|_| self.ratio() <= READABLE_RATIO)
    }

    /// The ratio of the ends of the interval; 1 without an interval.
    pub fn ratio(&self) -> f64 {
        self.interval.map_or(1.0, |(low, high)| high / low)
    }
}

impl Region {
    /// A run that would improve the forecast at a point.
    ///
    /// It is the corner of the measured range with the widest interval if that is worthless, too.
    /// Otherwise it lies between the measured range and the point: variables outside have the
    /// geometric mean of both, counts are rounded. `None` without measured points, or if no such
    /// run is possible, as with a grid that must have all processes.
    pub fn helpful_run(&self, point: &Point, level: f64) -> Option<Point> {
        if let Some((corner, forecast)) = self.widest_corner(point, level)
            && forecast.is_worthless()
        {
            return Some(corner);
        }
        let mut between = point.clone();
        for (name, value) in &mut between.variables {
            let (low, high) = self.range(name)?;
            let nearest = value.clamp(low, high);
            let mean = (nearest * *value).sqrt();
            if mean.is_finite() && (mean - nearest).abs() > 0.0 {
                let is_count = self.is_count(name) && is_whole(*value);
                *value = if is_count { mean.round() } else { rounded(mean, nearest, *value) };
            }
        }
        self.model.estimate(&between).is_ok().then_some(between)
    }

    /// The corner of the measured range with the configuration of a point whose interval is widest,
    /// with its forecast; `None` if no corner has a forecast.
    pub fn widest_corner(&self, point: &Point, level: f64) -> Option<(Point, Forecast)> {
        let first = &self.measured.first()?.point;
        let ranges: Vec<(&String, (f64, f64))> = first
            .variables
            .keys()
            .take(MAX_VARIABLES)
            .filter_map(|name| Some((name, self.range(name)?)))
            .collect();
        let corner = |bits: usize| {
            let value = |(k, (name, (low, high))): (usize, &(&String, (f64, f64)))| {
                ((*name).clone(), if bits >> k & 1 == 1 { *high } else { *low })
            };
            let variables = ranges.iter().enumerate().map(value).collect();
            let corner = Point { variables, ..point.clone() };
            let forecast = self.forecast(&corner, level).ok()?;
            Some((corner, forecast))
        };
        let corners = (0..1usize << ranges.len()).filter_map(corner);
        corners.max_by(|(_, a), (_, b)| a.ratio().total_cmp(&b.ratio()))
    }

    /// Returns true if all measured values of a variable are whole numbers.
    fn is_count(&self, name: &str) -> bool {
        self.measured
            .iter()
            .filter_map(|measured| measured.point.variables.get(name))
            .all(|&value| is_whole(value))
    }

    /// The smallest and the largest measured value of a variable; `None` if it was not measured.
    fn range(&self, name: &str) -> Option<(f64, f64)> {
        let values =
            self.measured.iter().filter_map(|measured| measured.point.variables.get(name).copied());
        values.fold(None, |range, x| {
            Some(range.map_or((x, x), |(low, high): (f64, f64)| (low.min(x), high.max(x))))
        })
    }
}

/// Returns true for a whole number.
fn is_whole(value: f64) -> bool {
    value.fract().abs() <= 0.0
}

/// A value rounded to two digits; the value itself if the rounded one is not between the two
/// others.
fn rounded(value: f64, one: f64, other: f64) -> f64 {
    let unit = 10f64.powf(value.abs().log10().floor() - 1.0);
    let short = (value / unit).round() * unit;
    if (one.min(other)..=one.max(other)).contains(&short) { short } else { value }
}
