//! Which numbers of processes can be reached at all.

use super::choices::KindOption;

/// A set of the numbers from 0 to a largest one.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Numbers {
    words: Vec<u64>,
}

impl Numbers {
    fn zero(largest: u32) -> Self {
        let mut words = vec![0; largest as usize / 64 + 1];
        words[0] = 1;
        Self { words }
    }

    fn has(&self, number: u32) -> bool {
        self.words[number as usize / 64] >> (number % 64) & 1 == 1
    }

    /// Adds to the set each of its numbers raised by `by`.
    fn spread(&mut self, by: u64) {
        let (whole, bits) = ((by / 64) as usize, (by % 64) as u32);
        for at in (whole..self.words.len()).rev() {
            let mut word = self.words[at - whole] << bits;
            if bits > 0 && at > whole {
                word |= self.words[at - whole - 1] >> (64 - bits);
            }
            self.words[at] |= word;
        }
    }

    fn join(&mut self, other: &Self) {
        self.words.iter_mut().zip(&other.words).for_each(|(word, other)| *word |= other);
    }
}

/// Whether a selection among these choices has so many processes; and the steps taken. Options stand kind by kind.
pub(super) fn reachable<'a>(processes: u32, choices: impl Iterator<Item = &'a KindOption>) -> (bool, u64) {
    let mut reached = Numbers::zero(processes);
    let mut steps = reached.words.len() as u64;
    let (mut before, mut of) = (reached.clone(), None);
    for choice in choices {
        if of != Some(choice.kind) {
            before.clone_from(&reached);
            of = Some(choice.kind);
        }
        // 0 to `elements` elements: the set is doubled while c of them are covered, c·2 ≤ elements + 1; then the rest.
        let mut raised = before.clone();
        let (mut covered, terms) = (1_u64, u64::from(choice.elements) + 1);
        while covered < terms {
            let more = covered.min(terms - covered);
            raised.spread(more * u64::from(choice.processes));
            covered += more;
            steps += raised.words.len() as u64;
        }
        reached.join(&raised);
        steps += 2 * raised.words.len() as u64;
    }
    (reached.has(processes), steps)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_reached_is_what_sums_give() {
        let choice = |kind, processes, elements| KindOption { kind, processes, elements, seconds: 0.0 };
        let choices = [choice(0, 3, 2), choice(0, 5, 1), choice(1, 70, 3), choice(1, 64, 2)];
        for processes in 1..300 {
            let first = [0, 3, 6, 5];
            let second = [0, 70, 140, 210, 64, 128];
            let sums = first.iter().any(|a| second.iter().any(|b| a + b == processes));
            assert_eq!(reachable(processes, choices.iter()).0, sums, "{processes}");
        }
    }
}
