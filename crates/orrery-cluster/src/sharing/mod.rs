//! Bandwidth sharing: how concurrent transfers slow each other down.
//!
//! A [`Transfer`] goes from one node to another. A [`SharingLaw`] determines the penalty of each of
//! several concurrent transfers; [`LAWS`] lists the laws: [`MaxMinPorts`], [`GigabitEthernet`],
//! [`Myrinet`] and [`Infiniband`]. [`ActiveTransfers`] updates penalties as transfers start and
//! stop, [`calibrate`] estimates the parameters of laws, [`scheme`] is the notation of transfers in
//! files. [`maxmin`] divides the capacities of a cluster's links among flows.

mod accuracy;
mod active;
pub mod calibrate;
mod fitted;
mod law;
mod laws;
pub mod maxmin;
mod ports;
pub mod scheme;
mod transfer;

pub use accuracy::{mean_absolute_error, relative_error, task_error};
pub use active::ActiveTransfers;
pub use fitted::{FittedLaw, FittedLaws};
pub use law::{ParameterError, PenaltyModel, SharingError};
pub use laws::{
    Emission, GammaForm, GigabitEthernet, Infiniband, LAWS, LawKind, MaxMinPorts, Myrinet,
    ParameterKind, Sampling, SharingLaw, law_names, maximal_sending_sets,
};
pub use ports::components;
pub use transfer::{Conflict, Node, Transfer, conflicts};
