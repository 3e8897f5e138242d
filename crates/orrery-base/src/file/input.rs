//! Bounded reads of whole inputs.
//!
//! A regular file is read up to its length. What has no length, such as a pipe or a device, may have
//! no end: it is refused beyond [`budget::max_input`](crate::budget::max_input).

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use crate::budget::max_input;

/// The error of an input that is longer than the largest one that is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("it has more than {} MiB, the limit of pipes and devices", limit.div_ceil(1 << 20))]
struct TooLong {
    /// The length of the longest input in bytes.
    limit: u64,
}

/// Reads a file to its end.
///
/// # Errors
///
/// When it cannot be read, when memory for it is missing, or when a device or a pipe has no end.
pub fn read_bytes(path: &Path) -> io::Result<Vec<u8>> {
    read_file(&mut File::open(path)?)
}

/// The number of bytes of a file by which its kind is recognised.
const HEAD_BYTES: u64 = 1 << 18;

/// Reads the beginning of a file, by which its kind is recognised.
///
/// # Errors
///
/// When it cannot be read.
pub fn read_head(path: &Path) -> io::Result<Vec<u8>> {
    let mut head = Vec::new();
    File::open(path)?.take(HEAD_BYTES).read_to_end(&mut head)?;
    Ok(head)
}

/// Reads a text in UTF-8 to its end.
///
/// # Errors
///
/// As [`read_bytes`], and when it is not UTF-8.
pub fn read_string(path: &Path) -> io::Result<String> {
    text(read_bytes(path)?)
}

/// Reads an open file from its beginning to its end.
pub(super) fn read_file(file: &mut File) -> io::Result<Vec<u8>> {
    let found = file.metadata()?;
    let length = if found.is_file() { found.len() } else { 0 };
    read_up_to(file, length, length.max(max_input()))
}

/// Reads a stream, such as stdin, to its end.
///
/// # Errors
///
/// As [`read_bytes`].
pub fn read_stream(stream: impl Read) -> io::Result<Vec<u8>> {
    read_up_to(stream, 0, max_input())
}

/// Reads a stream of UTF-8 to its end.
///
/// # Errors
///
/// As [`read_string`].
pub fn read_stream_string(stream: impl Read) -> io::Result<String> {
    text(read_stream(stream)?)
}

/// Reads up to `limit` bytes, about `expected` of them; an error if there are more.
fn read_up_to(reader: impl Read, expected: u64, limit: u64) -> io::Result<Vec<u8>> {
    let mut content = Vec::new();
    let out_of_memory = |_| io::Error::from(io::ErrorKind::OutOfMemory);
    content
        .try_reserve_exact(usize::try_from(expected).unwrap_or(usize::MAX))
        .map_err(out_of_memory)?;
    reader.take(limit.saturating_add(1)).read_to_end(&mut content)?;
    if content.len() as u64 > limit {
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, TooLong { limit }));
    }
    Ok(content)
}

/// Bytes as text.
fn text(content: Vec<u8>) -> io::Result<String> {
    let invalid = |_| io::Error::new(io::ErrorKind::InvalidData, "it is not a text in UTF-8");
    String::from_utf8(content).map_err(invalid)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn streams_without_an_end_are_refused() {
        let error = read_up_to(io::repeat(0), 0, 3 << 20).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::FileTooLarge);
        assert!(error.to_string().starts_with("it has more than 3 MiB"), "{error}");
        let exact = read_up_to(io::repeat(7).take(1000), 0, 1000).unwrap();
        assert_eq!(exact, [7; 1000]);
        let error = read_up_to(io::empty(), u64::MAX, 1000).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::OutOfMemory);
    }

    #[test]
    fn files_are_read_to_their_end() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("text");
        std::fs::write(&path, "a µ\n").unwrap();
        assert_eq!(read_string(&path).unwrap(), "a µ\n");
        std::fs::write(&path, [0xff]).unwrap();
        assert_eq!(read_string(&path).unwrap_err().kind(), io::ErrorKind::InvalidData);
    }
}
