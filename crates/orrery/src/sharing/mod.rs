//! What concurrent transfers do to each other: one folder per law.
//!
//! [`maxmin`] divides the capacities of links among flows, and does so again whenever flows start or stop.

pub mod maxmin;
