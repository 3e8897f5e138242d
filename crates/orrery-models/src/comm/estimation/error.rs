use orrery_base::budget::OverBudget;
use orrery_play::engine::EngineError;

/// The reason why the parameters of a model cannot be estimated from the given samples.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum FitError {
    /// There are too few processors for the model.
    #[error("{model} needs at least {needed} processors, but the samples have {given}: {why}")]
    Processors {
        /// The name of the model.
        model: &'static str,
        /// The number of processors that it needs.
        needed: usize,
        /// The number of processors in the samples.
        given: usize,
        /// The reason why it needs them.
        why: &'static str,
    },
    /// Experiments that the estimator needs are not among the samples.
    #[error("{model} lacks {count} {}: {}", if *.count == 1 { "experiment" } else { "experiments" },
        listed(.missing))]
    Missing {
        /// The name of the model, with its estimator.
        model: &'static str,
        /// The number of missing experiments.
        count: usize,
        /// The names of the first missing experiments.
        missing: Vec<String>,
        /// The campaign that measures them: `comm` or `overheads`.
        campaign: &'static str,
    },
    /// The experiments do not determine some parameters, though no usual experiment is missing.
    #[error("{model}: the samples do not identify {}; measure more experiments, or fit another \
        model", listed(.parameters))]
    Unidentified {
        /// The name of the model.
        model: &'static str,
        /// The names of the parameters.
        parameters: Vec<String>,
    },
    /// Exchanges cannot be simulated.
    #[error("the exchanges of pairs cannot be simulated with the model ports: {0}")]
    Exchanges(String),
    /// The work is beyond the budget of the samples.
    #[error(transparent)]
    OverBudget(#[from] OverBudget),
    /// A sample has a schedule that cannot run.
    #[error(transparent)]
    Schedule(#[from] EngineError),
}

/// The maximum number of names in a message.
const MAX_NAMED: usize = 6;

impl FitError {
    /// The error for `count` missing experiments. It stores the first of `names`; the others are
    /// not computed.
    pub(in crate::comm) fn missing(
        model: &'static str,
        count: usize,
        names: impl Iterator<Item = String>,
        campaign: &'static str,
    ) -> Self {
        Self::Missing { model, count, missing: names.take(MAX_NAMED + 1).collect(), campaign }
    }
}

/// Returns the first words, joined by commas.
fn listed(words: &[String]) -> String {
    let shown = words.iter().take(MAX_NAMED).cloned().collect::<Vec<_>>().join(", ");
    if words.len() > MAX_NAMED { format!("{shown}, …") } else { shown }
}
