use std::str::FromStr;

use super::work::Work;
use crate::run::variable;
use orrery_base::file::Fault;

/// The meaning of a column of a table, or of a parameter of Extra-P.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Target {
    /// The time of the run, in a unit.
    Time(Unit),
    /// A rate: this work divided by the time of the run.
    Rate(Work),
    /// The part of the program that is timed.
    Region,
    /// The run of a row that is a rank.
    Run,
    /// The number of the rank.
    Rank,
    /// The kind of processing elements of the rank.
    Kind,
    /// The computation time of a kind; of the row's kind if the name is empty.
    Computation(String),
    /// The communication time of a kind; of the row's kind if the name is empty.
    Communication(String),
    /// The number of elements of a kind.
    Elements(String),
    /// The number of processes on each element of a kind.
    Processes(String),
    /// A label.
    Label(String),
    /// A variable.
    Variable(String),
}

/// The unit of a time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Unit {
    Seconds,
    Milliseconds,
    Microseconds,
    Nanoseconds,
    Minutes,
    Hours,
}

impl Unit {
    /// The units with their names.
    const ALL: [(&'static str, Self); 6] = [
        ("seconds", Self::Seconds),
        ("milliseconds", Self::Milliseconds),
        ("microseconds", Self::Microseconds),
        ("nanoseconds", Self::Nanoseconds),
        ("minutes", Self::Minutes),
        ("hours", Self::Hours),
    ];

    /// The name, as in a mapping.
    pub(super) fn name(self) -> &'static str {
        Self::ALL.into_iter().find(|(_, unit)| *unit == self).map_or("seconds", |(name, _)| name)
    }

    /// Converts a time in this unit to seconds.
    pub(super) fn seconds(self, time: f64) -> f64 {
        match self {
            Self::Seconds => time,
            Self::Milliseconds => time / 1e3,
            Self::Microseconds => time / 1e6,
            Self::Nanoseconds => time / 1e9,
            Self::Minutes => time * 60.0,
            Self::Hours => time * 3600.0,
        }
    }
}

/// The names of columns that are variables without a mapping.
const KNOWN_VARIABLES: [&str; 6] = [
    variable::PROBLEM_SIZE,
    variable::PROCESSES,
    variable::GRID_ROWS,
    variable::GRID_COLUMNS,
    variable::BLOCK_SIZE,
    variable::PROCESSES_PER_ELEMENT,
];

impl Target {
    /// The meaning with a name; the reason why it has none as an error.
    fn from_name(word: &str) -> Result<Self, String> {
        if let Some((kind, of)) = word.split_once(':') {
            let of = of.trim().to_owned();
            match kind.trim() {
                "computation" => return Ok(Self::Computation(of)),
                "communication" => return Ok(Self::Communication(of)),
                "elements" => return Ok(Self::Elements(of)),
                "processes" => return Ok(Self::Processes(of)),
                "label" => return Ok(Self::Label(of)),
                "rate" => return of.parse().map(Self::Rate),
                _ => {}
            }
        }
        if let Some((_, unit)) = Unit::ALL.into_iter().find(|(name, _)| *name == word) {
            return Ok(Self::Time(unit));
        }
        Ok(match word {
            "region" => Self::Region,
            "run" => Self::Run,
            "rank" => Self::Rank,
            "kind" => Self::Kind,
            "computation" => Self::Computation(String::new()),
            "communication" => Self::Communication(String::new()),
            _ => Self::Variable(word.to_owned()),
        })
    }

    /// The meaning of a column without a mapping whose name is known; `None` for other names.
    pub(super) fn of_unmapped(column: &str) -> Option<Self> {
        match Self::from_name(column).ok()? {
            Self::Variable(name) if !KNOWN_VARIABLES.contains(&&name[..]) => None,
            Self::Run | Self::Rank | Self::Kind => Some(Self::Label(column.to_owned())),
            target => Some(target),
        }
    }

    /// The text of a meaning, as in a mapping.
    pub(super) fn name(&self) -> String {
        let of = |word: &str, kind: &str| {
            if kind.is_empty() { word.to_owned() } else { format!("{word}:{kind}") }
        };
        match self {
            Self::Computation(kind) => of("computation", kind),
            Self::Communication(kind) => of("communication", kind),
            Self::Elements(kind) => of("elements", kind),
            Self::Processes(kind) => of("processes", kind),
            Self::Label(name) => of("label", name),
            Self::Rate(work) => format!("rate:{work}"),
            Self::Variable(name) => name.clone(),
            Self::Time(unit) => unit.name().to_owned(),
            Self::Region => "region".to_owned(),
            Self::Run => "run".to_owned(),
            Self::Rank => "rank".to_owned(),
            Self::Kind => "kind".to_owned(),
        }
    }

    /// Returns true for the time of a run, or a rate from which it is computed.
    fn is_total(&self) -> bool {
        matches!(self, Self::Time(_) | Self::Rate(_))
    }

    /// Returns true if two columns cannot have these meanings.
    pub(super) fn conflicts_with(&self, other: &Self) -> bool {
        self == other || self.is_total() && other.is_total()
    }
}

