use std::collections::BTreeMap;

/// The labels of a rank and their operations. Most texts number labels, `l1`, `l2`, …; those are
/// found by their number.
#[derive(Debug, Default)]
pub(super) struct Labels {
    /// The prefix of numbered labels, such as `l`.
    prefix: Vec<u8>,
    /// The operation of each numbered label, plus one; 0 for undefined labels.
    numbered: Vec<u32>,
    /// All other labels.
    others: BTreeMap<Vec<u8>, u32>,
}

impl Labels {
    /// Removes all labels.
    pub(super) fn clear(&mut self) {
        self.prefix.clear();
        self.numbered.clear();
        self.others.clear();
    }

    /// The prefix of numbered labels; `None` if there are other labels.
    pub(super) fn prefix(&self) -> Option<&[u8]> {
        (self.others.is_empty() && !self.prefix.is_empty()).then_some(&self.prefix[..])
    }

    /// Returns true if the table of numbered labels may grow to a number: sparse numbers would
    /// waste memory.
    pub(super) fn is_dense(&self, number: usize) -> bool {
        number <= 4 * self.numbered.len() + 1024
    }

    /// Defines a numbered label; returns false if it was defined before.
    pub(super) fn define_number(&mut self, number: usize, operation: u32) -> bool {
        if number >= self.numbered.len() {
            self.numbered.resize(number + 1, 0);
        }
        let free = self.numbered[number] == 0;
        self.numbered[number] = operation + 1;
        free
    }

    /// The operation of a numbered label; `None` if it is not defined.
    pub(super) fn find_number(&self, number: usize) -> Option<u32> {
        self.numbered.get(number)?.checked_sub(1)
    }

    /// The number of a label; `None` if it has no number or its number is too sparse.
    fn number(&self, label: &[u8]) -> Option<usize> {
        let digits =
            label.strip_prefix(self.prefix.as_slice()).filter(|digits| !digits.is_empty())?;
        // With leading zeros two labels would have the same number.
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
        self.is_dense(number).then_some(number)
    }

    /// Defines a label; returns false if it was defined before.
    pub(super) fn define(&mut self, label: &[u8], operation: u32) -> bool {
        if self.numbered.is_empty() && self.others.is_empty() {
            let length = label.iter().rposition(|c| !c.is_ascii_digit()).map_or(0, |last| last + 1);
            self.prefix = label[..length].to_vec();
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

    /// The operation of a label; `None` if it is not defined.
    pub(super) fn find(&self, label: &[u8]) -> Option<u32> {
        let numbered = self.number(label).and_then(|number| self.find_number(number));
        numbered.or_else(|| self.others.get(label).copied())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn similar_labels_are_distinct() {
        let mut labels = Labels::default();
        let names: [&[u8]; 8] =
            [b"l1", b"l01", b"l999999999", b"x1", b"l", b"l2", b"l12345678901", b"l1a"];
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
