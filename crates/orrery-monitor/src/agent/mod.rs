//! The agent of a host: sensors and probes on a schedule, samples into the store and to a service.

mod clock;
mod config;
mod discarded;
mod error;
mod event;
mod forward;
mod lock;
mod pending;
pub(crate) mod recorder;
mod schedule;
mod settings;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::JoinHandle;
use std::time::Duration;

use sd_notify::NotifyState;

pub use clock::{
    CLOCK_REPAIR_TIME, Clock, ClockChange, MAX_SLEWED_AHEAD, SampleClock, Stamp, SystemClock,
};
pub use config::{
    AgentConfig, ConfigError, ForwardConfig, Intervals, MAX_BANDWIDTH_BYTES, MAX_PEERS, PeerConfig,
    Place, ProbeConfig,
};
pub use discarded::{Discarded, MAX_DISCARDED_BYTES};
pub use error::AgentError;
pub use event::Event;
pub use pending::{MAX_PENDING, Pending};
pub use settings::AgentSettings;

use crate::probe::Probes;
use crate::sensor::{Measurement, Sensors, Sources};
use crate::store::Store;
use crate::timestamp::Timestamp;
use forward::Forwarder;
use lock::AgentLock;
use recorder::Recorder;
use schedule::Schedule;

/// The longest time between two looks at the flag that ends the agent.
const POLL: Duration = Duration::from_millis(200);

/// What threads of an agent send to its main loop.
#[derive(Debug)]
pub(crate) enum Report {
    /// A probe measured.
    Measured(Vec<Measurement>),
    /// Something happened.
    Event(Event),
}

/// An agent that is ready to measure: it has locked its store.
#[derive(Debug)]
pub struct Agent {
    recorder: Recorder,
    sensors: Sensors,
    schedule: Schedule,
    clock: Arc<dyn Clock>,
    settings: AgentSettings,
    _lock: AgentLock,
}

impl Agent {
    /// Puts back all samples of this host that were set aside; returns their number. An agent sets
    /// those that are still more than an hour after its clock aside again.
    ///
    /// # Errors
    ///
    /// Returns an error if an agent uses the store, or if it cannot be written.
    pub fn put_back(settings: &AgentSettings) -> Result<u64, AgentError> {
        let store = &settings.config.store;
        if !store.exists() {
            return Ok(0);
        }
        let _lock = AgentLock::take(store)?;
        Ok(Store::open(store)?.put_back(&settings.host, Timestamp::from_micros(i64::MAX))?)
    }

    /// Opens the store of these settings.
    ///
    /// # Errors
    ///
    /// Returns an error if another agent uses the store, or if it cannot be opened.
    pub fn new(settings: AgentSettings, clock: Arc<dyn Clock>) -> Result<Self, AgentError> {
        let config = &settings.config;
        let lock = AgentLock::take(&config.store)?;
        let recorder =
            Recorder::new(&config.store, &settings.host, config.retention.clone(), &*clock)?;
        let sensors = Sensors::new(Sources::default(), settings.cpus.clone(), config.disks.clone());
        let schedule = Schedule::new(config.interval, clock.monotonic());
        Ok(Self { recorder, sensors, schedule, clock, settings, _lock: lock })
    }

