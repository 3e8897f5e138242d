//! Replay of traces in virtual time.

pub mod loggp;
