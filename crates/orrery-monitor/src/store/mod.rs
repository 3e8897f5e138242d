//! The database of samples: one SQLite file with a write-ahead log.
//!
//! A sample is acknowledged when [`Store::append`] returns: it is on the disk then, whatever
//! happens to the process. A sample that arrives twice is stored once, also after it was summarised,
//! so that senders can repeat what was not acknowledged. Several processes may use one file: an
//! agent that appends, a service that reads. Nothing is acknowledged while a file of the database
//! has lost its name.

mod aside;
mod error;
mod history;
mod identity;
mod retention;
mod schema;
mod uptime;

use std::collections::BTreeMap;
use std::path::Path;

use orrery::file::Identity;
use rusqlite::types::ValueRef;
use rusqlite::{Connection, OpenFlags, OptionalExtension, Statement, TransactionBehavior, params};

pub use error::StoreError;
pub use history::Point;
pub use identity::StoreFile;
pub use retention::{Resolution, Retention, Thinned};
pub use uptime::Uptime;

use crate::name::{NameError, SeriesName};
use crate::sample::Sample;
use crate::timestamp::Timestamp;

/// A series in the store.
#[derive(Debug, Clone, PartialEq)]
pub struct StoredSeries {
    /// Its number in this file, for [`StoredSample::series`].
    pub id: i64,
    /// Its name.
    pub name: SeriesName,
    /// The time of the last sample that was ahead when it arrived (see [`Store::mark_ahead`]).
    pub ahead: Option<Timestamp>,
}

/// A sample with its place in the order of arrival.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct StoredSample {
    /// The place: later samples have larger ones.
    pub sequence: i64,
    /// The number of the series.
    pub series: i64,
    /// When it was measured.
    pub time: Timestamp,
    /// The value.
    pub value: f64,
}

/// A database of samples.
///
/// ```
/// use orrery_monitor::{Sample, Store, Timestamp};
/// # let folder = tempfile::tempdir()?;
/// let mut store = Store::open(&folder.path().join("series.db"))?;
/// let sample = Sample { series: "node1/load".parse()?, time: Timestamp::from_micros(1_000_000), value: 0.5 };
/// assert_eq!(store.append(&[sample.clone()])?, 1);
/// assert_eq!(store.append(&[sample.clone()])?, 0);
/// let id = store.find(&sample.series)?.expect("it was appended");
/// assert_eq!(store.recent(id, 10)?, [(sample.time, 0.5)]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Store {
    connection: Connection,
    file: StoreFile,
}

impl Store {
    /// Opens the file, and creates it, readable by its owner only, if it does not exist.
    ///
    /// # Errors
    ///
    /// Returns an error if the path names no file, or the file cannot be opened, is no database of
    /// samples, or is of a later version.
    pub fn open(path: &Path) -> Result<Self, StoreError> {
        StoreFile::create(path)?;
        let at = |reason| StoreError::of(path, reason);
        let before = Identity::at(path);
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE
            | OpenFlags::SQLITE_OPEN_CREATE
            | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let connection = Connection::open_with_flags(path, flags).map_err(at)?;
        schema::prepare(&connection, path)?;
        let file = StoreFile::of(path)?;
        if before.is_some() && before != Identity::at(path) {
            return Err(StoreError::Lost { path: path.to_owned() });
        }
        Ok(Self { connection, file })
    }

    /// The files of the database.
    pub fn file(&self) -> &StoreFile {
        &self.file
    }

    /// Appends samples in one transaction; returns the number of those that were not there before.
    /// They are on the disk when it returns.
    ///
    /// # Errors
    ///
    /// Returns an error, and appends none, if the disk is full or the file cannot be written.
    /// [`StoreError::is_full`] says which.
    pub fn append(&mut self, samples: &[Sample]) -> Result<usize, StoreError> {
        let fresh = Timestamp::from_micros(i64::MAX);
        Ok(self.append_all(&[samples], fresh)?.first().copied().unwrap_or(0))
    }

