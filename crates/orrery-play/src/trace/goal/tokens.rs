//! The words of lines of GOAL: a general scanner, and a fast one for lines in the usual form.

use super::graph::{ANY, GoalOperation, OperationKind, START_FLAG};
use super::labels::Labels;
use orrery_base::file::{Fault, Result};

/// A scanner of the words of a line.
pub(super) struct Words<'a> {
    pub(super) line: &'a [u8],
    /// The offset of the next byte.
    offset: usize,
}

impl<'a> Words<'a> {
    /// The words of a line from its beginning.
    pub(super) fn new(line: &'a [u8]) -> Self {
        Self { line, offset: 0 }
    }

    /// The next word and its offset; `None` at the end of the line. A word is a sequence of
    /// letters, digits, `_`, `-` and `.`, or one other character.
    pub(super) fn next(&mut self) -> Option<(usize, &'a [u8])> {
        while self.line.get(self.offset).is_some_and(u8::is_ascii_whitespace) {
            self.offset += 1;
        }
        let begin = self.offset;
        let first = *self.line.get(begin)?;
        self.offset += 1;
        let is_word = |c: &u8| c.is_ascii_alphanumeric() || *c == b'_' || *c == b'-' || *c == b'.';
        if is_word(&first) {
            while self.line.get(self.offset).is_some_and(is_word) {
                self.offset += 1;
            }
        }
        Some((begin, &self.line[begin..self.offset]))
    }

    /// The next word, empty at the end of the line; the scanner does not advance.
    pub(super) fn peek(&mut self) -> &'a [u8] {
        let before = self.offset;
        let word = self.next().map_or(&b""[..], |(_, word)| word);
        self.offset = before;
        word
    }

    /// Skips the next word, which must be `word`; `expected` says so in the error.
    pub(super) fn skip(&mut self, word: &[u8], expected: &'static str) -> Result<()> {
        match self.next() {
            Some((_, found)) if found == word => Ok(()),
            found => Err(self.expected(found, expected)),
        }
    }

    /// The next word, a whole number followed by a suffix, and its offset; `expected` describes it
    /// in the error.
    pub(super) fn number(&mut self, suffix: &[u8], expected: &'static str) -> Result<(usize, u64)> {
        let found = self.next();
        let digits = found.and_then(|(begin, word)| Some((begin, word.strip_suffix(suffix)?)));
        let number = digits.and_then(|(begin, digits)| Some((begin, whole(digits)?)));
        number.ok_or_else(|| self.expected(found, expected))
    }

    /// The next word as a whole number, and its offset; `None` for -1, the wildcard.
    pub(super) fn number_or_any(&mut self, expected: &'static str) -> Result<Option<(usize, u64)>> {
        if self.peek() == b"-1" {
            self.next();
            return Ok(None);
        }
        self.number(b"", expected).map(Some)
    }

    /// The fault for a word that differs from what is expected; `None` is the end of the line.
    pub(super) fn expected(&self, found: Option<(usize, &[u8])>, expected: &'static str) -> Fault {
        let (begin, word) =
            found.unwrap_or((self.line.trim_ascii_end().len(), b"the end of the line"));
        let found = shown(word);
        Fault::new(format_args!("{found:?} is found here, but {expected} is expected")).at(begin)
    }
}

/// A whole number of at most 18 digits; `None` for another text.
fn whole(digits: &[u8]) -> Option<u64> {
    if digits.is_empty() || digits.len() > 18 {
        return None;
    }
    digits
        .iter()
        .try_fold(0, |number, c| c.is_ascii_digit().then(|| number * 10 + u64::from(c - b'0')))
}

/// A word as text for a message, at most 40 bytes of it.
pub(super) fn shown(word: &[u8]) -> String {
    String::from_utf8_lossy(&word[..word.len().min(40)]).into_owned()
}

