//! Rust source files as tokens, without comments, literals and tests.

use std::fs;
use std::path::{Path, PathBuf};

use proc_macro2::{Delimiter, Spacing, TokenStream, TokenTree};

/// One token outside of tests; groups are flattened into their brackets and contents.
#[derive(Debug)]
struct Token {
    text: String,
    line: usize,
}

/// A source file.
pub struct Source {
    /// The path below `src`.
    pub path: PathBuf,
    tokens: Vec<Token>,
    /// The string literals outside of tests and documentation, with their lines.
    pub strings: Vec<(usize, String)>,
    /// The number of lines outside of tests.
    pub lines: usize,
}

impl Source {
    /// Reads all Rust files below a folder, sorted by path.
    pub fn all(src: &Path) -> Vec<Self> {
        let mut paths = Vec::new();
        let mut folders = vec![src.to_owned()];
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(&folder).expect("the folder of sources is readable") {
                let path = entry.expect("the entry is readable").path();
                if path.is_dir() {
                    folders.push(path);
                } else if path.extension().is_some_and(|extension| extension == "rs")
                    && !path.ends_with("tests.rs")
                {
                    paths.push(path);
                }
            }
        }
        paths.sort();
        let below = |path: &PathBuf| path.strip_prefix(src).expect("found below src").to_owned();
        paths
            .iter()
            .map(|path| Self::new(below(path), &fs::read_to_string(path).expect("UTF-8")))
            .collect()
    }

    /// Lexes a text.
    pub fn new(path: PathBuf, text: &str) -> Self {
        let stream: TokenStream =
            text.parse().unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        let (mut tokens, mut strings, mut test_lines) = (Vec::new(), Vec::new(), 0);
        flatten(stream, &mut tokens, &mut strings, &mut test_lines);
        Self { path, tokens, strings, lines: text.lines().count() - test_lines }
    }

    /// The modules that lead to this file: `["comm", "lmo"]` for comm/lmo/mod.rs, empty for lib.rs.
    pub fn module(&self) -> Vec<&str> {
        let mut parts: Vec<&str> = self.path.iter().filter_map(|part| part.to_str()).collect();
        let file = parts.pop().unwrap_or_default().trim_end_matches(".rs");
        if !matches!(file, "mod" | "lib" | "main") {
            parts.push(file);
        }
        parts
    }

    /// The top-level modules that the code names, each with its line.
    pub fn references(&self) -> Vec<(usize, String)> {
        let text = |at: usize| self.tokens.get(at).map_or("", |token| token.text.as_str());
        let depth = self.module().len();
        let mut found = Vec::new();
        let mut at = 0;
        while at < self.tokens.len() {
            let (begin, mut supers) = (at, 0);
            while text(at) == "super" && text(at + 1) == "::" {
                (at, supers) = (at + 2, supers + 1);
            }
            let from_root = if text(at) == "crate" && text(at + 1) == "::" {
                at += 2;
                true
            } else {
                supers > 0 && supers >= depth
            };
            if from_root {
                self.members(&mut at, &mut found);
            } else if at == begin {
                at += 1;
            }
        }
        found
    }

    /// Collects the first modules of a path or of a group of paths; `at` moves behind it.
    fn members(&self, at: &mut usize, found: &mut Vec<(usize, String)>) {
        let text = |at: usize| self.tokens.get(at).map_or("", |token| token.text.as_str());
        if text(*at) == "{" {
            *at += 1;
            while *at < self.tokens.len() && text(*at) != "}" {
                self.members(at, found);
                if text(*at) == "," {
                    *at += 1;
                }
            }
            *at += 1;
            return;
        }
        let (line, first) =
            (self.tokens.get(*at).map_or(0, |token| token.line), text(*at).to_owned());
        let mut open = 0;
        // The rest of the path, including nested groups.
        while *at < self.tokens.len() {
            match text(*at) {
                "{" if text(*at - 1) == "::" => open += 1,
                "}" if open > 0 => open -= 1,
                _ => {}
            }
            *at += 1;
            if open == 0 && text(*at) != "::" && text(*at - 1) != "::" {
                break;
            }
        }
        found.push((line, first));
    }

    /// The lines on which a sequence of tokens occurs, such as `["fs", "::"]`.
    pub fn lines_with(&self, words: &[&str]) -> Vec<usize> {
        let matches =
            |window: &&[Token]| window.iter().zip(words).all(|(token, word)| token.text == *word);
        self.tokens.windows(words.len()).filter(matches).map(|window| window[0].line).collect()
    }
}

/// Appends the tokens of a stream, without items under `#[cfg(test)]`, attributes and literals, and
/// the string literals of code and attributes other than documentation.
fn flatten(
    stream: TokenStream,
    tokens: &mut Vec<Token>,
    strings: &mut Vec<(usize, String)>,
    test_lines: &mut usize,
) {
    let trees: Vec<TokenTree> = stream.into_iter().collect();
    let mut at = 0;
    while at < trees.len() {
        let line = trees[at].span().start().line;
        match &trees[at] {
            TokenTree::Punct(hash) if hash.as_char() == '#' => {
                // `#` or `#!`, then the group of the attribute.
                at += 1;
                at += usize::from(
                    matches!(&trees.get(at), Some(TokenTree::Punct(bang)) if bang.as_char() == '!'),
                );
                if trees
                    .get(at)
                    .is_some_and(|tree| tree.to_string().replace(' ', "") == "[cfg(test)]")
                {
                    at = end_of_item(&trees, at + 1);
                    *test_lines += trees[at.min(trees.len() - 1)].span().end().line + 1 - line;
                } else if let Some(TokenTree::Group(attribute)) = trees.get(at)
                    && !attribute.stream().to_string().starts_with("doc")
                {
                    flatten(attribute.stream(), &mut Vec::new(), strings, test_lines);
                }
            }
            TokenTree::Punct(colon)
                if colon.as_char() == ':' && colon.spacing() == Spacing::Joint =>
            {
                tokens.push(Token { text: "::".into(), line });
                at += 1;
            }
            TokenTree::Group(group) => {
                let [open, close] = match group.delimiter() {
                    Delimiter::Brace => ["{", "}"],
                    Delimiter::Bracket => ["[", "]"],
                    Delimiter::Parenthesis => ["(", ")"],
                    Delimiter::None => ["", ""],
                };
                tokens.push(Token { text: open.into(), line });
                flatten(group.stream(), tokens, strings, test_lines);
                tokens.push(Token { text: close.into(), line: group.span_close().start().line });
            }
            TokenTree::Literal(literal) => {
                let text = literal.to_string();
                if text.contains('"') {
                    // Strings over several lines are one text.
                    strings.push((line, text.split_whitespace().collect::<Vec<_>>().join(" ")));
                }
                tokens.push(Token { text: "literal".into(), line });
            }
            other => tokens.push(Token { text: other.to_string(), line }),
        }
        at += 1;
    }
}

/// The index of the last token of the item that begins here: its semicolon or its body.
fn end_of_item(trees: &[TokenTree], from: usize) -> usize {
    let ends = |tree: &TokenTree| match tree {
        TokenTree::Punct(punct) => punct.as_char() == ';',
        TokenTree::Group(group) => group.delimiter() == Delimiter::Brace,
        _ => false,
    };
    trees[from..].iter().position(ends).map_or(trees.len() - 1, |offset| from + offset)
}
