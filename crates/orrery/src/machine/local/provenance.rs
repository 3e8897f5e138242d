//! What a reader of the samples needs to know of a local machine.

use std::fs;

use rustix::thread::sched_getaffinity;

use super::start::Crew;
use crate::sample::Provenance;

/// The cores on which this process may run.
pub(super) fn usable_cores() -> Vec<usize> {
    let Ok(set) = sched_getaffinity(None) else { return Vec::new() };
    (0..1024).filter(|&core| set.is_set(core)).collect()
}

/// The description of a machine with this crew.
pub(super) fn describe(crew: &Crew, spin: bool) -> Provenance {
    let system = rustix::system::uname();
    let host = system.nodename().to_string_lossy().split_whitespace().collect::<String>();
    let host = if host.is_empty() { "localhost".to_owned() } else { host };
    let workers = crew.cores.len();
    let bound = crew.cores.iter().all(Option::is_some);
    let cores = crew.cores.iter().map(|core| core.map_or_else(|| "any".to_owned(), |core| core.to_string()));
    let mut provenance = Provenance::new()
        .with("machine", "local")
        .with("date", jiff::Timestamp::now().strftime("%Y-%m-%dT%H:%M:%SZ").to_string())
        .with("hosts", vec![host; workers].join(" "))
        .with("cores", cores.collect::<Vec<_>>().join(" "))
        .with("binding", if bound { "one core for each worker" } else { "none" })
        .with("usable cores", usable_cores().len().to_string())
        .with("transport", format!("tcp loopback, nodelay, {}", crew.congestion))
        .with("polling", if spin { "spin" } else { "block" })
        .with("clock", "CLOCK_MONOTONIC")
        .with("timing", "maximum over ranks, own clocks")
        .with("kernel", system.release().to_string_lossy());
    if let Some(model) = cpu_model() {
        provenance.set("cpu", model);
    }
    if let Ok(governor) = fs::read_to_string("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor") {
        provenance.set("governor", governor.trim());
    }
    provenance
}

fn cpu_model() -> Option<String> {
    let text = fs::read_to_string("/proc/cpuinfo").ok()?;
    let line = text.lines().find(|line| line.starts_with("model name"))?;
    Some(line.split_once(':')?.1.trim().to_owned())
}
