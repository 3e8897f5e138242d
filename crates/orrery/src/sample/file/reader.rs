use std::io::{self, Read as _};
use std::path::Path;

use zstd::stream::raw::{Decoder, InBuffer, Operation, OutBuffer};

use super::row::{self, SampleColumn};
use super::suspicious_rows::RowTime;
use super::table::{self, Layout, Parsed, Table};
use super::{Fault, Loaded, SamplesError, Warning};
use crate::budget::Budget;
use crate::file::{self, Located};
use crate::sample::{Provenance, Samples, UnknownExperiment};

/// Reads a samples file, compressed or not.
///
/// # Errors
///
/// Returns an error if the file cannot be read, and the errors of [`parse`].
pub fn read(path: impl AsRef<Path>) -> Result<Loaded, SamplesError> {
    let path = path.as_ref();
    parse(file::read(path)?, path)
}

/// Reads the content of a samples file, compressed or not; `name` is its name in errors and warnings.
///
/// A last line without line break may be incomplete: it is ignored with a warning, as is an incomplete last frame.
///
/// # Errors
///
/// Returns the first other defect with its line and column.
pub fn parse(content: impl AsRef<[u8]>, name: impl AsRef<Path>) -> Result<Loaded, SamplesError> {
    content_of(content.as_ref(), name.as_ref()).map(|content| content.loaded)
}

/// The content of a file, with what a writer needs to resume it.
pub(super) struct Content {
    pub(super) loaded: Loaded,
    /// The columns of the file.
    pub(super) layout: Layout<SampleColumn>,
    /// The number of bytes of text in whole lines.
    pub(super) whole: usize,
    /// The frames of a compressed file.
    pub(super) frames: Option<Frames>,
}

/// Parses the content of a file.
pub(super) fn content_of(content: &[u8], path: &Path) -> Result<Content, SamplesError> {
    if content.is_empty() {
        return Err(SamplesError::whole(path, Fault::Empty));
    }
    let mut warnings = Vec::new();
    let frames = if is_compressed(content) {
        let frames = decompress(content).map_err(|fault| SamplesError::whole(path, fault))?;
        warnings.extend(frames.torn.map(|byte| Warning::TornFrame { path: path.to_owned(), byte }));
        Some(frames)
    } else {
        None
    };
    let text = frames.as_ref().map_or(content, |frames| &frames.text);
    let whole = table::whole_lines(text);
    if whole < text.len() {
        let line = text[..whole].split(|&byte| byte == b'\n').count();
        if whole == 0 && std::str::from_utf8(text).map_or(true, |text| text.contains('\0')) {
            return Err(SamplesError::whole(path, Fault::NotText));
        }
        warnings.push(Warning::TornLine { path: path.to_owned(), line });
    }
    if text.trim_ascii_start().starts_with(b"{") {
        return Err(SamplesError::located(path, "", Located { byte: 0, fault: Fault::NoHeader { json: true } }));
    }
    let parsed = table::parse::<Samples>(&text[..whole], path)?;
    let Parsed { table: samples, layout, names_format, timing_line, repeated, implausible } = parsed;
    if !names_format {
        warnings.push(Warning::NoFormat { path: path.to_owned() });
    }
    if let Some(found) = samples.provenance.unknown_timing() {
        let (path, found) = (path.to_owned(), found.to_owned());
        warnings.push(Warning::UnknownTiming { path, line: timing_line, found });
    }
    warnings.extend(repeated.map(|rows| Warning::RepeatedRows { path: path.to_owned(), rows }));
    warnings.extend(implausible.map(|times| Warning::ImplausibleTimes { path: path.to_owned(), times }));
    Ok(Content { loaded: Loaded { samples, warnings }, layout, whole, frames })
}

impl Table for Samples {
    type Column = SampleColumn;
    type Fault = Fault;
    const FORMAT: &'static str = "orrery-samples 1";

    fn provenance(&mut self) -> &mut Provenance {
        &mut self.provenance
    }

    fn push(&mut self, row: table::Row<SampleColumn>) -> Result<RowTime, (Option<SampleColumn>, Fault)> {
        match row::read(row).map_err(|(column, fault)| (Some(column), fault))? {
            row::Row::Sample(sample) => {
                Self::push(self, sample);
                return Ok(row::time(&sample));
            }
            row::Row::Unknown(experiment) => match self.unknown.iter_mut().find(|one| one.experiment == experiment) {
                Some(unknown) => unknown.rows += 1,
                None => self.unknown.push(UnknownExperiment { experiment, rows: 1 }),
            },
        }
        Ok(RowTime::None)
    }

    fn not_text() -> Fault {
        Fault::NotText
    }

    fn no_header() -> Fault {
        Fault::NoHeader { json: false }
    }

    fn other_format(found: String) -> Fault {
        Fault::Format { found }
    }
}

/// The bytes with which a zstd frame begins.
const MAGIC: [u8; 4] = [0x28, 0xb5, 0x2f, 0xfd];

/// The compression level, low enough for use between two measurements.
const COMPRESSION_LEVEL: i32 = 3;

/// Returns true if the content is compressed.
fn is_compressed(content: &[u8]) -> bool {
    content.starts_with(&MAGIC)
}

/// The first kilobytes of the text of a file, compressed or not.
pub(super) fn beginning(content: &[u8]) -> Vec<u8> {
    const BYTES: u64 = 8192;
    let mut text = Vec::new();
    // A fault is one of the reader; the text before it is the beginning.
    let _ = match zstd::stream::read::Decoder::with_buffer(content) {
        Ok(decoder) if is_compressed(content) => decoder.take(BYTES).read_to_end(&mut text),
        _ => content.take(BYTES).read_to_end(&mut text),
    };
    text
}

/// Compresses a text into one zstd frame.
pub(super) fn compress(text: &[u8]) -> io::Result<Vec<u8>> {
    let mut compressor = zstd::bulk::Compressor::new(COMPRESSION_LEVEL)?;
    compressor.set_parameter(zstd::stream::raw::CParameter::ChecksumFlag(true))?;
    compressor.compress(text)
}

/// Decompressed content: a sequence of zstd frames, each of which can be decompressed on its own.
#[derive(Debug, Default)]
pub(super) struct Frames {
    /// The text of all frames, including the readable part of an incomplete last one.
    pub(super) text: Vec<u8>,
    /// The ends of complete frames as (bytes of content, bytes of text), starting with (0, 0).
    pub(super) ends: Vec<(usize, usize)>,
    /// The first byte of the last frame if it is incomplete.
    torn: Option<usize>,
}

/// The memory in bytes for each byte of text: the text itself and the readings in it.
const MEMORY_PER_TEXT_BYTE: u64 = 4;

/// Decompresses content frame by frame, up to the length that the budget of the content allows.
fn decompress(content: &[u8]) -> Result<Frames, Fault> {
    let budget = Budget::of_input(content.len() as u64);
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

/// The length of the text of all frames, at most [`MAX_COUNTED_TEXT`], up to the first invalid frame.
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
