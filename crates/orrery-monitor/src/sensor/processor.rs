//! Availability, load and pressure stall information.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use procfs::{
    CpuPressure, FromRead, FromReadSI as _, IoPressure, KernelStats, LoadAverage, MemoryPressure,
};

use super::availability::{Availability, Usage, balanced};
use super::cgroup;
use super::cpus::Cpus;
use super::error::SensorError;
use super::spin::spin_while;
use super::{Measurement, Sources, push};
use crate::name::Quantity;

/// The time that a probe of the availability measures.
const SPIN_TIME: Duration = Duration::from_millis(100);

/// The sensors of the processors.
#[derive(Debug)]
pub(super) struct Processors {
    cpus: Cpus,
    availability: Availability,
    /// The times of the processors at the last reading.
    before: Option<(Duration, Times)>,
    stalls: [Stall; 3],
}

/// The stalls for one resource: time in which some process waited for it.
#[derive(Debug)]
struct Stall {
    quantity: Quantity,
    file: &'static str,
    total: fn(&Path) -> procfs::ProcResult<u64>,
    /// The total of the stalls in microseconds, at a time.
    before: Option<(Duration, u64)>,
}

impl Processors {
    /// The sensors of these processors, before the first reading.
    pub(super) fn new(cpus: Cpus) -> Self {
        let stall = |quantity, file, total| Stall { quantity, file, total, before: None };
        let stalls = [
            stall(Quantity::CpuPressure, "pressure/cpu", |path| {
                Ok(CpuPressure::from_file(path)?.some.total)
            }),
            stall(Quantity::MemoryPressure, "pressure/memory", |path| {
                Ok(MemoryPressure::from_file(path)?.some.total)
            }),
            stall(Quantity::IoPressure, "pressure/io", |path| {
                Ok(IoPressure::from_file(path)?.some.total)
            }),
        ];
        Self { cpus, availability: Availability::default(), before: None, stalls }
    }

    /// Measures. The availability and the pressures are those of the time since the last call; the
    /// first has none.
    pub(super) fn measure(
        &mut self,
        sources: &Sources,
        now: Duration,
        found: &mut Vec<Measurement>,
        faults: &mut Vec<SensorError>,
    ) {
        push(found, faults, Quantity::Availability, self.measure_availability(sources, now));
        let path = sources.proc.join("loadavg");
        let load = LoadAverage::from_file(&path)
            .map(|load| Some(f64::from(load.one)))
            .map_err(|e| read(path, &e));
        push(found, faults, Quantity::Load, load);
        for stall in &mut self.stalls {
            let path = sources.proc.join(stall.file);
            // Kernels without pressure stall information have no such file; others refuse to read
            // it.
            if path.exists() {
                let value = stall.measure(path, now);
                push(found, faults, stall.quantity.clone(), value);
            }
        }
    }

    /// The availability since the last call; `None` in the first one. May spin for [`SPIN_TIME`]
    /// and more to probe it.
    fn measure_availability(
        &mut self,
        sources: &Sources,
        now: Duration,
    ) -> Result<Option<f64>, SensorError> {
        let times = self.times(sources)?;
        let before = self.before.replace((now, times));
        let Some((time, before)) = before.filter(|(time, _)| now > *time) else { return Ok(None) };
        let passed = now.saturating_sub(time).as_secs_f64();
        let low_priority =
            (times.low_priority - before.low_priority) / passed / self.cpus.count() as f64;
        let usage = Usage::new((times.idle - before.idle) / passed, low_priority);
        self.availability.set_limit(cgroup::limit(&sources.proc, &sources.sys));
        if self.availability.needs_probe(usage, now) {
            let begin = Instant::now();
            let part = self.probe(sources)?;
            self.availability.add_probe(usage, part, now);
            // The processor was busy with the probe: its time is not counted.
            self.before = Some((now + begin.elapsed(), self.times(sources)?));
        }
        Ok(Some(self.availability.value(usage)))
    }

    /// The part of a processor that a process would get in longer times than a probe; that of the
    /// probe if the number of processes on these processors is unknown.
    fn probe(&self, sources: &Sources) -> Result<f64, SensorError> {
        let is_whole_host = Cpus::online(&sources.sys)? == self.cpus;
        let (path, mut runnable) = (sources.proc.join("stat"), Vec::new());
        let part = spin_while(&self.cpus, SPIN_TIME, || {
            let stat = KernelStats::from_file(&path, procfs::current_system_info()).ok();
            let running = stat.and_then(|stat| stat.procs_running).filter(|_| is_whole_host);
            // This thread runs while it reads.
            runnable.extend(running.map(|running| running.saturating_sub(1)));
        })?;
        Ok(balanced(part, &runnable, self.cpus.count()))
    }

    /// The times of these processors since the start of the system, in sum over them.
    fn times(&self, sources: &Sources) -> Result<Times, SensorError> {
        let path = sources.proc.join("stat");
        let stat = KernelStats::from_file(&path, procfs::current_system_info())
            .map_err(|e| read(path, &e))?;
        let online = Cpus::online(&sources.sys)?;
        let (mut idle, mut low_priority) = (0, 0);
        for cpu in self.cpus.iter() {
            let place = online.iter().position(|one| one == cpu);
            let time = place.and_then(|place| stat.cpu_time.get(place));
            let time =
                time.ok_or_else(|| SensorError::Offline { cpu, online: online.to_string() })?;
            idle += time.idle + time.iowait.unwrap_or(0);
            low_priority += time.nice;
        }
        let seconds = |ticks: u64| ticks as f64 / procfs::ticks_per_second() as f64;
        Ok(Times { idle: seconds(idle), low_priority: seconds(low_priority) })
    }
}

/// Times of processors in seconds.
#[derive(Debug, Clone, Copy)]
struct Times {
    /// Without a process that can run.
    idle: f64,
    /// With processes of low priority.
    low_priority: f64,
}

impl Stall {
    /// The part of the time since the last call in which some process waited, 0 to 1; `None` in the
    /// first call.
    fn measure(&mut self, path: PathBuf, now: Duration) -> Result<Option<f64>, SensorError> {
        let total = (self.total)(&path).map_err(|error| read(path, &error))?;
        let before = self.before.replace((now, total));
        let Some((time, before)) = before.filter(|(time, _)| now > *time) else { return Ok(None) };
        let stalled = total.saturating_sub(before) as f64 / 1e6;
        Ok(Some((stalled / now.saturating_sub(time).as_secs_f64()).min(1.0)))
    }
}

/// The error of a file that cannot be read.
pub(super) fn read(path: PathBuf, error: &procfs::ProcError) -> SensorError {
    SensorError::Read { path, reason: error.to_string() }
}
