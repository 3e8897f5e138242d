use std::str::FromStr;

use crate::run::variable;

/// What a column of a table, or a parameter of Extra-P, is.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Target {
    /// The time, in a unit.
    Time(Unit),
    /// The part of the program that was timed.
    Region,
    /// The run that the rank of a row belongs to.
    Run,
    /// The rank of a row.
    Rank,
    /// The kind of processing elements of a row.
    Kind,
    /// The computation of a kind; of the row's kind where none is named.
    Computation(String),
    /// The communication of a kind; of the row's kind where none is named.
    Communication(String),
    /// The elements of a kind.
    Elements(String),
    /// The processes on each element of a kind.
    Processes(String),
    /// A label.
    Label(String),
    /// A variable.
    Variable(String),
}

/// The unit of a time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Unit {
    Seconds,
    Milliseconds,
    Microseconds,
    Minutes,
    Hours,
}

impl Unit {
    const ALL: [(&str, Self); 5] = [
        ("seconds", Self::Seconds),
        ("milliseconds", Self::Milliseconds),
        ("microseconds", Self::Microseconds),
        ("minutes", Self::Minutes),
        ("hours", Self::Hours),
    ];

    pub(super) fn seconds(self, time: f64) -> f64 {
        match self {
            Self::Seconds => time,
            Self::Milliseconds => time / 1e3,
            Self::Microseconds => time / 1e6,
            Self::Minutes => time * 60.0,
            Self::Hours => time * 3600.0,
        }
    }
}

/// The variables that are known by their names alone.
const KNOWN: [&str; 6] = [
    variable::PROBLEM_SIZE,
    variable::PROCESSES,
    variable::GRID_ROWS,
    variable::GRID_COLUMNS,
    variable::BLOCK_SIZE,
    variable::PROCESSES_PER_ELEMENT,
];

impl Target {
    /// What a word of the mapping means.
    fn of(word: &str) -> Self {
        if let Some((kind, of)) = word.split_once(':') {
            let of = of.trim().to_owned();
            match kind.trim() {
                "computation" => return Self::Computation(of),
                "communication" => return Self::Communication(of),
                "elements" => return Self::Elements(of),
                "processes" => return Self::Processes(of),
                "label" => return Self::Label(of),
                _ => {}
            }
        }
        if let Some((_, unit)) = Unit::ALL.into_iter().find(|(name, _)| *name == word) {
            return Self::Time(unit);
        }
        match word {
            "region" => Self::Region,
            "run" => Self::Run,
            "rank" => Self::Rank,
            "kind" => Self::Kind,
            "computation" => Self::Computation(String::new()),
            "communication" => Self::Communication(String::new()),
            _ => Self::Variable(word.to_owned()),
        }
    }

    /// What a column is that is not mapped: what its name says where that is a known word, else a label.
    pub(super) fn unmapped(column: &str) -> Self {
        match Self::of(column) {
            Self::Variable(name) if !KNOWN.contains(&&name[..]) => Self::Label(name),
            Self::Run | Self::Rank | Self::Kind => Self::Label(column.to_owned()),
            target => target,
        }
    }

    /// Whether two columns cannot both be this.
    pub(super) fn collides(&self, other: &Self) -> bool {
        self == other || matches!((self, other), (Self::Time(_), Self::Time(_)))
    }
}

/// What columns of tables and parameters of Extra-P are: `n=matrix_size,seconds=time`, the meaning before the `=`, the
/// name of the column behind it.
///
/// | before the `=` | what the column is |
/// |---|---|
/// | `seconds`, `milliseconds`, `microseconds`, `minutes`, `hours` | the time |
/// | `region` | the part of the program that was timed |
/// | `elements:athlon`, `processes:athlon` | the elements of a kind, and the processes on each (1 unless told) |
/// | `computation:athlon`, `communication:athlon` | the times of a kind in seconds |
/// | `run`, `rank`, `kind`, `computation`, `communication` | a table with one row for each rank of each run |
/// | `label:mode` | a label |
/// | any other word | a variable |
///
/// Columns that are not mapped are what their names say where these are known words (`n`, `p`, `q`, `block`, `processes`,
/// `per_element` and those above), else labels.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ColumnMapping {
    /// Column and what it is.
    pub(super) entries: Vec<(String, Target)>,
}

/// A mapping that cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "cannot read {part:?} as a part of a mapping: {reason}; write meaning=column, such as n=matrix_size,seconds=time"
)]
pub struct ColumnMappingError {
    /// The part that is wrong.
    pub part: String,
    /// What is wrong with it.
    pub reason: &'static str,
}

impl ColumnMapping {
    /// The variable that a parameter of Extra-P becomes.
    pub(super) fn variable<'a>(&'a self, parameter: &'a str) -> &'a str {
        let found = self.entries.iter().find_map(|(column, target)| match target {
            Target::Variable(name) if column == parameter => Some(name.as_str()),
            _ => None,
        });
        found.unwrap_or(parameter)
    }

    /// The mapping with more entries.
    ///
    /// # Errors
    ///
    /// A meaning or a column that stands in both.
    pub fn join(mut self, other: Self) -> Result<Self, ColumnMappingError> {
        for (column, target) in other.entries {
            self.add(&column.clone(), column, target)?;
        }
        Ok(self)
    }

    fn add(&mut self, part: &str, column: String, target: Target) -> Result<(), ColumnMappingError> {
        let wrong = |reason| ColumnMappingError { part: part.to_owned(), reason };
        if self.entries.iter().any(|(_, other)| other.collides(&target)) {
            return Err(wrong("this meaning is mapped twice"));
        }
        if self.entries.iter().any(|(other, _)| *other == column) {
            return Err(wrong("this column is mapped twice"));
        }
        self.entries.push((column, target));
        Ok(())
    }
}

impl FromStr for ColumnMapping {
    type Err = ColumnMappingError;

    fn from_str(text: &str) -> Result<Self, ColumnMappingError> {
        let mut mapping = Self::default();
        for part in text.split(',') {
            let wrong = |reason| ColumnMappingError { part: part.to_owned(), reason };
            let (word, column) = part.split_once('=').ok_or_else(|| wrong("there is no \"=\""))?;
            let (word, column) = (word.trim(), column.trim());
            if word.is_empty() || word.ends_with(':') || column.is_empty() {
                return Err(wrong("a name is missing"));
            }
            mapping.add(part, column.to_owned(), Target::of(word))?;
        }
        Ok(mapping)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_have_meanings() {
        let map: ColumnMapping = "n=size, milliseconds = t,elements:a=P1,label:n=x,alpha=beta".parse().unwrap();
        assert_eq!(map.entries[0], ("size".into(), Target::Variable("n".into())));
        assert_eq!(map.entries[1], ("t".into(), Target::Time(Unit::Milliseconds)));
        assert_eq!(map.entries[2], ("P1".into(), Target::Elements("a".into())));
        assert_eq!(map.entries[3], ("x".into(), Target::Label("n".into())));
        assert_eq!((map.variable("beta"), map.variable("gamma")), ("alpha", "gamma"));
        assert_eq!(Target::unmapped("n"), Target::Variable("n".into()));
        assert_eq!(Target::unmapped("rank"), Target::Label("rank".into()));
        assert_eq!(Unit::Milliseconds.seconds(129_700.0).to_string(), "129.7");
        for wrong in ["", "n", "n=", "=n", "n=a,n=b", "n=a,m=a", "seconds=a,hours=b", "elements:=a"] {
            assert!(wrong.parse::<ColumnMapping>().is_err(), "{wrong}");
        }
        assert!(map.join("n=other".parse().unwrap()).is_err());
    }
}
