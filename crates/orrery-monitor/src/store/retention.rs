//! Old samples are summarised: the mean, least and greatest value of each interval of some widths,
//! which are deleted at an age of their own.
//!
//! Ages are [observed](super::Uptime) ones since the arrival of a sample, and since the last change
//! of a summary: whatever the times of samples are, and whatever the clock is set to, no sample is
//! summarised and no summary is deleted early.

use rusqlite::{Connection, OptionalExtension, TransactionBehavior, params};

use orrery::units::Seconds;

use super::uptime::{Uptime, arrived_at, observe};
use super::{Store, StoreError};
use crate::timestamp::Timestamp;

/// How finely old values are kept.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Resolution {
    /// The width of the intervals that are summarised.
    pub width: Seconds,
    /// The age at which their summaries are deleted, from their last change on.
    pub age: Seconds,
}

/// How long samples and their summaries are kept.
#[derive(Debug, Clone, PartialEq)]
pub struct Retention {
    /// The age at which samples are deleted, from their arrival on; their summaries are kept.
    pub samples: Seconds,
    /// The summaries, each kept until its age.
    pub summaries: Vec<Resolution>,
}

impl Default for Retention {
    /// Samples for a day, summaries of five minutes for 30 days, of an hour for two years.
    fn default() -> Self {
        const HOUR: f64 = 3600.0;
        let resolution = |width, days| Resolution {
            width: Seconds::new(width),
            age: Seconds::new(days * 24.0 * HOUR),
        };
        Self {
            samples: Seconds::new(24.0 * HOUR),
            summaries: vec![resolution(300.0, 30.0), resolution(HOUR, 730.0)],
        }
    }
}

/// What a call of [`Store::thin_out`] has done.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Thinned {
    /// The number of deleted samples.
    pub samples: usize,
    /// The number of deleted summaries.
    pub summaries: usize,
}

/// The statement that adds rows of the same columns to summaries.
pub(super) const ADD_TO_SUMMARY: &str = "
    ON CONFLICT (series, width, time) DO UPDATE SET
        mean = mean + (excluded.mean - mean) * excluded.count / (count + excluded.count),
        low = min(low, excluded.low), high = max(high, excluded.high),
        count = count + excluded.count, last = max(last, excluded.last), made = excluded.made";

impl Store {
    /// Summarises and deletes samples that are older than the retention, at most `limit` of them,
    /// in the order of their arrival, and deletes old summaries.
    ///
    /// # Errors
    ///
    /// Returns an error, and changes nothing, if the file cannot be written.
    pub fn thin_out(
        &mut self,
        retention: &Retention,
        now: &Uptime,
        limit: usize,
    ) -> Result<Thinned, StoreError> {
        self.file.check()?;
        let transaction =
            self.connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        let mut thinned = Thinned::default();
        let now = observe(&transaction, now)?;
        if let Some(last) = arrived_at(&transaction, now - micros(retention.samples), limit)? {
            let add = format!(
                "INSERT INTO summary (series, width, time, mean, low, high, count, last, made)
                 SELECT series, ?1, time - ((time % ?1) + ?1) % ?1, avg(value), min(value),
                     max(value), count(*), max(time), ?3
                 FROM sample WHERE sequence <= ?2 GROUP BY 1, 3 {ADD_TO_SUMMARY}"
            );
            for resolution in &retention.summaries {
                transaction.execute(&add, params![resolution.micros(), last, now])?;
            }
            transaction.execute(
                "UPDATE series SET thinned = max(coalesce(thinned, old.last), old.last)
                 FROM (SELECT series, max(time) AS last FROM sample WHERE sequence <= ?1
                     GROUP BY 1) AS old
                 WHERE old.series = series.id",
                [last],
            )?;
            thinned.samples =
                transaction.execute("DELETE FROM sample WHERE sequence <= ?1", [last])?;
        }
        for resolution in &retention.summaries {
            thinned.summaries += transaction.execute(
                "DELETE FROM summary WHERE width = ?1 AND made < ?2",
                params![resolution.micros(), now - micros(resolution.age)],
            )?;
        }
        transaction.commit()?;
        self.file.check()?;
        Ok(thinned)
    }
}

/// The widths of the summaries of a series, the finest first.
pub(super) fn widths(connection: &Connection, series: i64) -> Result<Vec<i64>, StoreError> {
    let mut next = connection
        .prepare_cached("SELECT min(width) FROM summary WHERE series = ?1 AND width > ?2")?;
    let mut widths = Vec::new();
    while let Some(width) =
        next.query_row(params![series, widths.last().unwrap_or(&0)], |row| row.get(0))?
    {
        widths.push(width);
    }
    Ok(widths)
}

/// Returns true if a sample was summarised: the finest summary that covers its time has seen a
/// sample at this time or a later one. An interval without summary had no samples, unless finer
/// summaries of its time were deleted.
pub(super) fn is_summarised(
    connection: &Connection,
    series: i64,
    time: Timestamp,
) -> Result<bool, StoreError> {
    let mut covering = connection.prepare_cached(
        "SELECT ?3 < time + width AND ?3 <= last FROM summary
         WHERE series = ?1 AND width = ?2 AND time <= ?3 ORDER BY time DESC LIMIT 1",
    )?;
    for width in widths(connection, series)? {
        let parameters = params![series, width, time.micros()];
        if let Some(is_seen) = covering.query_row(parameters, |row| row.get(0)).optional()? {
            return Ok(is_seen);
        }
    }
    Ok(false)
}

impl Resolution {
    /// The width in microseconds.
    fn micros(&self) -> i64 {
        micros(self.width).max(1)
    }
}

/// A duration in microseconds.
fn micros(duration: Seconds) -> i64 {
    (duration.get() * 1e6).round() as i64
}
