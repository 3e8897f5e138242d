use std::collections::BTreeSet;

use super::{RequestError, check_level};
use crate::model::{
    ALL_HOSTS, FitDiagnostics, FitOptions, FitOutcome, HostClasses, Model, ModelKind, PredictError,
    diagnose, fit, is_test,
};
use crate::sample::Samples;

/// Models that were fitted to samples, and what the fit shows.
#[derive(Debug, Clone, PartialEq)]
pub struct Fitted {
    /// The models of the measured processors, with a report about the fit.
    pub outcome: FitOutcome,
    /// The model of all hosts if some of each class were measured: the others have the means of
    /// their classes.
    pub all_hosts: Option<Model>,
    /// How well the models reproduce what they were fitted to; the reason if that cannot be
    /// predicted.
    pub diagnostics: Result<Vec<FitDiagnostics>, PredictError>,
    /// The fields of the options that changed nothing: `collectives`, `held_out` or `pair`.
    pub unused_fields: Vec<&'static str>,
    /// The names of experiments that changed nothing, because no fitted model uses them.
    pub unused_experiments: BTreeSet<String>,
}

impl Fitted {
    /// The model of all hosts.
    pub fn into_model(self) -> Model {
        self.all_hosts.unwrap_or(self.outcome.model)
    }
}

/// Fits models to samples.
///
/// # Errors
///
/// When a field of the options does not fit the samples, when predictions of the samples exceed
/// their budget, or when the samples do not identify the models.
pub fn fit_samples(options: &FitOptions, samples: &Samples) -> Result<Fitted, RequestError> {
    check_level(options.level)?;
    if samples.count() == 0 {
        return Err(RequestError::failed("there are no readings; measure some"));
    }
    samples.check_operations()?;
    if let Some((i, j)) = options.pair {
        let processors = samples.processors();
        let pair = format!("{i}-{j}");
        if i == j {
            let reason = "give two different processors";
            return Err(RequestError::invalid("pair", pair, reason));
        }
        if i.max(j).index() >= processors {
            let last = i.max(j);
            let reason = format!(
                "there is no processor {last}; those of the samples are 0 to {}",
                processors.saturating_sub(1)
            );
            return Err(RequestError::invalid("pair", pair, reason));
        }
    }
    let outcome = fit(samples, options)?;
    let diagnostics = diagnose(&outcome.model, samples, options);
    Ok(Fitted {
        all_hosts: of_all_hosts(&outcome.model)?,
        diagnostics,
        unused_fields: unused_fields(options, samples, &outcome.model),
        unused_experiments: options.unused(samples, &outcome.model),
        outcome,
    })
}

/// The model of the measured hosts and of those of the same classes; `None` if all were measured.
fn of_all_hosts(model: &Model) -> Result<Option<Model>, RequestError> {
    let Some(classes) = model.provenance.get(ALL_HOSTS) else { return Ok(None) };
    let classes: HostClasses = classes.parse()?;
    let all = model.with_host_classes(&classes)?;
    Ok((model.processors() != all.processors()).then_some(all))
}

/// The fields that changed nothing, because the samples lack what they apply to.
fn unused_fields(options: &FitOptions, samples: &Samples, model: &Model) -> Vec<&'static str> {
    let experiments = || samples.series().iter().map(|series| &series.experiment);
    let is_of_pair = |kind: &ModelKind| kind.estimator().allows_single_pair;
    let collectives = options.collectives && !experiments().any(is_test);
    let held_out = !options.held_out.as_slice().is_empty()
        && !experiments().any(|experiment| options.holds_out(experiment));
    let pair = options.pair.is_some() && !model.point_to_point.keys().any(is_of_pair);
    let all = [("collectives", collectives), ("held_out", held_out), ("pair", pair)];
    all.into_iter().filter(|(_, is_unused)| *is_unused).map(|(field, _)| field).collect()
}