    /// Appends groups of samples in one transaction, so that they share a write to the disk;
    /// returns the number of new samples of each group.
    ///
    /// A sample with a time in a summary has arrived before, unless it is from `fresh` or later:
    /// samples of this age are not summarised yet, so that a wrong clock has made the summary.
    ///
    /// # Errors
    ///
    /// Returns an error, and acknowledges none, if the disk is full, the file cannot be written, or
    /// a file of the database has lost its name.
    pub fn append_all(
        &mut self,
        groups: &[&[Sample]],
        fresh: Timestamp,
    ) -> Result<Vec<usize>, StoreError> {
        self.file.check()?;
        // A transaction that begins with a read cannot write after another process has written.
        let transaction =
            self.connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        let insert = |samples: &&[Sample]| insert(&transaction, samples, fresh);
        let appended = groups.iter().map(insert).collect::<Result<_, _>>()?;
        transaction.commit()?;
        self.file.check()?;
        Ok(appended)
    }

    /// All series in order of their numbers, without those whose names are not valid.
    ///
    /// # Errors
    ///
    /// Returns an error if the file cannot be read.
    pub fn series(&self) -> Result<Vec<StoredSeries>, StoreError> {
        Ok(self.names()?.into_iter().filter_map(Result::ok).collect())
    }

