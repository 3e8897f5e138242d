//! The file of conditions: JSON, as the service of `orrery monitor` sends it.
//!
//! ```
//! use orrery_models::conditions::file;
//! let text = r#"{"format": "orrery-conditions", "version": 1, "time": 1772452800, "level": 0.95, "hosts": {
//!   "n1": {"availability": {"value": 0.5, "low": 0.4, "high": 0.6, "age": 2.5, "stale": false}}
//! }, "links": [{"from": "n1", "to": "n2", "bandwidth": {"value": 1.1e8}}]}"#;
//! let conditions = file::parse(text, "now.json")?;
//! assert_eq!(conditions.hosts["n1"].availability.and_then(|one| one.interval), Some((0.4, 0.6)));
//! assert_eq!(file::parse(file::to_text(&conditions), "again")?, conditions);
//!
//! let error = file::parse(text.replace("0.5,", "true,"), "now.json").unwrap_err().to_string();
//! assert!(error.starts_with("now.json:2:36: hosts.n1.availability.value: this is true"), "{error}");
//! # Ok::<(), orrery_base::file::FileError>(())
//! ```

mod reader;
mod writer;

pub use reader::{parse, read};
pub use writer::to_text;

/// The name of such a file in messages.
const FILE: &str = "file of conditions";

/// The version of the format.
const VERSION: u64 = 1;
