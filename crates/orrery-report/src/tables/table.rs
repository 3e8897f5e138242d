//! The table that every result is written as, and its CSV and JSON.

use std::fmt::Write as _;

use orrery::platform::Processor;
use orrery::units::{Bytes, Seconds};
use serde::ser::{Serialize, SerializeMap, SerializeSeq, Serializer};

/// The alignment of a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Align {
    /// For text.
    Left,
    /// For numbers.
    Right,
}

/// One cell of a table: the text for people and the value for programs.
#[derive(Debug, Clone, PartialEq)]
pub enum Cell {
    /// A text.
    Text(String),
    /// A count.
    Integer(u64),
    /// A message size: bytes for programs, `64K` for people.
    Size(Bytes),
    /// True or false; shown as yes or no.
    Flag(bool),
    /// A number in SI units and its text with a unit: 2.06e-5, `20.6 µs`.
    Number {
        /// The number in SI units.
        value: f64,
        /// The text with its unit.
        display: String,
    },
    /// Several values: an array in JSON, joined by semicolons in CSV.
    List(Vec<Cell>),
    /// Several named values: an object in JSON, `name=value` in CSV.
    Record {
        /// The names in snake case and their values.
        fields: Vec<(&'static str, Cell)>,
        /// The text for people.
        display: String,
    },
    /// Not known, or not applicable: null in JSON, empty in CSV, – for people.
    Null,
}

impl Cell {
    /// A text.
    pub fn text(text: impl Into<String>) -> Self {
        Self::Text(text.into())
    }

    /// A count.
    pub const fn integer(value: u64) -> Self {
        Self::Integer(value)
    }

    /// A number with its text; null if the number is not finite.
    pub fn number(value: f64, display: impl Into<String>) -> Self {
        if value.is_finite() { Self::Number { value, display: display.into() } } else { Self::Null }
    }

    /// A list of texts.
    pub fn texts<T: Into<String>>(texts: impl IntoIterator<Item = T>) -> Self {
        Self::List(texts.into_iter().map(Self::text).collect())
    }

    /// The text for people.
    pub fn display(&self) -> String {
        match self {
            Self::Text(text) => on_one_line(text),
            Self::Integer(value) => value.to_string(),
            Self::Size(size) => size.to_string(),
            Self::Flag(flag) => (if *flag { "yes" } else { "no" }).to_owned(),
            Self::Number { display, .. } | Self::Record { display, .. } => on_one_line(display),
            Self::List(cells) if !cells.is_empty() => {
                let separator = if cells.iter().any(|cell| matches!(cell, Self::Record { .. })) {
                    "; "
                } else {
                    ", "
                };
                // Records with one text for people, such as two alarms of a kind, are shown once.
                let mut texts: Vec<String> = Vec::new();
                for cell in cells {
                    let text = cell.display();
                    if !matches!(cell, Self::Record { .. }) || !texts.contains(&text) {
                        texts.push(text);
                    }
                }
                texts.join(separator)
            }
            Self::List(_) | Self::Null => "–".to_owned(),
        }
    }

    /// The text in CSV: the shortest digits that read back exactly, without a unit.
    fn csv_text(&self) -> String {
        match self {
            Self::Text(text) => text.clone(),
            Self::Integer(value) => value.to_string(),
            Self::Size(size) => size.get().to_string(),
            Self::Flag(flag) => flag.to_string(),
            Self::Number { value, .. } => value.to_string(),
            Self::List(cells) => cells.iter().map(Self::csv_text).collect::<Vec<_>>().join("; "),
            Self::Record { fields, .. } => {
                let fields =
                    fields.iter().map(|(name, cell)| format!("{name}={}", cell.csv_text()));
                fields.collect::<Vec<_>>().join(" ")
            }
            Self::Null => String::new(),
        }
    }

