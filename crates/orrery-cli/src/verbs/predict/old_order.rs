//! The former order of the arguments of `orrery predict`: the model before the subject.

use std::ffi::OsString;

use super::subject::is_subject;

/// Options of the command itself that have a value.
const WITH_VALUE: [&str; 3] = ["--max-memory", "--max-operations", "--max-actions"];

/// Moves the subject of `predict MODEL SUBJECT` before the model; returns true if it was behind.
pub fn reorder(arguments: &mut Vec<OsString>) -> bool {
    let word = |place: usize| arguments.get(place).and_then(|word| word.to_str());
    let mut verb = 1;
    while let Some(option) = word(verb).filter(|word| word.starts_with('-')) {
        verb += if WITH_VALUE.contains(&option) { 2 } else { 1 };
    }
    if word(verb) != Some("predict") {
        return false;
    }
    let first = verb + 1;
    let subject = (first..arguments.len()).find(|&place| word(place).is_some_and(is_subject));
    // A subject that comes first is in order.
    let Some(subject) = subject.filter(|&place| place > first) else { return false };
    let name = arguments.remove(subject);
    arguments.insert(first, name);
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_subject_is_moved_before_the_model() {
        let after = |line: &str| {
            let mut words: Vec<OsString> = line.split(' ').map(OsString::from).collect();
            let is_moved = reorder(&mut words);
            (words.join(" ".as_ref()).into_string().unwrap(), is_moved)
        };
        let new = "orrery predict bcast m.json --size 1K";
        assert_eq!(after(new), (new.into(), false));
        assert_eq!(after("orrery predict m.json bcast --size 1K"), (new.into(), true));
        let quiet = "orrery -q --max-memory 1G predict p2p --size 1K m.json";
        assert_eq!(
            after("orrery -q --max-memory 1G predict --size 1K m.json p2p"),
            (quiet.into(), true)
        );
        let other = "orrery validate m.json bcast";
        assert_eq!(after(other), (other.into(), false));
    }
}
