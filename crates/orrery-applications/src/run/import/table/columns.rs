//! The meaning of the columns of a table: by the mapping, by their names, by their content.

use std::collections::BTreeMap;

use super::super::error;
use super::super::mapping::{ColumnMapping, Target};
use super::super::parsed::{LineStarts, RemarkKind};
use super::layout::Layout;
use super::names::time_unit;
use crate::run::{hpl, is_identifier, is_result};
use orrery_base::file::{Fault, FaultKind};

/// The columns of a table: their names and meanings.
pub(super) struct Columns {
    pub(super) names: Vec<String>,
    pub(super) targets: Vec<Target>,
}

impl Columns {
    /// The columns of a table, and remarks on meanings that its user may want to change.
    pub(super) fn new(
        layout: &Layout,
        lines: &LineStarts,
        map: &ColumnMapping,
    ) -> Result<(Self, Vec<RemarkKind>), Fault> {
        let names = &layout.names;
        for (place, name) in names.iter().enumerate() {
            if names[..place].contains(name) {
                return Err(error::twice("the column", name));
            }
        }
        if let Some((column, _)) = map.entries.iter().find(|(column, _)| !names.contains(column)) {
            return Err(error::column(column, names));
        }
        let mut remarks = Vec::new();
        let mut targets: Vec<Option<Target>> =
            names.iter().map(|name| by_name(name, map)).collect();
        label_variant(names, &mut targets);
        if !targets.iter().flatten().any(is_time) {
            remarks.extend(find_time(names, &mut targets)?);
        }
        remarks.extend(by_content(layout, lines, &mut targets));
        let targets = targets
            .into_iter()
            .zip(names)
            .map(|(target, name)| target.unwrap_or(Target::Label(name.clone())));
        let columns = Self { targets: targets.collect(), names: names.clone() };
        columns.check()?;
        Ok((columns, remarks))
    }

    /// Returns true if each row is a rank.
    pub(super) fn is_by_rank(&self) -> bool {
        self.targets.contains(&Target::Run)
    }

    /// Checks that no meaning occurs twice or lacks the one that it needs, and that there is a
    /// time.
    fn check(&self) -> Result<(), Fault> {
        for (place, target) in self.targets.iter().enumerate() {
            if let Some(first) =
                self.targets[..place].iter().position(|other| other.conflicts_with(target))
            {
                let name = format!("{} and {}", self.names[first], self.names[place]);
                return Err(error::twice("the meaning of the columns", &name));
            }
            let absent = match target {
                Target::Computation(kind) => Some(Target::Communication(kind.clone())),
                Target::Communication(kind) => Some(Target::Computation(kind.clone())),
                Target::Processes(kind) => Some(Target::Elements(kind.clone())),
                Target::Run | Target::Kind => Some(Target::Computation(String::new())),
                _ => None,
            };
            if let Some(absent) = absent.filter(|absent| !self.targets.contains(absent)) {
                let (present, absent) = (target.name(), absent.name());
                let fault = format!(
                    "the table has a column for {present}, but none for {absent}; map both, as \
                        {present}=COLUMN,{absent}=COLUMN"
                );
                return Err(Fault::new(fault).of_kind(FaultKind::Mapping));
            }
        }
        if self.targets.iter().any(is_time) { Ok(()) } else { Err(error::no_time(&self.names)) }
    }
}

/// Returns true for the meaning of a time of the run.
fn is_time(target: &Target) -> bool {
    matches!(target, Target::Time(_) | Target::Rate(_) | Target::Computation(_))
}

/// The meaning of a column by the mapping or a known name; `None` if neither says it.
fn by_name(name: &str, map: &ColumnMapping) -> Option<Target> {
    if let Some((_, target)) = map.entries.iter().find(|(column, _)| column == name) {
        return Some(target.clone());
    }
    // A mapped column has priority: another column with that name is a label.
    let known = Target::of_unmapped(name);
    let meaning = known.clone().unwrap_or_else(|| Target::Variable(name.to_owned()));
    let is_mapped = map.entries.iter().any(|(_, other)| other.conflicts_with(&meaning));
    if is_mapped { Some(Target::Label(name.to_owned())) } else { known }
}

