use std::fmt;

/// JSON in a layout for reading and line-by-line comparison: objects over several lines, arrays of
/// numbers on one line.
#[derive(Debug)]
pub enum Layout {
    /// JSON text on one line.
    Line(String),
    /// An array with one line for each entry.
    Rows(Vec<String>),
    /// An array of layouts.
    Array(Vec<Layout>),
    /// An object with one entry after the other.
    Object(Vec<(String, Layout)>),
}

impl Layout {
    /// Returns the layout of a string.
    pub fn string(text: &str) -> Self {
        Self::Line(quote(text))
    }

    /// Writes the layout, indented by `depth` levels.
    fn write(&self, f: &mut fmt::Formatter<'_>, depth: usize) -> fmt::Result {
        let (open, close) = match self {
            Self::Line(line) => return f.write_str(line),
            Self::Rows(rows) if rows.is_empty() => return f.write_str("[]"),
            Self::Array(entries) if entries.is_empty() => return f.write_str("[]"),
            Self::Object(entries) if entries.is_empty() => return f.write_str("{}"),
            Self::Rows(_) | Self::Array(_) => ('[', ']'),
            Self::Object(_) => ('{', '}'),
        };
        write!(f, "{open}")?;
        let next = |f: &mut fmt::Formatter<'_>, first: bool| {
            let comma = if first { "" } else { "," };
            write!(f, "{comma}\n{:width$}", "", width = 2 * (depth + 1))
        };
        match self {
            Self::Line(_) => {}
            Self::Rows(rows) => {
                for (place, row) in rows.iter().enumerate() {
                    next(f, place == 0)?;
                    f.write_str(row)?;
                }
            }
            Self::Array(entries) => {
                for (place, entry) in entries.iter().enumerate() {
                    next(f, place == 0)?;
                    entry.write(f, depth + 1)?;
                }
            }
            Self::Object(entries) => {
                for (place, (key, value)) in entries.iter().enumerate() {
                    next(f, place == 0)?;
                    write!(f, "{}: ", quote(key))?;
                    value.write(f, depth + 1)?;
                }
            }
        }
        write!(f, "\n{:width$}{close}", "", width = 2 * depth)
    }
}

/// Returns values, each by its JSON text, as a JSON array on one line.
pub fn list<T: ToString>(values: impl IntoIterator<Item = T>) -> String {
    let words: Vec<String> = values.into_iter().map(|value| value.to_string()).collect();
    format!("[{}]", words.join(", "))
}

/// Returns values that are JSON already, by their keys, as a JSON object on one line.
pub fn object<K: AsRef<str>>(entries: impl IntoIterator<Item = (K, String)>) -> String {
    let entry = |(key, value): (K, String)| format!("{}: {value}", quote(key.as_ref()));
    format!("{{{}}}", entries.into_iter().map(entry).collect::<Vec<_>>().join(", "))
}

/// Returns the text as a JSON string.
pub fn quote(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

impl fmt::Display for Layout {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.write(f, 0)
    }
}
