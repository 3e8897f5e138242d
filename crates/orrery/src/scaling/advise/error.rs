use crate::scaling::ScalingError;
use crate::scaling::search::SearchError;

/// Why nothing can be advised.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum AdviceError {
    /// The model cannot be asked.
    #[error(transparent)]
    Model(#[from] ScalingError),
    /// There is nothing to choose from.
    #[error(transparent)]
    Search(#[from] SearchError),
    /// The model has as many coefficients as points were measured.
    #[error(
        "the model knows no errors: it has as many coefficients as points were measured ({points}); make a few runs more \
         first, such as those of --plan ns"
    )]
    NoUncertainty {
        /// How many points were measured.
        points: usize,
    },
    /// No decision was asked for.
    #[error("there is nothing to decide; name one size or more")]
    NoSizes,
    /// There is but one alternative for a problem.
    #[error("there is but one configuration for n = {size}, so nothing is to be decided")]
    SingleCandidate {
        /// The size.
        size: f64,
    },
}
