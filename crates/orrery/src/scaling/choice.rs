use std::cmp::Ordering;
use std::collections::BTreeMap;

use super::search::{Candidate, Ranking};
use super::{ExecutionTimeModel, Forecast, Point, ScalingError};

/// A configuration that may be chosen, with how sure its place is.
#[derive(Debug, Clone, PartialEq)]
pub struct RankedConfiguration {
    /// The configuration, its layout and what it comes to.
    pub candidate: Candidate,
    /// The point that it is, with the variables that were fixed.
    pub point: Point,
    /// Its time with the interval of a single run.
    pub forecast: Forecast,
    /// Whether the model is sure that the first is better; `None` of the first itself, and where the model knows no errors.
    pub significantly_worse: Option<bool>,
}

impl RankedConfiguration {
    /// Ranked candidates with their forecasts, each set against the first: `fixed` are the variables that were not
    /// searched, `level` the probability of intervals and of the comparison.
    ///
    /// # Errors
    ///
    /// As [`ExecutionTimeModel::forecast`].
    pub fn from_ranking(
        times: &ExecutionTimeModel,
        ranking: &Ranking,
        fixed: &BTreeMap<String, f64>,
        level: f64,
    ) -> Result<Vec<Self>, ScalingError> {
        let point = |c: &Candidate| Point::of_configuration(&c.configuration, c.layout, fixed);
        // What a second costs in the unit of what is minimised.
        let rate = |c: &Candidate| c.value / c.time.get();
        let first = ranking.candidates.first().map(|first| (point(first), rate(first)));
        let choice = |(place, candidate): (usize, &Candidate)| {
            let (own, forecast) = (point(candidate), times.forecast(&point(candidate), level)?);
            let significantly_worse = match (&first, times.as_terms()) {
                (Some((best, price)), Some(model)) if place > 0 => {
                    let order = model.compare_at_rates((best, *price), (&own, rate(candidate)), level)?;
                    Some(order == Some(Ordering::Less))
                }
                _ => None,
            };
            Ok(Self { candidate: candidate.clone(), point: own, forecast, significantly_worse })
        };
        ranking.candidates.iter().enumerate().map(choice).collect()
    }
}
