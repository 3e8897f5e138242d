//! Configurations by file: patterns of file names with fields, such as
//! `hpl-{kind}-{elements}x{processes}.out`, and tables of files.

use std::path::{Path, PathBuf};
use std::str::FromStr;

use super::error;
use super::table::Layout;
use crate::run::{Configuration, Share};
use orrery_base::file::{Fault, FileError, Result};
use orrery_base::json;

/// The meaning of a field of a pattern.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Field {
    /// A whole configuration, such as `athlon=1x2,pentium-ii=8x1`.
    Configuration,
    /// The name of the only kind.
    Kind,
    /// The number of elements of a kind; of the only one if the name is empty.
    Elements(String),
    /// The number of processes on each element of a kind; of the only one if the name is empty.
    Processes(String),
    /// A variable.
    Variable(String),
}

/// A part of a pattern.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Part {
    Literal(String),
    /// Any text without a slash.
    Any,
    Field(Field),
}

/// A pattern of file names whose fields are the configuration and variables of the runs in the
/// file.
///
/// | field | content |
/// |---|---|
/// | `{kind}`, `{elements}`, `{processes}` | the only kind, the number of its elements and of processes on each (default 1) |
/// | `{elements:athlon}`, `{processes:athlon}` | the same of a named kind; 0 if it takes no part |
/// | `{configuration}` | a configuration, such as `athlon=1x2,pentium-ii=8x1` |
/// | `{n}`, `{threads}` or another word | a variable; also `{processes}` without `{elements}` |
/// | `*` | any text |
///
/// A pattern with slashes describes the last folders, too.
///
/// ```
/// use orrery_applications::run::import::NamePattern;
/// let pattern: NamePattern = "hpl-{kind}-{elements}x{processes}-n{n}.out".parse()?;
/// let found = pattern.properties("results/hpl-athlon-2x4-n1600.out").unwrap();
/// assert_eq!(found.configuration.to_string(), "athlon=2x4");
/// assert_eq!(found.variables, [("n".to_owned(), 1600.0)]);
/// assert_eq!(pattern.properties("results/hpl-athlon.out"), None);
/// # Ok::<(), orrery_base::file::Fault>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NamePattern {
    text: String,
    parts: Vec<Part>,
}

/// What the name of a file says about its runs.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct FileProperties {
    /// The processing elements; empty if the name does not contain them.
    pub configuration: Configuration,
    /// The variables with their values.
    pub variables: Vec<(String, f64)>,
}

impl FromStr for NamePattern {
    type Err = Fault;

    fn from_str(text: &str) -> Result<Self, Fault> {
        let wrong = |reason: &str| {
            Fault::new(format_args!(
                "{text:?} is not a pattern of file names: {reason}; an example is \
                    hpl-{{kind}}-{{elements}}x{{processes}}.out"
            ))
        };
        let mut parts = Vec::new();
        let mut rest = text;
        while let Some(c) = rest.chars().next() {
            let length;
            match c {
                '{' => {
                    let end = rest.find('}').ok_or_else(|| wrong("a brace is not closed"))?;
                    parts.push(Part::Field(
                        field(rest[1..end].trim()).ok_or_else(|| wrong("a field has no name"))?,
                    ));
                    length = end + 1;
                }
                '*' => {
                    parts.push(Part::Any);
                    length = rest.len() - rest.trim_start_matches('*').len();
                }
                _ => {
                    length = rest.find(['{', '*']).unwrap_or(rest.len());
                    parts.push(Part::Literal(rest[..length].to_owned()));
                }
            }
            rest = &rest[length..];
        }
        let mut pattern = Self { text: text.to_owned(), parts };
        pattern.check().map_err(wrong)?;
        Ok(pattern)
    }
}

/// The field with a name; `None` for an empty name.
fn field(name: &str) -> Option<Field> {
    let (word, kind) = name.split_once(':').unwrap_or((name, ""));
    let (word, kind) = (word.trim(), kind.trim());
    Some(match word {
        "" => return None,
        "configuration" => Field::Configuration,
        "kind" => Field::Kind,
        "elements" => Field::Elements(kind.to_owned()),
        "processes" => Field::Processes(kind.to_owned()),
        _ if name.ends_with(':') => return None,
        _ => Field::Variable(name.to_owned()),
    })
}

