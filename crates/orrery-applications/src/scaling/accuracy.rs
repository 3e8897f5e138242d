//! The accuracy of a model: its errors at runs, in sample and held out, and its lack of fit.

use std::collections::BTreeSet;

use super::application::{ExecutionTimeModel, Region};
use super::evaluation::{ComparedPoint, Evaluation, evaluate};
use super::fit::{TermOptions, fit_terms};
use super::held_out::{HeldOut, held_out};
use super::lack_of_fit::{LackOfFit, lack_of_fit};
use super::observations::FitError;
use super::paper::fit_paper;
use super::point::{Point, PointKey};
use crate::run::Run;

/// Which of the compared runs the model was fitted to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RunsOfFit {
    /// The model does not record its runs.
    Unknown,
    /// None: the errors are held out.
    None,
    /// All runs of the fit, and perhaps others.
    All,
    /// A part of the runs of the fit, and perhaps others.
    Some {
        /// The number of points of the fit that are not among the runs.
        missing: usize,
    },
}

/// The accuracy of a model at some runs.
#[derive(Debug, Clone, PartialEq)]
pub struct Accuracy {
    /// The errors of the model at all runs, and its choices.
    pub evaluation: Evaluation,
    /// Which of the runs the model was fitted to.
    pub runs_of_fit: RunsOfFit,
    /// The errors of the same method fitted without a part of the runs; empty if not all runs of
    /// the fit are given.
    pub held_out: Vec<HeldOut>,
    /// The lack of fit at the runs of the fit.
    pub lack_of_fit: Option<LackOfFit>,
    /// The points that the model was fitted to.
    fitted: BTreeSet<PointKey>,
}

impl Accuracy {
    /// The compared points that the model was fitted to, or those that it was not fitted to; none
    /// if the model does not record its runs.
    pub fn points(&self, in_sample: bool) -> Vec<&ComparedPoint> {
        self.evaluation
            .points
            .iter()
            .filter(|compared| self.is_in_sample(&compared.point) == Some(in_sample))
            .collect()
    }

    /// The number of points without an estimate that the model was fitted to, or that it was not
    /// fitted to.
    pub fn without_estimate(&self, in_sample: bool) -> usize {
        let refused = self.evaluation.without_estimate.iter();
        refused.filter(|(point, _)| self.is_in_sample(point) == Some(in_sample)).count()
    }

    /// Returns true if the model was fitted to runs of a point; `None` if it does not record its
    /// runs.
    fn is_in_sample(&self, point: &Point) -> Option<bool> {
        (self.runs_of_fit != RunsOfFit::Unknown).then(|| self.fitted.contains(&point.key()))
    }
}

impl From<Evaluation> for Accuracy {
    /// The accuracy of a model that does not record its runs.
    fn from(evaluation: Evaluation) -> Self {
        let (runs_of_fit, held_out) = (RunsOfFit::Unknown, Vec::new());
        Self { evaluation, runs_of_fit, held_out, lack_of_fit: None, fitted: BTreeSet::new() }
    }
}

impl Region {
    /// Compares the model with runs of its region; `level` is the probability of intervals.
    ///
    /// If the runs contain all that the model was fitted to, models of the same method are fitted
    /// without parts of them, see [`held_out`]. The family of terms is that of the model. Models by
    /// the method of the paper are fitted without an adjustment, with the same memory ranges and
    /// compositions. The noise of other regions is not used.
    ///
    /// # Errors
    ///
    /// As [`evaluate`].
    pub fn accuracy(&self, runs: &[&Run], level: f64) -> Result<Accuracy, FitError> {
        let with_levels = self.model.with_levels(runs.iter().copied());
        let evaluation = evaluate(&with_levels, |point| self.forecast(point, level))?;
        let fitted: BTreeSet<PointKey> =
            self.measured.iter().map(|measured| measured.point.key()).collect();
        let is_fitted = |point: &Point| fitted.contains(&point.key());
        let own: Vec<&Run> =
            runs.iter().copied().filter(|run| is_fitted(&Point::of(run))).collect();
        let given: BTreeSet<PointKey> = own.iter().map(|run| Point::of(run).key()).collect();
        let runs_of_fit = match fitted.len() - given.len() {
            _ if fitted.is_empty() => RunsOfFit::Unknown,
            0 => RunsOfFit::All,
            _ if given.is_empty() => RunsOfFit::None,
            missing => RunsOfFit::Some { missing },
        };
        let held_out = match runs_of_fit {
            RunsOfFit::All => held_out(&own, level, |runs| self.model.fitted_to(runs))?,
            _ => Vec::new(),
        };
        let (mean, own) = self.model.at_mean_levels(own);
        let lack_of_fit = lack_of_fit(&own, |point| mean.estimate(point));
        Ok(Accuracy { evaluation, runs_of_fit, held_out, lack_of_fit, fitted })
    }
}

impl ExecutionTimeModel {
    /// A model of the same method, fitted to other runs.
    fn fitted_to(&self, runs: &[&Run]) -> Result<Self, FitError> {
        match self {
            Self::Terms(model) => {
                let options = TermOptions { family: Some(model.family), ..TermOptions::default() };
                Ok(fit_terms(runs.iter().copied(), options)?.model.into())
            }
            Self::Paper(model) => {
                let undivided = runs.iter().any(|run| run.parts.is_empty());
                Ok(fit_paper(runs.iter().copied(), &model.options(undivided))?.into())
            }
        }
    }
}
