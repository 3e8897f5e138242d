//! The tables of the database, and how a file is opened.

use std::path::Path;
use std::time::{Duration, Instant};

use rusqlite::{Connection, ErrorCode};

use super::error::StoreError;

/// "Orry" in the header of the file.
const APPLICATION: i64 = 0x4f72_7279;

/// The version of the tables.
const VERSION: i64 = STEPS.len() as i64;

/// The time that a writer waits for another one.
const BUSY_TIMEOUT: Duration = Duration::from_secs(10);

/// The time between two attempts where SQLite does not wait itself.
const BUSY_PAUSE: Duration = Duration::from_millis(5);

/// The statements that lead from each version of the tables to the next one; from an empty file to
/// version 1 first.
const STEPS: [&str; 3] = [
    "
        CREATE TABLE series (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE);
        CREATE TABLE sample (
            sequence INTEGER PRIMARY KEY AUTOINCREMENT,
            series INTEGER NOT NULL REFERENCES series (id),
            time INTEGER NOT NULL,
            value REAL NOT NULL,
            UNIQUE (series, time)
        );
        CREATE TABLE summary (
            series INTEGER NOT NULL REFERENCES series (id),
            width INTEGER NOT NULL,
            time INTEGER NOT NULL,
            mean REAL NOT NULL,
            low REAL NOT NULL,
            high REAL NOT NULL,
            count INTEGER NOT NULL,
            PRIMARY KEY (series, width, time)
        ) WITHOUT ROWID;
        CREATE TABLE position (name TEXT PRIMARY KEY, sequence INTEGER NOT NULL) WITHOUT ROWID;
    ",
    // Version 2: samples are thinned out by observed time, none is counted twice, and what
    // contradicts the clock is set aside. `made` of summaries and `observed` are in microseconds of
    // observed time; `thinned` is the time of the last sample that was summarised.
    "
        ALTER TABLE series ADD COLUMN thinned INTEGER;
        ALTER TABLE summary ADD COLUMN last INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE summary ADD COLUMN made INTEGER NOT NULL DEFAULT 0;
        CREATE INDEX summary_made ON summary (width, made);
        UPDATE summary SET last = min(time + width - 1, coalesce((SELECT min(time) - 1 FROM sample
            WHERE series = summary.series AND sample.time >= summary.time), time + width - 1));
        UPDATE series SET thinned = (SELECT max(last) FROM summary WHERE series = series.id);
        CREATE TABLE observation (
            boot TEXT NOT NULL,
            uptime INTEGER NOT NULL,
            observed INTEGER NOT NULL
        );
        INSERT INTO observation VALUES ('', 0, 0);
        CREATE TABLE arrival (sequence INTEGER PRIMARY KEY, observed INTEGER NOT NULL);
        CREATE TABLE aside (
            series INTEGER NOT NULL REFERENCES series (id),
            width INTEGER NOT NULL,
            time INTEGER NOT NULL,
            mean REAL NOT NULL,
            low REAL NOT NULL,
            high REAL NOT NULL,
            count INTEGER NOT NULL,
            last INTEGER NOT NULL,
            PRIMARY KEY (series, width, time)
        ) WITHOUT ROWID;
    ",
    // Version 3: `ahead` is the time of the last sample that was ahead of the clock of its reader
    // when it arrived, so that it is not believed after a restart.
    "
        ALTER TABLE series ADD COLUMN ahead INTEGER;
    ",
];

/// Sets up the connection, and creates the tables in an empty file; an error if the file is of
/// another program or of a later version.
pub(super) fn prepare(connection: &Connection, path: &Path) -> Result<(), StoreError> {
    let at = |reason| StoreError::of(path, reason);
    connection.busy_timeout(BUSY_TIMEOUT).map_err(at)?;
    if !is_own_or_empty(connection).map_err(at)? {
        return Err(StoreError::Other { path: path.to_owned() });
    }
    begin_log(connection).map_err(at)?;
    // A commit is on the disk when it returns, also in a log file.
    connection.pragma_update(None, "synchronous", "FULL").map_err(at)?;
    connection.execute_batch("BEGIN IMMEDIATE").map_err(at)?;
    let prepared = create(connection, path);
    connection.execute_batch(if prepared.is_ok() { "COMMIT" } else { "ROLLBACK" }).map_err(at)?;
    prepared
}

/// Writes changes to a log file first. SQLite does not wait for other processes here, which may open
/// the same new file.
fn begin_log(connection: &Connection) -> rusqlite::Result<()> {
    let begin = Instant::now();
    loop {
        let changed = connection.pragma_update(None, "journal_mode", "WAL");
        let is_busy =
            |error: &rusqlite::Error| error.sqlite_error_code() == Some(ErrorCode::DatabaseBusy);
        if !changed.as_ref().is_err_and(is_busy) || begin.elapsed() > BUSY_TIMEOUT {
            return changed;
        }
        std::thread::sleep(BUSY_PAUSE);
    }
}

/// Returns true for a store or an empty file; the first statement that reads the file.
///
/// Both questions are about one state of the file: another process may create the tables meanwhile.
fn is_own_or_empty(connection: &Connection) -> rusqlite::Result<bool> {
    let transaction = connection.unchecked_transaction()?;
    let application: i64 =
        transaction.pragma_query_value(None, "application_id", |row| row.get(0))?;
    let tables: i64 =
        transaction.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0))?;
    Ok(application == APPLICATION || (application == 0 && tables == 0))
}

/// Brings the tables to this version, unless another process has done so.
fn create(connection: &Connection, path: &Path) -> Result<(), StoreError> {
    let at = |reason| StoreError::of(path, reason);
    let version: i64 =
        connection.pragma_query_value(None, "user_version", |row| row.get(0)).map_err(at)?;
    let steps = usize::try_from(version).ok().and_then(|version| STEPS.get(version..));
    let Some(steps) = steps else {
        return Err(StoreError::Version { path: path.to_owned(), version, known: VERSION });
    };
    for step in steps {
        connection.execute_batch(step).map_err(at)?;
    }
    if !steps.is_empty() {
        connection.pragma_update(None, "application_id", APPLICATION).map_err(at)?;
        connection.pragma_update(None, "user_version", VERSION).map_err(at)?;
    }
    Ok(())
}
