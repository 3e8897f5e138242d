use crate::engine::EngineError;

/// Why the parameters of a model cannot be estimated from the given samples.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum FitError {
    /// There are too few processors for the model.
    #[error("{model} needs at least {needed} processors, these samples are of {given}: {why}")]
    Processors {
        /// The model.
        model: &'static str,
        /// How many it needs.
        needed: usize,
        /// How many there are.
        given: usize,
        /// What for.
        why: &'static str,
    },
    /// Experiments that the estimator needs are not among the samples.
    #[error("{model} lacks {count} {}: {}; measure with `orrery measure {campaign} --resume`", if *.count == 1 { "experiment" } else { "experiments" }, listed(.missing))]
    Missing {
        /// The model, with its estimator.
        model: &'static str,
        /// How many are missing.
        count: usize,
        /// The first of them in words.
        missing: Vec<String>,
        /// The campaign that measures them: `comm`, `overheads`.
        campaign: &'static str,
    },
    /// The experiments do not tell some parameters apart, though none of the usual ones is missing.
    #[error("{model}: the samples do not identify {}", listed(.parameters))]
    Unidentified {
        /// The model.
        model: &'static str,
        /// The parameters in words.
        parameters: Vec<String>,
    },
    /// A sample speaks of a schedule that cannot run.
    #[error(transparent)]
    Schedule(#[from] EngineError),
}

/// At most six of them, joined by commas.
fn listed(words: &[String]) -> String {
    let shown = words.iter().take(6).cloned().collect::<Vec<_>>().join(", ");
    if words.len() > 6 { format!("{shown}, …") } else { shown }
}
