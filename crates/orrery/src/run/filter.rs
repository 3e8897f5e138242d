//! Conditions on runs, such as `mode=Reality,n<=200000`.

use std::cmp::Ordering;
use std::collections::BTreeSet;
use std::fmt;
use std::str::FromStr;

use super::{Run, variable};

/// How a name is compared with a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Relation {
    Equal,
    Unequal,
    Less,
    AtMost,
    Greater,
    AtLeast,
}

/// In the order in which they are looked for at a place: longer ones first.
const RELATIONS: [(&str, Relation); 7] = [
    ("!=", Relation::Unequal),
    ("<=", Relation::AtMost),
    (">=", Relation::AtLeast),
    ("==", Relation::Equal),
    ("=", Relation::Equal),
    ("<", Relation::Less),
    (">", Relation::Greater),
];

impl Relation {
    fn holds(self, order: Option<Ordering>) -> bool {
        match self {
            Self::Equal => order == Some(Ordering::Equal),
            Self::Unequal => order != Some(Ordering::Equal),
            Self::Less => order == Some(Ordering::Less),
            Self::AtMost => matches!(order, Some(Ordering::Less | Ordering::Equal)),
            Self::Greater => order == Some(Ordering::Greater),
            Self::AtLeast => matches!(order, Some(Ordering::Greater | Ordering::Equal)),
        }
    }
}

#[derive(Debug, Clone, PartialEq)]
struct Condition {
    /// As it was written.
    text: String,
    name: String,
    relation: Relation,
    value: String,
}

/// Conditions that all must hold: `name relation value`, joined by commas, with the relations `=`, `!=`, `<`, `<=`, `>`
/// and `>=`.
///
/// Names are those of variables and labels, and `seconds`, `processes` and `region`. Numbers compare as numbers. Labels
/// and regions compare as words, except that of two numbers with `<`, `<=`, `>` or `>=` the smaller is less. A value with
/// commas stands in double quotes. A run that does not have the name meets no condition but `!=`.
///
/// ```
/// use orrery::run::{Filter, Run};
/// use orrery::units::Seconds;
/// let mut run = Run::new(Seconds::new(1.0));
/// run.labels.insert("cooling".into(), "good".into());
/// run.variables.insert("n".into(), 50000.0);
/// let filter: Filter = "cooling=good,n<=200000".parse()?;
/// assert_eq!(filter.apply(vec![run])?.len(), 1);
/// # Ok::<(), orrery::run::FilterError>(())
/// ```
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Filter {
    conditions: Vec<Condition>,
}

/// Why runs cannot be filtered.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum FilterError {
    /// A condition that cannot be read.
    #[error("cannot read {part:?} as a condition; write name=value, or with !=, <, <=, > or >=, such as n<=200000")]
    Condition {
        /// The condition.
        part: String,
    },
    /// A name that no run has.
    #[error("no run has {name:?} (condition {condition}); the runs have {}", known.join(", "))]
    Name {
        /// The name.
        name: String,
        /// The condition.
        condition: String,
        /// The names that the runs have.
        known: Vec<String>,
    },
    /// A number is compared with something else.
    #[error("{condition}: {name} is a number, but {value:?} is none")]
    Number {
        /// The condition.
        condition: String,
        /// The name.
        name: String,
        /// The value.
        value: String,
    },
    /// No run is left.
    #[error("no run of {before} is left by {condition}{}", found(.name, .there))]
    Nothing {
        /// How many runs there were before the condition.
        before: usize,
        /// The condition that left none.
        condition: String,
        /// Its name.
        name: String,
        /// Values that the runs before have there.
        there: Vec<String>,
    },
}

/// So many values are shown.
const SHOWN: usize = 8;

fn found(name: &str, there: &[String]) -> String {
    let more = if there.len() > SHOWN { ", …" } else { "" };
    format!("; there {name} is {}{more}", there[..there.len().min(SHOWN)].join(", "))
}

/// What a run has by a name.
enum Value<'a> {
    Number(f64),
    Word(&'a str),
}

impl fmt::Display for Value<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Number(number) => write!(f, "{number}"),
            Self::Word(word) => f.write_str(word),
        }
    }
}

fn value<'a>(run: &'a Run, name: &str) -> Option<Value<'a>> {
    if let Some(number) = run.variable(name) {
        return Some(Value::Number(number));
    }
    match name {
        "seconds" => Some(Value::Number(run.seconds.get())),
        "region" => Some(Value::Word(&run.region)),
        variable::PROCESSES => run.processes().map(Value::Number),
        _ => run.labels.get(name).map(|word| Value::Word(word)),
    }
}

impl Condition {
    fn holds(&self, run: &Run) -> Result<bool, FilterError> {
        let number = self.value.parse::<f64>().ok().filter(|number| number.is_finite());
        let order = match value(run, &self.name) {
            None => None,
            Some(Value::Number(found)) => {
                let wrong = || FilterError::Number {
                    condition: self.text.clone(),
                    name: self.name.clone(),
                    value: self.value.clone(),
                };
                found.partial_cmp(&number.ok_or_else(wrong)?)
            }
            Some(Value::Word(word)) => {
                let words = matches!(self.relation, Relation::Equal | Relation::Unequal);
                match (word.parse::<f64>(), number) {
                    (Ok(found), Some(number)) if !words => found.partial_cmp(&number),
                    _ => Some(word.cmp(&self.value)),
                }
            }
        };
        Ok(self.relation.holds(order))
    }
}

