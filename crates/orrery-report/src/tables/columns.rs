//! Tables as lists of columns, each with the cell that it shows of a row.

use orrery::numeric::Estimate;

use super::format::interval;
use super::table::{Cell, Column, Table};

/// Who sees a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Audience {
    /// People and programs.
    All,
    /// People: terminal and pages.
    People,
    /// Programs: CSV and JSON.
    Programs,
}

/// The columns of a table with a line for each of `rows`.
pub(crate) struct Columns<'a, R> {
    rows: &'a [R],
    filled: Vec<FilledColumn>,
    /// The rows that people see, if they do not see all.
    shown: Option<Vec<bool>>,
}

/// A column with its cells.
pub(crate) struct FilledColumn {
    column: Column,
    cells: Vec<Cell>,
    audience: Audience,
}

impl<'a, R> Columns<'a, R> {
    /// A table of these rows that has no columns yet.
    pub(crate) fn of(rows: &'a [R]) -> Self {
        Self { rows, filled: Vec::new(), shown: None }
    }

    /// Adds a left-aligned column.
    pub(crate) fn text<C: Into<Cell>>(
        &mut self,
        key: impl Into<String>,
        cell: impl FnMut(&'a R) -> C,
    ) -> &mut FilledColumn {
        self.add(Column::text(key), cell)
    }

    /// Adds a right-aligned column.
    pub(crate) fn number<C: Into<Cell>>(
        &mut self,
        key: impl Into<String>,
        cell: impl FnMut(&'a R) -> C,
    ) -> &mut FilledColumn {
        self.add(Column::number(key), cell)
    }

    /// Adds a column for each end of an interval, null where `ends` returns `None`; on narrow
    /// terminals columns with the highest `drop_priority` are left out first.
    pub(crate) fn ends<C: Into<Cell>>(
        &mut self,
        keys: [&str; 2],
        drop_priority: u8,
        ends: impl Fn(&'a R) -> Option<(C, C)>,
    ) {
        self.number(keys[0], |row| ends(row).map(|(low, _)| low)).drop_first(drop_priority);
        self.number(keys[1], |row| ends(row).map(|(_, high)| high)).drop_first(drop_priority);
    }

    /// Adds an estimate with the text of its values, and its interval: a column for each end for
    /// programs, one column for people. Returns that of the value.
    pub(crate) fn estimate(
        &mut self,
        key: &str,
        text: impl Fn(f64) -> String,
        of: impl Fn(&'a R) -> Option<Estimate>,
    ) -> &mut FilledColumn {
        let cell = |value: f64| Cell::number(value, text(value));
        let ends = |row| of(row).and_then(|estimate| estimate.interval);
        let value = self.filled.len();
        self.number(key, |row| of(row).map(|of| cell(of.value)));
        self.number(format!("{key}_low"), |row| ends(row).map(|of| cell(of.low))).for_programs();
        self.number(format!("{key}_high"), |row| ends(row).map(|of| cell(of.high))).for_programs();
        self.number(format!("{key}_interval"), |row| of(row).map(|of| interval(&of, &text)))
            .titled("interval")
            .drop_first(3)
            .for_people();
        &mut self.filled[value]
    }

    /// Adds the columns m, n and k for the dimensions of a call: `of` returns them, and which of
    /// them the routine has; others are null.
    pub(crate) fn dimensions(
        &mut self,
        drop_priorities: [u8; 3],
        of: impl Fn(&'a R) -> ([u64; 3], [bool; 3]),
    ) {
        for (place, key) in ["m", "n", "k"].into_iter().enumerate() {
            let dimension = |row| {
                let (values, exist) = of(row);
                exist[place].then_some(values[place])
            };
            self.number(key, dimension).drop_first(drop_priorities[place]);
        }
    }

    /// Adds a column.
    pub(crate) fn add<C: Into<Cell>>(
        &mut self,
        column: Column,
        mut cell: impl FnMut(&'a R) -> C,
    ) -> &mut FilledColumn {
        let cells = self.rows.iter().map(|row| cell(row).into()).collect();
        self.filled.push(FilledColumn { column, cells, audience: Audience::All });
        let last = self.filled.len() - 1;
        &mut self.filled[last]
    }

    /// The rows.
    pub(crate) fn rows(&self) -> &'a [R] {
        self.rows
    }

    /// Returns true if there is a column with this key.
    pub(crate) fn has(&self, key: &str) -> bool {
        self.filled.iter().any(|filled| filled.column.key == key)
    }

    /// Limits what people see to the first `most` rows for which `is_shown` returns true.
    pub(crate) fn show(&mut self, most: usize, is_shown: impl Fn(&R) -> bool) {
        let mut left = most;
        let shown = self.rows.iter().map(|row| {
            let is_shown = left > 0 && is_shown(row);
            left -= usize::from(is_shown);
            is_shown
        });
        self.shown = Some(shown.collect());
    }

    /// The table of these columns.
    pub(crate) fn table(self, name: &str, title: impl Into<String>) -> Table {
        let (title, count) = (title.into(), self.rows.len());
        let is_one = self.filled.iter().all(|filled| filled.audience == Audience::All);
        let display = (!is_one || self.shown.is_some()).then(|| {
            let seen = || self.filled.iter().filter(|one| one.audience != Audience::Programs);
            let mut table = Table::new(name, title.as_str(), seen().map(|one| one.column.clone()));
            for row in 0..count {
                if self.shown.as_ref().is_none_or(|shown| shown[row]) {
                    table.push(seen().map(|one| one.cells[row].clone()));
                }
            }
            table
        });
        let all = self.filled.into_iter().filter(|one| one.audience != Audience::People);
        let (columns, mut cells): (Vec<_>, Vec<_>) =
            all.map(|one| (one.column, one.cells.into_iter())).unzip();
        let mut table = Table::new(name, title, columns);
        (0..count).for_each(|_| table.push(cells.iter_mut().filter_map(Iterator::next)));
        match display {
            Some(display) => table.with_display(display),
            None => table,
        }
    }
}

impl FilledColumn {
    /// Sets the heading for people.
    pub(crate) fn titled(&mut self, title: impl Into<String>) -> &mut Self {
        self.column.title = title.into();
        self
    }

    /// Sets the priority of being left out on narrow terminals: the highest are left out first, 0
    /// is never left out.
    pub(crate) fn drop_first(&mut self, priority: u8) -> &mut Self {
        self.column.drop_priority = priority;
        self
    }

    /// Hides the column from CSV and JSON.
    pub(crate) fn for_people(&mut self) {
        self.audience = Audience::People;
    }

    /// Hides the column from people.
    pub(crate) fn for_programs(&mut self) {
        self.for_programs_if(true);
    }

    /// Hides the column from people if this is true.
    pub(crate) fn for_programs_if(&mut self, is_hidden: bool) {
        if is_hidden {
            self.audience = Audience::Programs;
        }
    }
}
