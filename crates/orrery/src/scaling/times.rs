use std::collections::BTreeMap;

use super::paper::{PaperModel, PaperTimes};
use super::{ElementTime, Forecast, Point, ScalingError, TermModel, TermTimes};
use crate::run::variable;

/// The model of a region's times, by the method that it was fitted with.
#[derive(Debug, Clone, PartialEq)]
pub enum ExecutionTimeModel {
    /// One sum of terms for all configurations, with intervals.
    Terms(TermModel),
    /// The N-T and P-T models of the paper, without intervals.
    Paper(PaperModel),
}

impl ExecutionTimeModel {
    /// The word for the method in files.
    pub const fn method(&self) -> &'static str {
        match self {
            Self::Terms(_) => "terms",
            Self::Paper(_) => "paper",
        }
    }

    /// How long a run at this point takes; `level` is the probability of its interval, where there is one.
    ///
    /// # Errors
    ///
    /// As [`TermModel::forecast`] and [`PaperModel::forecast`].
    pub fn forecast(&self, point: &Point, level: f64) -> Result<Forecast, ScalingError> {
        match self {
            Self::Terms(model) => model.forecast(point, level),
            Self::Paper(model) => model.forecast(point),
        }
    }

    /// The times of elements for a search: of these kinds, with these values of the variables that it leaves alone.
    ///
    /// # Errors
    ///
    /// When the model does not know a kind, or needs a variable that was not given.
    pub fn of_elements<'a>(
        &'a self,
        kinds: &'a [String],
        fixed: &BTreeMap<String, f64>,
    ) -> Result<Box<dyn ElementTime + 'a>, ScalingError> {
        match self {
            Self::Terms(model) => Ok(Box::new(TermTimes::of(model, kinds, fixed)?)),
            Self::Paper(model) => {
                if let Some(kind) = kinds.iter().find(|kind| !model.kinds.contains(kind)) {
                    return Err(ScalingError::UnknownKind { kind: kind.clone(), kinds: model.kinds.clone() });
                }
                let size = fixed.get(variable::PROBLEM_SIZE).copied();
                let size = size.ok_or_else(|| ScalingError::NotGiven { name: variable::PROBLEM_SIZE.to_owned() })?;
                Ok(Box::new(PaperTimes { model, kinds, size }))
            }
        }
    }

    /// The kinds of processing elements that were measured; empty where all are alike.
    pub fn kinds(&self) -> &[String] {
        match self {
            Self::Terms(model) => &model.kinds,
            Self::Paper(model) => &model.kinds,
        }
    }

    /// How many runs it rests on.
    pub fn runs(&self) -> usize {
        match self {
            Self::Terms(model) => model.runs,
            Self::Paper(model) => model.runs,
        }
    }

    /// The sum of terms with the covariance of its coefficients, where it is one.
    pub fn as_terms(&self) -> Option<&TermModel> {
        match self {
            Self::Terms(model) => Some(model),
            Self::Paper(_) => None,
        }
    }

    /// The models of the paper, where it is these.
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
