//! Old samples are summarised: the mean, least and greatest value of each interval of some widths,
//! which are deleted at an age of their own.

use rusqlite::{Params, Statement, TransactionBehavior, params};

use orrery::units::Seconds;

use super::{Point, Store, StoreError};
use crate::timestamp::Timestamp;

/// How finely old values are kept.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Resolution {
    /// The width of the intervals that are summarised.
    pub width: Seconds,
    /// The age at which their summaries are deleted.
    pub age: Seconds,
}

/// How long samples and their summaries are kept.
#[derive(Debug, Clone, PartialEq)]
pub struct Retention {
    /// The age at which samples are deleted; their summaries are kept.
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

impl Store {
    /// Summarises and deletes samples that are older than the retention, at most `limit` of them,
    /// and deletes old summaries.
    ///
    /// # Errors
    ///
    /// Returns an error, and changes nothing, if the file cannot be written.
    pub fn thin_out(
        &mut self,
        retention: &Retention,
        now: Timestamp,
        limit: usize,
    ) -> Result<Thinned, StoreError> {
        let before = |age: Seconds| now.after(Seconds::ZERO - age).micros();
        let transaction =
            self.connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        let mut thinned = Thinned::default();
        // The oldest samples by arrival; those with later times among them wait.
        let last: Option<i64> = transaction.query_row(
            "SELECT max(sequence) FROM (SELECT sequence FROM sample ORDER BY sequence LIMIT ?1)",
            [limit as i64],
            |row| row.get(0),
        )?;
        if let Some(last) = last {
            for resolution in &retention.summaries {
                transaction.execute(
                    "INSERT INTO summary (series, width, time, mean, low, high, count)
                     SELECT series, ?1, time - ((time % ?1) + ?1) % ?1, avg(value), min(value), \
                     max(value), count(*)
                     FROM sample WHERE sequence <= ?2 AND time < ?3 GROUP BY 1, 3
                     ON CONFLICT (series, width, time) DO UPDATE SET
                         mean = mean + (excluded.mean - mean) * excluded.count / (count + \
                         excluded.count),
                         low = min(low, excluded.low), high = max(high, excluded.high), count = \
                         count + excluded.count",
                    params![width(*resolution), last, before(retention.samples)],
                )?;
            }
            thinned.samples = transaction.execute(
                "DELETE FROM sample WHERE sequence <= ?1 AND time < ?2",
                params![last, before(retention.samples)],
            )?;
        }
        for resolution in &retention.summaries {
            // With the series, the primary key leads to the old ones; without, all summaries would
            // be read.
            thinned.summaries += transaction.execute(
                "DELETE FROM summary WHERE series IN (SELECT id FROM series) AND width = ?1 AND \
                    time < ?2",
                params![width(*resolution), before(resolution.age)],
            )?;
        }
        transaction.commit()?;
        Ok(thinned)
    }

    /// Values of a series from a time on up to another: samples as far as they are kept, before
    /// them the finest summaries. At most `limit` points, the last ones, the oldest first.
    ///
    /// # Errors
    ///
    /// Returns an error if the file cannot be read.
    pub fn history(
        &self,
        series: i64,
        from: Timestamp,
        to: Timestamp,
        limit: usize,
    ) -> Result<Vec<Point>, StoreError> {
        let mut samples = self.connection.prepare_cached(
            "SELECT time, value, value, value, 1 FROM sample
             WHERE series = ?1 AND time BETWEEN ?2 AND ?3 ORDER BY time DESC LIMIT ?4",
        )?;
        let mut points =
            read_points(&mut samples, params![series, from.micros(), to.micros(), limit as i64])?;
        let mut summaries = self.connection.prepare_cached(
            "SELECT time, mean, low, high, count FROM summary
             WHERE series = ?1 AND width = ?2 AND time >= ?3 AND time < ?4 ORDER BY time DESC \
             LIMIT ?5",
        )?;
        for width in self.widths(series)? {
            let until =
                points.last().map_or(to.micros().saturating_add(1), |point| point.time.micros());
            let limit = limit.saturating_sub(points.len()) as i64;
            points.extend(read_points(
                &mut summaries,
                params![series, width, from.micros(), until, limit],
            )?);
        }
        points.reverse();
        Ok(points)
    }

    /// The widths of the summaries of a series, the finest first.
    fn widths(&self, series: i64) -> Result<Vec<i64>, StoreError> {
        let mut widths = self.connection.prepare_cached(
            "SELECT DISTINCT width FROM summary WHERE series = ?1 ORDER BY width",
        )?;
        let rows = widths.query_map([series], |row| row.get(0))?;
        Ok(rows.collect::<Result<_, _>>()?)
    }
}

/// Runs a query of points.
fn read_points(
    query: &mut Statement<'_>,
    parameters: impl Params,
) -> Result<Vec<Point>, StoreError> {
    let row = |row: &rusqlite::Row<'_>| {
        let time = Timestamp::from_micros(row.get(0)?);
        Ok(Point {
            time,
            mean: row.get(1)?,
            low: row.get(2)?,
            high: row.get(3)?,
            count: row.get::<_, i64>(4)? as u64,
        })
    };
    Ok(query.query_map(parameters, row)?.collect::<Result<_, _>>()?)
}

/// The width in microseconds.
fn width(resolution: Resolution) -> i64 {
    ((resolution.width.get() * 1e6).round() as i64).max(1)
}
