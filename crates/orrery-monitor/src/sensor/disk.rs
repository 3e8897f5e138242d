//! Free space of file systems.

use std::path::Path;

use rustix::fs::statvfs;

use super::Measurement;
use super::error::SensorError;
use crate::name::Quantity;

/// The space in bytes that users without privileges can have on the file system of a folder.
///
/// # Errors
///
/// Returns an error if the folder does not exist or its file system does not answer.
pub(super) fn measure(folder: &Path) -> Result<Measurement, SensorError> {
    let fail = |source: rustix::io::Errno| SensorError::Disk { path: folder.to_owned(), source: source.into() };
    let space = statvfs(folder).map_err(fail)?;
    let value = space.f_bavail as f64 * space.f_frsize as f64;
    Ok(Measurement { quantity: Quantity::DiskFree, target: Some(folder.display().to_string()), value })
}
