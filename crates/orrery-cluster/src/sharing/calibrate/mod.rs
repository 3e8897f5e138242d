//! Parameters of sharing laws from measured transfers.
//!
//! [`calibration_schemes`] lists the schemes to measure. [`CalibrationData`] represents the
//! measurements: [`MeasuredSlowdowns`] or [`ReferencedSlowdowns`].
//! [`LawKind::fit`](super::LawKind::fit) estimates the parameters by least squares. The closed
//! formulas of the publications are
//! [`GigabitEthernet::from_slowdowns`](super::GigabitEthernet::from_slowdowns) and
//! [`Infiniband::from_slowdowns`](super::Infiniband::from_slowdowns).

mod data;
mod least_squares;
mod referenced;
mod schemes;

pub use data::{CalibrationData, ErrorModel, IndexedSlowdowns, MeasuredSlowdowns};
pub(super) use least_squares::{LeastSquares, no_law};
pub use referenced::{ReferencedSlowdowns, SchemeSlowdowns, SlowdownEstimate};
pub use schemes::{CalibrationScheme, calibration_schemes, unidentified_parameters};
