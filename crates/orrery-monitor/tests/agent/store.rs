//! The store of an agent: what it contains after restarts, jumps of the clock, kills and on a full
//! disk.

use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicI64, AtomicU64};

use orrery_monitor::agent::CLOCK_REPAIR_TIME;
use orrery_monitor::store::Uptime;

use super::*;
use crate::skip::skip;

#[test]
fn all_sensors_are_stored() -> TestResult {
    let folder = tempfile::tempdir()?;
    let store = folder.path().join("series.db");
    let agent = Running::start(folder.path(), &config(&store, "a"))?;
    for series in ["a/availability", "a/load", "a/memory_free", "a/swap_free", "a/disk_free//"] {
        until(series, || samples(&store, series).len() >= 2);
    }
    let events = agent.end()?;
    assert!(
        matches!(&events[0], Event::Started { host, listen: None } if host == "a"),
        "{events:?}"
    );
    assert!(!events.iter().any(Event::is_warning), "{events:?}");
    let values = samples(&store, "a/availability");
    assert!(values.iter().all(|(_, value)| (0.0..=1.0).contains(value)), "{values:?}");
    Ok(())
}

#[test]
fn a_restart_goes_on_and_a_second_agent_is_refused() -> TestResult {
    let folder = tempfile::tempdir()?;
    let store = folder.path().join("series.db");
    let first = Running::start(folder.path(), &config(&store, "a"))?;
    until("a sample", || !samples(&store, "a/load").is_empty());
    let second = Agent::new(
        settings(folder.path(), &config(&store, "b"))?,
        Arc::new(SystemClock::default()),
    );
    assert!(matches!(second, Err(AgentError::Locked { .. })));
    first.end()?;
    let before = samples(&store, "a/load").len();
    let again = Running::start(folder.path(), &config(&store, "a"))?;
    until("a sample after the restart", || samples(&store, "a/load").len() > before);
    again.end()?;
    Ok(())
}

/// An agent whose database is removed or moved does not take its samples for written.
#[test]
fn a_lost_database_is_reported() -> TestResult {
    for files in [&["", "-wal", "-shm"][..], &["-wal"], &[""]] {
        let folder = tempfile::tempdir()?;
        let store = folder.path().join("series.db");
        let agent = Running::start(folder.path(), &config(&store, "a"))?;
        until("a sample", || samples(&store, "a/load").len() > 2);
        let names = |end: &str| {
            let name = |begin| folder.path().join(format!("{begin}.db{end}"));
            (name("series"), name("away"))
        };
        for (name, away) in files.iter().map(|end| names(end)) {
            std::fs::rename(name, away)?;
        }
        until("the report", || {
            agent.has(|event| {
                matches!(event, Event::StoreFailed { reason } if reason.contains("removed"))
            })
        });
        for (name, away) in files.iter().map(|end| names(end)) {
            std::fs::rename(away, name)?;
        }
        until("the recovery", || {
            agent.has(|event| matches!(event, Event::StoreRecovered { written } if *written > 0))
        });
        let events = agent.end()?;
        assert!(!events.iter().any(|event| matches!(event, Event::Dropped { .. })), "{events:?}");
        let all = samples(&store, "a/load");
        let longest =
            all.windows(2).map(|pair| pair[1].0.since(pair[0].0).get()).fold(0.0, f64::max);
        assert!(longest < 30.0, "a gap of {longest} s");
    }
    Ok(())
}

/// A wall clock that is set in microseconds ahead of the real one, and a monotonic clock and an
/// uptime in seconds.
#[derive(Debug)]
struct WrongClock(SystemClock, AtomicI64, AtomicU64);

impl Clock for WrongClock {
    fn monotonic(&self) -> Duration {
        self.0.monotonic() + Duration::from_secs(self.2.load(Ordering::SeqCst))
    }

    fn wall(&self) -> Timestamp {
        Timestamp::from_micros(self.0.wall().micros() + self.1.load(Ordering::SeqCst))
    }

    fn uptime(&self) -> Uptime {
        Uptime { boot: "one".to_owned(), time: self.monotonic() }
    }
}

