//! Source files as text: what of it is code, and which rooms that code names.

use std::fs;
use std::path::{Path, PathBuf};

/// A source file without its comments, the contents of its literals and its tests.
pub struct Source {
    /// Its path below the folder `src`.
    pub path: PathBuf,
    /// Its code; as many lines as the file, blanks in the place of what was taken out.
    pub code: String,
    /// How many lines are not tests.
    pub lines: usize,
}

impl Source {
    /// All Rust files below a folder `src`, in order of their paths; files of tests are left out.
    pub fn all(src: &Path) -> Vec<Self> {
        let mut paths = Vec::new();
        walk(src, &mut paths);
        paths.sort();
        paths
            .iter()
            .map(|path| (path.strip_prefix(src).expect("found below src"), path))
            .filter(|(below, _)| !below.iter().any(|part| part == "tests" || part == "tests.rs"))
            .map(|(below, path)| Self::new(below.into(), &fs::read_to_string(path).expect("sources are UTF-8")))
            .collect()
    }

    /// A file with this text.
    pub fn new(path: PathBuf, text: &str) -> Self {
        let mut code = blank_comments_and_literals(text);
        let tests = blank_tests(&mut code);
        Self { path, lines: text.lines().count() - tests, code: code.into_iter().collect() }
    }

    /// The modules on the way to this file: `["comm", "lmo"]` for comm/lmo/mod.rs, nothing for lib.rs.
    pub fn module(&self) -> Vec<&str> {
        let mut parts: Vec<&str> = self.path.iter().filter_map(|part| part.to_str()).collect();
        let file = parts.pop().unwrap_or_default().trim_end_matches(".rs");
        if !matches!(file, "mod" | "lib" | "main") {
            parts.push(file);
        }
        parts
    }

    /// Every path from the root of the crate that the code names, with its line: `machine::Batch`. A group in braces
    /// gives a path for each of its members.
    pub fn paths(&self) -> Vec<(usize, String)> {
        let depth = self.module().len();
        let mut found = Vec::new();
        for at in self.positions("crate").into_iter().chain(self.positions("super")) {
            let (mut rest, mut above) = (&self.code[at..], 0);
            while let Some(after) = rest.strip_prefix("super").and_then(|rest| rest.trim_start().strip_prefix("::")) {
                (rest, above) = (after.trim_start(), above + 1);
            }
            let from_root = rest.strip_prefix("crate").and_then(|rest| rest.trim_start().strip_prefix("::"));
            match from_root {
                Some(rest) => members(rest.trim_start(), "", &mut |path| found.push((self.line(at), path))),
                // The position of `super` in a chain that was read from its first link.
                None if self.code[..at].trim_end().ends_with("super::") => {}
                None if above > 0 && above >= depth => {
                    members(rest, "", &mut |path| found.push((self.line(at), path)));
                }
                None => {}
            }
        }
        found.sort();
        found
    }

    /// The lines in which a word stands by itself in the code; the word may end in punctuation: `println!`, `fs::`.
    pub fn lines_with(&self, word: &str) -> Vec<usize> {
        self.positions(word).into_iter().map(|at| self.line(at)).collect()
    }

    fn positions(&self, word: &str) -> Vec<usize> {
        let part = |letter: Option<char>| letter.is_some_and(|letter| letter.is_alphanumeric() || letter == '_');
        let open = !part(word.chars().next_back());
        self.code
            .match_indices(word)
            .map(|(at, _)| at)
            .filter(|at| !part(self.code[..*at].chars().next_back()))
            .filter(|at| open || !part(self.code[at + word.len()..].chars().next()))
            .collect()
    }

    fn line(&self, at: usize) -> usize {
        self.code[..at].matches('\n').count() + 1
    }
}

/// All files below a folder that end in `.rs`.
fn walk(folder: &Path, paths: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("the folder of the sources can be read") {
        let path = entry.expect("its entries too").path();
        if path.is_dir() {
            walk(&path, paths);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            paths.push(path);
        }
    }
}

/// The paths of a use tree, or the one path of an expression; `rest` begins after a `::`.
fn members(rest: &str, before: &str, found: &mut impl FnMut(String)) {
    let Some(group) = rest.strip_prefix('{') else {
        let end = rest.find(|letter: char| !letter.is_alphanumeric() && letter != '_').unwrap_or(rest.len());
        let (name, after) = (&rest[..end], rest[end..].trim_start());
        let path = if before.is_empty() { name.to_string() } else { format!("{before}::{name}") };
        return match after.strip_prefix("::") {
            Some(after) if after.trim_start().starts_with(|l: char| l == '{' || l.is_alphabetic()) => {
                members(after.trim_start(), &path, found);
            }
            _ => found(path),
        };
    };
    let (mut depth, mut begin) = (0, 0);
    for (at, letter) in group.char_indices() {
        match letter {
            '{' => depth += 1,
            '}' if depth > 0 => depth -= 1,
            ',' | '}' if depth == 0 => {
                let member = group[begin..at].trim();
                if !member.is_empty() {
                    members(member, before, found);
                }
                begin = at + 1;
                if letter == '}' {
                    return;
                }
            }
            _ => {}
        }
    }
}