/// A line in the usual form, with numbered labels; it is read without the general scanner.
pub(super) enum UsualLine {
    /// `l1: send 64b to 1 tag 7`, `l1: recv 64b from 1` or `l1: calc 500`.
    Operation { label: usize, operation: GoalOperation },
    /// `l2 requires l1`, or `l2 irequires l1` with `flag` = [`START_FLAG`].
    Requires { label: usize, other: usize, flag: u32 },
}

impl UsualLine {
    /// The line at the beginning of a text, and its length.
    ///
    /// `None` for lines in another form, incomplete lines and wrong ones; the general scanner reads
    /// them and finds errors.
    #[inline]
    pub(super) fn read(text: &[u8], labels: &Labels) -> Option<(Self, usize)> {
        let mut scan = Scan { text, offset: 0 };
        let label = scan.label(labels)?;
        let line = if scan.skip(b": ") {
            Self::Operation { label, operation: scan.operation()? }
        } else {
            let flag = if scan.skip(b" requires ") {
                0
            } else if scan.skip(b" irequires ") {
                START_FLAG
            } else {
                return None;
            };
            Self::Requires { label, other: scan.label(labels)?, flag }
        };
        scan.skip(b"\n").then_some((line, scan.offset))
    }
}

/// A scanner of single parts of a text.
struct Scan<'a> {
    text: &'a [u8],
    /// The offset of the next byte.
    offset: usize,
}

impl Scan<'_> {
    /// Skips a word if the text continues with it, and returns whether it does.
    #[inline]
    fn skip(&mut self, word: &[u8]) -> bool {
        let is_next = self.text[self.offset..].starts_with(word);
        self.offset += if is_next { word.len() } else { 0 };
        is_next
    }

    /// Skips a numbered label and returns its number; `None` if the text continues differently.
    #[inline]
    fn label(&mut self, labels: &Labels) -> Option<usize> {
        if !self.skip(labels.prefix()?) {
            return None;
        }
        let (begin, zero) = (self.offset, self.text.get(self.offset) == Some(&b'0'));
        let number = self.number()? as usize;
        // With leading zeros two labels would have the same number.
        let is_unique = !zero || self.offset == begin + 1;
        (is_unique && labels.is_dense(number)).then_some(number)
    }

    /// Skips a whole number of at most 18 digits and returns it; `None` if the text continues
    /// differently.
    #[inline]
    fn number(&mut self) -> Option<u64> {
        let begin = self.offset;
        let mut number = 0_u64;
        while let Some(digit) =
            self.text.get(self.offset).map(|c| c.wrapping_sub(b'0')).filter(|digit| *digit < 10)
        {
            number = number.wrapping_mul(10).wrapping_add(digit.into());
            self.offset += 1;
        }
        (1..=18).contains(&(self.offset - begin)).then_some(number)
    }

    /// A whole number below a bound.
    #[inline]
    fn number_below<T: TryFrom<u64> + PartialOrd + Copy>(&mut self, below: T) -> Option<T> {
        T::try_from(self.number()?).ok().filter(|number| *number < below)
    }

    /// An operation without its label.
    #[inline]
    fn operation(&mut self) -> Option<GoalOperation> {
        let mut operation = GoalOperation::new(OperationKind::Calculate, 0, 0, 0);
        if self.skip(b"calc ") {
            operation.size = self.number()?;
            return Some(operation);
        }
        let is_send = self.skip(b"send ");
        if !is_send && !self.skip(b"recv ") {
            return None;
        }
        operation.kind = if is_send { OperationKind::Send } else { OperationKind::Receive };
        operation.size = self.number()?;
        if !self.skip(if is_send { b"b to " } else { b"b from " }) {
            return None;
        }
        operation.peer = self.number_below(ANY)?;
        if self.skip(b" tag ") {
            operation.tag = self.number_below(ANY)?;
        }
        if self.skip(b" cpu ") {
            operation.cpu = self.number_below(u8::MAX)?;
        }
        if self.skip(b" nic ") {
            operation.nic = self.number_below(u8::MAX)?;
        }
        Some(operation)
    }
}
