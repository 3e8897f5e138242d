//! Past values of a series: each sample is in one point, and no two points overlap.
//!
//! A sample that was not summarised is a point of its own, unless it is in the interval of a
//! summary, to which it is added then. Of the summaries of an interval the finest ones count that
//! are complete: those that have as many samples as the coarser summary of the same time.

use orrery::units::Seconds;
use rusqlite::{Connection, OptionalExtension, params};

use super::retention::widths;
use super::{Store, StoreError};
use crate::timestamp::Timestamp;

/// Values of a series over an interval of time; of one sample, low and high are its value.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Point {
    /// The time of the sample, or the begin of the interval.
    pub time: Timestamp,
    /// The width of the interval; 0 for a sample.
    pub width: Seconds,
    /// The mean of the values.
    pub mean: f64,
    /// The least value.
    pub low: f64,
    /// The greatest value.
    pub high: f64,
    /// The number of samples.
    pub count: u64,
}

impl Point {
    /// A sample.
    fn sample(time: i64, value: f64) -> Self {
        let time = Timestamp::from_micros(time);
        Self { time, width: Seconds::ZERO, mean: value, low: value, high: value, count: 1 }
    }

    /// The end of the interval in microseconds.
    fn end(&self) -> i64 {
        self.time.after(self.width).micros()
    }

    /// Adds a sample.
    fn add(&mut self, value: f64) {
        self.count += 1;
        self.mean += (value - self.mean) / self.count as f64;
        (self.low, self.high) = (self.low.min(value), self.high.max(value));
    }
}

impl Store {
    /// Values of a series from a time on up to another: samples as far as they are kept, before
    /// them the finest summaries whose intervals are not before and not after these times. At most
    /// `limit` points, the last ones, the oldest first.
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
        // One state of the file, also if another process thins it out meanwhile.
        let transaction = self.connection.unchecked_transaction()?;
        let reading = Reading { connection: &transaction, series, from: from.micros(), limit };
        let widths = widths(&transaction, series)?;
        let coarsest = widths.last().copied().unwrap_or(1);
        let (mut points, mut before) = (Vec::new(), to.micros().saturating_add(1));
        while points.len() < limit
            && let Some(newest) = reading.newest(&widths, before)?
        {
            // All summaries of an interval of the largest width, and the samples up to `before`.
            let begin = newest.saturating_sub(newest.rem_euclid(coarsest));
            let end = begin.saturating_add(coarsest);
            let mut summaries = reading.summaries(&widths, begin, end)?;
            let begin = if summaries.is_empty() { reading.gap(&widths, before)? } else { begin };
            let is_wanted = |one: &Point| one.time.micros() < before && one.end() > from.micros();
            summaries.retain(is_wanted);
            reading.join(&mut points, summaries, begin.max(from.micros()), before)?;
            before = begin;
        }
        points.truncate(limit);
        points.reverse();
        Ok(points)
    }
}

/// What is read of a series.
struct Reading<'a> {
    connection: &'a Connection,
    series: i64,
    from: i64,
    limit: usize,
}

impl Reading<'_> {
    /// The time of the newest sample, or the begin of the newest summary, before a time, unless it
    /// is before the first wanted time; `None` without one.
    fn newest(&self, widths: &[i64], before: i64) -> Result<Option<i64>, StoreError> {
        let mut sample = self.connection.prepare_cached(
            "SELECT max(time) FROM sample WHERE series = ?1 AND time >= ?2 AND time < ?3",
        )?;
        let sample: Option<i64> =
            sample.query_row(params![self.series, self.from, before], |row| row.get(0))?;
        Ok(sample.max(self.newest_summary(widths, before)?))
    }

    /// The begin of the newest summary that begins before a time and ends after the first wanted
    /// one.
    fn newest_summary(&self, widths: &[i64], before: i64) -> Result<Option<i64>, StoreError> {
        let mut summary = self.connection.prepare_cached(
            "SELECT time FROM summary WHERE series = ?1 AND width = ?2 AND time > ?3 AND time < ?4
             ORDER BY time DESC LIMIT 1",
        )?;
        let mut newest = None;
        for width in widths {
            let after = self.from.saturating_sub(*width);
            let parameters = params![self.series, width, after, before];
            newest = newest.max(summary.query_row(parameters, |row| row.get(0)).optional()?);
        }
        Ok(newest)
    }

    /// The end of the newest summary of the largest width before a time: up to there, there are
    /// samples only; the first wanted time without a summary.
    fn gap(&self, widths: &[i64], before: i64) -> Result<i64, StoreError> {
        let coarsest = widths.last().copied().unwrap_or(1);
        let newest = self.newest_summary(widths, before)?;
        Ok(newest.map_or(self.from, |newest| newest - newest.rem_euclid(coarsest) + coarsest))
    }

    /// The finest complete summaries of an interval of the largest width, in order of time.
    fn summaries(&self, widths: &[i64], begin: i64, end: i64) -> Result<Vec<Point>, StoreError> {
        let mut query = self.connection.prepare_cached(
            "SELECT time, mean, low, high, count FROM summary
             WHERE series = ?1 AND width = ?2 AND time >= ?3 AND time < ?4 ORDER BY time",
        )?;
        let mut best: Vec<Point> = Vec::new();
        for width in widths {
            let point = |row: &rusqlite::Row<'_>| {
                Ok(Point {
                    time: Timestamp::from_micros(row.get(0)?),
                    width: Seconds::new(*width as f64 / 1e6),
                    mean: row.get(1)?,
                    low: row.get(2)?,
                    high: row.get(3)?,
                    count: row.get::<_, i64>(4)?.unsigned_abs(),
                })
            };
            let coarser = query.query_map(params![self.series, width, begin, end], point)?;
            for coarser in coarser {
                replace_incomplete(&mut best, coarser?);
            }
        }
        Ok(best)
    }

    /// Appends summaries, with all samples that they cover, and the other samples from `begin` up
    /// to `before`, in descending order of time.
    fn join(
        &self,
        points: &mut Vec<Point>,
        mut summaries: Vec<Point>,
        begin: i64,
        before: i64,
    ) -> Result<(), StoreError> {
        let mut samples = self.connection.prepare_cached(
            "SELECT time, value FROM sample WHERE series = ?1 AND time >= ?2 AND time < ?3
             ORDER BY time DESC",
        )?;
        let first = summaries.first().map_or(begin, |point| begin.min(point.time.micros()));
        let end = summaries.last().map_or(before, |point| before.max(point.end()));
        let mut rows = samples.query(params![self.series, first, end])?;
        while points.len() <= self.limit
            && let Some(row) = rows.next()?
        {
            let (time, value): (i64, f64) = (row.get(0)?, row.get(1)?);
            while let Some(later) = summaries.pop_if(|point| point.time.micros() > time) {
                points.push(later);
            }
            match summaries.last_mut().filter(|point| time < point.end()) {
                Some(covering) => covering.add(value),
                None if begin <= time && time < before => points.push(Point::sample(time, value)),
                None => {}
            }
        }
        points.extend(summaries.into_iter().rev());
        Ok(())
    }
}

/// Adds a summary to finer ones: those of its interval give way if they have fewer samples, else it
/// is left out. Summaries that overlap without being part of it give way, too.
fn replace_incomplete(finer: &mut Vec<Point>, coarser: Point) {
    let first = finer.partition_point(|point| point.end() <= coarser.time.micros());
    let end = finer.partition_point(|point| point.time.micros() < coarser.end());
    let count: u64 = finer[first..end].iter().map(|point| point.count).sum();
    if count < coarser.count {
        finer.splice(first..end, [coarser]);
    }
}
