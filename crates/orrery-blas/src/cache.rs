use std::fs;
use std::io;
use std::path::Path;

use orrery::units::Bytes;

use super::buffer::Buffer;

/// The size of the last-level cache if the system does not report it.
const UNKNOWN_CACHE_SIZE: Bytes = Bytes::new(64 << 20);

/// The number of `f64` in the smallest usual cache line, 32 bytes.
const NUMBERS_PER_LINE: usize = 4;

/// Memory of twice the last-level cache; writing it removes other memory from all caches.
pub struct CacheFlush {
    memory: Buffer<f64>,
    rounds: f64,
}

impl CacheFlush {
    /// Maps the memory and writes it, so that it is resident.
    ///
    /// # Errors
    ///
    /// When the system has not enough memory.
    pub fn new() -> io::Result<Self> {
        let size = last_level(Path::new("/sys/devices/system/cpu/cpu0/cache"))
            .unwrap_or(UNKNOWN_CACHE_SIZE);
        let mut flush =
            Self { memory: Buffer::new(2 * size.get() as usize / size_of::<f64>())?, rounds: 0.0 };
        flush.flush();
        Ok(flush)
    }

    /// Writes every cache line of the memory.
    pub fn flush(&mut self) {
        self.rounds += 1.0;
        for number in self.memory.iter_mut().step_by(NUMBERS_PER_LINE) {
            *number = self.rounds;
        }
        std::hint::black_box(&mut self.memory[..]);
    }
}

/// The size of the cache with the highest level, from the folder of a processor's caches; `None` if
/// it is unknown.
fn last_level(folder: &Path) -> Option<Bytes> {
    let caches = fs::read_dir(folder).ok()?.filter_map(|cache| {
        let read = |name| fs::read_to_string(cache.as_ref().ok()?.path().join(name)).ok();
        let level: u32 = read("level")?.trim().parse().ok()?;
        let size: Bytes = read("size")?.trim().parse().ok()?;
        Some((level, size))
    });
    caches.max().map(|(_, size)| size).filter(|size| *size > Bytes::ZERO)
}