impl Filter {
    /// The runs that meet all conditions, in order.
    ///
    /// # Errors
    ///
    /// A name that no run has, a number that is compared with a word, and when no run is left.
    pub fn apply(&self, mut runs: Vec<Run>) -> Result<Vec<Run>, FilterError> {
        let known = names(&runs);
        for condition in &self.conditions {
            let Condition { text, name, .. } = condition;
            if !known.contains(name) {
                let known = known.iter().cloned().collect();
                return Err(FilterError::Name { name: name.clone(), condition: text.clone(), known });
            }
            let held = runs.iter().map(|run| condition.holds(run)).collect::<Result<Vec<_>, _>>()?;
            if !held.contains(&true) {
                let there: BTreeSet<_> = runs.iter().filter_map(|run| Some(value(run, name)?.to_string())).collect();
                return Err(FilterError::Nothing {
                    before: runs.len(),
                    condition: text.clone(),
                    name: name.clone(),
                    there: there.into_iter().take(SHOWN + 1).collect(),
                });
            }
            let mut held = held.into_iter();
            runs.retain(|_| held.next().unwrap_or_default());
        }
        Ok(runs)
    }
}

/// The names that runs have.
fn names(runs: &[Run]) -> BTreeSet<String> {
    let mut names = BTreeSet::from(["seconds".to_owned(), "region".to_owned()]);
    for run in runs {
        names.extend(run.variables.keys().chain(run.labels.keys()).cloned());
        if run.processes().is_some() {
            names.insert(variable::PROCESSES.to_owned());
        }
    }
    names
}

impl FromStr for Filter {
    type Err = FilterError;

    fn from_str(text: &str) -> Result<Self, FilterError> {
        let conditions = parts(text).into_iter().map(condition).collect::<Result<_, _>>()?;
        Ok(Self { conditions })
    }
}

/// The parts between commas that stand outside of quotes.
fn parts(text: &str) -> Vec<&str> {
    let mut quoted = false;
    text.split(|c: char| {
        quoted ^= c == '"';
        c == ',' && !quoted
    })
    .collect()
}

fn condition(part: &str) -> Result<Condition, FilterError> {
    let wrong = || FilterError::Condition { part: part.to_owned() };
    let at = part.find(['=', '!', '<', '>']).ok_or_else(wrong)?;
    let (sign, relation) = RELATIONS.into_iter().find(|(sign, _)| part[at..].starts_with(sign)).ok_or_else(wrong)?;
    let (name, value) = (part[..at].trim(), part[at + sign.len()..].trim());
    let value = value.strip_prefix('"').and_then(|value| value.strip_suffix('"')).unwrap_or(value);
    if name.is_empty() {
        return Err(wrong());
    }
    Ok(Condition { text: part.trim().to_owned(), name: name.to_owned(), relation, value: value.to_owned() })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::units::Seconds;

    fn runs() -> Vec<Run> {
        let run = |n: f64, mode: &str, region: &str| {
            let mut run = Run::new(Seconds::new(n / 1e3));
            run.variables.insert("n".into(), n);
            run.labels.insert("mode".into(), mode.into());
            run.region = region.into();
            run
        };
        vec![run(900.0, "9", "main->f(a, b)"), run(1000.0, "10", "main"), run(2000.0, "real", "main")]
    }

    fn left(conditions: &str) -> Vec<f64> {
        let left = conditions.parse::<Filter>().unwrap().apply(runs()).unwrap();
        left.iter().map(|run| run.variables["n"]).collect()
    }

    #[test]
    fn conditions_leave_what_meets_them() {
        assert_eq!(left("n<=1000"), [900.0, 1000.0]);
        assert_eq!(left("n > 900 , seconds<2"), [1000.0]);
        assert_eq!(left("n=1e3"), [1000.0]);
        assert_eq!(left("mode=10"), [1000.0]);
        assert_eq!(left("mode!=10"), [900.0, 2000.0]);
        assert_eq!(left("mode<10"), [900.0], "two numbers");
        assert_eq!(left("mode>=9"), [900.0, 1000.0, 2000.0], "r comes after 9");
        assert_eq!(left("region=\"main->f(a, b)\""), [900.0]);
        assert_eq!(left("region==main"), [1000.0, 2000.0]);
    }

    #[test]
    fn what_cannot_be_is_told() {
        let told = |conditions: &str| {
            let left = conditions.parse::<Filter>().and_then(|filter| filter.apply(runs()));
            left.unwrap_err().to_string()
        };
        assert!(told("n").starts_with("cannot read \"n\" as a condition; write name=value"));
        assert!(told("").starts_with("cannot read \"\""));
        assert!(told("n!3").starts_with("cannot read"));
        assert_eq!(told("m=3"), "no run has \"m\" (condition m=3); the runs have mode, n, region, seconds");
        assert_eq!(told("n=many"), "n=many: n is a number, but \"many\" is none");
        assert_eq!(told("n>900,mode=9"), "no run of 2 is left by mode=9; there mode is 10, real");
    }
}