#[test]
fn jumps_of_the_clock_are_survived() -> TestResult {
    const HOUR: i64 = 3_600_000_000;
    let folder = tempfile::tempdir()?;
    let store = folder.path().join("series.db");
    let clock = Arc::new(WrongClock(SystemClock::default(), AtomicI64::new(0), AtomicU64::new(0)));
    let agent = Running::start_with(
        folder.path(),
        &config(&store, "a"),
        Arc::<WrongClock>::clone(&clock) as Arc<dyn Clock>,
    )?;
    let count = |wanted: usize| until("samples", || samples(&store, "a/load").len() >= wanted);
    count(2);
    // An hour back: times go on.
    clock.1.store(-HOUR, Ordering::SeqCst);
    let before = samples(&store, "a/load").len();
    count(before + 3);
    let all = samples(&store, "a/load");
    assert!(all.windows(2).all(|pair| pair[0].0 < pair[1].0), "{all:?}");
    assert!(all[all.len() - 1].0.since(all[0].0).get() < 3000.0, "{all:?}");
    assert!(agent.has(|event| matches!(event, Event::ClockBehind { by } if by.get() > 3000.0)));
    // Two days ahead and back again: what was measured in the future is set aside.
    clock.1.store(48 * HOUR, Ordering::SeqCst);
    let is_ahead =
        |sample: &(Timestamp, f64)| sample.0.micros() > Timestamp::now().micros() + 24 * HOUR;
    until("a sample ahead", || samples(&store, "a/load").iter().any(is_ahead));
    clock.1.store(0, Ordering::SeqCst);
    count(samples(&store, "a/load").len() + 2);
    clock.2.store(CLOCK_REPAIR_TIME.as_secs(), Ordering::SeqCst);
    until("samples aside", || {
        agent.has(|event| matches!(event, Event::SetAside { samples } if *samples > 0))
    });
    let left = samples(&store, "a/load").len();
    count(left + 2);
    assert!(!samples(&store, "a/load").iter().any(is_ahead));
    agent.end()?;
    // A restart reports them, and puts them back when the clock reaches their times.
    assert!(Store::open(&store)?.aside()? > 0);
    clock.1.store(72 * HOUR, Ordering::SeqCst);
    let agent = Running::start_with(
        folder.path(),
        &config(&store, "a"),
        Arc::<WrongClock>::clone(&clock) as Arc<dyn Clock>,
    )?;
    until("samples back", || {
        agent.has(|event| matches!(event, Event::PutBack { samples } if *samples > 0))
    });
    assert!(matches!(agent.end()?[1], Event::SetAside { .. }));
    assert_eq!(Store::open(&store)?.aside()?, 0);
    assert!(samples(&store, "a/load").iter().any(is_ahead));
    Ok(())
}

#[test]
fn old_samples_are_thinned_out() -> TestResult {
    let folder = tempfile::tempdir()?;
    let store = folder.path().join("series.db");
    let old = orrery_monitor::Sample {
        series: "a/load".parse()?,
        time: Timestamp::now().after(orrery::units::Seconds::new(-7200.0)),
        value: 3.0,
    };
    Store::open(&store)?.append(&[old])?;
    let text = format!(
        "retention = {{ samples = '1h', summaries = [{{ width = '1m', age = '1d' }}] }}\n{}",
        config(&store, "a")
    );
    let before = Timestamp::now().after(orrery::units::Seconds::new(-3600.0));
    let clock = Arc::new(WrongClock(SystemClock::default(), AtomicI64::new(0), AtomicU64::new(0)));
    let start = || {
        let clock = Arc::<WrongClock>::clone(&clock) as Arc<dyn Clock>;
        Running::start_with(folder.path(), &text, clock)
    };
    let agent = start()?;
    until("a sample", || samples(&store, "a/load").len() > 1);
    // The wall clock makes no sample old.
    clock.1.store(20 * 365 * 24 * 3_600_000_000, Ordering::SeqCst);
    agent.end()?;
    let agent = start()?;
    let count = samples(&store, "a/load").len();
    until("samples", || samples(&store, "a/load").len() > count + 2);
    assert!(samples(&store, "a/load")[0].0 < before);
    clock.1.store(0, Ordering::SeqCst);
    clock.2.store(4000, Ordering::SeqCst);
    until("the old sample is summarised", || {
        samples(&store, "a/load").iter().all(|(time, _)| *time > before)
    });
    agent.end()?;
    let (store, from) = (Store::open(&store)?, Timestamp::from_micros(0));
    let id = store.find(&"a/load".parse()?)?.ok_or("no series")?;
    let history = store.history(id, from, Timestamp::now(), 1000)?;
    assert_eq!((history[0].mean, history[0].count), (3.0, 1));
    Ok(())
}

