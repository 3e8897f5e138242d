//! Observed time: the time for which hosts ran and samples could arrive. No clock that can be set
//! changes it.

use std::fs::read_to_string;
use std::sync::OnceLock;
use std::time::{Duration, Instant};

use rusqlite::{Connection, OptionalExtension, params};

use super::{Store, StoreError};

/// The time between two notes of what has arrived, in microseconds.
const NOTE_PERIOD: i64 = 60_000_000;

/// The time since a host was started, and which start that was.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Uptime {
    /// The start, by a name that no other start has.
    pub boot: String,
    /// The time since then.
    pub time: Duration,
}

impl Uptime {
    /// That of this host; where the system does not report it, that of this process.
    pub fn now() -> Self {
        static PROCESS: OnceLock<(String, Instant)> = OnceLock::new();
        Self::of_host().unwrap_or_else(|| {
            let (boot, start) = PROCESS.get_or_init(|| {
                (format!("{} {:?}", std::process::id(), Instant::now()), Instant::now())
            });
            Self { boot: boot.clone(), time: start.elapsed() }
        })
    }

    /// That of this host as Linux reports it.
    fn of_host() -> Option<Self> {
        let boot = read_to_string("/proc/sys/kernel/random/boot_id").ok()?;
        let text = read_to_string("/proc/uptime").ok()?;
        let seconds: f64 = text.split(' ').next()?.parse().ok()?;
        let time = Duration::try_from_secs_f64(seconds).ok()?;
        Some(Self { boot: boot.trim().to_owned(), time })
    }

    fn micros(&self) -> i64 {
        i64::try_from(self.time.as_micros()).unwrap_or(i64::MAX)
    }
}

/// Advances the observed time by the uptime since the last call for this file, in any process, and
/// notes which samples have arrived by then; returns it in microseconds. Another start of the host
/// adds nothing: how long it was off is unknown.
pub(super) fn observe(connection: &Connection, now: &Uptime) -> Result<i64, StoreError> {
    connection.execute(
        "UPDATE observation SET
             observed = observed + CASE WHEN boot = ?1 THEN max(?2 - uptime, 0) ELSE 0 END,
             uptime = CASE WHEN boot = ?1 THEN max(uptime, ?2) ELSE ?2 END,
             boot = ?1",
        params![now.boot, now.micros()],
    )?;
    let observed = observed(connection)?;
    connection.execute(
        "INSERT INTO arrival (sequence, observed)
         SELECT arrived.sequence, ?1 FROM (SELECT max(sequence) AS sequence FROM sample) AS arrived
         LEFT JOIN (SELECT max(sequence) AS sequence, max(observed) AS observed FROM arrival) AS
             noted
         WHERE arrived.sequence > coalesce(noted.sequence, 0)
             AND ?1 >= coalesce(noted.observed + ?2, ?1)",
        params![observed, NOTE_PERIOD],
    )?;
    Ok(observed)
}

/// The observed time in microseconds.
pub(super) fn observed(connection: &Connection) -> Result<i64, StoreError> {
    Ok(connection.query_row("SELECT observed FROM observation", [], |row| row.get(0))?)
}

/// The place of the last sample that had arrived at an observed time, of at most `limit` samples;
/// `None` without one. Earlier notes of arrivals are dropped.
pub(super) fn arrived_at(
    connection: &Connection,
    observed: i64,
    limit: usize,
) -> Result<Option<i64>, StoreError> {
    let noted: Option<i64> = connection.query_row(
        "SELECT max(sequence) FROM arrival WHERE observed <= ?1",
        [observed],
        |row| row.get(0),
    )?;
    let Some(noted) = noted else { return Ok(None) };
    connection.execute("DELETE FROM arrival WHERE sequence < ?1", [noted])?;
    Ok(connection
        .query_row(
            "SELECT max(sequence) FROM (SELECT sequence FROM sample WHERE sequence <= ?1
             ORDER BY sequence LIMIT ?2)",
            params![noted, limit as i64],
            |row| row.get(0),
        )
        .optional()?
        .flatten())
}

impl Store {
    /// The observed time of the last call of [`Store::thin_out`]: that for which hosts ran and
    /// samples could arrive.
    ///
    /// # Errors
    ///
    /// Returns an error if the file cannot be read.
    pub fn observed(&self) -> Result<Duration, StoreError> {
        Ok(Duration::from_micros(u64::try_from(observed(&self.connection)?).unwrap_or(0)))
    }
}
