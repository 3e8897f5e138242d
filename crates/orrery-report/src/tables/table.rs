use orrery::units::Bytes;
use serde::ser::{Serialize, SerializeMap, Serializer};

/// On which side the cells of a column stand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Align {
    /// Words.
    Left,
    /// Numbers.
    Right,
}

/// One cell: what people read and what programs read.
#[derive(Debug, Clone, PartialEq)]
pub enum Cell {
    /// A word.
    Text(String),
    /// A count.
    Integer(u64),
    /// A yes or a no.
    Flag(bool),
    /// A number in SI units, with what people read in its place: 2.06e-5, `20.6 µs`.
    Number {
        /// In SI units.
        value: f64,
        /// With its unit.
        display: String,
    },
    /// Not known, or not applicable.
    Null,
}

impl Cell {
    /// A word.
    pub fn text(text: impl Into<String>) -> Self {
        Self::Text(text.into())
    }

    /// A word, where there is one.
    pub fn maybe_text(text: Option<impl Into<String>>) -> Self {
        text.map_or(Self::Null, |text| Self::Text(text.into()))
    }

    /// A count.
    pub const fn integer(value: u64) -> Self {
        Self::Integer(value)
    }

    /// A size: the number of bytes for programs, `64K` for people.
    pub fn size(size: Bytes) -> Self {
        Self::Number { value: size.get() as f64, display: size.to_string() }
    }

    /// A number; one that is not finite is not known.
    pub fn number(value: f64, display: impl Into<String>) -> Self {
        if value.is_finite() { Self::Number { value, display: display.into() } } else { Self::Null }
    }

    /// What people read.
    pub fn display(&self) -> String {
        match self {
            Self::Text(text) => text.clone(),
            Self::Integer(value) => value.to_string(),
            Self::Flag(flag) => (if *flag { "yes" } else { "no" }).to_owned(),
            Self::Number { display, .. } => display.clone(),
            Self::Null => "–".to_owned(),
        }
    }
}

/// A column: its word in files, its title for people, its side, and whether it may go where the room is small.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Column {
    /// The key in JSON and the header in CSV.
    pub key: String,
    /// The header for people.
    pub title: String,
    /// The side on which its cells stand.
    pub align: Align,
    /// 0 for a column that always stays; where the room is small, columns with the highest number go first.
    pub dispensable: u8,
}

impl Column {
    /// A column of words, with the key as its title.
    pub fn words(key: impl Into<String>) -> Self {
        let key = key.into();
        Self { title: key.replace('_', " "), key, align: Align::Left, dispensable: 0 }
    }

    /// A column of numbers, with the key as its title.
    pub fn numbers(key: impl Into<String>) -> Self {
        Self { align: Align::Right, ..Self::words(key) }
    }

    /// The same with another title.
    #[must_use]
    pub fn titled(self, title: impl Into<String>) -> Self {
        Self { title: title.into(), ..self }
    }

    /// The same, to be left out where the room is small; the highest number goes first.
    #[must_use]
    pub fn dispensable(self, rank: u8) -> Self {
        Self { dispensable: rank, ..self }
    }
}

/// A table: one definition, three outputs.
///
/// ```
/// use orrery_report::{Cell, Column, Table};
/// let mut table = Table::new("links", "Links", [Column::numbers("i"), Column::numbers("latency")]);
/// table.push([Cell::integer(0), Cell::number(4.2e-5, "42.0 µs")]);
/// assert_eq!(table.csv(), "i,latency\n0,0.000042\n");
/// assert_eq!(table.json(), "[\n{\"i\":0,\"latency\":0.000042}\n]\n");
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Table {
    /// Its key in a JSON document of several tables.
    pub name: String,
    /// What people read above it.
    pub title: String,
    /// A remark that people read below it; may be empty.
    pub note: String,
    columns: Vec<Column>,
    rows: Vec<Vec<Cell>>,
    for_people: Option<Box<Table>>,
}

impl Table {
    /// A table without rows.
    pub fn new(name: impl Into<String>, title: impl Into<String>, columns: impl IntoIterator<Item = Column>) -> Self {
        Self {
            name: name.into(),
            title: title.into(),
            note: String::new(),
            columns: columns.into_iter().collect(),
            rows: Vec::new(),
            for_people: None,
        }
    }

    /// The same with a remark for people.
    #[must_use]
    pub fn with_note(mut self, note: impl Into<String>) -> Self {
        self.note = note.into();
        self
    }

