//! Configurations of a ranking with their forecasts and own runs, compared with the best.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use super::application::ExecutionTimeModel;
use super::forecast::{Forecast, ForecastError};
use super::measured::{MeasuredPoint, MeasuredTimes, OwnRuns};
use super::mixture::probability_below;
use super::point::Point;
use super::point_time::PointTime;
use super::search::{Candidate, Ranking};
use super::term_model::TermModel;
use super::uncertainty::{Variance, satterthwaite_sum};
use orrery_base::units::Seconds;

/// A configuration of a ranking with its forecast, compared with the best.
#[derive(Debug, Clone, PartialEq)]
pub struct RankedConfiguration {
    /// The configuration with its layout, time and cost.
    pub candidate: Candidate,
    /// The point of the configuration, including the fixed variables.
    pub point: Point,
    /// The time with the interval of a single run. If the point was measured, its own runs are
    /// taken into account.
    pub forecast: Forecast,
    /// The number of own runs of the point, of the variant that is the fastest there; 0 if it was
    /// not measured.
    pub runs: usize,
    /// The labels of that variant.
    pub variant: BTreeMap<String, String>,
    /// True if the configuration is significantly worse than the best; `None` for the best itself
    /// and for models without uncertainty.
    pub significantly_worse: Option<bool>,
}

impl RankedConfiguration {
    /// Adds forecasts to the candidates of a ranking and compares each with the first.
    ///
    /// `measured` are the points whose runs count; `fixed` are the variables that the search did
    /// not vary; `level` is the probability of the intervals and the confidence of the comparison.
    ///
    /// # Errors
    ///
    /// As [`ExecutionTimeModel::forecast`].
    pub fn from_ranking(
        model: &ExecutionTimeModel,
        measured: &[MeasuredPoint],
        ranking: &Ranking,
        fixed: &BTreeMap<String, f64>,
        level: f64,
    ) -> Result<Vec<Self>, ForecastError> {
        let measured = MeasuredTimes::new(measured);
        let timed = |candidate: &Candidate| {
            let point = Point::of_configuration(&candidate.configuration, candidate.layout, fixed);
            let own = measured.at(&point);
            let time = model.point_time(&point, own.as_ref())?;
            // The objective value per second.
            Ok(Timed { rate: candidate.value / candidate.time.get(), point, own, time })
        };
        let first = ranking.candidates.first().map(timed).transpose()?;
        let ranked = |(index, candidate): (usize, &Candidate)| {
            let timed = timed(candidate)?;
            let forecast = model.forecast_with_runs(&timed, level)?;
            let significantly_worse = match (&first, model.as_terms()) {
                (Some(best), Some(terms)) if index > 0 => {
                    Some(terms.compare_measured(best, &timed, level)? == Some(Ordering::Less))
                }
                _ => None,
            };
            let Timed { point, own, .. } = timed;
            let (runs, variant) =
                own.map_or_else(Default::default, |own| (own.seconds.len(), own.variant.clone()));
            Ok(Self {
                candidate: candidate.clone(),
                point,
                forecast,
                runs,
                variant,
                significantly_worse,
            })
        };
        ranking.candidates.iter().enumerate().map(ranked).collect()
    }
}

/// A point with its own runs, its time and its rate, such as a price per second.
struct Timed<'a> {
    point: Point,
    own: Option<OwnRuns<'a>>,
    time: PointTime,
    rate: f64,
}

impl ExecutionTimeModel {
    /// The time of a point by the model and by its own runs.
    ///
    /// # Errors
    ///
    /// As [`ExecutionTimeModel::forecast`], for a point without own runs.
    pub(super) fn point_time(
        &self,
        point: &Point,
        own: Option<&OwnRuns>,
    ) -> Result<PointTime, ForecastError> {
        let forecast = self.forecast(point, 0.95).map(|forecast| forecast.seconds.get());
        let uncertainty = self.as_terms().and_then(|terms| terms.uncertainty.as_ref());
        let runs = own.map_or(&[][..], |own| &own.seconds);
        match forecast {
            Ok(seconds) => Ok(PointTime::of_model(seconds, uncertainty, runs)),
            Err(_) if !runs.is_empty() => Ok(PointTime::of_runs(None, runs)),
            Err(error) => Err(error),
        }
    }

    /// The time of a run at a point, with its own runs if it was measured.
    fn forecast_with_runs(
        &self,
        Timed { point, own, time, .. }: &Timed,
        level: f64,
    ) -> Result<Forecast, ForecastError> {
        let forecast = self.forecast(point, level);
        if own.is_none() {
            return forecast;
        }
        let coefficients = self.as_terms().and_then(|terms| {
            let slowest = terms.slowest(point).filter(|_| forecast.is_ok())?;
            Some(terms.uncertainty.as_ref()?.of_coefficients(&slowest.terms, slowest.seconds))
        });
        let interval = time
            .interval(coefficients, level)
            .map(|(low, high)| (Seconds::new(low), Seconds::new(high)));
        let (extrapolated, slowest_kind) = forecast
            .map_or((false, None), |forecast| (forecast.extrapolated, forecast.slowest_kind));
        Ok(Forecast { seconds: Seconds::new(time.seconds()), interval, extrapolated, slowest_kind })
    }
}

impl TermModel {
    /// The order of time × rate of two points, if the difference is significant at this level;
    /// otherwise `None`.
    ///
    /// Own runs reduce the part of a point's time that depends on the coefficients to 1 − k
    /// ([`PointTime`]).
    fn compare_measured(
        &self,
        one: &Timed,
        other: &Timed,
        level: f64,
    ) -> Result<Option<Ordering>, ForecastError> {
        let Some(uncertainty) = &self.uncertainty else { return Ok(None) };
        if one.own.is_none() && other.own.is_none() {
            return self.compare_at_rates(
                (&one.point, one.rate),
                (&other.point, other.rate),
                level,
            );
        }
        let scaled = |timed: &Timed| {
            let share = (1.0 - timed.time.own_weight) * timed.rate;
            let terms = self.slowest(&timed.point).map(|slowest| slowest.terms);
            let terms = terms.unwrap_or_else(|| vec![0.0; self.coefficients.len()]);
            (
                terms.into_iter().map(|term| term * share).collect::<Vec<f64>>(),
                timed.time.seconds() * timed.rate,
            )
        };
        let ((a_terms, a_value), (b_terms, b_value)) = (scaled(one), scaled(other));
        let larger = a_value.max(b_value);
        let differences: Vec<f64> = a_terms.iter().zip(&b_terms).map(|(a, b)| a - b).collect();
        let variance = satterthwaite_sum(&[
            uncertainty.of_coefficients(&differences, larger),
            one.time.residual(larger / one.rate),
            other.time.residual(larger / other.rate),
        ]);
        let Variance { value, degrees } = variance;
        let first_larger = probability_below((a_value - b_value) / larger, value.sqrt(), degrees);
        let significant = first_larger.max(1.0 - first_larger) > f64::midpoint(1.0, level);
        let order = if first_larger > 0.5 { Ordering::Greater } else { Ordering::Less };
        Ok(significant.then_some(order))
    }
}
