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
pub use evidence::{Evidence, Readings, Spread};
pub use fit::{fit_gige, fit_infiniband};
pub use measured::Measured;
pub use quotients::{Quotient, QuotientScheme, Quotients};
pub use schemes::{CalibrationScheme, calibration_schemes, not_identified};
