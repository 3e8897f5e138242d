//! Tables in CSV with column names: one row for each run, or one for each rank of each run.
//!
//! Of a run with a row for each rank, the time is the maximum over the ranks, and the times of a kind are those of its
//! slowest rank.

use std::collections::BTreeMap;

use super::error::{Fault, Result};
use super::mapping::{ColumnMapping, Target};
use super::parsed::Parsed;
use crate::file::{Located, lines};
use crate::run::{Configuration, KindTimes, Run, Share, variable};
use crate::sample::file::table::{self, Field};
use crate::units::Seconds;

/// A time of 0.
const ZERO: Seconds = Seconds::new(0.0);

/// Reads a table. A rank without a kind has the only kind of the configuration.
pub(super) fn read(text: &str, map: &ColumnMapping, configuration: &Configuration) -> Result<Parsed> {
    let mut columns: Option<Columns> = None;
    let mut rows: Vec<Row> = Vec::new();
    for (start, line, _) in lines(text) {
        if line.trim().is_empty() || line.starts_with('#') {
            continue;
        }
        let fields =
            table::split(line).map_err(|(at, fault)| Located { byte: start + at, fault: Fault::Quotes(fault) })?;
        let Some(columns) = &columns else {
            let names = fields.iter().map(|field| field.text.to_string()).collect();
            columns = Some(Columns::new(names, map).map_err(|fault| Located { byte: start, fault })?);
            continue;
        };
        if fields.len() != columns.names.len() {
            let (found, expected) = (fields.len(), columns.names.len());
            return Err(Located { byte: start, fault: Fault::Fields { found, expected } });
        }
        rows.push(Row::read(&fields, columns, start)?);
    }
    let kind = if let [share] = &configuration.shares[..] { share.kind.as_str() } else { "" };
    let is_by_rank = columns.is_some_and(|columns| columns.is_by_rank());
    let runs = if is_by_rank { join_ranks(rows, kind)? } else { rows.into_iter().map(|row| row.run(kind)).collect() };
    Ok(Parsed { runs, remarks: Vec::new() })
}

/// The columns of a table: their names and meanings.
struct Columns {
    names: Vec<String>,
    targets: Vec<Target>,
}

impl Columns {
    /// The columns with these names.
    fn new(names: Vec<String>, map: &ColumnMapping) -> std::result::Result<Self, Fault> {
        for (place, name) in names.iter().enumerate() {
            if names[..place].contains(name) {
                return Err(Fault::Twice { item: "the column", name: name.clone() });
            }
        }
        if let Some((column, _)) = map.entries.iter().find(|(column, _)| !names.contains(column)) {
            return Err(Fault::Column { column: column.clone(), known: names });
        }
        let mapped =
            |name: &str| map.entries.iter().find(|(column, _)| column == name).map(|(_, target)| target.clone());
        let targets = names.iter().map(|name| {
            mapped(name).unwrap_or_else(|| match Target::of_unmapped(name) {
                // A mapped column has priority: another column with that name is a label.
                target if map.entries.iter().any(|(_, other)| other.conflicts_with(&target)) => {
                    Target::Label(name.clone())
                }
                target => target,
            })
        });
        let columns = Self { targets: targets.collect(), names };
        columns.check()?;
        Ok(columns)
    }

    /// Returns true if each row is a rank.
    fn is_by_rank(&self) -> bool {
        self.targets.contains(&Target::Run)
    }

    /// Checks that no meaning occurs twice or lacks the one that it needs, and that there is a time.
    fn check(&self) -> std::result::Result<(), Fault> {
        for (place, target) in self.targets.iter().enumerate() {
            if let Some(first) = self.targets[..place].iter().position(|other| other.conflicts_with(target)) {
                let name = format!("{} and {}", self.names[first], self.names[place]);
                return Err(Fault::Twice { item: "the meaning of the columns", name });
            }
            let absent = match target {
                Target::Computation(kind) => Some(Target::Communication(kind.clone())),
                Target::Communication(kind) => Some(Target::Computation(kind.clone())),
                Target::Processes(kind) => Some(Target::Elements(kind.clone())),
                Target::Run | Target::Kind => Some(Target::Computation(String::new())),
                _ => None,
            };
            if let Some(absent) = absent.filter(|absent| !self.targets.contains(absent)) {
                return Err(Fault::Half { present: target_name(target), absent: target_name(&absent) });
            }
        }
        let is_time = |target: &Target| matches!(target, Target::Time(_) | Target::Computation(_));
        if self.targets.iter().any(is_time) { Ok(()) } else { Err(Fault::NoTime { known: self.names.clone() }) }
    }
}

