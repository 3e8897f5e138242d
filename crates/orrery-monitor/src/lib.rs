//! Monitoring of a cluster: measured series of hosts and links, kept in a database, with their
//! forecasts.
//!
//! | module | content | feature |
//! |---|---|---|
//! | `timestamp` | points in time, in microseconds | |
//! | `name` | what a series measures: the host, the quantity, its unit and bounds, the peer or folder | |
//! | `sample` | a measured value | |
//! | `secret` | tokens and keys from files that only their owner can read | `client`, `service` |
//! | `client` | requests to a service: samples to it, answers from it | `client` |
//! | `agent` | sensors and probes on a schedule, samples into the store and to a service | `agent` |
//! | `probe` | latency and bandwidth to the peers of a clique, one at a time by a token | `agent` |
//! | `sensor` | processors, memory and disks of a host, from the files of the kernel | `agent` |
//! | `store` | the database of samples: acknowledged when they are on the disk, thinned out with age | `store` |
//! | `service` | takes samples and answers with forecasts over HTTP | `service` |

#[cfg(feature = "agent")]
pub mod agent;
#[cfg(feature = "client")]
pub mod client;
pub mod name;
#[cfg(feature = "agent")]
pub mod probe;
mod sample;
#[cfg(any(feature = "client", feature = "service"))]
mod secret;
#[cfg(feature = "agent")]
pub mod sensor;
#[cfg(feature = "service")]
pub mod service;
#[cfg(feature = "store")]
pub mod store;
mod timestamp;

#[cfg(feature = "agent")]
pub use agent::{Agent, AgentConfig, AgentError, AgentSettings, ConfigError, Event};
#[cfg(feature = "client")]
pub use client::{Client, ClientError};
pub use name::{NameError, Quantity, SeriesName};
pub use sample::Sample;
#[cfg(any(feature = "client", feature = "service"))]
pub use secret::{Secret, SecretError};
#[cfg(feature = "store")]
pub use store::{Store, StoreError};
pub use timestamp::Timestamp;
