//! The cluster file, in TOML. `docs/file-formats.md` describes its grammar.
//!
//! ```
//! use orrery_cluster::platform::file;
//! let text = r#"
//! [[hosts]]
//! names = "node[2-5]"
//! kind = "pentium-ii"
//! cores = 2
//! memory = "768M"
//! "#;
//! let parsed = file::parse(text, "cluster.toml")?;
//! assert_eq!(parsed.cluster.kinds()[0].elements(), 8);
//!
//! let error = file::parse(&text.replace("cores", "core"), "cluster.toml").unwrap_err().to_string();
//! assert!(error.starts_with("cluster.toml:5:1: unknown key \"core\"; did you mean \"cores\"?"));
//! # Ok::<(), orrery_base::file::FileError>(())
//! ```

mod assumption;
mod network;
mod reader;
mod table;

pub use assumption::Assumption;
pub use network::{Network, SIMGRID_NETWORKS, SharingSection};
pub use reader::{ClusterFile, UnusedKey, any_network, network, parse, read, read_network};

/// The name of such a file in messages.
const FILE: &str = "cluster file";