/// The text of a meaning, as in a mapping.
fn target_name(target: &Target) -> String {
    let of = |word: &str, kind: &str| if kind.is_empty() { word.to_owned() } else { format!("{word}:{kind}") };
    match target {
        Target::Computation(kind) => of("computation", kind),
        Target::Communication(kind) => of("communication", kind),
        Target::Elements(kind) => of("elements", kind),
        Target::Processes(kind) => of("processes", kind),
        Target::Label(name) => of("label", name),
        Target::Variable(name) => name.clone(),
        Target::Time(_) => "seconds".to_owned(),
        Target::Region => "region".to_owned(),
        Target::Run => "run".to_owned(),
        Target::Rank => "rank".to_owned(),
        Target::Kind => "kind".to_owned(),
    }
}

/// A row of a table.
struct Row {
    /// The byte at which it begins.
    byte: usize,
    /// The run, without the times of the rank's kind; its time is 0 until it is known.
    run: Run,
    /// The name of the run of a rank.
    run_name: String,
    /// The kind of a rank.
    kind: Option<String>,
    /// The computation and communication times of the rank, in seconds.
    times: Option<(f64, f64)>,
    /// The time, if a column has it, in seconds.
    seconds: Option<f64>,
}

impl Row {
    /// Reads the fields of a row, one for each column.
    fn read(fields: &[Field], columns: &Columns, byte: usize) -> Result<Self> {
        let run = Run::new(Seconds::new(0.0));
        let mut row = Self { byte, run, run_name: String::new(), kind: None, times: None, seconds: None };
        let mut description = Vec::new();
        for (place, target) in columns.targets.iter().enumerate() {
            let text = &fields[place].text;
            let value = |expected, accept: &dyn Fn(f64) -> bool| {
                let number = text.parse::<f64>().ok().filter(|&number| number.is_finite() && accept(number));
                number.ok_or_else(|| Located {
                    byte: byte + fields[place].start,
                    fault: Fault::Value {
                        run: if description.is_empty() {
                            "of this row".to_owned()
                        } else {
                            format!("of {}", description.join(", "))
                        },
                        column: columns.names[place].clone(),
                        found: text.to_string(),
                        expected,
                    },
                })
            };
            let time = || value("a finite time, not negative", &|time| time >= 0.0);
            let count = || value("a whole number", &|count| count.fract() == 0.0 && (0.0..4e9).contains(&count));
            match target {
                Target::Time(unit) => {
                    row.seconds = Some(unit.seconds(value("a finite time above 0", &|time| time > 0.0)?));
                }
                Target::Region => row.run.region = text.to_string(),
                Target::Run => row.run_name = text.to_string(),
                Target::Rank => {}
                Target::Kind => row.kind = Some(text.to_string()),
                Target::Computation(kind) if kind.is_empty() => row.times.get_or_insert_default().0 = time()?,
                Target::Communication(kind) if kind.is_empty() => row.times.get_or_insert_default().1 = time()?,
                // The fields of a kind that takes no part may be empty.
                _ if text.is_empty() && !matches!(target, Target::Variable(_)) => {}
                Target::Computation(kind) => row.part(kind).computation = Seconds::new(time()?),
                Target::Communication(kind) => row.part(kind).communication = Seconds::new(time()?),
                Target::Elements(kind) => row.share(kind).elements = count()? as u32,
                Target::Processes(kind) => row.share(kind).processes = count()? as u32,
                Target::Label(label) => drop(row.run.labels.insert(label.clone(), text.to_string())),
                Target::Variable(variable) => {
                    let number = value("a finite number", &|_| true)?;
                    description.push(format!("{variable} = {number}"));
                    row.run.variables.insert(variable.clone(), number);
                }
            }
        }
        // A kind without elements or processes takes no part and has no times.
        row.run.configuration.shares.retain(|share| share.elements > 0 && share.processes > 0);
        if columns.targets.iter().any(|target| matches!(target, Target::Elements(_))) {
            let Run { parts, configuration, .. } = &mut row.run;
            parts.retain(|part| {
                configuration.share(&part.kind).is_some() || part.computation + part.communication > ZERO
            });
        }
        Ok(row)
    }

