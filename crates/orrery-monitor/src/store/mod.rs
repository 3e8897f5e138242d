//! The database of samples: one SQLite file with a write-ahead log.
//!
//! A sample is acknowledged when [`Store::append`] returns: it is on the disk then, whatever
//! happens to the process. A sample that arrives twice is stored once, so that senders can repeat
//! what was not acknowledged. Several processes may use one file: an agent that appends, a service
//! that reads.

mod error;
mod newest;
mod retention;
mod schema;

use std::path::Path;

use rusqlite::{Connection, OptionalExtension, TransactionBehavior, params};

pub use error::StoreError;
pub use retention::{Resolution, Retention, Thinned};

use crate::name::SeriesName;
use crate::sample::Sample;
use crate::timestamp::Timestamp;

/// A series in the store.
#[derive(Debug, Clone, PartialEq)]
pub struct StoredSeries {
    /// Its number in this file, for [`StoredSample::series`].
    pub id: i64,
    /// Its name.
    pub name: SeriesName,
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

/// Values of a series over an interval of time; of one sample, low and high are its value.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Point {
    /// The time of the sample, or the begin of the interval.
    pub time: Timestamp,
    /// The mean of the values.
    pub mean: f64,
    /// The least value.
    pub low: f64,
    /// The greatest value.
    pub high: f64,
    /// The number of samples.
    pub count: u64,
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
}

impl Store {
    /// Opens the file, and creates it if it does not exist.
    ///
    /// # Errors
    ///
    /// Returns an error if the file cannot be opened, is no database of samples, or is of a later
    /// version.
    pub fn open(path: &Path) -> Result<Self, StoreError> {
        let at = |reason| StoreError::of(path, reason);
        let connection = Connection::open(path).map_err(at)?;
        schema::prepare(&connection, path)?;
        Ok(Self { connection })
    }

    /// Appends samples in one transaction; returns the number of those that were not there before.
    /// They are on the disk when it returns.
    ///
    /// # Errors
    ///
    /// Returns an error, and appends none, if the disk is full or the file cannot be written.
    /// [`StoreError::is_full`] says which.
    pub fn append(&mut self, samples: &[Sample]) -> Result<usize, StoreError> {
        Ok(self.append_all(&[samples])?.first().copied().unwrap_or(0))
    }

    /// Appends groups of samples in one transaction, so that they share a write to the disk;
    /// returns the number of new samples of each group.
    ///
    /// # Errors
    ///
    /// Returns an error, and appends none, if the disk is full or the file cannot be written.
    pub fn append_all(&mut self, groups: &[&[Sample]]) -> Result<Vec<usize>, StoreError> {
        // A transaction that begins with a read cannot write after another process has written.
        let transaction =
            self.connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        let appended =
            groups.iter().map(|samples| insert(&transaction, samples)).collect::<Result<_, _>>()?;
        transaction.commit()?;
        Ok(appended)
    }

    /// All series in order of their numbers.
    ///
    /// # Errors
    ///
    /// Returns an error if the file cannot be read.
    pub fn series(&self) -> Result<Vec<StoredSeries>, StoreError> {
        let mut all = self.connection.prepare_cached("SELECT id, name FROM series ORDER BY id")?;
        let rows = all.query_map([], |row| Ok((row.get(0)?, row.get::<_, String>(1)?)))?;
        let mut series = Vec::new();
        for row in rows {
            let (id, name) = row?;
            series.push(StoredSeries { id, name: name.parse()? });
        }
        Ok(series)
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
        let mut last = self.connection.prepare_cached(
            "SELECT time, value FROM sample WHERE series = ?1 ORDER BY time DESC LIMIT ?2",
        )?;
        let row = |row: &rusqlite::Row<'_>| Ok((Timestamp::from_micros(row.get(0)?), row.get(1)?));
        let rows = last.query_map(params![series, count as i64], row)?;
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
        let mut set = self.connection.prepare_cached(
            "INSERT INTO position (name, sequence) VALUES (?1, ?2)
             ON CONFLICT (name) DO UPDATE SET sequence = excluded.sequence",
        )?;
        set.execute(params![name, sequence])?;
        Ok(())
    }
}

/// Inserts samples that are not there, and adds their series; returns their number. Samples without
/// a finite value are left out.
fn insert(connection: &Connection, samples: &[Sample]) -> Result<usize, StoreError> {
    let mut find = connection.prepare_cached("SELECT id FROM series WHERE name = ?1")?;
    let mut add = connection.prepare_cached("INSERT INTO series (name) VALUES (?1)")?;
    let mut insert = connection
        .prepare_cached("INSERT OR IGNORE INTO sample (series, time, value) VALUES (?1, ?2, ?3)")?;
    let mut last: Option<(&SeriesName, i64)> = None;
    let mut inserted = 0;
    for sample in samples.iter().filter(|sample| sample.value.is_finite()) {
        let id = match last {
            Some((name, id)) if *name == sample.series => id,
            _ => {
                let name = sample.series.to_string();
                match find.query_row([&name], |row| row.get(0)).optional()? {
                    Some(id) => id,
                    None => add.insert([&name])?,
                }
            }
        };
        last = Some((&sample.series, id));
        inserted += insert.execute(params![id, sample.time.micros(), sample.value])?;
    }
    Ok(inserted)
}