impl NamePattern {
    /// Checks that the fields belong together; processes without elements become the variable.
    fn check(&mut self) -> Result<(), &'static str> {
        let has = |parts: &[Part], field: Field| parts.contains(&Part::Field(field));
        if !has(&self.parts, Field::Elements(String::new())) {
            let processes = Part::Field(Field::Processes(String::new()));
            for part in self.parts.iter_mut().filter(|part| **part == processes) {
                *part = Part::Field(Field::Variable(crate::run::variable::PROCESSES.to_owned()));
            }
        }
        let fields: Vec<&Field> = self
            .parts
            .iter()
            .filter_map(|part| if let Part::Field(field) = part { Some(field) } else { None })
            .collect();
        if fields.is_empty() {
            return Err("it has no field");
        }
        if fields.iter().enumerate().any(|(place, field)| fields[..place].contains(field)) {
            return Err("a field occurs twice");
        }
        let has_elements = has(&self.parts, Field::Elements(String::new()));
        if has_elements != has(&self.parts, Field::Kind) {
            return Err("{kind} and {elements} need each other; {elements:athlon} names the kind");
        }
        let is_alone = |field: &Field| match field {
            Field::Processes(kind) => !fields.contains(&&Field::Elements(kind.clone())),
            _ => false,
        };
        if fields.iter().any(|field| is_alone(field)) {
            return Err("{processes:KIND} needs {elements:KIND}");
        }
        Ok(())
    }

    /// What the name of a file says; `None` if it does not match the pattern.
    pub fn properties(&self, path: impl AsRef<Path>) -> Option<FileProperties> {
        let folders = self.text.matches('/').count();
        let path = path.as_ref().to_string_lossy();
        let start = path.rmatch_indices('/').nth(folders).map_or(0, |(slash, _)| slash + 1);
        let name = &path[start..];
        let mut failed = vec![false; self.parts.len() * (name.len() + 1)];
        let mut found = Vec::new();
        self.matches(0, name, name.len(), &mut failed, &mut found).then(|| properties(&found))
    }

    /// Returns true if the parts from `place` on match a text; adds the texts of the fields, the
    /// last one first.
    ///
    /// A mark in `failed` for each part and length of the rest bounds the work by parts × length².
    fn matches<'a>(
        &'a self,
        place: usize,
        text: &'a str,
        length: usize,
        failed: &mut [bool],
        found: &mut Vec<(&'a Field, &'a str)>,
    ) -> bool {
        let Some(part) = self.parts.get(place) else { return text.is_empty() };
        let mark = place * (length + 1) + text.len();
        if failed[mark] {
            return false;
        }
        let end = text.find('/').unwrap_or(text.len());
        let matched = match part {
            Part::Literal(literal) => text
                .strip_prefix(literal.as_str())
                .is_some_and(|rest| self.matches(place + 1, rest, length, failed, found)),
            Part::Any => ends(text, end, 0)
                .any(|end| self.matches(place + 1, &text[end..], length, failed, found)),
            Part::Field(field) => {
                let mut end_of_field = None;
                // Numbers are as long as possible, texts as short as possible.
                let candidates: Vec<usize> = match field {
                    Field::Kind | Field::Configuration => ends(text, end, 1).collect(),
                    _ => ends(text, end, 1).collect::<Vec<_>>().into_iter().rev().collect(),
                };
                for end in candidates {
                    if accepts(field, &text[..end])
                        && self.matches(place + 1, &text[end..], length, failed, found)
                    {
                        end_of_field = Some(end);
                        break;
                    }
                }
                if let Some(end) = end_of_field {
                    found.push((field, &text[..end]));
                }
                end_of_field.is_some()
            }
        };
        failed[mark] = !matched;
        matched
    }
}

/// The bytes at which a part of at least `least` characters may end, up to `end`.
fn ends(text: &str, end: usize, least: usize) -> impl Iterator<Item = usize> {
    text.char_indices()
        .map(|(byte, _)| byte)
        .chain([text.len()])
        .skip(least)
        .take_while(move |&byte| byte <= end)
}

