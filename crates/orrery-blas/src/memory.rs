//! The memory of this process and of the host, from `/proc`.

use std::fs;

use orrery::units::Bytes;
use rustix::fs::{Mode, OFlags, open};

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
