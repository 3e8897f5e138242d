//! The values of a metric: its index and its data.

use std::io::Read;

use flate2::read::ZlibDecoder;

use super::anchor::{Anchor, Metric};
use super::archive::Archive;
use super::error;
use orrery_base::file::{Fault, Result};

/// The bytes of a value.
const VALUE: usize = 8;

/// The order of the bytes of a number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ByteOrder {
    Little,
    Big,
}

/// The type of the values of a metric, of eight bytes each.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ValueType {
    Float,
    Unsigned,
    Signed,
}

impl ValueType {
    /// The type with a name in the description; `None` for types that are not read.
    pub(super) fn named(name: &str) -> Option<Self> {
        match name {
            "DOUBLE" | "FLOAT" => Some(Self::Float),
            "UINT64" => Some(Self::Unsigned),
            "INT64" | "INTEGER" => Some(Self::Signed),
            _ => None,
        }
    }

    /// The value of little-endian bytes.
    fn value(self, bytes: [u8; VALUE]) -> f64 {
        match self {
            Self::Float => f64::from_le_bytes(bytes),
            Self::Unsigned => u64::from_le_bytes(bytes) as f64,
            Self::Signed => i64::from_le_bytes(bytes) as f64,
        }
    }
}

/// The numbers of a member, one after the other.
struct Numbers<'a> {
    member: &'a str,
    rest: &'a [u8],
}

impl<'a> Numbers<'a> {
    /// The fault of a damaged member.
    fn damaged(&self) -> Fault {
        error::damaged(self.member)
    }

    /// The next bytes.
    fn take(&mut self, count: usize) -> Result<&'a [u8]> {
        let (taken, rest) = self.rest.split_at_checked(count).ok_or_else(|| self.damaged())?;
        self.rest = rest;
        Ok(taken)
    }

    /// The next bytes, in the order of a little-endian number.
    fn ordered<const N: usize>(&mut self, order: ByteOrder) -> Result<[u8; N]> {
        let mut bytes: [u8; N] = self.take(N)?.try_into().map_err(|_| self.damaged())?;
        if order == ByteOrder::Big {
            bytes.reverse();
        }
        Ok(bytes)
    }

    /// The next number of four bytes.
    fn int(&mut self, order: ByteOrder) -> Result<i32> {
        self.ordered(order).map(i32::from_le_bytes)
    }

    /// The next number of eight bytes, which counts bytes or entries.
    fn count(&mut self, order: ByteOrder) -> Result<usize> {
        usize::try_from(self.ordered(order).map(i64::from_le_bytes)?).map_err(|_| self.damaged())
    }
}

/// The index of a metric: the byte order of its files, and the numbers of the call paths with
/// values.
fn index(content: &[u8], member: &str) -> Result<(ByteOrder, Vec<i32>)> {
    const SPARSE: u8 = 1;
    let mut numbers = Numbers { member, rest: content };
    if numbers.take(11)? != b"CUBEX.INDEX" {
        return Err(numbers.damaged());
    }
    let order =
        if numbers.int(ByteOrder::Little)? == 1 { ByteOrder::Little } else { ByteOrder::Big };
    let _version = numbers.take(2)?;
    let kind = numbers.take(1)?[0];
    let count = usize::try_from(numbers.int(order)?).map_err(|_| numbers.damaged())?;
    if kind != SPARSE || count.checked_mul(4) != Some(numbers.rest.len()) {
        return Err(numbers.damaged());
    }
    Ok((order, (0..count).map(|_| numbers.int(order)).collect::<Result<_>>()?))
}

/// The decompressed content of consecutive zlib streams.
struct Inflated<'a> {
    chunks: std::vec::IntoIter<&'a [u8]>,
    current: Option<ZlibDecoder<&'a [u8]>>,
}

impl Read for Inflated<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        loop {
            if let Some(current) = &mut self.current {
                let count = current.read(buffer)?;
                if count > 0 || buffer.is_empty() {
                    return Ok(count);
                }
            }
            match self.chunks.next() {
                Some(chunk) => self.current = Some(ZlibDecoder::new(chunk)),
                None => return Ok(0),
            }
        }
    }
}

/// The values of a metric as bytes.
fn data<'a>(content: &'a [u8], member: &'a str, order: ByteOrder) -> Result<Box<dyn Read + 'a>> {
    if let Some(values) = content.strip_prefix(b"CUBEX.DATA") {
        return Ok(Box::new(values));
    }
    let mut numbers = Numbers { member, rest: content };
    if numbers.take(11)? != b"ZCUBEX.DATA" {
        return Err(numbers.damaged());
    }
    let count = numbers.count(order)?;
    let mut sizes = Vec::new();
    for _ in 0..count {
        let _position = numbers.count(order)?;
        let _compressed_position = numbers.count(order)?;
        sizes.push(numbers.count(order)?);
    }
    let chunks = sizes
        .into_iter()
        .filter(|&size| size > 0)
        .map(|size| numbers.take(size))
        .collect::<Result<Vec<_>>>()?;
    Ok(Box::new(Inflated { chunks: chunks.into_iter(), current: None }))
}

