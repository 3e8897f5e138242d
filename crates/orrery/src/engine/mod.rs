//! The one event engine: it plays a schedule in virtual time on a network.

mod error;

pub use error::{Blocked, EngineError};
