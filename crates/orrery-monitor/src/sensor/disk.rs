//! Free space of file systems.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::channel;
use std::time::{Duration, Instant};

use rustix::fs::statvfs;

use super::Measurement;
use super::error::SensorError;
use crate::name::Quantity;

/// The time in which file systems answer; one of a server that is gone does not.
const TIMEOUT: Duration = Duration::from_secs(1);

/// The file system of a folder.
#[derive(Debug)]
pub(super) struct Disk {
    folder: PathBuf,
    /// True while a thread waits for the file system.
    is_waiting: Arc<AtomicBool>,
}

impl Disk {
    pub(super) fn new(folder: PathBuf) -> Self {
        Self { folder, is_waiting: Arc::new(AtomicBool::new(false)) }
    }
}

/// Measures file systems. Each is asked by a thread of its own, so that one that does not answer
/// delays the others by [`TIMEOUT`] once; it is not asked again before it answers.
pub(super) fn measure(disks: &[Disk]) -> (Vec<Measurement>, Vec<SensorError>) {
    let (mut found, mut faults) = (Vec::new(), Vec::new());
    let (sender, answers) = channel();
    let mut waiting = Vec::new();
    for (at, disk) in disks.iter().enumerate() {
        if disk.is_waiting.swap(true, Ordering::SeqCst) {
            faults.push(silent(&disk.folder));
            continue;
        }
        let (folder, is_waiting, sender) =
            (disk.folder.clone(), Arc::clone(&disk.is_waiting), sender.clone());
        let ask = move || {
            let answer = free(&folder);
            is_waiting.store(false, Ordering::SeqCst);
            // After the timeout, the receiver is gone.
            let _ = sender.send((at, answer));
        };
        match std::thread::Builder::new().name("disk".to_owned()).spawn(ask) {
            Ok(_) => waiting.push(at),
            Err(reason) => {
                disk.is_waiting.store(false, Ordering::SeqCst);
                faults.push(SensorError::Disk { path: disk.folder.clone(), reason });
            }
        }
    }
    let deadline = Instant::now() + TIMEOUT;
    while !waiting.is_empty() {
        let Ok((at, answer)) =
            answers.recv_timeout(deadline.saturating_duration_since(Instant::now()))
        else {
            break;
        };
        waiting.retain(|other| *other != at);
        match answer {
            Ok(one) => found.push(one),
            Err(fault) => faults.push(fault),
        }
    }
    faults.extend(waiting.into_iter().map(|at| silent(&disks[at].folder)));
    (found, faults)
}

/// The space in bytes that users without privileges can have on the file system of a folder.
fn free(folder: &Path) -> Result<Measurement, SensorError> {
    let fail = |reason: rustix::io::Errno| SensorError::Disk {
        path: folder.to_owned(),
        reason: reason.into(),
    };
    let space = statvfs(folder).map_err(fail)?;
    let value = space.f_bavail as f64 * space.f_frsize as f64;
    Ok(Measurement {
        quantity: Quantity::DiskFree,
        target: Some(folder.display().to_string()),
        value,
    })
}

/// The error of a file system that does not answer.
fn silent(folder: &Path) -> SensorError {
    SensorError::Disk { path: folder.to_owned(), reason: io::ErrorKind::TimedOut.into() }
}