/// The name of the variable with the folder of the agent that is killed.
const KILLED: &str = "ORRERY_TEST_KILLED_AGENT";

#[test]
fn what_was_stored_survives_a_kill() -> TestResult {
    if let Some(folder) = std::env::var_os(KILLED) {
        // The child: an agent that runs until it is killed.
        let folder = std::path::PathBuf::from(folder);
        let agent = Running::start(&folder, &config(&folder.join("series.db"), "a"))?;
        return agent.thread.join().map_err(|_| "the agent panicked")?.map_err(Into::into);
    }
    let folder = tempfile::tempdir()?;
    let store = folder.path().join("series.db");
    let mut stored = Vec::new();
    for _ in 0..3 {
        let mut child = Command::new(std::env::current_exe()?)
            .args(["--exact", "store::what_was_stored_survives_a_kill"])
            .env(KILLED, folder.path())
            .stdout(Stdio::null())
            .spawn()?;
        let wanted = stored.len() + 3;
        until("samples", || samples(&store, "a/load").len() >= wanted);
        let seen = samples(&store, "a/load");
        // SIGKILL.
        child.kill()?;
        child.wait()?;
        let after = samples(&store, "a/load");
        assert!(after.starts_with(&seen) && seen.starts_with(&stored), "{seen:?} {after:?}");
        stored = after;
    }
    Ok(())
}

#[test]
fn a_full_disk_is_survived() -> TestResult {
    let folder = tempfile::tempdir()?;
    let mount = |arguments: &[&str]| {
        Command::new("mount").args(arguments).arg(folder.path()).stderr(Stdio::null()).status()
    };
    let is_mounted =
        mount(&["-t", "tmpfs", "-o", "size=400k", "tmpfs"]).is_ok_and(|status| status.success());
    if !is_mounted {
        skip("only root can mount a small file system");
        return Ok(());
    }
    let outcome = fill_disk(folder.path());
    Command::new("umount").arg(folder.path()).status()?;
    outcome
}

fn fill_disk(folder: &Path) -> TestResult {
    let store = folder.join("series.db");
    let agent = Running::start(folder, &config(&store, "a"))?;
    until("a sample", || !samples(&store, "a/load").is_empty());
    // The rest of the disk.
    let filler = folder.join("filler");
    let mut size = 4 << 20;
    while size >= 512 {
        let mut all = std::fs::read(&filler).unwrap_or_default();
        let before = all.len();
        all.resize(before + size, 7);
        if std::fs::write(&filler, &all).is_err() {
            std::fs::write(&filler, &all[..before])?;
            size /= 2;
        }
    }
    until("the report", || agent.has(|event| matches!(event, Event::StoreFailed { .. })));
    let before = samples(&store, "a/load").len();
    std::thread::sleep(Duration::from_secs(1));
    std::fs::remove_file(&filler)?;
    until("the recovery", || {
        agent.has(|event| matches!(event, Event::StoreRecovered { written } if *written > 10))
    });
    // Samples of the time without space are there.
    until("samples", || samples(&store, "a/load").len() >= before + 8);
    let events = agent.end()?;
    assert!(!events.iter().any(|event| matches!(event, Event::Dropped { .. })), "{events:?}");
    let all = samples(&store, "a/load");
    let longest = all.windows(2).map(|pair| pair[1].0.since(pair[0].0).get()).fold(0.0, f64::max);
    assert!(longest < 30.0, "a gap of {longest} s");
    Ok(())
}
