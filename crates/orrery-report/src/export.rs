//! Tables for programs: CSV and JSON, in SI units.

use serde::ser::{Serialize, SerializeMap, Serializer};

use super::table::{Cell, Column, Table};

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
