//! Compressed samples files: a sequence of zstd frames, one for each piece.

use std::io::{self, Read as _};

use zstd::stream::raw::{Decoder, InBuffer, Operation, OutBuffer};

use orrery_base::budget::Budget;
use orrery_base::file::Fault;

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

/// The compression level, low enough for use between two measurements.
const COMPRESSION_LEVEL: i32 = 3;

/// The first bytes of the text of compressed content.
pub(super) fn beginning(content: &[u8], bytes: usize) -> Vec<u8> {
    let mut text = Vec::new();
    if let Ok(decoder) = zstd::stream::read::Decoder::with_buffer(content) {
        // A fault is one of the reader; the text before it is the beginning.
        let _ = decoder.take(bytes as u64).read_to_end(&mut text);
    }
    text
}

/// Compresses a text into one zstd frame.
pub(super) fn compress(text: &[u8]) -> io::Result<Vec<u8>> {
    let mut compressor = zstd::bulk::Compressor::new(COMPRESSION_LEVEL)?;
    compressor.set_parameter(zstd::stream::raw::CParameter::ChecksumFlag(true))?;
    compressor.compress(text)
}

/// The memory in bytes for each byte of text: the text itself and the readings in it.
const MEMORY_PER_TEXT_BYTE: u64 = 4;

/// Decompresses content frame by frame, up to the length that the budget of the content allows.
pub(super) fn decompress(content: &[u8]) -> Result<Frames, Fault> {
    let budget = Budget::of_input(content.len() as u64);
    let mut frames = Frames { ends: vec![(0, 0)], ..Frames::default() };
    let mut begin = 0;
    let damaged = |byte: usize, reason: io::Error| {
        Fault::new(format!(
            "the compressed frame at byte {byte} \
            is damaged ({reason}); \"zstd -d\" may recover the content before it"
        ))
    };
    let mut decoder = Decoder::new().map_err(|reason| damaged(0, reason))?;
    let mut input = InBuffer::around(content);
    let mut buffer = vec![0; 1 << 16];
    while begin < content.len() {
        let mut output = OutBuffer::around(&mut buffer[..]);
        let hint = decoder.run(&mut input, &mut output).map_err(|reason| damaged(begin, reason))?;
        let written = output.as_slice().len();
        frames.text.extend_from_slice(output.as_slice());
        if frames.text.len() as u64 > budget.memory() / MEMORY_PER_TEXT_BYTE {
            let whole = decompressed_length(content).max(frames.text.len() as u64);
            budget.check_memory("the decompressed text", whole * MEMORY_PER_TEXT_BYTE)?;
        }
        if hint == 0 {
            begin = input.pos();
            frames.ends.push((begin, frames.text.len()));
        } else if input.pos() == content.len() && written < buffer.len() {
            frames.torn = Some(begin);
            break;
        }
    }
    Ok(frames)
}

/// The length of text up to which it is counted without keeping it: a few seconds of decompression.
const MAX_COUNTED_TEXT: u64 = 8 << 30;

/// The length of the text of all frames, at most [`MAX_COUNTED_TEXT`], up to the first invalid
/// frame.
fn decompressed_length(content: &[u8]) -> u64 {
    let Ok(mut decoder) = Decoder::new() else { return 0 };
    let mut input = InBuffer::around(content);
    let mut buffer = vec![0; 1 << 17];
    let mut length = 0;
    loop {
        let mut output = OutBuffer::around(&mut buffer[..]);
        let Ok(_) = decoder.run(&mut input, &mut output) else { return length };
        let written = output.as_slice().len();
        length += written as u64;
        if length >= MAX_COUNTED_TEXT || input.pos() == content.len() && written < buffer.len() {
            return length;
        }
    }
}
