//! What concurrent transfers do to each other: a law by itself, one file for each network.
//!
//! A [`Transfer`] goes from a node to a node. A law of [`Sharing`] gives each of some concurrent transfers its penalty:
//! [`Fair`] (max-min), [`Gige`], [`Myrinet`], [`Infiniband`]; [`Underway`] follows them as transfers start and stop. [`maxmin`] divides the capacities of the links of a cluster
//! among flows, and does so again whenever flows start or stop.

mod accuracy;
pub mod calibrate;
mod component;
mod conflict;
mod fair;
mod gige;
mod infiniband;
mod law;
mod laws;
pub mod maxmin;
mod myrinet;
mod parameters;
mod piece;
mod ports;
pub mod scheme;
mod transfer;
mod underway;

pub use accuracy::{mean_absolute_error, relative_error, task_error};
pub use component::components;
pub use conflict::{Conflict, conflicts};
pub use fair::Fair;
pub use gige::{Form, Gige};
pub use infiniband::Infiniband;
pub use law::{ParameterError, Sharing, SharingError};
pub use laws::Law;
pub use myrinet::{Emission, Myrinet, Sampling, maximal_sets};
pub use parameters::{GigeParameters, InfinibandParameters, Parameters};
pub use transfer::{Node, Transfer};
pub use underway::Underway;
