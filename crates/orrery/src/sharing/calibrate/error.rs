use crate::sharing::ParameterError;

/// Why parameters cannot be fitted.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum FitError {
    /// A reading that cannot be a slowdown.
    #[error("{value} is no slowdown; a finite number above 0 is expected")]
    Reading {
        /// What was given.
        value: f64,
    },
    /// No measured transfer depends on a parameter, or not apart from the others.
    #[error(
        "the measured schemes do not tell {parameter}; measure {experiment} too (if they were, it decides nothing here)"
    )]
    Unidentified {
        /// The word of the parameter in files.
        parameter: &'static str,
        /// What would tell it.
        experiment: &'static str,
    },
    /// The best parameters make no law.
    #[error("the measured schemes give no law: {0}")]
    Parameter(#[from] ParameterError),
}
