//! The probe for losses where many processors send to one: linear gathers of all processors.

use super::Experiment;
use orrery_base::units::Bytes;
use orrery_cluster::platform::Processor;
use orrery_program::schedule::{Algorithm, CollectiveKind};

/// The blocks of the probe. With 8 to 64 processors their sum passes the usual buffers of a port,
/// 64 KiB to 1 MiB, and eager limits of MPI libraries.
pub const INCAST_SIZES: [Bytes; 5] = [
    Bytes::new(1 << 10),
    Bytes::new(4 << 10),
    Bytes::new(16 << 10),
    Bytes::new(64 << 10),
    Bytes::new(256 << 10),
];

/// The number of readings of each block. A retransmission takes up to some seconds, and one reading
/// in five shows losses that are worth to be known.
pub const INCAST_READINGS: u32 = 7;

/// Returns the gathers of the probe, to processor 0, the smallest first; none for fewer than three
/// processors, of which no two send to one.
pub fn incast_probe(processors: usize) -> Vec<Experiment> {
    let gather = |&size| Experiment::Collective {
        kind: CollectiveKind::Gather,
        algorithm: Algorithm::Linear,
        root: Processor(0),
        procs: processors,
        size,
    };
    if processors < 3 { Vec::new() } else { INCAST_SIZES.iter().map(gather).collect() }
}
