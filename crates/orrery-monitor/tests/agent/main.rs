//! Agents in one process: what they store and forward, and what they survive.
#![cfg(all(feature = "agent", target_os = "linux"))]

#[path = "../http/request.rs"]
mod request;
#[path = "../../../orrery/tests/common/skip.rs"]
mod skip;

mod clique;
mod forward;
mod store;

use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use orrery_monitor::agent::{Clock, SystemClock};
use orrery_monitor::{
    Agent, AgentConfig, AgentError, AgentSettings, Event, SeriesName, Store, Timestamp,
};

type TestResult = Result<(), Box<dyn std::error::Error>>;

/// Only a hang takes so long.
const HANG: Duration = Duration::from_secs(120);

/// A running agent and what it reported.
struct Running {
    stop: Arc<AtomicBool>,
    events: Arc<Mutex<Vec<Event>>>,
    thread: JoinHandle<Result<(), AgentError>>,
}

impl Running {
    /// Starts the agent of a configuration, which is written into the folder.
    fn start(folder: &Path, config: &str) -> Result<Self, Box<dyn std::error::Error>> {
        Self::start_with(folder, config, Arc::new(SystemClock::default()))
    }

    fn start_with(
        folder: &Path,
        config: &str,
        clock: Arc<dyn Clock>,
    ) -> Result<Self, Box<dyn std::error::Error>> {
        let agent = Agent::new(settings(folder, config)?, clock)?;
        let (stop, events) = (Arc::new(AtomicBool::new(false)), Arc::new(Mutex::new(Vec::new())));
        let (ending, reported) = (Arc::clone(&stop), Arc::clone(&events));
        let run = move || {
            agent.run(&ending, &mut |event| {
                if let Ok(mut events) = reported.lock() {
                    events.push(event.clone());
                }
            })
        };
        Ok(Self { stop, events, thread: std::thread::spawn(run) })
    }

    fn events(&self) -> Vec<Event> {
        self.events.lock().map(|events| events.clone()).unwrap_or_default()
    }

    fn has(&self, is_it: impl Fn(&Event) -> bool) -> bool {
        self.events().iter().any(is_it)
    }

    /// Ends the agent; returns all events.
    fn end(self) -> Result<Vec<Event>, Box<dyn std::error::Error>> {
        self.stop.store(true, Ordering::SeqCst);
        self.thread.join().map_err(|_| "the agent panicked")??;
        Ok(self.events.lock().map(|events| events.clone()).unwrap_or_default())
    }
}

/// The settings of a configuration.
fn settings(folder: &Path, config: &str) -> Result<AgentSettings, Box<dyn std::error::Error>> {
    let path = folder.join("agent.toml");
    std::fs::write(&path, config)?;
    Ok(AgentSettings::new(AgentConfig::read(&path)?)?)
}

/// Waits until something is true.
fn until(what: &str, mut is_true: impl FnMut() -> bool) {
    let begin = Instant::now();
    while !is_true() {
        assert!(begin.elapsed() < HANG, "{what} did not happen");
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// The samples of a series.
fn samples(path: &Path, series: &str) -> Vec<(Timestamp, f64)> {
    let read = || -> Result<_, Box<dyn std::error::Error>> {
        let store = Store::open(path)?;
        let Some(id) = store.find(&series.parse::<SeriesName>()?)? else { return Ok(Vec::new()) };
        Ok(store.recent(id, 1_000_000)?)
    };
    read().unwrap_or_default()
}

/// The shortest configuration: fast sensors.
fn config(store: &Path, host: &str) -> String {
    format!(
        "host = '{host}'\nstore = '{}'\ndisks = ['/']\ninterval = {{ processor = '0.1s', memory = '0.2s', disk = '0.2s' }}\n",
        store.display()
    )
}
