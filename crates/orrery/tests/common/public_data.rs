//! Public data that are not part of the project.

use std::path::PathBuf;

use crate::skip::skip;

/// The folder `ORRERY_DATA` with public data. Without it, reports the running test as skipped.
pub fn public_data() -> Option<PathBuf> {
    let folder = std::env::var_os("ORRERY_DATA").map(PathBuf::from);
    if folder.is_none() {
        skip("ORRERY_DATA names no folder with public data");
    }
    folder
}
