//! Free memory and swap space.

use procfs::{FromRead as _, Meminfo};

use super::error::SensorError;
use super::processor::read;
use super::{Measurement, Sources};
use crate::name::Quantity;

/// The memory that new processes can have without swapping, and the free swap space, in bytes.
pub(super) fn measure(sources: &Sources) -> Result<[Measurement; 2], SensorError> {
    let path = sources.proc.join("meminfo");
    let memory = Meminfo::from_file(&path).map_err(|error| read(path, &error))?;
    // Kernels before 3.14 have no estimate: the file cache can be dropped.
    let free = memory.mem_available.unwrap_or(memory.mem_free + memory.buffers + memory.cached);
    let measurement =
        |quantity, bytes: u64| Measurement { quantity, target: None, value: bytes as f64 };
    Ok([measurement(Quantity::MemoryFree, free), measurement(Quantity::SwapFree, memory.swap_free)])
}
