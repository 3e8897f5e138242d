//! The file of a rank, written through mapped memory.
//!
//! What is stored in the map is in the page cache: it survives the end of the process, however it
//! ends. The file is extended in chunks of allocated blocks before they are mapped, so that no
//! store fails on a full disk.

#![allow(unsafe_code)]

use std::io;
use std::path::Path;
use std::ptr;
use std::sync::atomic::{Ordering, compiler_fence};

use orrery::trace::recording::{MAX_MARK_BYTES, Record, encode};
use rustix::fd::OwnedFd;
use rustix::fs::{FallocateFlags, Mode, OFlags, fallocate, ftruncate, open};
use rustix::io::{Errno, pwrite};
use rustix::mm::{MapFlags, ProtFlags, mmap, munmap};

/// The number of bytes by which the file is extended.
const CHUNK_BYTES: usize = 1 << 20;

/// The alignment of maps in bytes: a multiple of the page size on all machines.
const ALIGNMENT: usize = 1 << 16;

/// The file of a rank.
#[derive(Debug)]
pub struct Output {
    file: OwnedFd,
    /// The mapped part of the file.
    map: *mut u8,
    length: usize,
    /// The offset of the mapped part in the file.
    offset: usize,
    /// The number of written bytes of the mapped part.
    used: usize,
    /// True after an error: nothing is written any more.
    is_stopped: bool,
}

impl Output {
    /// Creates the file with its first bytes.
    ///
    /// # Errors
    ///
    /// A file that exists, or an error of the operating system.
    pub fn create(path: &Path, head: &[u8]) -> io::Result<Self> {
        let flags = OFlags::RDWR | OFlags::CREATE | OFlags::EXCL | OFlags::CLOEXEC;
        let file = open(path, flags, Mode::from_raw_mode(0o644))?;
        let mut output =
            Self { file, map: ptr::null_mut(), length: 0, offset: 0, used: 0, is_stopped: false };
        output.extend(head.len())?;
        output.store(head);
        Ok(output)
    }

    /// Appends a record of at least one byte. On the first error a mark is appended, and nothing
    /// after it.
    pub fn append(&mut self, record: &[u8]) {
        if self.is_stopped {
            return;
        }
        if self.used + record.len() + MAX_MARK_BYTES > self.length
            && let Err(error) = self.extend(record.len())
        {
            self.stop(error);
            return;
        }
        self.store(record);
    }

    /// Appends the mark of an error in the space that is kept for it.
    fn stop(&mut self, error: Errno) {
        self.is_stopped = true;
        let mut mark = Vec::with_capacity(MAX_MARK_BYTES);
        encode(&Record::Stopped(error.raw_os_error() as u32), &mut mark);
        self.store(&mark);
    }

    /// Ends the file after the last record.
    pub fn finish(mut self) {
        let mut end = Vec::with_capacity(MAX_MARK_BYTES);
        encode(&Record::End, &mut end);
        self.append(&end);
        let end = (self.offset + self.used) as u64;
        // If this fails the file ends with zeros, which readers omit.
        let _ = ftruncate(&self.file, end);
    }

    /// Stores bytes that fit, the first of them last: readers end at the first record whose first
    /// byte is 0.
    fn store(&mut self, bytes: &[u8]) {
        let Some((&first, rest)) = bytes.split_first() else { return };
        // SAFETY: `length` bytes are mapped at `map` for this structure alone, and the callers have
        // checked that `used + bytes.len()` is at most `length`.
        unsafe {
            let begin = self.map.add(self.used);
            ptr::copy_nonoverlapping(rest.as_ptr(), begin.add(1), rest.len());
            compiler_fence(Ordering::Release);
            begin.write_volatile(first);
        }
        self.used += bytes.len();
    }

    /// Maps the next part of the file, with space for `needed` bytes and a mark.
    fn extend(&mut self, needed: usize) -> Result<(), Errno> {
        let end = self.offset + self.used;
        let offset = end - end % ALIGNMENT;
        let length = (end - offset + needed + MAX_MARK_BYTES).next_multiple_of(CHUNK_BYTES);
        allocate(&self.file, offset, length)?;
        let protection = ProtFlags::READ | ProtFlags::WRITE;
        // SAFETY: a new map of a part of the file that exists; no other process writes or truncates
        // the file.
        let map = unsafe {
            mmap(ptr::null_mut(), length, protection, MapFlags::SHARED, &self.file, offset as u64)
        }?;
        self.unmap();
        (self.map, self.length, self.offset, self.used) =
            (map.cast(), length, offset, end - offset);
        Ok(())
    }

    /// Removes the map.
    fn unmap(&mut self) {
        if !self.map.is_null() {
            // SAFETY: the map is that of `extend`, and nothing refers to it any more.
            let _ = unsafe { munmap(self.map.cast(), self.length) };
            self.map = ptr::null_mut();
        }
    }
}

impl Drop for Output {
    fn drop(&mut self) {
        self.unmap();
    }
}

/// Allocates the blocks of a part of a file, by zeros where the file system has no other way.
fn allocate(file: &OwnedFd, offset: usize, length: usize) -> Result<(), Errno> {
    loop {
        match fallocate(file, FallocateFlags::empty(), offset as u64, length as u64) {
            Err(Errno::INTR) => {}
            Err(Errno::OPNOTSUPP | Errno::NOSYS) => break,
            result => return result,
        }
    }
    let zeros = [0; 1 << 14];
    let size = rustix::fs::fstat(file)?.st_size as usize;
    let mut at = size.max(offset);
    while at < offset + length {
        match pwrite(file, &zeros[..zeros.len().min(offset + length - at)], at as u64) {
            Err(Errno::INTR) => {}
            Err(error) => return Err(error),
            Ok(0) => return Err(Errno::NOSPC),
            Ok(written) => at += written,
        }
    }
    Ok(())
}
