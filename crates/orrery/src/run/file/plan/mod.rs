//! The plan file: runs that are to be made, JSON with one run on each line.
//!
//! ```
//! use orrery::run::file::plan;
//! let text = r#"{"format": "orrery-plan", "version": 1, "runs": [
//!   {"variables": {"n": 9600}, "configuration": {"athlon": {"elements": 1, "processes": 2}}, "seconds": 12.5}
//! ]}"#;
//! let read = plan::parse(text, "by-hand.json")?;
//! assert_eq!(read.runs[0].processes(), Some(2.0));
//! assert_eq!(plan::parse(plan::to_text(&read)?, "again")?, read);
//!
//! let error = plan::parse(text.replace("12.5", "0"), "by-hand.json").unwrap_err().to_string();
//! assert!(error.starts_with("by-hand.json:2:103: runs[0].seconds: run: its time is 0.0 s"), "{error}");
//! # Ok::<(), plan::PlanError>(())
//! ```

mod error;
mod reader;
mod writer;

pub use error::{PlanError, PlanFault};
pub use reader::{parse, read};
pub use writer::{to_text, write};

/// The name of the format, as it stands in the file.
const FORMAT: &str = "orrery-plan";

/// The version of the format that is read and written.
const VERSION: u64 = 1;