/// The meaning of columns of tables, of parameters of Extra-P and of values that describe a run of
/// Caliper or Thicket.
///
/// In text it is a list of `meaning=column`, separated by commas, such as
/// `n=matrix_size,seconds=time`.
///
/// | meaning | column |
/// |---|---|
/// | `seconds`, `milliseconds`, `microseconds`, `nanoseconds`, `minutes`, `hours` | the time of the run |
/// | `rate:2e-9*n^3` | a rate; the time is this work, an expression of variables, divided by the rate |
/// | `region` | the part of the program that is timed |
/// | `elements:athlon`, `processes:athlon` | the number of elements of a kind, and of processes on each (default 1) |
/// | `computation:athlon`, `communication:athlon` | the times of a kind, in seconds |
/// | `run`, `rank`, `kind`, `computation`, `communication` | for tables with a row for each rank of each run |
/// | `label:mode` | a label |
/// | any other word | a variable |
///
/// Columns without a mapping have the meaning of their names if these are in the table or are `n`,
/// `p`, `q`, `block`, `processes` or `per_element`. A column that is named like a time is the time
/// if there is no other. Other columns of numbers are variables, unless their names are those of
/// results (`gflops`) or identifiers (`jobid`); columns of texts are labels.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ColumnMapping {
    /// The columns with their meanings.
    pub(super) entries: Vec<(String, Target)>,
}

/// The fault of a part of a mapping, between commas.
fn wrong_part(part: &str, reason: &str) -> Fault {
    Fault::new(format_args!(
        "{part:?} in the mapping: {reason}; write meaning=column, such as n=matrix_size, \
            seconds=time or rate:2*n^3=gflops"
    ))
}

impl ColumnMapping {
    /// The mapped meaning of a column; `None` if it is not mapped.
    pub(super) fn target(&self, column: &str) -> Option<&Target> {
        self.entries.iter().find(|(other, _)| other == column).map(|(_, target)| target)
    }

    /// The unit of the column or metric that is mapped to the time; `None` of any other.
    pub(super) fn time_unit(&self, name: &str) -> Option<Unit> {
        match self.target(name) {
            Some(Target::Time(unit)) => Some(*unit),
            _ => None,
        }
    }

    /// The variable of a parameter of Extra-P.
    pub(super) fn variable<'a>(&'a self, parameter: &'a str) -> &'a str {
        let found = self.entries.iter().find_map(|(column, target)| match target {
            Target::Variable(name) if column == parameter => Some(name.as_str()),
            _ => None,
        });
        found.unwrap_or(parameter)
    }

    /// The mapping with the entries of another one.
    ///
    /// # Errors
    ///
    /// A meaning or a column that both have.
    pub fn join(mut self, other: Self) -> Result<Self, Fault> {
        for (column, target) in other.entries {
            self.add(&column.clone(), column, target)?;
        }
        Ok(self)
    }

    /// Adds an entry; `part` is its text in errors.
    fn add(&mut self, part: &str, column: String, target: Target) -> Result<(), Fault> {
        let wrong = |reason| wrong_part(part, reason);
        if self.entries.iter().any(|(_, other)| other.conflicts_with(&target)) {
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
    type Err = Fault;

    fn from_str(text: &str) -> Result<Self, Fault> {
        let mut mapping = Self::default();
        for part in text.split(',') {
            let wrong = |reason: &str| wrong_part(part, reason);
            let (word, column) = part.split_once('=').ok_or_else(|| wrong("there is no \"=\""))?;
            let (word, column) = (word.trim(), column.trim());
            if word.is_empty() || word.ends_with(':') || column.is_empty() {
                return Err(wrong("a name is missing"));
            }
            mapping.add(
                part,
                column.to_owned(),
                Target::from_name(word).map_err(|reason| wrong(&reason))?,
            )?;
        }
        Ok(mapping)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_have_meanings() {
        let map: ColumnMapping =
            "n=size, milliseconds = t,elements:a=P1,label:n=x,alpha=beta".parse().unwrap();
        assert_eq!(map.entries[0], ("size".into(), Target::Variable("n".into())));
        assert_eq!(map.entries[1], ("t".into(), Target::Time(Unit::Milliseconds)));
        assert_eq!(map.entries[2], ("P1".into(), Target::Elements("a".into())));
        assert_eq!(map.entries[3], ("x".into(), Target::Label("n".into())));
        assert_eq!((map.variable("beta"), map.variable("gamma")), ("alpha", "gamma"));
        assert_eq!(Target::of_unmapped("n"), Some(Target::Variable("n".into())));
        assert_eq!(Target::of_unmapped("rank"), Some(Target::Label("rank".into())));
        assert_eq!(Target::of_unmapped("threads"), None);
        assert_eq!(Unit::Milliseconds.seconds(129_700.0).to_string(), "129.7");
        for wrong in ["", "n", "n=", "=n", "n=a,n=b", "n=a,m=a", "seconds=a,hours=b", "elements:=a"]
        {
            assert!(wrong.parse::<ColumnMapping>().is_err(), "{wrong}");
        }
        assert!(map.join("n=other".parse().unwrap()).is_err());
    }
}
