//! Where it runs: hosts, processors and links, and how concurrent transfers share them.
//!
//! A layer of the library `orrery`; its modules in the order of the data flow:
//!
//! | module | content |
//! |---|---|
//! | [`sharing`] | bandwidth sharing: penalties of concurrent transfers, max-min fairness |
//! | [`platform`] | processors, hosts, placements; cluster files, SimGrid platforms |

pub mod platform;
pub mod sharing;
