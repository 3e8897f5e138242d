//! Forecasts of run times with intervals, and comparisons of points.

use std::borrow::Cow;
use std::cmp::Ordering;

use super::law_change::LawChange;
use super::mixture::{Component, probability_below, quantile};
use super::point::Point;
use super::term_model::{BoundedKind, Coefficient, Slowest, TermModel};
use super::uncertainty::{Uncertainty, Variance, satterthwaite_sum};
use crate::run::variable;
use orrery_base::names::advice;
use orrery_base::numeric::{normal_quantile, student_quantile};
use orrery_base::units::Seconds;

/// The forecast time of a run.
#[derive(Debug, Clone, PartialEq)]
pub struct Forecast {
    /// The typical time; of a model of another metric its value, in its unit and not in seconds.
    pub seconds: Seconds,
    /// The interval of a single run with the requested probability; `None` for a model without
    /// uncertainty.
    pub interval: Option<(Seconds, Seconds)>,
    /// True if a variable or the configuration is outside the measured range.
    pub extrapolated: bool,
    /// The slowest kind of elements, which determines the time; `None` if all elements are alike.
    pub slowest_kind: Option<String>,
}

/// An error of a forecast, or of a choice between configurations that needs forecasts.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum ForecastError {
    /// Variables that the model requires are missing.
    #[error("the model requires {}, which {}", descriptions(names), are_missing(names))]
    MissingVariables {
        /// The variables, each once.
        names: Vec<String>,
    },
    /// The model has no uncertainty because it has as many coefficients as measured points.
    #[error(
        "the model has no uncertainty because it has as many coefficients as points ({points}); \
            measure a few more points and fit again"
    )]
    NoUncertainty {
        /// The number of measured points.
        points: usize,
    },
    /// Any other reason, as a sentence.
    #[error("{0}")]
    Other(String),
}

impl ForecastError {
    /// A variable of the point has an invalid value.
    pub(super) fn invalid(name: &str, value: f64) -> Self {
        let expected = if value.is_finite() { "above 0" } else { "a finite number" };
        Self::Other(format!("{name} is {value}; it must be {expected}"))
    }

    /// Variables that the model requires are missing.
    pub fn missing<'a>(names: impl IntoIterator<Item = &'a str>) -> Self {
        Self::MissingVariables { names: names.into_iter().map(str::to_owned).collect() }
    }

    /// The model does not cover a kind of elements.
    pub(super) fn unknown_kind(kind: &str, kinds: &[String]) -> Self {
        let known = if kinds.is_empty() {
            "its elements are all alike".to_owned()
        } else {
            advice(kind, "its kinds", kinds)
        };
        Self::Other(format!("the model has no kind {kind:?}; {known}"))
    }

    /// The time of the model does not depend on a category.
    pub(super) fn unknown_category(category: &str, known: &[&str]) -> Self {
        let known = if known.is_empty() {
            "it has no categories".to_owned()
        } else {
            advice(category, "its categories", known)
        };
        Self::Other(format!(
            "the time of the model does not depend on a category {category:?}; {known}"
        ))
    }

    /// The runs do not determine the time.
    pub(super) fn worthless() -> Self {
        Self::Other(
            "the runs do not determine the time: the ends of its interval differ by more than a \
                factor of 100; measure nearer runs, or more of them"
                .to_owned(),
        )
    }

    /// The runs show nothing of the cost of a kind.
    pub(super) fn unidentified(kind: &str) -> Self {
        Self::Other(format!(
            "{kind} is never the slowest kind of the runs, so they do not show how fast it is; \
                measure it alone, as {kind}=1x1 at any of the measured sizes, and fit again"
        ))
    }
}

/// The name of a variable in messages.
fn display_name(name: &str) -> &str {
    match name {
        variable::PROCESSES_PER_ELEMENT => "processes per element",
        variable::SPANS_ELEMENTS => "between_elements (1 for several elements, else 0)",
        other => other,
    }
}

