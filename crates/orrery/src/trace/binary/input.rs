use super::error::Fault;

/// A fault and the byte where it stands.
pub(super) type Result<T> = std::result::Result<T, (usize, Fault)>;

/// Bytes that are read one after the other.
#[derive(Debug, Clone)]
pub(super) struct Input<'a> {
    bytes: &'a [u8],
    /// The next byte.
    pub(super) at: usize,
    /// Where they end.
    end: usize,
}

impl<'a> Input<'a> {
    pub(super) fn new(bytes: &'a [u8], at: usize, end: usize) -> Self {
        Self { bytes, at, end }
    }

    pub(super) fn left(&self) -> usize {
        self.end - self.at
    }

    /// So many bytes.
    pub(super) fn take(&mut self, count: usize, expected: &'static str) -> Result<&'a [u8]> {
        if count > self.left() {
            return Err((self.end, Fault::Torn { expected }));
        }
        self.at += count;
        Ok(&self.bytes[self.at - count..self.at])
    }

    pub(super) fn byte(&mut self, expected: &'static str) -> Result<u8> {
        self.take(1, expected).map(|bytes| bytes[0])
    }

    pub(super) fn word<const N: usize>(&mut self, expected: &'static str) -> Result<[u8; N]> {
        let mut word = [0; N];
        word.copy_from_slice(self.take(N, expected)?);
        Ok(word)
    }

    /// A whole number: seven bits in each byte, the lowest first; the highest bit says that more follow.
    pub(super) fn number(&mut self, expected: &'static str) -> Result<u64> {
        let (begin, mut number) = (self.at, 0_u64);
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
    pub(super) fn small(&mut self, expected: &'static str) -> Result<u32> {
        let begin = self.at;
        u32::try_from(self.number(expected)?).map_err(|_| (begin, Fault::Number { expected }))
    }

    /// A number of 32 bits as its distance from another: 0, −1, 1, −2, … are numbered from 0.
    pub(super) fn next_to(&mut self, other: u32, expected: &'static str) -> Result<u32> {
        let begin = self.at;
        let coded = self.number(expected)?;
        let distance = (coded >> 1) as i64 ^ -((coded & 1) as i64);
        let number = i64::from(other).checked_add(distance).and_then(|number| u32::try_from(number).ok());
        number.ok_or((begin, Fault::Number { expected }))
    }
}
