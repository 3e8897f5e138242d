//! The time of the processor.

/// The processor time of this process so far in seconds: that which others take does not count.
pub fn busy() -> f64 {
    let status = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let behind_name = status.rsplit(')').next().unwrap_or_default();
    let ticks = behind_name.split_whitespace().skip(11).take(2);
    ticks.filter_map(|ticks| ticks.parse::<f64>().ok()).sum::<f64>() / 100.0
}