    /// All series in order of their numbers, and what is wrong with the names of others.
    ///
    /// # Errors
    ///
    /// Returns an error if the file cannot be read.
    pub fn names(&self) -> Result<Vec<Result<StoredSeries, NameError>>, StoreError> {
        let mut all =
            self.connection.prepare_cached("SELECT id, name, ahead FROM series ORDER BY id")?;
        let rows = all.query_map([], |row| {
            let name = match row.get_ref(1)? {
                ValueRef::Text(bytes) | ValueRef::Blob(bytes) => String::from_utf8_lossy(bytes),
                _ => "".into(),
            };
            let (id, ahead) = (row.get(0)?, row.get::<_, Option<i64>>(2)?);
            let ahead = ahead.map(Timestamp::from_micros);
            Ok(name.parse().map(|name| StoredSeries { id, name, ahead }))
        })?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// The number of a series; `None` if no sample of it was ever appended.
    ///
    /// # Errors
    ///
    /// Returns an error if the file cannot be read.
    pub fn find(&self, name: &SeriesName) -> Result<Option<i64>, StoreError> {
        let mut find = self.connection.prepare_cached("SELECT id FROM series WHERE name = ?1")?;
        Ok(find.query_row([name.to_string()], |row| row.get(0)).optional()?)
    }

    /// The `count` samples of a series with the latest times, or all if it has fewer, the oldest
    /// first.
    ///
    /// # Errors
    ///
    /// Returns an error if the file cannot be read.
    pub fn recent(&self, series: i64, count: usize) -> Result<Vec<(Timestamp, f64)>, StoreError> {
        self.recent_until(series, Timestamp::from_micros(i64::MAX), count)
    }

    /// The `count` samples of a series with the latest times up to a time, or all if it has fewer,
    /// the oldest first.
    ///
    /// # Errors
    ///
    /// Returns an error if the file cannot be read.
    pub fn recent_until(
        &self,
        series: i64,
        until: Timestamp,
        count: usize,
    ) -> Result<Vec<(Timestamp, f64)>, StoreError> {
        let mut last = self.connection.prepare_cached(
            "SELECT time, value FROM sample WHERE series = ?1 AND time <= ?2 ORDER BY time DESC \
                LIMIT ?3",
        )?;
        let row = |row: &rusqlite::Row<'_>| Ok((Timestamp::from_micros(row.get(0)?), row.get(1)?));
        let rows = last.query_map(params![series, until.micros(), count as i64], row)?;
        let mut samples = rows.collect::<Result<Vec<_>, _>>()?;
        samples.reverse();
        Ok(samples)
    }

    /// The first `limit` samples that arrived after a place in the order of arrival, in this order.
    ///
    /// # Errors
    ///
    /// Returns an error if the file cannot be read.
    pub fn arrived_after(
        &self,
        sequence: i64,
        limit: usize,
    ) -> Result<Vec<StoredSample>, StoreError> {
        let mut after = self.connection.prepare_cached(
            "SELECT sequence, series, time, value FROM sample WHERE sequence > ?1 ORDER BY \
                sequence LIMIT ?2",
        )?;
        let row = |row: &rusqlite::Row<'_>| {
            let time = Timestamp::from_micros(row.get(2)?);
            Ok(StoredSample {
                sequence: row.get(0)?,
                series: row.get(1)?,
                time,
                value: row.get(3)?,
            })
        };
        let rows = after.query_map(params![sequence, limit as i64], row)?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// Notes the times of samples that were ahead of the clock when they arrived, by the numbers
    /// of their series; in one transaction.
    ///
    /// # Errors
    ///
    /// Returns an error, and notes nothing, if the file cannot be written.
    pub fn mark_ahead(&self, times: &BTreeMap<i64, Timestamp>) -> Result<(), StoreError> {
        let transaction = self.connection.unchecked_transaction()?;
        let mut set = transaction.prepare_cached("UPDATE series SET ahead = ?2 WHERE id = ?1")?;
        for (series, time) in times {
            set.execute(params![series, time.micros()])?;
        }
        drop(set);
        Ok(transaction.commit()?)
    }

    /// The place of the last sample in the order of arrival; 0 without samples.
    ///
    /// # Errors
    ///
    /// Returns an error if the file cannot be read.
    pub fn last_sequence(&self) -> Result<i64, StoreError> {
        let mut last =
            self.connection.prepare_cached("SELECT coalesce(max(sequence), 0) FROM sample")?;
        Ok(last.query_row([], |row| row.get(0))?)
    }

    /// A named place in the order of arrival, such as the last sample that was forwarded; 0 if it
    /// was never set.
    ///
    /// # Errors
    ///
    /// Returns an error if the file cannot be read.
    pub fn position(&self, name: &str) -> Result<i64, StoreError> {
        let mut find =
            self.connection.prepare_cached("SELECT sequence FROM position WHERE name = ?1")?;
        Ok(find.query_row([name], |row| row.get(0)).optional()?.unwrap_or(0))
    }

    /// Sets a named place in the order of arrival.
    ///
    /// # Errors
    ///
    /// Returns an error if the file cannot be written.
    pub fn set_position(&self, name: &str, sequence: i64) -> Result<(), StoreError> {
        self.file.check()?;
        let mut set = self.connection.prepare_cached(
            "INSERT INTO position (name, sequence) VALUES (?1, ?2)
             ON CONFLICT (name) DO UPDATE SET sequence = excluded.sequence",
        )?;
        set.execute(params![name, sequence])?;
        Ok(())
    }
}

/// Inserts samples that were not there, and adds their series; returns their number. Samples
/// without a finite value are left out.
fn insert(
    connection: &Connection,
    samples: &[Sample],
    fresh: Timestamp,
) -> Result<usize, StoreError> {
    let mut find = connection.prepare_cached(FIND)?;
    let mut insert = connection
        .prepare_cached("INSERT OR IGNORE INTO sample (series, time, value) VALUES (?1, ?2, ?3)")?;
    let mut last: Option<(&SeriesName, (i64, Option<i64>))> = None;
    let mut inserted = 0;
    for sample in samples.iter().filter(|sample| sample.value.is_finite()) {
        let (id, thinned) = match last {
            Some((name, found)) if *name == sample.series => found,
            _ => id_of(connection, &mut find, &sample.series)?,
        };
        last = Some((&sample.series, (id, thinned)));
        let may_be_summarised =
            sample.time < fresh && thinned.is_some_and(|thinned| sample.time.micros() <= thinned);
        if !(may_be_summarised && retention::is_summarised(connection, id, sample.time)?) {
            inserted += insert.execute(params![id, sample.time.micros(), sample.value])?;
        }
    }
    Ok(inserted)
}

/// The statement of [`id_of`].
const FIND: &str = "SELECT id, thinned FROM series WHERE name = ?1";

/// The number of a series, which is added if there is none, and the time of the last sample of it
/// that was summarised.
fn id_of(
    connection: &Connection,
    find: &mut Statement<'_>,
    name: &SeriesName,
) -> Result<(i64, Option<i64>), StoreError> {
    let name = name.to_string();
    let found = find.query_row([&name], |row| Ok((row.get(0)?, row.get(1)?))).optional()?;
    if let Some(found) = found {
        return Ok(found);
    }
    let mut add = connection.prepare_cached("INSERT INTO series (name) VALUES (?1)")?;
    Ok((add.insert([&name])?, None))
}
