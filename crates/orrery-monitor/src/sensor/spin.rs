//! The part of a processor that a spinning thread gets.

use std::time::{Duration, Instant};

use rustix::thread::sched_setaffinity;
use rustix::time::{ClockId, clock_gettime};

use super::cpus::Cpus;
use super::error::SensorError;

/// The time before the measurement in which the scheduler places the new thread and gives it its
/// first time slices.
const WARM_UP: Duration = Duration::from_millis(20);

/// The time between samples during a probe.
const SAMPLE_PERIOD: Duration = Duration::from_millis(10);

/// A thread on the processors spins, then measures: the processor time that it gets divided by the
/// passed time, 0 to 1.
///
/// # Errors
///
/// Returns an error if the thread may not use the processors.
pub fn spin(cpus: &Cpus, duration: Duration) -> Result<f64, SensorError> {
    spin_while(cpus, duration, || ())
}

/// The same, while this thread calls a function each [`SAMPLE_PERIOD`].
pub(super) fn spin_while(
    cpus: &Cpus,
    duration: Duration,
    mut sample: impl FnMut(),
) -> Result<f64, SensorError> {
    let fail = |reason| SensorError::Affinity { reason };
    let set = cpus.affinity();
    let spinning = move || -> Result<f64, rustix::io::Errno> {
        sched_setaffinity(None, &set)?;
        spin_for(WARM_UP);
        let (before, begin) = (thread_time(), Instant::now());
        spin_for(duration);
        let (used, passed) = (thread_time() - before, begin.elapsed().as_secs_f64());
        Ok(if passed > 0.0 { (used / passed).clamp(0.0, 1.0) } else { 1.0 })
    };
    let thread =
        std::thread::Builder::new().name("spin".to_owned()).spawn(spinning).map_err(fail)?;
    while !thread.is_finished() {
        std::thread::sleep(SAMPLE_PERIOD);
        sample();
    }
    let outcome = thread.join().map_err(|_| fail(std::io::Error::other("the thread ended")))?;
    outcome.map_err(|reason| fail(reason.into()))
}

/// Computes until the time has passed.
fn spin_for(duration: Duration) {
    let begin = Instant::now();
    while begin.elapsed() < duration {
        std::hint::spin_loop();
    }
}

/// The processor time of this thread in seconds.
fn thread_time() -> f64 {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    time.tv_sec as f64 + time.tv_nsec as f64 / 1e9
}
