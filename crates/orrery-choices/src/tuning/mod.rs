//! Input files for other tools: the input of HPL, and the host lists and batch scripts that start
//! each process on its host.
//!
//! The functions return text. An [`Assignment`] holds the number of processes on each host and the
//! order of ranks. Each text begins with a comment that states why these processes were chosen.
//!
//! ```
//! use orrery_cluster::platform::file;
//! use orrery_choices::tuning::{Assignment, launchers};
//! let text = "[[hosts]]\nnames = \"node[1-3]\"\nkind = \"athlon\"\ncores = 2\nprocesses = 2\n";
//! let cluster = file::parse(text, "cluster.toml")?.cluster;
//! let assignment = Assignment::new(&cluster, &"athlon=4x2".parse()?, 8, None)?;
//! let hosts = launchers::openmpi_hostfile(&assignment, "the fastest for N = 6400");
//! assert!(hosts.ends_with("node1 slots=4\nnode2 slots=2\nnode3 slots=2\n"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod assignment;
pub mod hpl;
pub mod launchers;
pub mod mpi;

pub use assignment::{Assignment, HostProcesses};
