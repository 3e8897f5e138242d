//! What concurrent transfers do to each other: a law by itself, one file for each network.
//!
//! A [`Transfer`] goes from a node to a node. A [`PenaltyModel`] gives each of some concurrent transfers its penalty:
//! [`MaxMinPorts`] (max-min), [`GigabitEthernet`], [`Myrinet`], [`Infiniband`]; [`ActiveTransfers`] follows them as transfers start and stop. [`maxmin`] divides the capacities of the links of a cluster
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
pub use fair::MaxMinPorts;
pub use gige::{GammaForm, GigabitEthernet};
pub use infiniband::Infiniband;
pub use law::{ParameterError, PenaltyModel, SharingError};
pub use laws::SharingLaw;
pub use myrinet::{Emission, Myrinet, Sampling, maximal_sending_sets};
pub use parameters::{GigeParameters, InfinibandParameters, Parameters};
pub use transfer::{Node, Transfer};
pub use underway::ActiveTransfers;
