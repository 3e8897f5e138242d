//! The last samples of a host, and the removal of those with wrong times.

use rusqlite::{TransactionBehavior, params};

use super::{Store, StoreError};
use crate::timestamp::Timestamp;

/// The series of a host, whose name is the first parameter.
const OF_HOST: &str =
    "series IN (SELECT id FROM series WHERE substr(name, 1, length(?1) + 1) = ?1 || '/')";

impl Store {
    /// The time of the newest sample of a host; `None` without one.
    ///
    /// # Errors
    ///
    /// Returns an error if the file cannot be read.
    pub fn newest(&self, host: &str) -> Result<Option<Timestamp>, StoreError> {
        let query = format!("SELECT max(time) FROM sample WHERE {OF_HOST}");
        let newest: Option<i64> = self.connection.query_row(&query, [host], |row| row.get(0))?;
        Ok(newest.map(Timestamp::from_micros))
    }

    /// Removes the samples and summaries of a host after a time; returns the number of removed
    /// samples.
    ///
    /// # Errors
    ///
    /// Returns an error, and removes none, if the file cannot be written.
    pub fn remove_after(&mut self, host: &str, time: Timestamp) -> Result<usize, StoreError> {
        let transaction =
            self.connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        let remove = |table| {
            let statement = format!("DELETE FROM {table} WHERE time > ?2 AND {OF_HOST}");
            transaction.execute(&statement, params![host, time.micros()])
        };
        let removed = remove("sample")?;
        remove("summary")?;
        transaction.commit()?;
        Ok(removed)
    }
}