    /// Returns true if the cell holds no value.
    fn is_empty(&self) -> bool {
        matches!(self, Self::Null) || matches!(self, Self::List(cells) if cells.is_empty())
    }
}

impl From<&str> for Cell {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl From<String> for Cell {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

impl From<&String> for Cell {
    fn from(text: &String) -> Self {
        Self::Text(text.clone())
    }
}

impl From<u64> for Cell {
    fn from(count: u64) -> Self {
        Self::Integer(count)
    }
}

impl From<u32> for Cell {
    fn from(count: u32) -> Self {
        Self::Integer(count.into())
    }
}

impl From<usize> for Cell {
    fn from(count: usize) -> Self {
        Self::Integer(count as u64)
    }
}

impl From<Processor> for Cell {
    fn from(processor: Processor) -> Self {
        Self::Integer(processor.0.into())
    }
}

impl From<Bytes> for Cell {
    fn from(size: Bytes) -> Self {
        Self::Size(size)
    }
}

impl From<bool> for Cell {
    fn from(flag: bool) -> Self {
        Self::Flag(flag)
    }
}

impl From<Seconds> for Cell {
    fn from(time: Seconds) -> Self {
        Self::number(time.get(), time.to_string())
    }
}

impl<C: Into<Self>> From<Option<C>> for Cell {
    fn from(value: Option<C>) -> Self {
        value.map_or(Self::Null, Into::into)
    }
}

/// A column of a table: its key for programs, its title for people, and how it is drawn.
///
/// The key is the title in snake case. Times are the exception: JSON has no units, so the column
/// `time` has the key `seconds`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Column {
    /// The key in JSON and the heading in CSV, in snake case.
    pub key: String,
    /// The heading for people.
    pub title: String,
    /// The alignment of its cells.
    pub align: Align,
    /// Where the terminal is too narrow, columns with the highest priority are left out first; 0 is
    /// never left out.
    pub drop_priority: u8,
}

impl Column {
    /// A left-aligned column whose title is its key with spaces.
    pub fn text(key: impl Into<String>) -> Self {
        let key = key.into();
        Self { title: key.replace('_', " "), key, align: Align::Left, drop_priority: 0 }
    }

    /// A right-aligned column whose title is its key with spaces.
    pub fn number(key: impl Into<String>) -> Self {
        Self { align: Align::Right, ..Self::text(key) }
    }

    /// Returns the column with a priority of being left out on narrow terminals.
    #[must_use]
    pub fn drop_priority(self, priority: u8) -> Self {
        Self { drop_priority: priority, ..self }
    }
}

/// A text with escapes in place of its control characters, which come from names of files and hosts:
/// a cell is one line.
fn on_one_line(text: &str) -> String {
    let mut line = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '\n' | '\r' | '\t' => line.extend(character.escape_default()),
            _ if character.is_control() => {
                let _ = write!(line, "\\u{:04x}", u32::from(character));
            }
            _ => line.push(character),
        }
    }
    line
}

/// A table with one definition and three outputs: text, CSV and JSON.
///
/// ```
/// use orrery_report::{Cell, Column, Table};
/// let mut table = Table::new("links", "Links", [Column::number("i"), Column::number("latency")]);
/// table.push([Cell::integer(0), Cell::number(4.2e-5, "42.0 µs")]);
/// assert_eq!(table.csv(), "i,latency\n0,0.000042\n");
/// assert_eq!(table.json(), "[\n{\"i\":0,\"latency\":0.000042}\n]\n");
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Table {
    /// Its key in a JSON document of several tables.
    pub name: String,
    /// The caption above it.
    pub title: String,
    /// The remark below it, in one or more lines; may be empty.
    pub note: String,
    columns: Vec<Column>,
    rows: Vec<Vec<Cell>>,
    /// The table for people, if it differs from the one for programs.
    display: Option<Box<Table>>,
}

impl Table {
    /// A table without rows.
    pub fn new(
        name: impl Into<String>,
        title: impl Into<String>,
        columns: impl IntoIterator<Item = Column>,
    ) -> Self {
        Self {
            name: name.into(),
            title: title.into(),
            note: String::new(),
            columns: columns.into_iter().collect(),
            rows: Vec::new(),
            display: None,
        }
    }

    /// Returns the table with a remark below it.
    #[must_use]
    pub fn with_note(mut self, note: impl Into<String>) -> Self {
        self.note = note.into();
        if let Some(display) = &mut self.display {
            display.note.clone_from(&self.note);
        }
        self
    }

    /// Returns the table, or `None` if it has no rows.
    pub fn if_filled(self) -> Option<Self> {
        (!self.rows.is_empty()).then_some(self)
    }

    /// Adds a row. Missing cells are null; cells beyond the last column are dropped.
    pub fn push(&mut self, cells: impl IntoIterator<Item = Cell>) {
        let mut row: Vec<Cell> = cells.into_iter().collect();
        row.resize(self.columns.len(), Cell::Null);
        self.rows.push(row);
    }

    /// Sets the table that people see in place of this one, such as a summary. CSV and JSON do not
    /// change.
    #[must_use]
    pub fn with_display(mut self, table: Self) -> Self {
        self.display = Some(Box::new(table));
        self
    }

    /// Hides columns without any value from people, if there are rows. CSV and JSON keep them.
    #[must_use]
    pub fn hide_empty_columns(self) -> Self {
        let shown = self.display_table();
        let has_value =
            |k: &usize| shown.rows.is_empty() || shown.rows.iter().any(|row| !row[*k].is_empty());
        let kept: Vec<usize> = (0..shown.columns.len()).filter(has_value).collect();
        let columns = kept.iter().map(|&k| shown.columns[k].clone());
        let mut display =
            Self::new(&shown.name, &shown.title, columns).with_note(shown.note.as_str());
        for row in &shown.rows {
            display.push(kept.iter().map(|&k| row[k].clone()));
        }
        self.with_display(display)
    }

