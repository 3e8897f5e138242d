//! The cluster file: TOML that a person writes. Its grammar is in `docs/file-formats.md`.
//!
//! ```
//! use orrery::platform::file;
//! let text = r#"
//! [[hosts]]
//! names = "node[2-5]"
//! kind = "pentium-ii"
//! cores = 2
//! memory = "768M"
//! "#;
//! let loaded = file::parse(text, "cluster.toml")?;
//! assert_eq!(loaded.cluster.kinds()[0].elements(), 8);
//!
//! let error = file::parse(&text.replace("cores", "core"), "cluster.toml").unwrap_err().to_string();
//! assert_eq!(error, "cluster.toml:5:1: the key \"core\" is not known here; did you mean \"cores\"?");
//! # Ok::<(), file::ClusterFileError>(())
//! ```

mod error;
mod network;
mod reader;
mod spelling;
mod table;

pub use error::{ClusterFileError, Fault};
pub use network::{Network, SHARING_LAWS, SharingSection};
pub use reader::{Loaded, PassedOver, network, parse, read};