/// Returns true if a text can be the content of a field.
fn accepts(field: &Field, text: &str) -> bool {
    match field {
        Field::Kind => !text.contains(['=', ',']),
        Field::Configuration => text.parse::<Configuration>().is_ok(),
        Field::Elements(_) | Field::Processes(_) => number(text).is_some(),
        Field::Variable(_) => value(text).is_some(),
    }
}

/// The number of elements or processes; `None` unless all characters are digits.
fn number(text: &str) -> Option<u32> {
    text.bytes().all(|byte| byte.is_ascii_digit()).then(|| text.parse().ok()).flatten()
}

/// The value of a variable: a number that begins and ends with a digit; `None` for any other text.
fn value(text: &str) -> Option<f64> {
    let ends = |c: Option<char>| c.is_some_and(|c| c.is_ascii_digit());
    if !ends(text.chars().next()) || !ends(text.chars().last()) {
        return None;
    }
    text.parse().ok().filter(|value: &f64| value.is_finite())
}

/// The properties of a file by the texts of the fields of its name, the last one first.
fn properties(found: &[(&Field, &str)]) -> FileProperties {
    let only = found.iter().find(|(field, _)| **field == Field::Kind).map_or("", |(_, kind)| kind);
    let processes_of = |kind: &str| {
        let found = found
            .iter()
            .find(|(field, _)| matches!(field, Field::Processes(other) if other == kind));
        found.and_then(|(_, text)| number(text)).unwrap_or(1)
    };
    let mut properties = FileProperties::default();
    for (field, text) in found.iter().rev() {
        match field {
            Field::Configuration => properties.configuration = text.parse().unwrap_or_default(),
            Field::Elements(kind) => {
                let (elements, processes) = (number(text).unwrap_or_default(), processes_of(kind));
                let kind = if kind.is_empty() { only } else { kind }.to_owned();
                if elements > 0 && processes > 0 {
                    properties.configuration.shares.push(Share { kind, elements, processes });
                }
            }
            Field::Variable(name) => {
                properties.variables.extend(value(text).map(|value| (name.clone(), value)));
            }
            Field::Kind | Field::Processes(_) => {}
        }
    }
    properties
}

/// The configuration of the runs of each file: by a pattern of its name, or by a table.
#[derive(Debug, Clone, PartialEq)]
pub enum FileConfigurations {
    /// Fields of the name are the configuration and variables.
    Pattern(NamePattern),
    /// File names, or the ends of their paths, with the configurations.
    Table(Vec<(PathBuf, Configuration)>),
}

/// The columns of the table.
const COLUMNS: [&str; 2] = ["file", "configuration"];

impl FileConfigurations {
    /// Reads a table with the columns `file` and `configuration`; `name` is its name in errors.
    ///
    /// # Errors
    ///
    /// The first fault, with its line and column.
    pub fn parse_table(
        content: impl AsRef<[u8]>,
        name: impl AsRef<Path>,
    ) -> Result<Self, FileError> {
        let path = name.as_ref();
        let text = json::text(content.as_ref()).map_err(|(_, before)| {
            FileError::located(path, &before, error::not_text().at(before.len()))
        })?;
        let files = files(text).map_err(|fault| FileError::located(path, text, fault))?;
        Ok(Self::Table(files))
    }

    /// What a file's name says about its runs; `None` if it does not match or is not in the table.
    pub(super) fn properties(&self, path: &Path) -> Option<FileProperties> {
        match self {
            Self::Pattern(pattern) => pattern.properties(path),
            Self::Table(files) => {
                let (_, configuration) = files.iter().find(|(file, _)| path.ends_with(file))?;
                Some(FileProperties { configuration: configuration.clone(), variables: Vec::new() })
            }
        }
    }
}

