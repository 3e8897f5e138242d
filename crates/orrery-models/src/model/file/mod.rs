//! The model file: JSON in SI units, which people can read and write; its schema is
//! `docs/model.schema.json`.
//!
//! A parameter is `{"value", "low", "high", "level", "samples"}`, each a number or an array of the
//! same shape; only `"value"` is required. Parameters of pairs are packed: 0-1, 0-2, …, 1-2, ….
//! Missing values are errors; there are no defaults. Every error has its line, its column and its
//! path in the JSON.
//!
//! ```
//! use orrery_models::model::file;
//! let text = r#"{"format": "orrery-model", "version": 1, "models": {
//!   "hockney": {"latency": {"value": [5e-5, 5e-5, 6e-5]}, "byte_delay": {"value": [8e-8, 8e-8, 8e-8]}}
//! }}"#;
//! let loaded = file::parse(text, "by-hand.json")?;
//! assert_eq!(loaded.model.processors(), 3); // three pairs
//!
//! let error = file::parse(text.replace("6e-5", "-6e-5"), "by-hand.json").unwrap_err().to_string();
//! assert!(error.starts_with("by-hand.json:2:49: models.hockney.latency.value[2]: "));
//! # Ok::<(), orrery_base::file::FileError>(())
//! ```

#[cfg(feature = "applications")]
mod application;
#[cfg(not(feature = "applications"))]
#[path = "no_application.rs"]
mod application;
mod corrections;
mod correlations;
mod discrepancies;
mod error;
mod header;
mod kernels;
mod measurements;
mod models;
mod parameter;
mod point_to_point;
mod read_write;
mod sharing;
mod thresholds;
mod warning;

pub use read_write::{FORMAT, Loaded, Summary, check, parse, read, to_text, write};
pub use warning::Warning;

/// The name of such a file in messages.
const FILE: &str = "model file";

/// The version of the format that is read and written.
const VERSION: u64 = 1;

/// The keys of the provenance that hold the measured range.
const MEASURED: [&str; 2] = ["measured_smallest", "measured_largest"];
