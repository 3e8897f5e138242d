use super::Fault;

/// A fault and the byte of the line where it stands.
pub(super) type Taken<T> = Result<T, (usize, Fault)>;

/// The words of a line, one after the other.
pub(super) struct Words<'a> {
    pub(super) line: &'a [u8],
    place: usize,
}

impl<'a> Words<'a> {
    pub(super) fn new(line: &'a [u8]) -> Self {
        Self { line, place: 0 }
    }

    /// The next word and where it begins; a word is a run of letters, digits and signs, or a single other character.
    pub(super) fn next(&mut self) -> Option<(usize, &'a [u8])> {
        while self.line.get(self.place).is_some_and(u8::is_ascii_whitespace) {
            self.place += 1;
        }
        let begin = self.place;
        let first = *self.line.get(begin)?;
        self.place += 1;
        let of_word = |c: &u8| c.is_ascii_alphanumeric() || *c == b'_' || *c == b'-' || *c == b'.';
        if of_word(&first) {
            while self.line.get(self.place).is_some_and(of_word) {
                self.place += 1;
            }
        }
        Some((begin, &self.line[begin..self.place]))
    }

    /// The next word without taking it.
    pub(super) fn peek(&mut self) -> &'a [u8] {
        let before = self.place;
        let word = self.next().map_or(&b""[..], |(_, word)| word);
        self.place = before;
        word
    }

    /// The next word, which must be this one.
    pub(super) fn needed(&mut self, word: &[u8], expected: &'static str) -> Taken<()> {
        match self.next() {
            Some((_, found)) if found == word => Ok(()),
            found => Err(self.expected(found, expected)),
        }
    }

    /// A whole number, with these letters behind it.
    pub(super) fn number(&mut self, suffix: &[u8], expected: &'static str) -> Taken<(usize, u64)> {
        let found = self.next();
        let digits = found.and_then(|(begin, word)| Some((begin, word.strip_suffix(suffix)?)));
        let number = digits.and_then(|(begin, digits)| Some((begin, whole(digits)?)));
        number.ok_or_else(|| self.expected(found, expected))
    }

    /// A number, or -1 for any.
    pub(super) fn number_or_any(&mut self, expected: &'static str) -> Taken<Option<(usize, u64)>> {
        if self.peek() == b"-1" {
            self.next();
            return Ok(None);
        }
        self.number(b"", expected).map(Some)
    }

    pub(super) fn expected(&self, found: Option<(usize, &[u8])>, expected: &'static str) -> (usize, Fault) {
        let (begin, word) = found.unwrap_or((self.line.trim_ascii_end().len(), b"the end of the line"));
        (begin, Fault::Expected { found: shown(word), expected })
    }
}

/// A whole number below 2⁶³.
fn whole(digits: &[u8]) -> Option<u64> {
    if digits.is_empty() || digits.len() > 18 {
        return None;
    }
    digits.iter().try_fold(0, |number, c| c.is_ascii_digit().then(|| number * 10 + u64::from(c - b'0')))
}

/// A word for a message: short, and readable whatever it is.
pub(super) fn shown(word: &[u8]) -> String {
    String::from_utf8_lossy(&word[..word.len().min(40)]).into_owned()
}
