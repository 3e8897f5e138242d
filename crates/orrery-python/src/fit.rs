//! Fits: from samples to models.

use std::sync::Arc;

use orrery::comm::Ports;
use orrery::comm::thresholds::ThresholdOptions;
use orrery::model::{FitOptions, ModelKind};
use orrery::platform::Processor;
use orrery::request::{Fitted, fit_samples};
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
/// collective operations and exchanges. Without `corrections`, predictions are not
/// corrected by the measured collective operations; without `thresholds`, those of linear scatter and gather are not
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
    let options = FitOptions {
        kinds: models.as_ref().map(Words::all_or_parse).transpose()?.flatten(),
        estimator: argument::parse(estimator)?,
        hockney: argument::parse(hockney)?,
        level,
        collectives,
        thresholds: thresholds.then(|| ThresholdOptions { level, ..ThresholdOptions::default() }),
        pair: pair.map(|(i, j)| (Processor(i), Processor(j))),
        sizes: sizes.map(argument::size_range).transpose()?,
        groups: Vec::new(),
        corrections,
        held_out: hold_out.map(argument::sizes).transpose()?.into_iter().flatten().collect(),
    };
    let shared_cores = readings.provenance.shared_cores();
    let fitted = work::run(py, move |_| fit_samples(&options, &readings).map_err(error::request))?;
    shared_cores.iter().try_for_each(|shared| error::warn(py, shared))?;
    fitted.outcome.failed.iter().try_for_each(|part| error::warn(py, part))?;
    for field in &fitted.unused_fields {
        let argument = if *field == "held_out" { "hold_out" } else { field };
        error::warn(
            py,
            format!("{argument} changed nothing: the samples lack what it applies to"),
        )?;
    }
    let ports: Option<Ports> = fitted.outcome.model.get(ModelKind::Ports);
    if fitted.all_hosts.is_some() && ports.is_some_and(|ports| !ports.uplinks.is_empty()) {
        error::warn(
            py,
            "links that groups of hosts share are known of the measured hosts only, and are left \
             out",
        )?;
    }
    let notes = notes(&fitted);
    let Fitted { outcome, all_hosts, diagnostics, .. } = fitted;
    // Without them the model is of use, too.
    let residuals = match diagnostics {
        Ok(diagnostics) => {
            let [residuals, ..] = fit_diagnostics(&diagnostics, &outcome.failed);
            Some(residuals)
        }
        Err(reason) => {
            error::warn(py, format!("the fit has no residuals: {reason}"))?;
            None
        }
    };
    Model::object(
        py,
        all_hosts.unwrap_or(outcome.model),
        "fitted".to_owned(),
        notes,
        residuals,
        None,
    )
}

/// What a fit reports, a line for each fact.
fn notes(fitted: &Fitted) -> Vec<String> {
    let Fitted { outcome, all_hosts, unused_experiments, .. } = fitted;
    let skipped = outcome.skipped.iter().map(|(kind, error)| format!("no {kind}: {error}"));
    let mixed = outcome.mixed_links.iter().map(|(kind, error)| {
        format!("{kind}: links within a host and across hosts are fitted together: {error}")
    });
    let failed = outcome.failed.iter().map(ToString::to_string);
    let ends = outcome.terminations.iter().map(|(kind, end)| format!("{kind}: {end}"));
    let kinds: Vec<&str> = outcome.model.kinds().into_iter().map(ModelKind::name).collect();
    let (experiments, processors) = (outcome.observations, outcome.model.processors());
    let kinds = kinds.join(", ");
    let done = format!("fitted {kinds} to {experiments} experiments of {processors} processors");
    let unused = unused_experiments.iter().map(|name| format!("no fitted model uses {name}"));
    let others = all_hosts.as_ref().map(|all| {
        let hosts = all.processors();
        format!(
            "{processors} of {hosts} hosts were measured; the others have means of their classes"
        )
    });
    let all = skipped.chain(mixed).chain(failed).chain(ends).chain([done]);
    all.chain(others).chain(unused).collect()
}
