//! The memory of this process and of the host, from `/proc`.

use std::path::Path;
use std::{fs, io};

use orrery::units::Bytes;
use rustix::fs::{Mode, OFlags, open};

use super::buffer::Buffer;

/// Resets the peak of the resident memory of this process to its present size, and returns this
/// size; `None` if the system does not permit it.
pub fn reset_peak() -> Option<Bytes> {
    let file = open("/proc/self/clear_refs", OFlags::WRONLY, Mode::empty()).ok()?;
    rustix::io::write(&file, b"5").ok()?;
    entry(&fs::read_to_string("/proc/self/status").ok()?, "VmRSS:")
}

/// The peak of the resident memory of this process since the last reset; `None` if it is unknown.
pub fn peak() -> Option<Bytes> {
    entry(&fs::read_to_string("/proc/self/status").ok()?, "VmHWM:")
}

/// The memory of the host that can be used without swapping; `None` if it is unknown.
pub fn available() -> Option<Bytes> {
    entry(&fs::read_to_string("/proc/meminfo").ok()?, "MemAvailable:")
}

/// The value of an entry such as `VmRSS:  1234 kB`; `None` if there is none.
fn entry(text: &str, name: &str) -> Option<Bytes> {
    let value =
        text.lines().find_map(|line| line.strip_prefix(name))?.trim().strip_suffix(" kB")?;
    Some(Bytes::new(value.trim().parse().ok()?) * 1024)
}

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_are_in_kibibytes() {
        let text = "VmPeak:\t  9 kB\nVmHWM:\t    1234 kB\nVmRSS:\t 12 MB\n";
        assert_eq!(entry(text, "VmHWM:"), Some(Bytes::new(1234 * 1024)));
        assert_eq!((entry(text, "VmRSS:"), entry(text, "VmSwap:")), (None, None));
    }
}