/// The text with blanks in the place of comments and of the contents of literals; lines are kept.
fn blank_comments_and_literals(text: &str) -> Vec<char> {
    let mut letters: Vec<char> = text.chars().collect();
    let mut at = 0;
    while at < letters.len() {
        let end = match letters[at] {
            '/' if letters.get(at + 1) == Some(&'/') => end_of_line(&letters, at),
            '/' if letters.get(at + 1) == Some(&'*') => end_of_comment(&letters, at),
            '"' => end_of_string(&letters, at),
            'r' if (at == 0 || !word_letter(letters[at - 1]) || letters[at - 1] == 'b') => {
                end_of_raw_string(&letters, at)
            }
            '\'' => end_of_character(&letters, at),
            _ => at,
        };
        if end == at {
            at += 1;
            continue;
        }
        letters[at..end].iter_mut().filter(|letter| **letter != '\n').for_each(|letter| *letter = ' ');
        at = end;
    }
    letters
}

fn word_letter(letter: char) -> bool {
    letter.is_alphanumeric() || letter == '_'
}

fn end_of_line(letters: &[char], at: usize) -> usize {
    letters[at..].iter().position(|letter| *letter == '\n').map_or(letters.len(), |length| at + length)
}

fn end_of_comment(letters: &[char], mut at: usize) -> usize {
    let mut depth = 0;
    while at < letters.len() {
        match letters[at..] {
            ['/', '*', ..] => (depth, at) = (depth + 1, at + 2),
            ['*', '/', ..] => (depth, at) = (depth - 1, at + 2),
            _ => at += 1,
        }
        if depth == 0 {
            break;
        }
    }
    at
}

fn end_of_string(letters: &[char], at: usize) -> usize {
    let mut end = at + 1;
    while end < letters.len() && letters[end] != '"' {
        end += if letters[end] == '\\' { 2 } else { 1 };
    }
    (end + 1).min(letters.len())
}

/// The end of `r"…"` or `r#"…"#`; `at` itself when no raw string begins here.
fn end_of_raw_string(letters: &[char], at: usize) -> usize {
    let hashes = letters[at + 1..].iter().take_while(|letter| **letter == '#').count();
    if letters.get(at + 1 + hashes) != Some(&'"') {
        return at;
    }
    let mut closing = vec!['"'];
    closing.resize(1 + hashes, '#');
    let begin = at + hashes + 2;
    letters[begin..].windows(closing.len()).position(|w| w == closing).map_or(letters.len(), |n| begin + n + 1 + hashes)
}

/// The end of a character literal; `at` itself for a lifetime.
fn end_of_character(letters: &[char], at: usize) -> usize {
    match letters[at + 1..] {
        ['\\', _, ..] => letters[at + 3..].iter().position(|l| *l == '\'').map_or(at, |n| at + 3 + n + 1),
        [_, '\'', ..] => at + 3,
        _ => at,
    }
}

/// Blanks the items under `#[cfg(test)]`; returns how many lines they span.
fn blank_tests(code: &mut [char]) -> usize {
    let attribute: Vec<char> = "#[cfg(test)]".chars().collect();
    let (mut at, mut lines) = (0, 0);
    while let Some(found) = code[at..].windows(attribute.len()).position(|window| window == attribute) {
        let begin = at + found;
        let (mut round, mut braces, mut end) = (0, 0, code.len());
        for (offset, letter) in code[begin + attribute.len()..].iter().enumerate() {
            match letter {
                '(' | '[' => round += 1,
                ')' | ']' => round -= 1,
                '{' => braces += 1,
                '}' => braces -= 1,
                _ => continue,
            }
            if *letter == '}' && braces == 0 && round == 0 {
                end = begin + attribute.len() + offset + 1;
                break;
            }
        }
        // An item without a body ends at a semicolon before any brace.
        let body = code[begin..end].iter().position(|letter| *letter == '{').unwrap_or(end - begin);
        if let Some(semicolon) = item_without_body(&code[begin..begin + body]) {
            end = begin + semicolon + 1;
        }
        let item = &mut code[begin..end];
        lines += item.iter().filter(|letter| **letter == '\n').count() + 1;
        item.iter_mut().filter(|letter| **letter != '\n').for_each(|letter| *letter = ' ');
        at = end;
    }
    lines
}

/// The position of the semicolon that ends an item, outside of brackets.
fn item_without_body(head: &[char]) -> Option<usize> {
    let mut depth = 0;
    head.iter().position(|letter| {
        match letter {
            '(' | '[' => depth += 1,
            ')' | ']' => depth -= 1,
            _ => {}
        }
        *letter == ';' && depth == 0
    })
}