/// The meanings of variables, each once: several names have that of the configuration.
fn descriptions(names: &[String]) -> String {
    let mut all: Vec<String> = Vec::new();
    for description in names.iter().map(|name| description(name)) {
        if !all.contains(&description) {
            all.push(description);
        }
    }
    match all.split_last() {
        Some((last, [])) => last.clone(),
        Some((last, others)) => format!("{} and {last}", others.join(", ")),
        None => String::new(),
    }
}

/// The rest of the sentence on variables that are missing.
fn are_missing(names: &[String]) -> &'static str {
    match names {
        [_] => "is missing; give its value",
        _ => "are missing; give their values",
    }
}

/// The meaning of a variable with its name.
fn description(name: &str) -> String {
    match name {
        variable::PROBLEM_SIZE => "the problem size n".to_owned(),
        variable::PROCESSES => "the number of processes".to_owned(),
        variable::GRID_ROWS => "the rows p of the process grid".to_owned(),
        variable::GRID_COLUMNS => "the columns q of the process grid".to_owned(),
        variable::BLOCK_SIZE => "the block size".to_owned(),
        variable::PROCESSES_PER_ELEMENT | variable::SPANS_ELEMENTS | "configuration" => {
            "the configuration of processing elements".to_owned()
        }
        other => format!("the variable {other}"),
    }
}

impl TermModel {
    /// The time of a run at a point; `level` is the probability of its interval.
    ///
    /// The interval is T̂·exp(±t·s): s² is the relative variance of [`super::Uncertainty`], t the
    /// quantile of Student's distribution for its degrees of freedom. Categories without a level
    /// have the geometric mean of their levels, and the interval includes the spread of the levels.
    ///
    /// # Errors
    ///
    /// If a category, a level or a kind is unknown, a variable of the model is missing, the slowest
    /// kind is not identified, a variable that was constant in all runs has another value, the grid
    /// does not match the number of processes, or the terms have no valid time at the point.
    pub fn forecast(&self, point: &Point, level: f64) -> Result<Forecast, ForecastError> {
        self.at_levels_of(point)?.forecast_terms(point, level)
    }

