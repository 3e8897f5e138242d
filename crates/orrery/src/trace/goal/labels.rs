use std::collections::BTreeMap;

/// The labels of a rank. Most texts number them, `l1`, `l2`, …: those are found by their number.
#[derive(Debug, Default)]
pub(super) struct Labels {
    /// The letters before the numbers.
    letters: Vec<u8>,
    /// The operation of each number, plus one; 0 for none.
    numbered: Vec<u32>,
    others: BTreeMap<Vec<u8>, u32>,
}

impl Labels {
    /// Forgets all.
    pub(super) fn clear(&mut self) {
        self.letters.clear();
        self.numbered.clear();
        self.others.clear();
    }

    /// The letters before the numbers, where every label so far has a number that can be looked up.
    pub(super) fn letters(&self) -> Option<&[u8]> {
        (self.others.is_empty() && !self.letters.is_empty()).then_some(&self.letters[..])
    }

    /// Whether a number is one that can be looked up.
    pub(super) fn is_in_proportion(&self, number: usize) -> bool {
        number <= 4 * self.numbered.len() + 1024
    }

    /// Defines the label of a number, which is in proportion; `false` when it was defined before.
    pub(super) fn define_number(&mut self, number: usize, operation: u32) -> bool {
        if number >= self.numbered.len() {
            self.numbered.resize(number + 1, 0);
        }
        let free = self.numbered[number] == 0;
        self.numbered[number] = operation + 1;
        free
    }

    /// The operation of the label of a number.
    pub(super) fn find_number(&self, number: usize) -> Option<u32> {
        self.numbered.get(number)?.checked_sub(1)
    }

    /// The number of a label, where it is one of many and not out of all proportion.
    fn number(&self, label: &[u8]) -> Option<usize> {
        let digits = label.strip_prefix(self.letters.as_slice()).filter(|digits| !digits.is_empty())?;
        // A leading zero would make two labels one.
        if digits.len() > 9 || digits[0] == b'0' && digits.len() > 1 {
            return None;
        }
        let mut number = 0;
        for digit in digits {
            if !digit.is_ascii_digit() {
                return None;
            }
            number = number * 10 + usize::from(digit - b'0');
        }
        self.is_in_proportion(number).then_some(number)
    }

    /// Defines a label; `false` when it was defined before.
    pub(super) fn define(&mut self, label: &[u8], operation: u32) -> bool {
        if self.numbered.is_empty() && self.others.is_empty() {
            let letters = label.iter().rposition(|c| !c.is_ascii_digit()).map_or(0, |last| last + 1);
            self.letters = label[..letters].to_vec();
        }
        match self.number(label) {
            Some(number) => {
                if self.others.contains_key(label) {
                    return false;
                }
                self.define_number(number, operation)
            }
            None => self.others.insert(label.to_vec(), operation).is_none(),
        }
    }

    /// The operation of a label.
    pub(super) fn find(&self, label: &[u8]) -> Option<u32> {
        let numbered = self.number(label).and_then(|number| self.find_number(number));
        numbered.or_else(|| self.others.get(label).copied())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_are_told_apart() {
        let mut labels = Labels::default();
        let names: [&[u8]; 8] = [b"l1", b"l01", b"l999999999", b"x1", b"l", b"l2", b"l12345678901", b"l1a"];
        for (operation, name) in names.iter().enumerate() {
            assert!(labels.define(name, operation as u32));
        }
        for (operation, name) in names.iter().enumerate() {
            assert_eq!(labels.find(name), Some(operation as u32));
            assert!(!labels.define(name, 99) || labels.find(name) == Some(99));
        }
        assert_eq!(labels.find(b"l3"), None);
    }
}