/// The rows of the table.
fn files(text: &str) -> Result<Vec<(PathBuf, Configuration)>> {
    let Some(layout) = Layout::read(text)? else {
        return Err(error::column(COLUMNS[0], &[]).at(0));
    };
    let place = |column: &str| {
        let found = layout.names.iter().position(|name| name == column);
        found.ok_or_else(|| error::column(column, &layout.names).at(layout.byte))
    };
    let (file, configuration) = (place(COLUMNS[0])?, place(COLUMNS[1])?);
    let mut files: Vec<(PathBuf, Configuration)> = Vec::new();
    for (byte, fields) in &layout.rows {
        let field = &fields[configuration];
        let at = byte + field.start;
        let parsed = field.text.parse().map_err(|error| Fault::new(error).at(at))?;
        let path = PathBuf::from(&*fields[file].text);
        if files.iter().any(|(other, _)| *other == path) {
            let name = fields[file].text.to_string();
            return Err(error::twice("the file", &name).at(*byte));
        }
        files.push((path, parsed));
    }
    Ok(files)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(pattern: &str, name: &str) -> Option<(String, Vec<(String, f64)>)> {
        let found = pattern.parse::<NamePattern>().unwrap().properties(name)?;
        Some((found.configuration.to_string(), found.variables))
    }

    fn configuration(pattern: &str, name: &str) -> Option<String> {
        found(pattern, name).map(|(configuration, _)| configuration)
    }

    #[test]
    fn repeated_stars_are_one() {
        let pattern: NamePattern = "***-{n}".parse().unwrap();
        assert_eq!(pattern.parts[..2], [Part::Any, Part::Literal("-".to_owned())]);
        assert_eq!(pattern.properties("a-7").unwrap().variables, [("n".to_owned(), 7.0)]);
    }

    #[test]
    fn fields_are_read_from_names() {
        let one = "hpl-{kind}-{elements}x{processes}.out";
        assert_eq!(configuration(one, "d/hpl-pentium-ii-8x12.out").unwrap(), "pentium-ii=8x12");
        assert_eq!(configuration(one, "hpl-athlon-x1.out"), None);
        assert_eq!(configuration(one, "hpl-athlon-2x1.out.old"), None);
        assert_eq!(configuration("{kind}{elements}*", "athlon12.txt").unwrap(), "athlon=12x1");
        let two = "a{elements:athlon}x{processes:athlon}-p{elements:pentium-ii}.out";
        assert_eq!(configuration(two, "a1x2-p8.out").unwrap(), "athlon=1x2,pentium-ii=8x1");
        assert_eq!(configuration(two, "a0x1-p8.out").unwrap(), "pentium-ii=8x1");
        assert_eq!(configuration("{configuration}.out", "a=1x2,b=3.out").unwrap(), "a=1x2,b=3x1");
        let folders = "p{processes}/*.n{n}.r*/profile.cubex";
        let (none, variables) = found(folders, "x/p16/lulesh.n2.5e3.r1/profile.cubex").unwrap();
        assert_eq!(
            (none.as_str(), variables),
            ("", vec![("processes".into(), 16.0), ("n".into(), 2500.0)])
        );
        assert_eq!(found(folders, "lulesh.n30.r1/profile.cubex"), None);
        assert_eq!(found("t{t}.out", "t-5.out"), None, "a dash separates");
        assert_eq!(found("é*{n}", "éµ5").unwrap().1, [("n".to_owned(), 5.0)]);
        assert_eq!(configuration("{elements:a}", "99999999999"), None);
        // Many ways to divide a long name end soon.
        let long = "a".repeat(250);
        assert_eq!(found("*a*a*a*a*a*a*a*a*a*{n}", &long), None);
    }

    #[test]
    fn wrong_patterns_are_refused() {
        for (pattern, reason) in [
            ("a{n", "not closed"),
            ("a{}", "no name"),
            ("a{n}{n}", "twice"),
            ("a*.out", "no field"),
            ("{kind}.out", "need each other"),
            ("{elements}.out", "need each other"),
            ("{processes:a}", "needs {elements:KIND}"),
        ] {
            let error = pattern.parse::<NamePattern>().unwrap_err().to_string();
            assert!(
                error.contains(reason) && error.contains("an example is hpl-{kind}-"),
                "{error}"
            );
        }
    }
}
