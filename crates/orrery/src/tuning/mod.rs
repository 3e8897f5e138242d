//! Decisions as files that other tools read: the input of HPL, and what launchers need to start each process where it
//! belongs.
//!
//! Everything here is text: an [`Assignment`] says how many processes each host gets and in which order ranks stand, and
//! each file begins with a comment that says why it is so.
//!
//! ```
//! use orrery::platform::file;
//! use orrery::tuning::{Assignment, openmpi};
//! let text = "[[hosts]]\nnames = \"node[1-3]\"\nkind = \"athlon\"\ncores = 2\nprocesses = 2\n";
//! let cluster = file::parse(text, "cluster.toml")?.cluster;
//! let assignment = Assignment::new(&cluster, &"athlon=4x2".parse()?, 8, None)?;
//! let hosts = openmpi::hostfile(&assignment, "the fastest for N = 6400");
//! assert!(hosts.ends_with("node1 slots=4\nnode2 slots=2\nnode3 slots=2\n"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod assignment;
mod comment;
pub mod hpl;
pub mod mpich;
pub mod openmpi;
pub mod slurm;

pub use assignment::{Assignment, AssignmentError, Place};