/// The value of each call path including its callees: the maximum over the locations. `firsts` is
/// for each call path the first one with the same name, to which its values are added.
pub(super) fn inclusive(
    archive: &Archive,
    anchor: &Anchor,
    metric: &Metric,
    firsts: &[usize],
    budget: usize,
) -> Result<Vec<f64>> {
    let names = (format!("{}.index", metric.id), format!("{}.data", metric.id));
    let (order, calls) = index(archive.member(&names.0)?, &names.0)?;
    let places: Vec<usize> =
        if metric.is_inclusive { anchor.expansion_order() } else { (0..anchor.len()).collect() };
    let mut rows = Rows {
        data: data(archive.member(&names.1)?, &names.1, order)?,
        member: &names.1,
        order,
        value: metric.value,
        bytes: vec![0; anchor.locations.saturating_mul(VALUE)],
    };
    let place_of = |call: i32| {
        let place = usize::try_from(call).ok().and_then(|call| places.get(call).copied());
        let name = call.to_string();
        place.ok_or_else(|| error::reference(&names.0, "the call path", &name))
    };
    // The rows that are kept: those of all exclusive values, and those of inclusive values that are
    // added to another.
    let mut is_kept = vec![!metric.is_inclusive; anchor.len()];
    for (place, &first) in firsts.iter().enumerate().filter(|(place, first)| place != *first) {
        (is_kept[place], is_kept[first]) = (true, true);
    }
    let kept = is_kept.iter().filter(|is_kept| **is_kept).count();
    if kept.saturating_mul(anchor.locations).saturating_mul(VALUE) > budget {
        return Err(error::too_long(&names.1, budget));
    }
    let mut maxima = vec![0.0; anchor.len()];
    let mut values: Vec<Vec<f64>> = is_kept
        .iter()
        .map(|is_kept| vec![0.0; if *is_kept { anchor.locations } else { 0 }])
        .collect();
    for call in calls {
        let place = place_of(call)?;
        let row = rows.next()?;
        if is_kept[place] {
            values[place] = row;
        } else {
            maxima[place] = maximum(&row);
        }
    }
    rows.end()?;
    if !metric.is_inclusive {
        // Callees are after their callers.
        (0..anchor.len()).rev().for_each(|place| add_row(&mut values, place, anchor.caller(place)));
    }
    (0..anchor.len()).for_each(|place| add_row(&mut values, place, Some(firsts[place])));
    for (maximum_of, row) in maxima.iter_mut().zip(&values).filter(|(_, row)| !row.is_empty()) {
        *maximum_of = maximum(row);
    }
    Ok(maxima)
}

/// Adds the row at a place to one before it; does nothing if there is no such row.
fn add_row(rows: &mut [Vec<f64>], place: usize, target: Option<usize>) {
    let (before, rest) = rows.split_at_mut(place);
    if let Some(sums) = target.and_then(|target| before.get_mut(target)) {
        sums.iter_mut().zip(&rest[0]).for_each(|(sum, value)| *sum += value);
    }
}

/// The largest of values that are not negative.
fn maximum(row: &[f64]) -> f64 {
    row.iter().copied().fold(0.0, f64::max)
}

/// The rows of a metric: the values of a call path at all locations.
struct Rows<'a> {
    data: Box<dyn Read + 'a>,
    member: &'a str,
    order: ByteOrder,
    value: ValueType,
    /// The bytes of a row.
    bytes: Vec<u8>,
}

impl Rows<'_> {
    /// The next row.
    fn next(&mut self) -> Result<Vec<f64>> {
        let member = || self.member.to_owned();
        self.data.read_exact(&mut self.bytes).map_err(|_| error::damaged(&member()))?;
        let mut numbers = Numbers { member: self.member, rest: &self.bytes };
        let count = self.bytes.len() / VALUE;
        let values = (0..count).map(|_| {
            let value = self.value.value(numbers.ordered(self.order)?);
            if value.is_finite() && value >= 0.0 {
                Ok(value)
            } else {
                Err(Fault::new(format!(
                    "{member} contains {value}, which is below 0 or no number; measure again",
                    member = member()
                )))
            }
        });
        values.collect()
    }

    /// Checks that no bytes follow.
    fn end(mut self) -> Result<()> {
        let count = self.data.read(&mut [0]);
        if matches!(count, Ok(0)) { Ok(()) } else { Err(error::damaged(self.member)) }
    }
}
