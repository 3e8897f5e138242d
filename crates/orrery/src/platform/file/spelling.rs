/// The known word that looks most like this one, if any does: at most two letters differ, fewer than two in five.
pub(super) fn nearest(word: &str, known: &[&'static str]) -> Option<&'static str> {
    let near = known.iter().map(|&candidate| (distance(word, candidate), candidate));
    near.filter(|&(distance, candidate)| distance <= 2 && 5 * distance < 2 * candidate.len())
        .min()
        .map(|(_, known)| known)
}

/// How many letters have to be put in, taken out or exchanged to make one word the other (Levenshtein).
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, letter) in a.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, other) in b.iter().enumerate() {
            let exchanged = diagonal + usize::from(letter != *other);
            diagonal = row[j + 1];
            row[j + 1] = exchanged.min(diagonal + 1).min(row[j] + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::nearest;

    #[test]
    fn what_looks_alike_is_found() {
        let known = ["names", "cores", "kind", "price", "memory"];
        for (word, near) in [
            ("name", Some("names")),
            ("core", Some("cores")),
            ("kinds", Some("kind")),
            ("Price", Some("price")),
            ("memroy", Some("memory")),
            ("nodes", None),
            ("", None),
        ] {
            assert_eq!(nearest(word, &known), near, "{word}");
        }
    }
}
