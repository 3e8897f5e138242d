//! Bits and texts in the layout of Arrow.

use super::{Column, Values};

/// A sequence of bits, the lowest bit of a byte first.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Bits {
    bytes: Vec<u8>,
    length: usize,
}

impl Bits {
    /// Adds a bit.
    pub(crate) fn push(&mut self, bit: bool) {
        if self.length.is_multiple_of(8) {
            self.bytes.push(0);
        }
        if let Some(last) = self.bytes.last_mut() {
            *last |= u8::from(bit) << (self.length % 8);
        }
        self.length += 1;
    }

    /// The bit at a place that the sequence has.
    pub(crate) fn get(&self, place: usize) -> bool {
        self.bytes[place / 8] >> (place % 8) & 1 == 1
    }

    /// The number of bits.
    pub(crate) fn len(&self) -> usize {
        self.length
    }

    /// The number of bits that are not set.
    pub(crate) fn zeros(&self) -> usize {
        self.length - self.bytes.iter().map(|byte| byte.count_ones() as usize).sum::<usize>()
    }

    /// The bytes.
    pub(super) fn bytes(&self) -> &[u8] {
        &self.bytes
    }
}

impl FromIterator<bool> for Bits {
    fn from_iter<I: IntoIterator<Item = bool>>(bits: I) -> Self {
        let mut all = Self::default();
        bits.into_iter().for_each(|bit| all.push(bit));
        all
    }
}

/// A column of texts, of which some may be missing.
pub(crate) fn texts<T: AsRef<str>>(
    name: impl Into<String>,
    texts: impl IntoIterator<Item = Option<T>>,
) -> Column {
    let (mut offsets, mut bytes, mut present) = (vec![0], Vec::new(), Bits::default());
    for text in texts {
        present.push(text.is_some());
        bytes.extend_from_slice(text.as_ref().map_or(&[], |text| text.as_ref().as_bytes()));
        offsets.push(bytes.len() as i64);
    }
    let present = (present.zeros() > 0).then_some(present);
    let length = offsets.len() - 1;
    Column { name: name.into(), values: Values::Texts { offsets, bytes }, length, present }
}
