//! Models from a machine in one call: the measuring protocol and the fit.
//!
//! An [`Estimation`] measures in this order, each step with what the steps before it have shown:
//!
//! 1. if requested, linear scatters and gathers at adaptive sizes, which locate the scatter
//!    threshold;
//! 2. the size of messages, below this threshold;
//! 3. a test whether pairs of processors disturb each other, which decides if experiments run in
//!    parallel;
//! 4. round trips, one-to-two and two-to-one experiments
//!    ([`CommDesign`](orrery_measure::measure::CommDesign));
//! 5. if a kind of the LogP family is requested, message trains at adaptive sizes.
//!
//! ```
//! use orrery_models::comm::lmo::LmoNetwork;
//! use orrery_models::estimation::Estimation;
//! use orrery_measure::machine::SimulatedMachine;
//! use orrery_measure::measure::Precision;
//! let network = LmoNetwork::new(&[10e-6; 4], &[1e-9; 4], Some(&[20e-6; 6]), &[8e-9; 6]);
//! let mut machine = SimulatedMachine::new(network, 0.0, 1);
//! let estimation = Estimation { precision: Precision::within(0.02), ..Estimation::lmo() };
//! let estimated = estimation.estimate(&mut machine)?;
//! let lmo: orrery_models::comm::Lmo = estimated.fit.model.get(orrery_models::model::ModelKind::Lmo).expect("it was fitted");
//! assert!((lmo.fixed_delay[0].value / 10e-6 - 1.0).abs() < 0.05);
//! # Ok::<(), orrery_models::estimation::EstimationError>(())
//! ```
//!
//! Source: the CPM module `LMO` of Lastovetsky, Rychkov and O'Flynn, whose `LMO_estimate` takes a
//! precision, message sizes and a flag for parallel experiments.

mod builder;
mod measured;
mod protocol;

pub use builder::Estimation;
pub use measured::{Estimated, EstimationError, Measured};