    /// Measures until the flag is set; reports what happens. All samples are on the disk when it
    /// returns, if there is space.
    ///
    /// # Errors
    ///
    /// Returns an error if the address for peers cannot be used or a thread cannot be started.
    pub fn run(
        mut self,
        stop: &Arc<AtomicBool>,
        on_event: &mut dyn FnMut(&Event),
    ) -> Result<(), AgentError> {
        let (sender, reports) = channel();
        let (probes, forwarder) = self.start_threads(stop, &sender)?;
        let listen = probes.as_ref().map(Probes::address);
        on_event(&Event::Started { host: self.settings.host.clone(), listen });
        self.recorder.note_aside(on_event);
        let mut notifier = Notifier::new(on_event);
        while !stop.load(Ordering::SeqCst) {
            self.measure(on_event);
            self.take_reports(&reports, on_event);
            self.recorder.write(&*self.clock, on_event);
            notifier.is_alive(self.clock.monotonic());
        }
        let _ = sd_notify::notify(&[NotifyState::Stopping]);
        if let Some(probes) = probes {
            probes.join();
        }
        if let Some(forwarder) = forwarder {
            // A panic of the thread ends the forwarding, and not the agent.
            let _ = forwarder.join();
        }
        drop(sender);
        for report in reports {
            self.take(report, on_event);
        }
        self.recorder.finish(on_event);
        Ok(())
    }

    /// Starts what runs beside the sensors.
    fn start_threads(
        &mut self,
        stop: &Arc<AtomicBool>,
        reports: &Sender<Report>,
    ) -> Result<(Option<Probes>, Option<JoinHandle<()>>), AgentError> {
        let AgentSettings { config, host, secret, client, .. } = &mut self.settings;
        let file = self.recorder.file();
        let start = |probe| {
            Probes::start(host, probe, std::mem::take(secret), Arc::clone(stop), reports.clone())
        };
        let probes = config.probe.as_ref().map(start).transpose()?;
        let forwarder = client.take().map(|client| {
            let (store, stop, reports) = (config.store.clone(), Arc::clone(stop), reports.clone());
            let host = host.clone();
            let forwarder = Forwarder { store, host, file, client, stop, reports };
            std::thread::Builder::new().name("forward".to_owned()).spawn(move || forwarder.run())
        });
        Ok((probes, forwarder.transpose().map_err(AgentError::Thread)?))
    }

    /// Reads the sensors that are due.
    fn measure(&mut self, on_event: &mut dyn FnMut(&Event)) {
        for group in self.schedule.due(self.clock.monotonic()) {
            let (found, faults) = self.sensors.measure(group, self.clock.monotonic());
            self.recorder.record(found, &*self.clock, on_event);
            self.recorder.note_faults(group, &faults, on_event);
        }
    }

    /// Waits for what the threads report, until a sensor is due or the flag of the end is to be
    /// read.
    fn take_reports(&mut self, reports: &Receiver<Report>, on_event: &mut dyn FnMut(&Event)) {
        let wait = self.schedule.time_left(self.clock.monotonic()).min(POLL);
        let mut next = reports.recv_timeout(wait).ok();
        while let Some(report) = next {
            self.take(report, on_event);
            next = reports.try_recv().ok();
        }
    }

    /// Records measured values, or reports an event.
    fn take(&mut self, report: Report, on_event: &mut dyn FnMut(&Event)) {
        match report {
            Report::Measured(found) => self.recorder.record(found, &*self.clock, on_event),
            Report::Event(event) => on_event(&event),
        }
    }
}

/// Notifies systemd that the agent is ready and alive.
#[derive(Debug)]
struct Notifier {
    period: Option<Duration>,
    last: Duration,
}

impl Notifier {
    /// Notifies systemd that the agent is ready; reports an event if that fails.
    fn new(on_event: &mut dyn FnMut(&Event)) -> Self {
        if let Err(error) = sd_notify::notify(&[NotifyState::Ready]) {
            on_event(&Event::Notify { reason: error.to_string() });
        }
        Self {
            period: sd_notify::watchdog_enabled().map(|timeout| timeout / 3),
            last: Duration::ZERO,
        }
    }

    /// Notifies systemd that the agent is alive, if the unit has a watchdog and a third of its time
    /// has passed since the last notification.
    fn is_alive(&mut self, now: Duration) {
        if self.period.is_some_and(|period| now.saturating_sub(self.last) >= period) {
            self.last = now;
            // Without notifications in time, systemd restarts the agent.
            let _ = sd_notify::notify(&[NotifyState::Watchdog]);
        }
    }
}
