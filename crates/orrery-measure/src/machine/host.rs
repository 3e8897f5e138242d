//! Properties of the host on which this process runs, for the provenance of machines.

use std::fs;

use rustix::thread::sched_getaffinity;

use orrery_base::units::Bytes;

/// The name of the host, without blanks.
pub fn name() -> String {
    let system = rustix::system::uname();
    let name = system.nodename().to_string_lossy().split_whitespace().collect::<String>();
    if name.is_empty() { "localhost".to_owned() } else { name }
}

/// The cores on which this process may run.
pub fn usable_cores() -> Vec<usize> {
    let Ok(set) = sched_getaffinity(None) else { return Vec::new() };
    (0..1024).filter(|&core| set.is_set(core)).collect()
}

/// The identifier of this boot of the kernel, if known: equal in all namespaces and containers of
/// one kernel, even if they have names of their own as hosts, and different in each virtual
/// machine.
pub fn boot_id() -> Option<String> {
    let text = fs::read_to_string("/proc/sys/kernel/random/boot_id").ok()?;
    let id = text.trim();
    (!id.is_empty()).then(|| id.to_owned())
}

/// The release of the kernel.
pub fn kernel() -> String {
    rustix::system::uname().release().to_string_lossy().into_owned()
}

/// The memory of the host, if known.
pub fn memory() -> Option<Bytes> {
    memory_in(&fs::read_to_string("/proc/meminfo").ok()?)
}

/// The memory in the line `MemTotal: 16384 kB` of a text; `None` without such a line.
fn memory_in(text: &str) -> Option<Bytes> {
    let value =
        text.lines().find_map(|line| line.strip_prefix("MemTotal:"))?.trim().strip_suffix(" kB")?;
    Some(Bytes::new(value.trim().parse::<u64>().ok()?.checked_mul(1024)?))
}

/// The name of the processor model, if known.
pub fn cpu_model() -> Option<String> {
    let text = fs::read_to_string("/proc/cpuinfo").ok()?;
    let line = text.lines().find(|line| line.starts_with("model name"))?;
    Some(line.split_once(':')?.1.trim().to_owned())
}

/// The frequency governor of the first core, if known.
pub fn governor() -> Option<String> {
    let text = fs::read_to_string("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor").ok()?;
    Some(text.trim().to_owned())
}

/// The current time in UTC, as 2026-01-31T12:00:00Z.
pub fn date() -> String {
    jiff::Timestamp::now().strftime("%Y-%m-%dT%H:%M:%SZ").to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_memory_is_in_kibibytes() {
        assert_eq!(
            memory_in("MemTotal:       16384 kB\nMemFree: 1 kB\n"),
            Some(Bytes::new(16 << 20))
        );
        assert_eq!(memory_in("MemTotal: 16384 MB\n"), None);
    }
}
