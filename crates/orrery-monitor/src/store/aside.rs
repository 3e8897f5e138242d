//! Samples and summaries whose times contradict the clock of their host are set aside: they are in
//! no series, forecast or history until they are put back, and they are not deleted.

use rusqlite::{Connection, OptionalExtension, Transaction, TransactionBehavior, params};

use super::retention::ADD_TO_SUMMARY;
use super::uptime::observed;
use super::{FIND, Store, StoreError, id_of};
use crate::sample::Sample;
use crate::timestamp::Timestamp;

/// The series of a host, whose name is the first parameter.
const OF_HOST: &str =
    "IN (SELECT id FROM series WHERE substr(name, 1, length(?1) + 1) = ?1 || '/')";

/// The number of samples that are set aside: those that were not summarised, and those of the
/// finest summaries of each series.
const COUNT: &str = "SELECT coalesce(sum(samples), 0) FROM (
    SELECT (SELECT sum(count) FROM aside WHERE aside.series = series.id AND width IN (0, min(
        coalesce((SELECT min(width) FROM summary WHERE summary.series = series.id), ?1),
        coalesce((SELECT min(width) FROM aside AS any WHERE any.series = series.id AND width > 0),
            ?1)))) AS samples FROM series)";

impl Store {
    /// The time of the newest sample of a host, also of those that were summarised; `None` without
    /// one.
    ///
    /// # Errors
    ///
    /// Returns an error if the file cannot be read.
    pub fn newest(&self, host: &str) -> Result<Option<Timestamp>, StoreError> {
        let newest: Option<i64> = self.connection.query_row(
            "SELECT max(newest) FROM (SELECT max(
                 coalesce((SELECT max(time) FROM sample WHERE series = id), thinned),
                 coalesce(thinned, (SELECT max(time) FROM sample WHERE series = id))) AS newest
             FROM series WHERE substr(name, 1, length(?1) + 1) = ?1 || '/')",
            [host],
            |row| row.get(0),
        )?;
        Ok(newest.map(Timestamp::from_micros))
    }

    /// Sets aside the samples of a host after a time, the summaries that contain such samples, and
    /// samples that are not stored yet. Returns the number of samples that are aside now, of any
    /// host.
    ///
    /// # Errors
    ///
    /// Returns an error, and changes nothing, if the file cannot be written.
    pub fn set_aside(
        &mut self,
        host: &str,
        after: Timestamp,
        unstored: &[Sample],
    ) -> Result<u64, StoreError> {
        self.file.check()?;
        let transaction =
            self.connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        let parameters = params![host, after.micros()];
        transaction.execute(
            &format!(
                "INSERT OR IGNORE INTO aside
                 SELECT series, 0, time, value, value, value, 1, time FROM sample
                 WHERE time > ?2 AND series {OF_HOST}"
            ),
            parameters,
        )?;
        let mut find = transaction.prepare_cached(FIND)?;
        for sample in unstored.iter().filter(|sample| sample.value.is_finite()) {
            transaction.execute(
                "INSERT OR IGNORE INTO aside VALUES (?1, 0, ?2, ?3, ?3, ?3, 1, ?2)",
                params![
                    id_of(&transaction, &mut find, &sample.series)?.0,
                    sample.time.micros(),
                    sample.value
                ],
            )?;
        }
        drop(find);
        let add = ADD_TO_SUMMARY.replace(", made = excluded.made", "");
        transaction.execute(
            &format!(
                "INSERT INTO aside SELECT series, width, time, mean, low, high, count, last
                 FROM summary WHERE last > ?2 AND series {OF_HOST} {add}"
            ),
            parameters,
        )?;
        transaction.execute(
            &format!("DELETE FROM sample WHERE time > ?2 AND series {OF_HOST}"),
            parameters,
        )?;
        transaction.execute(
            &format!("DELETE FROM summary WHERE last > ?2 AND series {OF_HOST}"),
            parameters,
        )?;
        let aside = finish(&transaction, host)?;
        transaction.commit()?;
        self.file.check()?;
        Ok(aside)
    }

    /// Puts back what was set aside of a host and is not after a time: samples arrive again, and
    /// summaries are added to those of the same intervals. Returns the number of samples that are
    /// back.
    ///
    /// # Errors
    ///
    /// Returns an error, and changes nothing, if the file cannot be written.
    pub fn put_back(&mut self, host: &str, until: Timestamp) -> Result<u64, StoreError> {
        self.file.check()?;
        let transaction =
            self.connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        let before = aside(&transaction)?;
        let parameters = params![host, until.micros()];
        transaction.execute(
            &format!(
                "INSERT OR IGNORE INTO sample (series, time, value)
                 SELECT series, time, mean FROM aside
                 WHERE width = 0 AND last <= ?2 AND series {OF_HOST} ORDER BY time"
            ),
            parameters,
        )?;
        transaction.execute(
            &format!(
                "INSERT INTO summary (series, width, time, mean, low, high, count, last, made)
                 SELECT series, width, time, mean, low, high, count, last, ?3 FROM aside
                 WHERE width > 0 AND last <= ?2 AND series {OF_HOST} {ADD_TO_SUMMARY}"
            ),
            params![host, until.micros(), observed(&transaction)?],
        )?;
        transaction.execute(
            &format!("DELETE FROM aside WHERE last <= ?2 AND series {OF_HOST}"),
            parameters,
        )?;
        let left = finish(&transaction, host)?;
        transaction.commit()?;
        self.file.check()?;
        Ok(before.saturating_sub(left))
    }

    /// The number of samples that are set aside.
    ///
    /// # Errors
    ///
    /// Returns an error if the file cannot be read.
    pub fn aside(&self) -> Result<u64, StoreError> {
        aside(&self.connection)
    }

    /// The time of the first sample or summary of a host that is set aside; `None` without one.
    ///
    /// # Errors
    ///
    /// Returns an error if the file cannot be read.
    pub fn first_aside(&self, host: &str) -> Result<Option<Timestamp>, StoreError> {
        let first: Option<i64> = self.connection.query_row(
            &format!("SELECT min(last) FROM aside WHERE series {OF_HOST}"),
            [host],
            |row| row.get(0),
        )?;
        Ok(first.map(Timestamp::from_micros))
    }
}

/// The number of samples that are set aside, as [`finish`] has counted them.
fn aside(connection: &Connection) -> Result<u64, StoreError> {
    let count: Option<i64> = connection
        .query_row("SELECT sequence FROM position WHERE name = 'aside'", [], |row| row.get(0))
        .optional()?;
    Ok(count.unwrap_or(0).unsigned_abs())
}

/// Brings what depends on the summaries of a host and on the table `aside` up to date; returns the
/// number of samples that are set aside.
fn finish(transaction: &Transaction<'_>, host: &str) -> Result<u64, StoreError> {
    transaction.execute(
        &format!(
            "UPDATE series SET thinned = (SELECT max(last) FROM summary WHERE series = id)
             WHERE id {OF_HOST}"
        ),
        [host],
    )?;
    transaction.execute(
        &format!(
            "INSERT INTO position (name, sequence) VALUES ('aside', ({COUNT}))
             ON CONFLICT (name) DO UPDATE SET sequence = excluded.sequence"
        ),
        [i64::MAX],
    )?;
    aside(transaction)
}