    /// The times of a kind, which are added if they are missing.
    fn part(&mut self, kind: &str) -> &mut KindTimes {
        let parts = &mut self.run.parts;
        let place = parts.iter().position(|part| part.kind == kind).unwrap_or_else(|| {
            parts.push(KindTimes { kind: kind.to_owned(), computation: ZERO, communication: ZERO });
            parts.len() - 1
        });
        &mut parts[place]
    }

    /// The share of a kind, which is added if it is missing.
    fn share(&mut self, kind: &str) -> &mut Share {
        let shares = &mut self.run.configuration.shares;
        let place = shares.iter().position(|share| share.kind == kind).unwrap_or_else(|| {
            shares.push(Share { kind: kind.to_owned(), elements: 0, processes: 1 });
            shares.len() - 1
        });
        &mut shares[place]
    }

    /// The row as a run, with its byte; `kind` is the kind of a row that names none. Without a time of its own, a run
    /// has that of its slowest kind.
    fn run(mut self, kind: &str) -> (usize, Run) {
        if let Some((computation, communication)) = self.times {
            let kind = self.kind.unwrap_or_else(|| kind.to_owned());
            let (computation, communication) = (Seconds::new(computation), Seconds::new(communication));
            self.run.parts.push(KindTimes { kind, computation, communication });
        }
        let slowest = || self.run.parts.iter().map(|part| part.computation + part.communication).reduce(Seconds::max);
        self.run.seconds = self.seconds.map(Seconds::new).or_else(slowest).unwrap_or(ZERO);
        (self.byte, self.run)
    }
}

/// Joins the ranks of each run; runs are in the order of their first ranks. `kind` is the kind of a rank that names
/// none.
fn join_ranks(rows: Vec<Row>, kind: &str) -> Result<Vec<(usize, Run)>> {
    let mut indices: BTreeMap<String, usize> = BTreeMap::new();
    let mut groups: Vec<Vec<Row>> = Vec::new();
    for row in rows {
        let index = *indices.entry(row.run_name.clone()).or_insert(groups.len());
        if index == groups.len() {
            groups.push(Vec::new());
        }
        groups[index].push(row);
    }
    groups.into_iter().map(|ranks| run_of_ranks(ranks, kind)).collect()
}

/// The run of these ranks; the list is not empty.
fn run_of_ranks(ranks: Vec<Row>, kind: &str) -> Result<(usize, Run)> {
    let count = ranks.len() as f64;
    let mut ranks = ranks.into_iter();
    let Some(first) = ranks.next() else { unreachable!("a group begins with a rank") };
    let name = first.run_name.clone();
    let (byte, mut run) = first.run(kind);
    for rank in ranks {
        check_ranks(&name, &run, &rank)?;
        let (_, rank) = rank.run(kind);
        run.seconds = run.seconds.max(rank.seconds);
        run.labels.retain(|name, word| rank.labels.get(name) == Some(word));
        for part in rank.parts {
            match run.parts.iter_mut().find(|other| other.kind == part.kind) {
                Some(slowest) if total(&part) > total(slowest) => *slowest = part,
                Some(_) => {}
                None => run.parts.push(part),
            }
        }
    }
    run.labels.insert("run".to_owned(), name);
    // Without a grid, the number of ranks is the number of processes.
    run.variables.entry(variable::PROCESSES.to_owned()).or_insert(count);
    Ok((byte, run))
}

/// Returns the sum of computation and communication time.
fn total(part: &KindTimes) -> Seconds {
    part.computation + part.communication
}

/// Checks that a rank has the same variables as its run.
fn check_ranks(run_name: &str, run: &Run, rank: &Row) -> Result<()> {
    for (name, &second) in &rank.run.variables {
        let first = run.variables.get(name).copied().unwrap_or(f64::NAN);
        if first.total_cmp(&second).is_ne() {
            let fault = Fault::Ranks { run: run_name.to_owned(), name: name.clone(), first, second };
            return Err(Located { byte: rank.byte, fault });
        }
    }
    Ok(())
}
