//! Monitoring of a cluster: measured series of hosts and links, kept in a database, with their forecasts.
//!
//! | module | content |
//! |---|---|
//! | `timestamp` | points in time, in microseconds |
//! | `name` | what a series measures: the host, the quantity, its unit and bounds, the peer or folder |
//! | `store` | the database of samples: acknowledged when they are on the disk, thinned out with age |
//! | `service` | takes samples and answers with forecasts over HTTP |

pub mod name;
#[cfg(feature = "service")]
pub mod service;
#[cfg(feature = "store")]
pub mod store;
mod timestamp;

pub use name::{NameError, Quantity, SeriesName};
#[cfg(feature = "store")]
pub use store::{Sample, Store, StoreError};
pub use timestamp::Timestamp;
