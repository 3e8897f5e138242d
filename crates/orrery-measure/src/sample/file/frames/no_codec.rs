//! The place of the codec in a build without the feature `zstd`.

use std::io;

use super::Frames;
use orrery_core::file::Fault;

/// The fault of compressed content.
fn no_codec() -> Fault {
    Fault::new(
        "it is compressed, and this program is built without zstd; decompress it by \"zstd -d\", \
            or enable the feature \"zstd\" of orrery-model",
    )
}

/// No text: the codec is missing.
pub(in super::super) fn beginning(_content: &[u8], _bytes: usize) -> Vec<u8> {
    Vec::new()
}

/// Returns the error that this build cannot compress.
pub(in super::super) fn compress(_text: &[u8]) -> io::Result<Vec<u8>> {
    Err(io::Error::new(io::ErrorKind::Unsupported, no_codec().to_string()))
}

/// Returns the error that this build cannot decompress.
pub(in super::super) fn decompress(_content: &[u8]) -> Result<Frames, Fault> {
    Err(no_codec())
}
