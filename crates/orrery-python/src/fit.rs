//! Fits: from samples to models.

use std::sync::Arc;

use orrery::comm::Termination;
use orrery::comm::hockney::HockneyEstimator;
use orrery::comm::lmo::LmoEstimator;
use orrery::comm::thresholds::ThresholdOptions;
use orrery::model::{FitOptions, FitOutcome, ModelKind, diagnose, fit as fit_models};
use orrery::platform::Processor;
use orrery_report::tables::fit_diagnostics;
use pyo3::prelude::*;

use crate::argument::{self, Words};
use crate::model::Model;
use crate::samples::Samples;
use crate::{error, work};

/// Fits models to samples.
///
/// `models` names kinds of models, by default all that the samples identify. `estimator` is that of
/// LMO and LOM, `paths` or `triplets`; `hockney` that of Hockney, `regression` or `empty`; `level`
/// the confidence level of intervals. With `collectives` parameters are also estimated from
/// collective operations and exchanges. Without `corrections`, algorithms whose plain schedules are
/// off are not corrected; without `thresholds`, those of linear scatter and gather are not
/// estimated. `pair` selects the pair of processors for models of the LogP family, `sizes` a range
/// of message sizes such as `0..64K`. Collective operations of the sizes `hold_out`, also those of an
/// MPI library, are left out of all parts of the fit, so that `validate` can test its predictions.
#[pyfunction]
#[pyo3(signature = (samples, *, models = None, estimator = "paths", hockney = "regression", level = 0.95, collectives = false,
    corrections = true, thresholds = true, pair = None, sizes = None, hold_out = None))]
#[expect(clippy::too_many_arguments, reason = "each is an option of its own in Python")]
pub(crate) fn fit(
    py: Python<'_>,
    samples: &Bound<'_, Samples>,
    models: Option<Words>,
    estimator: &str,
    hockney: &str,
    level: f64,
    collectives: bool,
    corrections: bool,
    thresholds: bool,
    pair: Option<(u32, u32)>,
    sizes: Option<&Bound<'_, PyAny>>,
    hold_out: Option<&Bound<'_, PyAny>>,
) -> PyResult<Py<Model>> {
    let readings = Arc::clone(&samples.get().readings);
    let level = argument::level(level)?;
    let options = FitOptions {
        kinds: models.as_ref().map(Words::all_or_parse).transpose()?.flatten(),
        estimator: match estimator {
            "paths" => LmoEstimator::Paths,
            "triplets" => LmoEstimator::Triplets,
            _ => {
                return Err(error::argument(format!(
                    "estimator {estimator:?}: known are paths, triplets"
                )));
            }
        },
        hockney: match hockney {
            "regression" => HockneyEstimator::Regression,
            "empty" => HockneyEstimator::Empty,
            _ => {
                return Err(error::argument(format!(
                    "hockney {hockney:?}: known are regression, empty"
                )));
            }
        },
        level,
        collectives,
        thresholds: thresholds.then(|| ThresholdOptions { level, ..ThresholdOptions::default() }),
        pair: pair.map(|pair| checked(pair, readings.processors())).transpose()?,
        sizes: sizes.map(argument::size_range).transpose()?,
        groups: Vec::new(),
        corrections,
        held_out: hold_out.map(argument::sizes).transpose()?.into_iter().flatten().collect(),
    };
    if readings.count() == 0 {
        return Err(error::argument("the samples have no readings; measure some"));
    }
    readings.check_operations().map_err(error::input)?;
    let (outcome, residuals) = work::run(py, move |_| {
        let outcome = fit_models(&readings, &options).map_err(error::input)?;
        let diagnostics = diagnose(&outcome.model, &readings, &options).map_err(error::input)?;
        let [residuals, ..] = fit_diagnostics(&diagnostics, &outcome.failed);
        Ok((outcome, residuals))
    })?;
    outcome.failed.iter().try_for_each(|part| error::warn(py, part))?;
    let notes = notes(&outcome);
    Model::object(py, outcome.model, "fitted".to_owned(), notes, Some(residuals), None)
}

/// A pair as processors; an exception unless they are different ones of the `processors` in the
/// samples.
fn checked((i, j): (u32, u32), processors: usize) -> PyResult<(Processor, Processor)> {
    if i == j || i.max(j) as usize >= processors {
        let words = format!(
            "pair ({i}, {j}): give two different processors of the {processors} in the samples"
        );
        return Err(error::argument(words));
    }
    Ok((Processor(i), Processor(j)))
}

/// What a fit reports, a line for each fact.
fn notes(outcome: &FitOutcome) -> Vec<String> {
    let skipped = outcome.skipped.iter().map(|(kind, error)| format!("no {kind}: {error}"));
    let mixed = outcome.mixed_links.iter().map(|(kind, error)| {
        format!("{kind}: links within a host and across hosts are fitted together: {error}")
    });
    let ends = outcome.terminations.iter().map(|(kind, termination)| match termination {
        Termination::Converged { iterations } => {
            format!("{kind}: converged in {iterations} iterations")
        }
        Termination::NoImprovement { iterations } => {
            format!("{kind}: did not converge; the best of {iterations} iterations is kept")
        }
    });
    let kinds: Vec<&str> = outcome.model.kinds().into_iter().map(ModelKind::name).collect();
    let (experiments, processors) = (outcome.observations, outcome.model.processors());
    let fitted = format!(
        "fitted {} to {experiments} experiments of {processors} processors",
        kinds.join(", ")
    );
    let failed = outcome.failed.iter().map(ToString::to_string);
    skipped.chain(mixed).chain(failed).chain(ends).chain([fitted]).collect()
}
