//! Compressed content as a sequence of zstd frames, each of which can be read on its own.

use std::io;

use zstd::stream::raw::{Decoder, InBuffer, Operation, OutBuffer};

use super::Fault;

/// The bytes with which a zstd frame begins.
const MAGIC: [u8; 4] = [0x28, 0xb5, 0x2f, 0xfd];

/// The level of compression: more costs time between two measurements.
const LEVEL: i32 = 3;

/// Whether content is compressed.
pub(super) fn is_compressed(content: &[u8]) -> bool {
    content.starts_with(&MAGIC)
}

/// One whole frame.
pub(super) fn compress(text: &[u8]) -> io::Result<Vec<u8>> {
    let mut compressor = zstd::bulk::Compressor::new(LEVEL)?;
    compressor.set_parameter(zstd::stream::raw::CParameter::ChecksumFlag(true))?;
    compressor.compress(text)
}

/// Decompressed content.
#[derive(Debug, Default)]
pub(super) struct Frames {
    /// The text of all frames, as far as the last one can be read.
    pub(super) text: Vec<u8>,
    /// Where whole frames end: (bytes of content, bytes of text), beginning with (0, 0).
    pub(super) ends: Vec<(usize, usize)>,
    /// Where the last frame begins, when it is torn.
    pub(super) torn: Option<usize>,
}

/// Decompresses content frame by frame.
pub(super) fn decompress(content: &[u8]) -> Result<Frames, Fault> {
    let mut frames = Frames { ends: vec![(0, 0)], ..Frames::default() };
    let mut begin = 0;
    let damaged = |byte: usize, reason: io::Error| Fault::Frame { byte, reason: reason.to_string() };
    let mut decoder = Decoder::new().map_err(|reason| damaged(0, reason))?;
    let mut input = InBuffer::around(content);
    let mut buffer = vec![0; 1 << 16];
    while begin < content.len() {
        let mut output = OutBuffer::around(&mut buffer[..]);
        let hint = decoder.run(&mut input, &mut output).map_err(|reason| damaged(begin, reason))?;
        let written = output.as_slice().len();
        frames.text.extend_from_slice(output.as_slice());
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
