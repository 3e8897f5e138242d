//! The values of measurements, which an experiment contains if they were kept: arrays of NumPy one
//! after the other, and their positions.
//!
//! ```text
//! values/0.vals  Extra-P VALUES 0 0  \x93NUMPY 1 0  u16 length  {'descr': '<f8', …}  values …
//! values/0.indx  Extra-P INDEX 0 0 0  u64 number  u64 position …
//! ```

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use super::archive::Archive;
use super::error;
use orrery_base::file::Result;

/// The values of an experiment by their chunk; each is decompressed when it is first used.
pub(super) struct Values<'a> {
    archive: &'a Archive<'a>,
    /// The bytes that further members may have.
    budget: usize,
    /// The bytes of further arrays: each array is that of one measurement.
    unread: usize,
    chunks: BTreeMap<u64, Chunk>,
}

/// A chunk: the names and contents of its members.
struct Chunk {
    values: (String, Vec<u8>),
    index: (String, Vec<u8>),
}

impl<'a> Values<'a> {
    /// The values of an archive, of `budget` bytes at most.
    pub(super) fn new(archive: &'a Archive, budget: usize) -> Self {
        Self { archive, budget, unread: budget, chunks: BTreeMap::new() }
    }

    /// The repetitions of the array with a number in a chunk.
    pub(super) fn repetitions(&mut self, chunk: u64, array: u64) -> Result<Vec<f64>> {
        let Self { archive, budget, unread, chunks } = self;
        if let Entry::Vacant(vacant) = chunks.entry(chunk) {
            let mut read = |name: String| -> Result<(String, Vec<u8>)> {
                let content = archive.member(&name, *budget)?;
                *budget -= content.len();
                Ok((name, content))
            };
            vacant.insert(Chunk {
                values: read(format!("values/{chunk}.vals"))?,
                index: read(format!("values/{chunk}.indx"))?,
            });
        }
        let Chunk { values, index } = &chunks[&chunk];
        let position = usize::try_from(array).ok().and_then(|array| {
            let content = index.1.strip_prefix(b"Extra-P INDEX\0\0\0")?;
            let bytes = content.get(array.checked_add(1)?.checked_mul(8)?..)?.get(..8)?;
            usize::try_from(u64::from_le_bytes(bytes.try_into().ok()?)).ok()
        });
        let position = position.ok_or_else(|| error::damaged(&index.0))?;
        let array = values.1.get(position..).and_then(read_array);
        let (array, bytes) = array.ok_or_else(|| error::damaged(&values.0))?;
        *unread = unread.checked_sub(bytes).ok_or_else(|| error::too_long(&values.0, *unread))?;
        Ok(array)
    }
}

/// The repetitions in an array of NumPy, whose first dimension they are: the maximum over all
/// others, such as threads; and the bytes of the array. `None` for a damaged array.
fn read_array(content: &[u8]) -> Option<(Vec<f64>, usize)> {
    let content = content.strip_prefix(b"\x93NUMPY")?;
    let (length, content) = match *content {
        [1, _, low, high, ref rest @ ..] => (u32::from_le_bytes([low, high, 0, 0]), rest),
        [_, _, a, b, c, d, ref rest @ ..] => (u32::from_le_bytes([a, b, c, d]), rest),
        _ => return None,
    };
    let (head, content) = content.split_at_checked(usize::try_from(length).ok()?)?;
    let head = std::str::from_utf8(head).ok()?;
    let field = |name: &str| Some(head.split_once(name)?.1.trim_start_matches([' ', ':', '\'']));
    let shape = field("'shape'")?.strip_prefix('(')?.split_once(')')?.0;
    let sizes = shape.split(',').map(str::trim).filter(|size| !size.is_empty());
    let sizes: Vec<usize> = sizes.map(|size| size.parse().ok()).collect::<Option<_>>()?;
    let count = sizes.iter().try_fold(1, |count: usize, size| count.checked_mul(*size))?;
    let kind = field("'descr'")?.split('\'').next()?;
    let number = |bytes: &[u8]| {
        Some(match kind {
            "<f8" => f64::from_le_bytes(bytes.try_into().ok()?),
            "<f4" => f32::from_le_bytes(bytes.try_into().ok()?).into(),
            "<i8" => i64::from_le_bytes(bytes.try_into().ok()?) as f64,
            "<i4" => i32::from_le_bytes(bytes.try_into().ok()?).into(),
            _ => return None,
        })
    };
    let size = kind.get(2..)?.parse().ok().filter(|size| matches!(size, 4 | 8))?;
    let content = content.get(..count.checked_mul(size)?)?;
    let values: Vec<f64> = content.chunks_exact(size).map(number).collect::<Option<_>>()?;
    let repetitions = sizes.first().copied().unwrap_or(1);
    let is_transposed = field("'fortran_order'")?.starts_with("True");
    let mut maxima = vec![f64::NEG_INFINITY; repetitions.min(count)];
    let others = count / maxima.len().max(1);
    for (place, value) in values.into_iter().enumerate() {
        let repetition = if is_transposed { place % repetitions } else { place / others };
        maxima[repetition] = maxima[repetition].max(value);
    }
    Some((maxima, head.len() + content.len()))
}
