//! Compressed samples files: a sequence of zstd frames, one for each piece.

mod codec;

pub(super) use codec::{beginning, compress, decompress};

/// Decompressed content: a sequence of zstd frames, each of which can be decompressed on its own.
#[derive(Debug, Default)]
pub(super) struct Frames {
    /// The text of all frames, including the readable part of an incomplete last one.
    pub(super) text: Vec<u8>,
    /// The ends of complete frames as (bytes of content, bytes of text), starting with (0, 0).
    pub(super) ends: Vec<(usize, usize)>,
    /// The first byte of the last frame if it is incomplete.
    pub(super) torn: Option<usize>,
}

/// The bytes with which a zstd frame begins.
const MAGIC: [u8; 4] = [0x28, 0xb5, 0x2f, 0xfd];

/// Returns true if the content is compressed.
pub(super) fn is_compressed(content: &[u8]) -> bool {
    content.starts_with(&MAGIC)
}