    /// This model at the levels of a point.
    pub(super) fn at_levels_of(&self, point: &Point) -> Result<Cow<'_, Self>, ForecastError> {
        let levels = self.levels_at(point);
        if self.effects.is_empty() && levels.is_empty() {
            return Ok(Cow::Borrowed(self));
        }
        self.at_levels(&levels).map(Cow::Owned)
    }

    /// The time of a run at a point, without the effects of categories.
    fn forecast_terms(&self, point: &Point, level: f64) -> Result<Forecast, ForecastError> {
        let (slowest, mut forecast) = self.typical(point)?;
        let mut interval = self.interval(point, &slowest, level);
        if let Some(bound) = slowest.kind.as_deref().and_then(|kind| self.bound(kind)) {
            interval = interval.map(|(low, high)| {
                (Seconds::new(low.get().min(self.least(point, bound).get())), high)
            });
        }
        forecast.interval = interval;
        Ok(forecast)
    }

    /// The typical time of a run at a point, without the interval of [`TermModel::forecast`], which
    /// takes longer.
    ///
    /// # Errors
    ///
    /// As [`TermModel::forecast`].
    pub fn estimate(&self, point: &Point) -> Result<Forecast, ForecastError> {
        self.at_levels_of(point)?.typical(point).map(|(_, forecast)| forecast)
    }

    /// The slowest kind at a point, and the forecast without an interval and without effects of
    /// categories.
    fn typical(&self, point: &Point) -> Result<(Slowest, Forecast), ForecastError> {
        self.check(point)?;
        let slowest = self.slowest(point).ok_or_else(|| self.missing(point))?;
        if self.alternatives.iter().any(|alternative| !alternative.has_variables_of(point)) {
            return Err(self.missing(point));
        }
        let bound = slowest.kind.as_deref().and_then(|kind| self.bound(kind));
        if let Some(bound) = bound.filter(|bound| !bound.is_faster) {
            return Err(ForecastError::unidentified(&bound.kind));
        }
        // Logarithms of variables below 1 are negative, and powers may leave the range of numbers.
        if !(slowest.seconds >= 0.0 && slowest.seconds.is_finite()) {
            return Err(ForecastError::Other(format!(
                "the model has no valid time so far outside of the measured range ({} s); choose \
                    values nearer to the runs",
                slowest.seconds
            )));
        }
        let forecast = Forecast {
            seconds: Seconds::new(slowest.seconds),
            interval: None,
            extrapolated: self.extrapolates(point),
            slowest_kind: slowest.kind.clone(),
        };
        Ok((slowest, forecast))
    }

    /// The interval of a run: the quantiles of the mixture of all plausible sums of terms, and at
    /// least the typical time. `None` if the uncertainty of a sum is unknown, as that of a time of
    /// 0, or if an end is infinite.
    fn interval(&self, point: &Point, slowest: &Slowest, level: f64) -> Option<(Seconds, Seconds)> {
        let of_distance = self.distance_variance(point);
        let component = |probability: f64, slowest: &Slowest, uncertainty: Option<&Uncertainty>| {
            let of_run = uncertainty?.of_run(&slowest.terms, slowest.seconds);
            let Variance { value, degrees } = satterthwaite_sum(&[of_run, of_distance]);
            // A time of 0 has no logarithm, and no relative variance.
            let has_distribution = slowest.seconds > 0.0 && value.is_finite();
            has_distribution.then(|| Component {
                probability,
                seconds: slowest.seconds,
                scale: value.sqrt(),
                degrees,
            })
        };
        let others = self.alternatives.iter().map(|alternative| {
            let slowest = Slowest::of(&alternative.coefficients, point)?;
            component(alternative.probability, &slowest, alternative.uncertainty.as_ref())
        });
        let own = component(self.probability(), slowest, self.uncertainty.as_ref())?;
        // Sums with a time of 0, as of logarithms of 1, have no part in the distribution.
        let mut components: Vec<Component> = std::iter::once(own).chain(others.flatten()).collect();
        if components.len() <= self.alternatives.len() {
            let whole: f64 = components.iter().map(|one| one.probability).sum();
            components.iter_mut().for_each(|one| one.probability /= whole);
        }
        let reach = |c: &Component| {
            half_width(Variance { value: c.scale * c.scale, degrees: c.degrees }, level)
        };
        let (low, high) = match components.as_slice() {
            [only] => (only.seconds * (-reach(only)).exp(), only.seconds * reach(only).exp()),
            _ => {
                let tail = f64::midpoint(1.0, -level);
                (quantile(&components, tail, reach), quantile(&components, 1.0 - tail, reach))
            }
        };
        let finite = low.is_finite() && high.is_finite();
        finite.then(|| {
            (Seconds::new(low.min(slowest.seconds)), Seconds::new(high.max(slowest.seconds)))
        })
    }

    /// The relative variance that the distance of a point from the measured range adds, as far as
    /// the family knows it.
    fn distance_variance(&self, point: &Point) -> Variance {
        let Some(prior) = self.family.prior() else {
            return Variance { value: 0.0, degrees: f64::INFINITY };
        };
        let distance = |(name, (low, high)): (&String, &(f64, f64))| {
            let value = point.variables.get(name).copied().unwrap_or(*low);
            (value / high).max(low / value).max(1.0).ln().powi(2)
        };
        let value = prior.distance_variance * self.ranges.iter().map(distance).sum::<f64>();
        Variance { value, degrees: prior.distance_degrees }
    }

    /// The time at a point if computation on a kind with a bounded cost takes no time.
    fn least(&self, point: &Point, bound: &BoundedKind) -> Seconds {
        let is_own = |c: &&Coefficient| c.kind.as_ref() == Some(&bound.kind);
        let others: Vec<Coefficient> =
            self.coefficients.iter().filter(|c| !is_own(c)).cloned().collect();
        Seconds::new(Slowest::of(&others, point).map_or(0.0, |slowest| slowest.seconds))
    }

    /// The order of the times of two points, if the difference is significant at this level;
    /// otherwise `None`.
    ///
    /// Errors of common coefficients cancel, so the difference is often known better than either
    /// time.
    ///
    /// # Errors
    ///
    /// As [`TermModel::forecast`].
    pub fn compare(
        &self,
        one: &Point,
        other: &Point,
        level: f64,
    ) -> Result<Option<Ordering>, ForecastError> {
        self.compare_at_rates((one, 1.0), (other, 1.0), level)
    }

    /// The order of time × rate, such as a price per second, of two points, if the difference is
    /// significant at this level; otherwise `None`. See [`TermModel::compare`].
    ///
    /// # Errors
    ///
    /// As [`TermModel::forecast`].
    pub fn compare_at_rates(
        &self,
        (one, rate): (&Point, f64),
        (other, other_rate): (&Point, f64),
        level: f64,
    ) -> Result<Option<Ordering>, ForecastError> {
        if !self.effects.is_empty() {
            let levels = [one, other].map(|point| self.levels_at(point));
            let (a, b) = (self.effects.at(&levels[0])?, self.effects.at(&levels[1])?);
            // The errors of equal levels cancel; the lack of fit counts twice in a difference.
            let variance =
                if levels[0] == levels[1] { 0.0 } else { f64::midpoint(a.variance, b.variance) };
            let rates = (rate * a.logarithm.exp(), other_rate * b.logarithm.exp());
            return self.scaled(1.0, variance).compare_at_rates(
                (one, rates.0),
                (other, rates.1),
                level,
            );
        }
        self.check(one)?;
        self.check(other)?;
        let (a, b) = (self.slowest(one), self.slowest(other));
        let a = a.ok_or_else(|| self.missing(one))?;
        let b = b.ok_or_else(|| self.missing(other))?;
        let own = self
            .uncertainty
            .as_ref()
            .map(|uncertainty| longer(uncertainty, (&a, rate), (&b, other_rate)));
        let others = self.alternatives.iter().map(|alternative| {
            let [a, b] = [one, other].map(|point| Slowest::of(&alternative.coefficients, point));
            let probability =
                longer(alternative.uncertainty.as_ref()?, (&a?, rate), (&b?, other_rate));
            Some(alternative.probability * probability)
        });
        let own = own.map(|probability| self.probability() * probability);
        // The probability that the first time is the longer one.
        let Some(first_longer) = std::iter::once(own).chain(others).sum::<Option<f64>>() else {
            return Ok(None);
        };
        let significant = first_longer.max(1.0 - first_longer) > f64::midpoint(1.0, level);
        let order = if first_longer > 0.5 { Ordering::Greater } else { Ordering::Less };
        Ok(significant.then_some(order))
    }

    /// Validates the variables and the configuration of a point.
    fn check(&self, point: &Point) -> Result<(), ForecastError> {
        let shares = &point.configuration.shares;
        if let Some(share) =
            shares.iter().find(|share| !self.kinds.is_empty() && !self.kinds.contains(&share.kind))
        {
            return Err(ForecastError::unknown_kind(&share.kind, &self.kinds));
        }
        if let Some(change) = self.law_change.as_ref().filter(|one| !one.applies_to(point)) {
            let LawChange { variable, below, from } = change;
            return Err(ForecastError::Other(format!(
                "the law of the time changes between {variable} = {below} and {from}, and the model \
                    is that from {from} on; fit the runs up to {variable} = {below} for this point"
            )));
        }
        let value = point.variables.iter().find(|(_, value)| !value.is_finite());
        if let Some((name, &value)) = value {
            return Err(ForecastError::invalid(name, value));
        }
        // Sizes and numbers of processes are positive, and so are variables that were positive in
        // all runs.
        let known = [
            variable::PROBLEM_SIZE,
            variable::PROCESSES,
            variable::GRID_ROWS,
            variable::GRID_COLUMNS,
            variable::BLOCK_SIZE,
        ];
        let below = |(name, value): &(&String, &f64)| {
            let positive = self.ranges.get(*name).is_some_and(|(low, _)| *low > 0.0);
            **value <= 0.0 && (positive || known.contains(&name.as_str()))
        };
        if let Some((name, &value)) = point.variables.iter().find(below) {
            return Err(ForecastError::invalid(name, value));
        }
        self.check_constants(point)?;
        let get = |name: &str| point.variables.get(name).copied();
        let configured =
            Some(point.configuration.processes() as f64).filter(|&processes| processes > 0.0);
        let processes = configured.or(get(variable::PROCESSES));
        match (get(variable::GRID_ROWS).zip(get(variable::GRID_COLUMNS)), processes) {
            (Some((rows, columns)), Some(processes))
                if (rows * columns - processes).abs() > 0.5 =>
            {
                Err(ForecastError::Other(format!(
                    "a grid of {rows}×{columns} has {} processes, not {processes}; choose P and Q \
                        with P·Q = {processes}",
                    rows * columns
                )))
            }
            _ => Ok(()),
        }
    }

    /// Rejects other values of variables that were constant in all runs, and a missing grid if
    /// grids were varied.
    fn check_constants(&self, point: &Point) -> Result<(), ForecastError> {
        let rows = self
            .ranges
            .get(variable::GRID_ROWS)
            .filter(|_| self.ranges.contains_key(variable::GRID_COLUMNS));
        let given = [variable::GRID_ROWS, variable::GRID_COLUMNS]
            .map(|name| point.variables.contains_key(name));
        if rows.is_some_and(|(low, high)| low < high) && given != [true, true] {
            let name = if given[0] { variable::GRID_COLUMNS } else { variable::GRID_ROWS };
            return Err(ForecastError::missing([name]));
        }
        let kinds = point.variables_of_kinds();
        for (name, &(measured, max)) in self.ranges.iter().filter(|(_, (low, high))| low >= high) {
            let other = |value: &f64| (value - measured).abs() > 1e-9 * max.abs();
            if let Some(asked) =
                kinds.iter().filter_map(|variables| variables.get(name)).find(other)
            {
                return Err(ForecastError::Other(format!(
                    "all runs of the model have {} = {measured}, so it cannot predict {asked}; \
                        measure runs with other values",
                    display_name(name)
                )));
            }
        }
        Ok(())
    }

    /// The variables of the model that a point does not have.
    pub(super) fn lacks(&self, point: &Point) -> Vec<&str> {
        let variables = point.element_variables(point.configuration.shares.first());
        self.variables().into_iter().filter(|name| variables.get(name).is_none()).collect()
    }

    /// The error for the variables of the model that the point does not have.
    fn missing(&self, point: &Point) -> ForecastError {
        match &self.lacks(point)[..] {
            [] => ForecastError::missing([variable::PROBLEM_SIZE]),
            names => ForecastError::missing(names.iter().copied()),
        }
    }

    /// Returns true if a variable is outside the measured range.
    fn extrapolates(&self, point: &Point) -> bool {
        let kinds = point.variables_of_kinds();
        let outside = |(name, &(low, high)): (&String, &(f64, f64))| {
            kinds
                .iter()
                .filter_map(|variables| variables.get(name))
                .any(|value| value < low || value > high)
        };
        self.ranges.iter().any(outside)
    }
}

/// The probability that time × rate of the first is longer than that of the second.
fn longer(
    uncertainty: &Uncertainty,
    (a, rate): (&Slowest, f64),
    (b, other_rate): (&Slowest, f64),
) -> f64 {
    let scaled = |slowest: &Slowest, rate: f64| {
        slowest.terms.iter().map(|term| term * rate).collect::<Vec<f64>>()
    };
    let seconds = (a.seconds * rate, b.seconds * other_rate);
    let Variance { value, degrees } =
        uncertainty.of_difference(&scaled(a, rate), &scaled(b, other_rate), seconds);
    let difference = (seconds.0 - seconds.1) / seconds.0.max(seconds.1);
    // Equal times, of which neither is longer.
    if difference.abs() > 0.0 { probability_below(difference, value.sqrt(), degrees) } else { 0.5 }
}

/// The half width of an interval, relative to the time.
pub(super) fn half_width(variance: Variance, level: f64) -> f64 {
    let quantile = if variance.degrees.is_finite() {
        student_quantile(variance.degrees.max(1.0), level)
    } else {
        normal_quantile(level)
    };
    quantile * variance.value.sqrt()
}
