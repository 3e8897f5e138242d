//! Parameters of the laws from measured transfers.
//!
//! [`Calibration`] has the published closed formulas, each for one simple scheme. [`fit_gige`] and [`fit_infiniband`]
//! take any measured schemes and minimise the relative errors of all penalties.

mod closed;
mod error;
mod evidence;
mod fit;
mod least;
mod measured;
mod quotients;
mod schemes;

pub use closed::Calibration;
pub use error::FitError;
pub use evidence::{CalibrationData, ErrorModel, IndexedSlowdowns};
pub use fit::{fit_gige, fit_infiniband};
pub use measured::MeasuredSlowdowns;
pub use quotients::{ReferencedSlowdowns, SchemeSlowdowns, SlowdownEstimate};
pub use schemes::{CalibrationScheme, calibration_schemes, unidentified_parameters};
