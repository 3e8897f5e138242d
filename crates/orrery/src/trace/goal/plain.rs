use super::graph::FOR_START;
use super::labels::Labels;
use super::{ANY, Operation, OperationKind};

/// A line as nearly all are, for which no words have to be looked for: a label, and what it is or waits for.
pub(super) enum Plain {
    /// `l1: send 64b to 1 tag 7`, `l1: recv 64b from 1`, `l1: calc 500`, with the number of its label.
    Operation { label: usize, operation: Operation },
    /// `l2 requires l1` or `l2 irequires l1`, with the mark of the second.
    Requires { label: usize, other: usize, mark: u32 },
}

impl Plain {
    /// The line at the start of a text, and its length. `None` for all that is written otherwise, or not there to its
    /// end: it is read word by word, and what is wrong is found there.
    pub(super) fn read(text: &[u8], labels: &Labels) -> Option<(Self, usize)> {
        let mut scan = Scan { text, place: 0 };
        let label = scan.label(labels)?;
        let plain = if scan.skip(b": ") {
            Self::Operation { label, operation: scan.operation()? }
        } else {
            let mark = if scan.skip(b" requires ") {
                0
            } else if scan.skip(b" irequires ") {
                FOR_START
            } else {
                return None;
            };
            Self::Requires { label, other: scan.label(labels)?, mark }
        };
        scan.skip(b"\n").then_some((plain, scan.place))
    }
}

/// A place in a text.
struct Scan<'a> {
    text: &'a [u8],
    place: usize,
}

impl Scan<'_> {
    fn skip(&mut self, word: &[u8]) -> bool {
        let is_there = self.text[self.place..].starts_with(word);
        self.place += if is_there { word.len() } else { 0 };
        is_there
    }

    fn label(&mut self, labels: &Labels) -> Option<usize> {
        if !self.skip(labels.letters()?) {
            return None;
        }
        let (begin, zero) = (self.place, self.text.get(self.place) == Some(&b'0'));
        let number = self.number()? as usize;
        // A leading zero would make two labels one.
        let is_plain = !zero || self.place == begin + 1;
        (is_plain && labels.is_in_proportion(number)).then_some(number)
    }

    /// A whole number below 2⁶³.
    fn number(&mut self) -> Option<u64> {
        let begin = self.place;
        let mut number = 0_u64;
        while let Some(digit) = self.text.get(self.place).map(|c| c.wrapping_sub(b'0')).filter(|digit| *digit < 10) {
            number = number.wrapping_mul(10).wrapping_add(digit.into());
            self.place += 1;
        }
        (1..=18).contains(&(self.place - begin)).then_some(number)
    }

    fn small<T: TryFrom<u64> + PartialOrd + Copy>(&mut self, below: T) -> Option<T> {
        T::try_from(self.number()?).ok().filter(|number| *number < below)
    }

    fn operation(&mut self) -> Option<Operation> {
        let mut operation =
            Operation { size: 0, rank: 0, peer: 0, tag: 0, line: 0, cpu: 0, nic: 0, kind: OperationKind::Calculate };
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
        operation.peer = self.small(ANY)?;
        if self.skip(b" tag ") {
            operation.tag = self.small(ANY)?;
        }
        if self.skip(b" cpu ") {
            operation.cpu = self.small(u8::MAX)?;
        }
        if self.skip(b" nic ") {
            operation.nic = self.small(u8::MAX)?;
        }
        Some(operation)
    }
}
