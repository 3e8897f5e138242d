//! Parameters of the laws from measured transfers.
//!
//! [`Calibration`] has the published closed formulas, each for one simple scheme. [`fit_gige`] and [`fit_infiniband`]
//! take any measured schemes and minimise the relative errors of all penalties.

mod closed;
mod error;
mod fit;
mod least;
mod measured;

pub use closed::Calibration;
pub use error::FitError;
pub use fit::{fit_gige, fit_infiniband};
pub use measured::Measured;
