//! Command lines of the former release that still work, with a remark.

use std::ffi::OsString;

use crate::verbs::is_subject;

/// Options of the command itself that have a value.
const WITH_VALUE: [&str; 3] = ["--max-memory", "--max-operations", "--max-actions"];

/// The options of `scaling` that have other names now.
const OF_SCALING: [(&str, &str); 2] = [("--certain", "--confidence"), ("--within", "--tolerance")];

/// Replaces former names and orders in a command line, and returns a remark for each.
pub fn replace(words: &mut [OsString]) -> Vec<String> {
    let verb = verb(words).min(words.len());
    let Some((verb, arguments)) = words[verb..].split_first_mut() else { return Vec::new() };
    match verb.to_str() {
        Some("predict") if is_reordered(arguments) => vec![
            "the subject of predict comes before the model now: orrery predict bcast MODEL; the \
                former order works until the next release"
                .to_owned(),
        ],
        Some("scaling") => renamed(arguments),
        _ => Vec::new(),
    }
}

/// The place of the verb: behind the options of the command itself.
fn verb(words: &[OsString]) -> usize {
    let mut place = 1;
    while let Some(option) = words.get(place).and_then(|word| word.to_str())
        && option.starts_with('-')
    {
        place += if WITH_VALUE.contains(&option) { 2 } else { 1 };
    }
    place
}

/// Moves the subject of `predict MODEL SUBJECT` before the model; returns true if it was behind.
fn is_reordered(arguments: &mut [OsString]) -> bool {
    let subject = arguments.iter().position(|word| word.to_str().is_some_and(is_subject));
    let Some(subject) = subject.filter(|&place| place > 0) else { return false };
    arguments[..=subject].rotate_right(1);
    true
}

/// Renames options of `scaling`, and returns a remark for each. The words behind `--` are those of
/// another program.
fn renamed(arguments: &mut [OsString]) -> Vec<String> {
    let mut remarks = Vec::new();
    for word in arguments.iter_mut().take_while(|word| *word != "--") {
        let Some(text) = word.to_str() else { continue };
        let (name, value) = text.find('=').map_or((text, ""), |place| text.split_at(place));
        if let Some((former, new)) = OF_SCALING.into_iter().find(|(former, _)| *former == name) {
            remarks.push(format!(
                "{former} is {new} now; the former name works until the next release"
            ));
            *word = format!("{new}{value}").into();
        }
    }
    remarks
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn former_names_and_orders_are_replaced() {
        let after = |line: &str| {
            let mut words: Vec<OsString> = line.split(' ').map(OsString::from).collect();
            let remarks = replace(&mut words).len();
            (words.join(" ".as_ref()).into_string().unwrap(), remarks)
        };
        for (former, expected, remarks) in [
            (
                "orrery scaling run p --certain 0.9 --within=0.1 -- ./app --within 3",
                "orrery scaling run p --confidence 0.9 --tolerance=0.1 -- ./app --within 3",
                2,
            ),
            ("orrery predict m.json bcast --size 1K", "orrery predict bcast m.json --size 1K", 1),
            (
                "orrery -q --max-memory 1G predict --size 1K m.json p2p",
                "orrery -q --max-memory 1G predict p2p --size 1K m.json",
                1,
            ),
        ] {
            assert_eq!(after(former), (expected.into(), remarks));
        }
        for line in [
            "orrery choose collective bcast.csv --certain",
            // A file may have the name of a verb.
            "orrery choose collective scaling --certain",
            "orrery predict bcast m.json --size 1K",
            "orrery validate m.json bcast",
            "orrery predict",
            "orrery --max-memory",
        ] {
            assert_eq!(after(line), (line.into(), 0));
        }
    }
}
