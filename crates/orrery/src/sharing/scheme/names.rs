//! Names for transfers that were given none.

/// The so-many-th name from 0: a, b, …, z, aa, ab, …
pub(super) fn nth(mut place: usize) -> String {
    let mut letters = Vec::new();
    loop {
        letters.push(char::from(b'a' + (place % 26) as u8));
        if place < 26 {
            return letters.into_iter().rev().collect();
        }
        place = place / 26 - 1;
    }
}

#[cfg(test)]
mod tests {
    use super::nth;

    #[test]
    fn names_follow_the_alphabet() {
        for (place, name) in [(0, "a"), (25, "z"), (26, "aa"), (27, "ab"), (701, "zz"), (702, "aaa")] {
            assert_eq!(nth(place), name);
        }
    }
}