    /// The columns.
    pub fn columns(&self) -> &[Column] {
        &self.columns
    }

    /// The rows, each with one cell for each column.
    pub fn rows(&self) -> &[Vec<Cell>] {
        &self.rows
    }

    /// The table that people see: the one set by [`Table::with_display`], otherwise this one.
    pub fn display_table(&self) -> &Self {
        self.display.as_deref().unwrap_or(self)
    }

    /// The table as CSV: the keys of the columns, then the rows; null is empty.
    pub fn csv(&self) -> String {
        let mut writer = csv::Writer::from_writer(Vec::new());
        // Writing to memory cannot fail, and all rows are as long as the header.
        let _ = writer.write_record(self.columns.iter().map(|column| column.key.as_str()));
        for row in &self.rows {
            let _ = writer.write_record(row.iter().map(Cell::csv_text));
        }
        String::from_utf8(writer.into_inner().unwrap_or_default()).unwrap_or_default()
    }

    /// The rows as CSV, without the keys of the columns.
    pub fn csv_rows(&self) -> String {
        let csv = self.csv();
        csv.split_once('\n').map_or_else(String::new, |(_, rows)| rows.to_owned())
    }

    /// The table as a JSON array of objects, one on each line, whose keys are those of the columns.
    pub fn json(&self) -> String {
        format!("{}\n", self.json_array())
    }

    /// The rows as JSON objects, separated by commas and line breaks.
    pub fn json_rows(&self) -> String {
        let object = |row: &Vec<Cell>| {
            serde_json::to_string(&JsonRow(&self.columns, row)).unwrap_or_default()
        };
        self.rows.iter().map(object).collect::<Vec<_>>().join(",\n")
    }

    /// The rows as a JSON array of objects.
    fn json_array(&self) -> String {
        if self.rows.is_empty() { "[]".to_owned() } else { format!("[\n{}\n]", self.json_rows()) }
    }
}

/// Several tables as one JSON object: the key of each is its name. Rows of tables with one name
/// are in one array.
pub fn json_document<'a>(tables: impl IntoIterator<Item = &'a Table>) -> String {
    let mut members: Vec<(&str, Vec<String>)> = Vec::new();
    for table in tables {
        let rows = Some(table.json_rows()).filter(|rows| !rows.is_empty());
        match members.iter_mut().find(|(name, _)| *name == table.name) {
            Some((_, all)) => all.extend(rows),
            None => members.push((&table.name, rows.into_iter().collect())),
        }
    }
    let member = |(name, rows): (&str, Vec<String>)| {
        let key = serde_json::to_string(name).unwrap_or_default();
        let rows = rows.join(",\n");
        if rows.is_empty() { format!("{key}:[]") } else { format!("{key}:[\n{rows}\n]") }
    };
    let members: Vec<String> = members.into_iter().map(member).collect();
    format!("{{{}}}\n", members.join(",\n"))
}

/// A row as a JSON object.
struct JsonRow<'a>(&'a [Column], &'a [Cell]);

impl Serialize for JsonRow<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.len()))?;
        for (column, cell) in self.0.iter().zip(self.1) {
            map.serialize_entry(&column.key, cell)?;
        }
        map.end()
    }
}

/// Whole numbers below this are written without a decimal point: a size is 1024, not 1024.0.
const MAX_EXACT_INTEGER: f64 = 9_007_199_254_740_992.0;

impl Serialize for Cell {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Text(text) => serializer.serialize_str(text),
            Self::Integer(value) => serializer.serialize_u64(*value),
            Self::Size(size) => serializer.serialize_u64(size.get()),
            Self::Flag(flag) => serializer.serialize_bool(*flag),
            Self::Number { value, .. }
                if value.fract() == 0.0 && value.abs() < MAX_EXACT_INTEGER =>
            {
                serializer.serialize_i64(*value as i64)
            }
            Self::Number { value, .. } => serializer.serialize_f64(*value),
            Self::List(cells) => {
                let mut list = serializer.serialize_seq(Some(cells.len()))?;
                cells.iter().try_for_each(|cell| list.serialize_element(cell))?;
                list.end()
            }
            Self::Record { fields, .. } => {
                let mut map = serializer.serialize_map(Some(fields.len()))?;
                fields.iter().try_for_each(|(name, cell)| map.serialize_entry(name, cell))?;
                map.end()
            }
            Self::Null => serializer.serialize_none(),
        }
    }
}
