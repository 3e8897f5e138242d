//! Conditions on runs, such as `mode=Reality,n<=200000`.

use std::cmp::Ordering;
use std::collections::BTreeSet;
use std::fmt;
use std::str::FromStr;

use super::record::Run;
use super::variable;
use orrery_base::file::{Fault, Result};
use orrery_base::names::advice;

/// A comparison of a variable or label with a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Relation {
    Equal,
    Unequal,
    Less,
    AtMost,
    Greater,
    AtLeast,
}

/// The signs of the comparisons, longer ones before their prefixes.
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
    /// Returns true if the comparison is true for an order; `None` means that the values are not
    /// comparable.
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

/// A condition on a run: `name relation value`.
#[derive(Debug, Clone, PartialEq)]
struct Condition {
    /// The text of the condition.
    text: String,
    name: String,
    relation: Relation,
    value: String,
}

/// Conditions on runs: a list of `name relation value`, separated by commas, that all must be true.
///
/// Relations are `=`, `!=`, `<`, `<=`, `>` and `>=`. Names are those of variables and labels, and
/// `seconds`, `processes` and `region`. Variables compare as numbers. Labels and regions compare as
/// text, but `<`, `<=`, `>` and `>=` compare two numbers as numbers. A value with commas is written
/// in double quotes. A run without the name meets `!=` only.
///
/// ```
/// use orrery_applications::run::{Filter, Run};
/// use orrery_base::units::Seconds;
/// let mut run = Run::new(Seconds::new(1.0));
/// run.labels.insert("cooling".into(), "good".into());
/// run.variables.insert("n".into(), 50000.0);
/// let filter: Filter = "cooling=good,n<=200000".parse()?;
/// assert_eq!(filter.apply(vec![run])?.len(), 1);
/// # Ok::<(), orrery_base::file::Fault>(())
/// ```
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Filter {
    conditions: Vec<Condition>,
}

/// The maximum number of values in a message.
const MAX_SHOWN_VALUES: usize = 8;

/// The value of a run for a name.
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

/// The value of a run for a name; `None` if it has none.
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
    /// Returns true if a run satisfies the condition.
    fn holds(&self, run: &Run) -> Result<bool> {
        let number = self.value.parse::<f64>().ok().filter(|number| number.is_finite());
        let order = match value(run, &self.name) {
            None => None,
            Some(Value::Number(found)) => {
                let wrong = || {
                    let Self { text, name, value, .. } = self;
                    Fault::new(format_args!(
                        "{text}: {name} is a number, but {value:?} is not; give a number"
                    ))
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
    /// A name that no run has, a variable that is compared with a text, and conditions that no run
    /// meets.
    pub fn apply(&self, mut runs: Vec<Run>) -> Result<Vec<Run>> {
        let known = names(&runs);
        for condition in &self.conditions {
            let Condition { text, name, .. } = condition;
            if !known.contains(name) {
                let advice = advice(name, "those of the runs", known);
                return Err(Fault::new(format_args!(
                    "condition {text}: no run has a variable or label {name:?}; {advice}"
                )));
            }
            let held = runs.iter().map(|run| condition.holds(run)).collect::<Result<Vec<_>>>()?;
            if !held.contains(&true) {
                let there: BTreeSet<_> =
                    runs.iter().filter_map(|run| Some(value(run, name)?.to_string())).collect();
                let more = if there.len() > MAX_SHOWN_VALUES { ", …" } else { "" };
                let there: Vec<String> = there.into_iter().take(MAX_SHOWN_VALUES).collect();
                return Err(Fault::new(format_args!(
                    "none of {} runs meets {text}: {name} is {}{more}; relax the condition",
                    runs.len(),
                    there.join(", ")
                )));
            }
            let mut held = held.into_iter();
            runs.retain(|_| held.next().unwrap_or_default());
        }
        Ok(runs)
    }
}

/// The names that conditions on these runs may have: those of variables and labels, and those of
/// the parts that all runs have.
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
    type Err = Fault;

    fn from_str(text: &str) -> Result<Self> {
        let conditions = parts(text).into_iter().map(condition).collect::<Result<_>>()?;
        Ok(Self { conditions })
    }
}

/// The parts of a text between commas outside of quotes.
fn parts(text: &str) -> Vec<&str> {
    let mut quoted = false;
    text.split(|c: char| {
        quoted ^= c == '"';
        c == ',' && !quoted
    })
    .collect()
}

/// Parses a condition such as `n<=200000`.
fn condition(part: &str) -> Result<Condition> {
    let wrong = || {
        Fault::new(format_args!(
            "{part:?} is not a condition; write name=value, or with !=, <, <=, > or >=, such as \
                n<=200000"
        ))
    };
    let at = part.find(['=', '!', '<', '>']).ok_or_else(wrong)?;
    let (sign, relation) =
        RELATIONS.into_iter().find(|(sign, _)| part[at..].starts_with(sign)).ok_or_else(wrong)?;
    let (name, value) = (part[..at].trim(), part[at + sign.len()..].trim());
    let value = value.strip_prefix('"').and_then(|value| value.strip_suffix('"')).unwrap_or(value);
    if name.is_empty() {
        return Err(wrong());
    }
    Ok(Condition {
        text: part.trim().to_owned(),
        name: name.to_owned(),
        relation,
        value: value.to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use orrery_base::units::Seconds;

    fn runs() -> Vec<Run> {
        let run = |n: f64, mode: &str, region: &str| {
            let mut run = Run::new(Seconds::new(n / 1e3));
            run.variables.insert("n".into(), n);
            run.labels.insert("mode".into(), mode.into());
            run.region = region.into();
            run
        };
        vec![
            run(900.0, "9", "main->f(a, b)"),
            run(1000.0, "10", "main"),
            run(2000.0, "real", "main"),
        ]
    }

    fn left(conditions: &str) -> Vec<f64> {
        let left = conditions.parse::<Filter>().unwrap().apply(runs()).unwrap();
        left.iter().map(|run| run.variables["n"]).collect()
    }

    #[test]
    fn conditions_select_runs() {
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
    fn wrong_conditions_are_refused() {
        let error = |conditions: &str| {
            let left = conditions.parse::<Filter>().and_then(|filter| filter.apply(runs()));
            left.unwrap_err().to_string()
        };
        assert!(error("n").starts_with("\"n\" is not a condition; write name=value"));
        assert!(error("").starts_with("\"\" is not a condition"));
        assert!(error("n!3").starts_with("\"n!3\" is not a condition"));
        assert_eq!(
            error("m=3"),
            "condition m=3: no run has a variable or label \"m\"; those of the runs are mode, n, region, seconds"
        );
        assert_eq!(error("n=many"), "n=many: n is a number, but \"many\" is not; give a number");
        assert_eq!(
            error("n>900,mode=9"),
            "none of 2 runs meets mode=9: mode is 10, real; relax the condition"
        );
    }
}
