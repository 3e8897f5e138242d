//! Schemes: named transfers with sizes and delays, and the language in which people write them.
//!
//! One transfer a line, `NAME: SOURCE -> DESTINATION SIZE xCOUNT after DELAY`, of which only the arrow and its two nodes are needed;
//! `#` begins a comment. The grammar stands in `docs/file-formats.md`.
//!
//! ```
//! use orrery::sharing::scheme;
//! let scheme = scheme::parse("a: 0 -> 1 20M\n0 -> 2 4K x2 after 5ms # two at once")?;
//! let names: Vec<_> = scheme.arcs.iter().map(|arc| arc.name.as_str()).collect();
//! assert_eq!(names, ["a", "b", "c"]);
//!
//! let error = scheme::parse("0 -> 1\n0 - 2").unwrap_err();
//! assert_eq!(error.to_string(), "2:3: \"-\" stands where \"->\" should; write SOURCE -> DESTINATION\n  0 - 2\n    ^");
//! # Ok::<(), scheme::SchemeError>(())
//! ```

mod error;
mod line;
mod names;
mod parse;
mod words;

pub use error::{Fault, SchemeError};
pub use parse::parse;

use super::Transfer;
use crate::units::{Bytes, Seconds};

/// So many transfers make a scheme at most.
pub const MAX_TRANSFERS: usize = 100_000;

/// The size of a transfer of which none is given: 20M, as in the measurements of the paper.
pub const DEFAULT_SIZE: Bytes = Bytes::new(20 << 20);

/// One transfer of a scheme.
#[derive(Debug, Clone, PartialEq)]
pub struct Arc {
    /// Its name, different from all others.
    pub name: String,
    /// From where to where.
    pub transfer: Transfer,
    /// How much is sent.
    pub size: Bytes,
    /// How long after the others it starts.
    pub delay: Seconds,
}

/// Transfers that belong together, in the order in which they are written.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Scheme {
    /// The transfers.
    pub arcs: Vec<Arc>,
}

impl Scheme {
    /// The transfers alone.
    pub fn transfers(&self) -> Vec<Transfer> {
        self.arcs.iter().map(|arc| arc.transfer).collect()
    }

    /// Whether all start together.
    pub fn starts_together(&self) -> bool {
        self.arcs.windows(2).all(|two| two[0].delay == two[1].delay)
    }
}