    /// Adds a row. Cells that lack are null, cells that no column expects are dropped.
    pub fn push(&mut self, cells: impl IntoIterator<Item = Cell>) {
        let mut row: Vec<Cell> = cells.into_iter().collect();
        row.resize(self.columns.len(), Cell::Null);
        self.rows.push(row);
    }

    /// Gives people another table to read in place of this one: a summary, or the same facts in another shape.
    #[must_use]
    pub fn shown_as(mut self, table: Self) -> Self {
        self.for_people = Some(Box::new(table));
        self
    }

    /// Spares people the columns in which nothing is known.
    #[must_use]
    pub fn sparing_empty(self) -> Self {
        let told = |k: &usize| self.rows.iter().any(|row| row[*k] != Cell::Null);
        let told: Vec<usize> = (0..self.columns.len()).filter(told).collect();
        let mut people = Self { for_people: None, ..self.clone() };
        people.columns = told.iter().map(|&k| self.columns[k].clone()).collect();
        people.rows = self.rows.iter().map(|row| told.iter().map(|&k| row[k].clone()).collect()).collect();
        self.shown_as(people)
    }

    /// The columns.
    pub fn columns(&self) -> &[Column] {
        &self.columns
    }

    /// The rows, each as long as the columns.
    pub fn rows(&self) -> &[Vec<Cell>] {
        &self.rows
    }

    /// What people read: another table where one was given, else this one.
    pub fn for_people(&self) -> &Self {
        self.for_people.as_deref().unwrap_or(self)
    }
}

impl Table {
    /// The table as CSV: the keys of the columns, then the rows; what is not known is empty.
    pub fn csv(&self) -> String {
        let mut writer = csv::Writer::from_writer(Vec::new());
        // Writing into memory does not fail, and all rows are as long as the header.
        let _ = writer.write_record(self.columns().iter().map(|column| column.key.as_str()));
        for row in self.rows() {
            let _ = writer.write_record(row.iter().map(Cell::raw));
        }
        String::from_utf8(writer.into_inner().unwrap_or_default()).unwrap_or_default()
    }

    /// The table as a JSON array of objects, one on each line, with the keys of the columns; what is not known is null.
    pub fn json(&self) -> String {
        format!("{}\n", self.array())
    }

    fn array(&self) -> String {
        let object = |row: &Vec<Cell>| serde_json::to_string(&Record(self.columns(), row)).unwrap_or_default();
        let objects: Vec<String> = self.rows().iter().map(object).collect();
        if objects.is_empty() { "[]".to_owned() } else { format!("[\n{}\n]", objects.join(",\n")) }
    }
}

/// Several tables as one JSON object, each under its name.
pub fn json_document<'a>(tables: impl IntoIterator<Item = &'a Table>) -> String {
    let key = |table: &Table| serde_json::to_string(&table.name).unwrap_or_default();
    let members: Vec<String> = tables.into_iter().map(|table| format!("{}:{}", key(table), table.array())).collect();
    format!("{{{}}}\n", members.join(",\n"))
}

impl Cell {
    /// What programs read in CSV: shortest digits that read back exactly, without unit.
    fn raw(&self) -> String {
        match self {
            Self::Text(text) => text.clone(),
            Self::Integer(value) => value.to_string(),
            Self::Flag(flag) => flag.to_string(),
            Self::Number { value, .. } => value.to_string(),
            Self::Null => String::new(),
        }
    }
}

struct Record<'a>(&'a [Column], &'a [Cell]);

impl Serialize for Record<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.len()))?;
        for (column, cell) in self.0.iter().zip(self.1) {
            map.serialize_entry(&column.key, cell)?;
        }
        map.end()
    }
}

/// Whole numbers of moderate size are written without a point: a size is 1024, not 1024.0.
const WHOLE: f64 = 9_007_199_254_740_992.0;

impl Serialize for Cell {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Text(text) => serializer.serialize_str(text),
            Self::Integer(value) => serializer.serialize_u64(*value),
            Self::Flag(flag) => serializer.serialize_bool(*flag),
            Self::Number { value, .. } if value.fract() == 0.0 && value.abs() < WHOLE => {
                serializer.serialize_i64(*value as i64)
            }
            Self::Number { value, .. } => serializer.serialize_f64(*value),
            Self::Null => serializer.serialize_none(),
        }
    }
}