/// Makes the columns of the variant of HPL labels, if the table has one with the code of the
/// variant.
fn label_variant(names: &[String], targets: &mut [Option<Target>]) {
    let code = Target::Label(hpl::CODE.to_owned());
    if names.iter().zip(&*targets).any(|(name, target)| {
        *target == Some(code.clone()) || target.is_none() && name == hpl::CODE
    }) {
        for (name, target) in names.iter().zip(targets) {
            if target.is_none() && hpl::LABELS.contains(&name.as_str()) {
                *target = Some(Target::Label(name.clone()));
            }
        }
    }
}

/// Finds the column of the time by its name and makes it the target; the remark names it and the
/// assumed unit. `None` if no free column has the name of a time, an error if several have.
fn find_time(
    names: &[String],
    targets: &mut [Option<Target>],
) -> Result<Option<RemarkKind>, Fault> {
    let times = || {
        names.iter().enumerate().filter_map(|(place, name)| Some((place, name, time_unit(name)?)))
    };
    let mut times = times().filter(|(place, _, _)| targets[*place].is_none());
    let Some((place, column, unit)) = times.next() else { return Ok(None) };
    let others: Vec<String> = times.map(|(_, name, _)| name.clone()).collect();
    if !others.is_empty() {
        let known: Vec<_> = std::iter::once(column.clone()).chain(others).collect();
        let known = known.join(", ");
        let fault = format!(
            "several columns may be the time: {known}; map one as seconds=COLUMN (or \
                milliseconds=COLUMN)"
        );
        return Err(Fault::new(fault).of_kind(FaultKind::Mapping));
    }
    targets[place] = Some(Target::Time(unit));
    let unit = unit.name();
    Ok(Some(RemarkKind::note(format_args!("the column {column:?} is the time in {unit}"))))
}

/// Assigns the other columns by their content: numbers are variables, texts are labels.
fn by_content(
    layout: &Layout,
    lines: &LineStarts,
    targets: &mut [Option<Target>],
) -> Vec<RemarkKind> {
    let run = targets.iter().position(|target| *target == Some(Target::Run));
    let (mut variables, mut labels) = (Vec::new(), Vec::new());
    for (place, (name, target)) in layout.names.iter().zip(targets).enumerate() {
        if target.is_some() || layout.rows.iter().all(|(_, fields)| fields[place].text.is_empty()) {
            continue;
        }
        match label_reason(layout, lines, place, run) {
            None => {
                *target = Some(Target::Variable(name.clone()));
                variables.push(name.clone());
            }
            Some(reason) => labels.push(format!("{name} ({reason})")),
        }
    }
    let remarks = [
        ("columns of numbers become variables", variables),
        ("columns kept as labels, which models use only as categories", labels),
    ];
    let stated = remarks.into_iter().filter(|(_, columns)| !columns.is_empty());
    stated.map(|(what, own)| RemarkKind::Note(format!("{what}: {}", own.join(", ")))).collect()
}

/// The reason why a column is a label; `None` if it is a variable. `run` is the column of the run
/// in a table of ranks.
fn label_reason(
    layout: &Layout,
    lines: &LineStarts,
    place: usize,
    run: Option<usize>,
) -> Option<String> {
    let name = &layout.names[place];
    let field = |row: usize| &layout.rows[row].1[place];
    let number = |row: usize| layout.number(field(row));
    let line = |row: usize| lines.line(layout.rows[row].0);
    let rows = || 0..layout.rows.len();
    let is_text = |&row: &usize| !field(row).text.is_empty() && number(row).is_none();
    if let Some(row) = rows().find(is_text) {
        let is_first = rows().find(|&row| !field(row).text.is_empty()) == Some(row);
        return Some(if is_first {
            "text".to_owned()
        } else {
            format!("no number in line {}", line(row))
        });
    }
    if is_result(name) {
        return Some("a result".to_owned());
    }
    if is_identifier(name) {
        return Some("an identifier".to_owned());
    }
    if let Some(row) = rows().find(|&row| field(row).text.is_empty()) {
        return Some(format!("empty in line {}", line(row)));
    }
    let run = run?;
    let mut values: BTreeMap<&str, f64> = BTreeMap::new();
    let differs = layout.rows.iter().enumerate().find(|(row, (_, fields))| {
        let value = number(*row).unwrap_or_default();
        values.insert(&fields[run].text, value).is_some_and(|other| other.total_cmp(&value).is_ne())
    });
    differs.map(|_| "differs between ranks".to_owned())
}
