//! The engine and the clocks of machines.

mod global_clock;
mod laws;
mod rendezvous;
mod semantics;
