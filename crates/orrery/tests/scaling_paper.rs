//! The models of the paper: recovered from what their laws make, and clear about what they lack.

#[path = "scaling_paper/cluster.rs"]
mod cluster;
#[path = "scaling_paper/errors.rs"]
mod errors;
#[path = "scaling_paper/recovery.rs"]
mod recovery;
#[path = "scaling_paper/worked.rs"]
mod worked;
