//! The models of the paper: recovered from what their laws make, and clear about what they lack.

mod cluster;
mod errors;
mod recovery;
mod worked;
