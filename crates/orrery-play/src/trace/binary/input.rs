use crate::trace::actions::RecordError;

/// The reason why a binary trace cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{file}: byte {byte}: {fault}")]
pub struct BinaryError {
    /// The name of the file.
    pub file: String,
    /// The byte at which the fault was found, from 0.
    pub byte: usize,
    /// The problem.
    pub fault: Fault,
}

/// A fault of a binary trace.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Fault {
    /// The file does not begin with the magic bytes.
    #[error(
        "this is not a binary trace of Orrery, or a transfer in text mode altered it; copy it in \
            binary mode"
    )]
    NotTrace,
    /// An unknown version.
    #[error("this is version {found} of the format; this version of Orrery reads version 1")]
    Version {
        /// The version.
        found: u8,
    },
    /// The file or a section ends too early.
    #[error("{expected} is missing: the file is truncated; copy or write it again")]
    Truncated {
        /// What is missing.
        expected: &'static str,
    },
    /// Bytes follow the last section.
    #[error("{bytes} bytes follow the section of the last rank; remove them")]
    Leftover {
        /// The number of bytes.
        bytes: usize,
    },
    /// A wrong checksum.
    #[error("the checksum of {section} is wrong: the file is damaged; copy or write it again")]
    Checksum {
        /// The header or a rank.
        section: String,
    },
    /// A number out of range.
    #[error("{expected} is expected here; correct the number, or write the trace again")]
    Number {
        /// The expected value.
        expected: &'static str,
    },
    /// A name that is not UTF-8.
    #[error("the name of this source file is not UTF-8; write the trace again")]
    NotText,
    /// An unknown action.
    #[error(
        "{found} is not the code of an action; codes are 0 to 14 and 16 to 30; write the trace \
            again"
    )]
    Action {
        /// The code.
        found: u8,
    },
    /// An action that cannot be recorded.
    #[error(transparent)]
    Record(#[from] RecordError),
}

/// A result with the fault and its byte in the file.
pub(in crate::trace) type Result<T> = std::result::Result<T, (usize, Fault)>;

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
            return Err((self.end, Fault::Truncated { expected }));
        }
        self.offset += count;
        Ok(&self.bytes[self.offset - count..self.offset])
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
        Err((begin, Fault::Number { expected }))
    }

    /// A whole number below 2³².
    pub(in crate::trace) fn number_u32(&mut self, expected: &'static str) -> Result<u32> {
        let begin = self.offset;
        u32::try_from(self.number(expected)?).map_err(|_| (begin, Fault::Number { expected }))
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
        number.ok_or((begin, Fault::Number { expected }))
    }
}
