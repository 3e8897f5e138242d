//! The examples of options.

use std::collections::{BTreeMap, BTreeSet};

/// Commands on the same files.
#[derive(Default)]
pub struct Section {
    pub name: String,
    /// The folders whose files are copied.
    pub folders: Vec<String>,
    /// The commands that write further files.
    pub preparations: Vec<String>,
    pub examples: Vec<Example>,
}

/// A command without and with an option.
pub struct Example {
    pub option: String,
    pub without: String,
    pub with: String,
    /// True if the numbers in its output differ from run to run.
    pub is_random: bool,
}

impl Example {
    /// The words of the verb: the first one or two words of the command.
    pub fn verb(&self, options: &BTreeMap<String, BTreeSet<String>>) -> String {
        let words: Vec<&str> = self.without.split_whitespace().take(2).collect();
        let both = words.join(" ");
        if options.contains_key(&both) { both } else { words[0].to_owned() }
    }
}

/// The sections of a text.
pub fn sections(text: &str) -> Vec<Section> {
    let mut sections: Vec<Section> = Vec::new();
    let mut commands: Vec<(String, bool)> = Vec::new();
    let mut was_option = false;
    for line in text.lines().map(str::trim) {
        let (first, rest) = line.split_once(' ').unwrap_or((line, ""));
        let is_option = first.starts_with("--");
        match first {
            "" | "#" => continue,
            "files" => {
                let folders = rest.split_whitespace().map(str::to_owned).collect();
                sections.push(Section { name: line.into(), folders, ..Section::default() });
                commands.clear();
            }
            "prepare" => last(&mut sections).preparations.push(rest.to_owned()),
            "$" | "~" => {
                if was_option {
                    commands.clear();
                }
                commands.extend(alternatives(rest).into_iter().map(|words| (words, first == "~")));
            }
            _ => {
                assert!(is_option, "{line}: neither a command nor an option");
                let examples =
                    commands.iter().map(|(command, random)| example(command, line, *random));
                last(&mut sections).examples.extend(examples);
            }
        }
        was_option = is_option;
    }
    sections
}

/// The commands of a line: one for each of the second words that commas divide.
fn alternatives(line: &str) -> Vec<String> {
    let words: Vec<&str> = line.splitn(3, ' ').collect();
    match words[..] {
        [verb, names, rest] if names.contains(',') => {
            names.split(',').map(|name| format!("{verb} {name} {rest}")).collect()
        }
        _ => vec![line.to_owned()],
    }
}

fn last(sections: &mut [Section]) -> &mut Section {
    sections.last_mut().expect("examples begin with files")
}

/// The example of a line with an option and, behind a bar, words of both commands.
fn example(command: &str, line: &str, is_random: bool) -> Example {
    let (option, both) = line.split_once(" | ").unwrap_or((line, ""));
    let without = with(command, both);
    let name = option.split_whitespace().next().unwrap_or_default();
    let name = name.trim_start_matches('-').to_owned();
    Example { option: name, with: with(&without, option), without, is_random }
}

/// A command with options, which replace those of the same name.
fn with(command: &str, options: &str) -> String {
    let names = options.split_whitespace().filter(|word| word.starts_with("--"));
    let words: Vec<String> = command.split_whitespace().map(str::to_owned).collect();
    let kept = names.fold(words, |words, name| removed(&words, name));
    format!("{} {options}", kept.join(" ")).trim().to_owned()
}

/// A command without an option and its value.
pub fn removed(words: &[String], option: &str) -> Vec<String> {
    let mut words = words.to_vec();
    if let Some(place) = words.iter().position(|word| word == option) {
        let has_value = words.get(place + 1).is_some_and(|word| !word.starts_with("--"));
        words.drain(place..=place + usize::from(has_value));
    }
    words
}
