use std::path::Path;

use orrery_base::file::{Fault, FaultKind, FileError, Result};

/// The error of a binary file with the byte at which its fault was found, from 0.
pub(in crate::trace) fn at_byte(file: &str, fault: Fault) -> FileError {
    let byte = fault.byte().unwrap_or_default();
    FileError::whole(Path::new(file), fault.within(format_args!("byte {byte}")))
}

/// The fault of a number out of range.
pub(in crate::trace) fn out_of_range(byte: usize, expected: &str) -> Fault {
    Fault::new(format_args!(
        "{expected} is expected here; correct the number, or write the trace again"
    ))
    .at(byte)
}

/// The fault of a file or a section that ends at `byte`, where `expected` should be.
pub(super) fn truncated(byte: usize, expected: &str) -> Fault {
    Fault::new(format_args!("{expected} is missing: the file is truncated; copy or write it again"))
        .of_kind(FaultKind::Truncated)
        .at(byte)
}

/// The version of both binary formats.
pub(in crate::trace) const VERSION: u8 = 1;

/// A section of a file that is read from front to back.
#[derive(Debug, Clone)]
pub(in crate::trace) struct Input<'a> {
    /// The whole file.
    bytes: &'a [u8],
    /// The offset of the next byte in the file.
    pub(in crate::trace) offset: usize,
    /// The offset of the end of the section.
    end: usize,
}

impl<'a> Input<'a> {
    /// The section of a file between two offsets.
    pub(in crate::trace) fn new(bytes: &'a [u8], begin: usize, end: usize) -> Self {
        Self { bytes, offset: begin, end }
    }

    /// The number of bytes that are left.
    pub(in crate::trace) fn left(&self) -> usize {
        self.end - self.offset
    }

    /// The next `count` bytes.
    pub(in crate::trace) fn take(
        &mut self,
        count: usize,
        expected: &'static str,
    ) -> Result<&'a [u8]> {
        if count > self.left() {
            return Err(truncated(self.end, expected));
        }
        self.offset += count;
        Ok(&self.bytes[self.offset - count..self.offset])
    }

    /// Checks the first bytes of a file, and that the version after them is 1.
    pub(in crate::trace) fn check_head(&mut self, magic: &[u8], what: &'static str) -> Result<()> {
        let begin = self.offset;
        if self.take(magic.len(), what)? != magic {
            let fault = "this is not a binary trace of Orrery, or a transfer in text mode altered \
                it; copy it in binary mode";
            return Err(Fault::new(fault).at(begin));
        }
        let begin = self.offset;
        let found = self.byte("the version")?;
        if found != VERSION {
            return Err(Fault::new(format_args!(
                "this is version {found} of the format, but this version of Orrery reads version \
                    1; write the trace again"
            ))
            .at(begin));
        }
        Ok(())
    }

    /// The next text after its length; `name` is what it is in errors.
    pub(in crate::trace) fn text(
        &mut self,
        length: &'static str,
        name: &'static str,
    ) -> Result<&'a str> {
        let length = self.number_u32(length)?;
        let begin = self.offset;
        let bytes = self.take(length as usize, name)?;
        std::str::from_utf8(bytes).map_err(|_| {
            let fault = "the name of this source file is not UTF-8; write the trace again";
            Fault::new(fault).at(begin)
        })
    }

    /// The next byte.
    pub(in crate::trace) fn byte(&mut self, expected: &'static str) -> Result<u8> {
        self.take(1, expected).map(|bytes| bytes[0])
    }

    /// The next `N` bytes as an array.
    pub(in crate::trace) fn array<const N: usize>(
        &mut self,
        expected: &'static str,
    ) -> Result<[u8; N]> {
        let mut array = [0; N];
        array.copy_from_slice(self.take(N, expected)?);
        Ok(array)
    }

    /// A whole number in LEB128: seven bits in each byte, the lowest first; the highest bit is set
    /// if more follow.
    pub(in crate::trace) fn number(&mut self, expected: &'static str) -> Result<u64> {
        let (begin, mut number) = (self.offset, 0_u64);
        for shift in (0..64).step_by(7) {
            let byte = self.byte(expected)?;
            let bits = u64::from(byte & 0x7F);
            if bits << shift >> shift != bits {
                break;
            }
            number |= bits << shift;
            if byte < 0x80 {
                return Ok(number);
            }
        }
        Err(out_of_range(begin, expected))
    }

    /// A whole number below 2³².
    pub(in crate::trace) fn number_u32(&mut self, expected: &'static str) -> Result<u32> {
        let begin = self.offset;
        u32::try_from(self.number(expected)?).map_err(|_| out_of_range(begin, expected))
    }

    /// A 32-bit number as its difference to a base, in zigzag code: 0, −1, 1, −2, … are 0, 1, 2, 3,
    /// ….
    pub(in crate::trace) fn difference(
        &mut self,
        base: u32,
        expected: &'static str,
    ) -> Result<u32> {
        let begin = self.offset;
        let coded = self.number(expected)?;
        let difference = (coded >> 1) as i64 ^ -((coded & 1) as i64);
        let number =
            i64::from(base).checked_add(difference).and_then(|number| u32::try_from(number).ok());
        number.ok_or_else(|| out_of_range(begin, expected))
    }
}
