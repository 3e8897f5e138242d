//! Records as bytes: a record names its fields in their order once, to be written and to be read.

use std::borrow::Cow;

use super::input::{Input, out_of_range};
use orrery_base::file::Result;

/// A writer of fields, or a reader that overwrites them: one description of a record serves both.
///
/// `expected` is what a field holds, in the fault of another content. Writers have no faults.
pub(in crate::trace) trait Coder {
    /// True for a reader.
    const IS_READER: bool;

    /// The offset of the next byte.
    fn offset(&self) -> usize;

    /// A byte.
    fn byte(&mut self, byte: &mut u8, expected: &'static str) -> Result<()>;

    /// A whole number in LEB128: seven bits in each byte, the lowest first; the highest bit is set
    /// if more follow.
    fn number(&mut self, number: &mut u64, expected: &'static str) -> Result<()>;

    /// A 32-bit number as its difference to a base, in zigzag code: 0, −1, 1, −2, … are 0, 1, 2, 3,
    /// ….
    fn difference(&mut self, base: u32, number: &mut u32, expected: &'static str) -> Result<()>;

    /// A text after its length; `length` and `expected` are what they hold.
    fn text(
        &mut self,
        text: &mut String,
        length: &'static str,
        expected: &'static str,
    ) -> Result<()>;

    /// A whole number below 2³².
    fn number_u32(&mut self, number: &mut u32, expected: &'static str) -> Result<()> {
        let begin = self.offset();
        let mut wide = u64::from(*number);
        self.number(&mut wide, expected)?;
        *number = u32::try_from(wide).map_err(|_| out_of_range(begin, expected))?;
        Ok(())
    }

    /// A list after its length. Memory is allocated for its content, never for the length.
    fn list<T: Copy + Default>(
        &mut self,
        items: &mut Cow<'_, [T]>,
        length: &'static str,
        mut item: impl FnMut(&mut Self, &mut T) -> Result<()>,
    ) -> Result<()> {
        let mut count = items.len() as u32;
        self.number_u32(&mut count, length)?;
        if !Self::IS_READER {
            return items.iter().try_for_each(|&one| item(self, &mut { one }));
        }
        for _ in 0..count {
            let mut one = T::default();
            item(self, &mut one)?;
            items.to_mut().push(one);
        }
        Ok(())
    }
}

impl Coder for Input<'_> {
    const IS_READER: bool = true;

    fn offset(&self) -> usize {
        self.offset
    }

    fn byte(&mut self, byte: &mut u8, expected: &'static str) -> Result<()> {
        *byte = self.byte(expected)?;
        Ok(())
    }

    fn number(&mut self, number: &mut u64, expected: &'static str) -> Result<()> {
        *number = self.number(expected)?;
        Ok(())
    }

    fn difference(&mut self, base: u32, number: &mut u32, expected: &'static str) -> Result<()> {
        *number = self.difference(base, expected)?;
        Ok(())
    }

    fn text(
        &mut self,
        text: &mut String,
        length: &'static str,
        expected: &'static str,
    ) -> Result<()> {
        self.text(length, expected)?.clone_into(text);
        Ok(())
    }
}

impl Coder for Vec<u8> {
    const IS_READER: bool = false;

    fn offset(&self) -> usize {
        self.len()
    }

    fn byte(&mut self, byte: &mut u8, _: &'static str) -> Result<()> {
        self.push(*byte);
        Ok(())
    }

    #[inline]
    fn number(&mut self, number: &mut u64, _: &'static str) -> Result<()> {
        put(self, *number);
        Ok(())
    }

    fn difference(&mut self, base: u32, number: &mut u32, _: &'static str) -> Result<()> {
        let difference = i64::from(*number) - i64::from(base);
        put(self, (difference << 1 ^ difference >> 63) as u64);
        Ok(())
    }

    fn text(&mut self, text: &mut String, _: &'static str, _: &'static str) -> Result<()> {
        put(self, text.len() as u64);
        self.extend(text.as_bytes());
        Ok(())
    }
}

/// Appends a whole number in LEB128.
#[inline]
pub(super) fn put(out: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        out.push(number as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}
