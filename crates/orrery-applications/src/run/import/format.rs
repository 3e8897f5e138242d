use std::fmt;
use std::str::FromStr;

use orrery_base::units::UnknownName;

use super::{caliper, extrap, hpl, table};
use orrery_base::json::Node;

/// A format of imported texts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum ImportFormat {
    /// Output of High-Performance Linpack and its variants.
    Hpl,
    /// Text input of Extra-P.
    Extrap,
    /// JSON lines of Extra-P or TaLPas.
    JsonLines,
    /// JSON of Extra-P.
    Json,
    /// A table with column names, whose fields are separated by commas, semicolons, tabs or blanks.
    Csv,
    /// A profile of Score-P or Scalasca.
    Cubex,
    /// A profile of Caliper.
    Caliper,
    /// A runs file.
    Runs,
}

impl ImportFormat {
    /// All formats.
    pub const ALL: [Self; 8] = [
        Self::Hpl,
        Self::Extrap,
        Self::JsonLines,
        Self::Json,
        Self::Csv,
        Self::Cubex,
        Self::Caliper,
        Self::Runs,
    ];

    /// The word on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Hpl => "hpl",
            Self::Extrap => "extrap",
            Self::JsonLines => "jsonl",
            Self::Json => "json",
            Self::Csv => "csv",
            Self::Cubex => "cubex",
            Self::Caliper => "caliper",
            Self::Runs => "runs",
        }
    }

    /// The format of a text by its content; `None` if it is not recognised.
    pub fn detect(text: &str) -> Option<Self> {
        let mut lines = text.lines().filter(|line| !line.trim().is_empty());
        let mut uncommented =
            text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'));
        let first = lines.next()?;
        if first.trim_start().starts_with(['{', '[']) {
            let object = Node::root(text).and_then(|root| root.object("an object"));
            return Some(match object {
                Ok(object) if object.get("format").is_some() => Self::Runs,
                Ok(object) if object.get("params").is_some() || object.get("value").is_some() => {
                    Self::JsonLines
                }
                Ok(object)
                    if object.get("measurements").is_some()
                        || object.get("parameters").is_some() =>
                {
                    Self::Json
                }
                Ok(_) => return None,
                Err(_) if first.contains("\"params\"") || is_talpas(first) => Self::JsonLines,
                Err(_) if text.contains("\"orrery-runs\"") => Self::Runs,
                Err(_) => Self::Json,
            });
        }
        if first.starts_with(caliper::START) {
            return Some(Self::Caliper);
        }
        if uncommented.next().is_some_and(extrap::is_keyword) {
            return Some(Self::Extrap);
        }
        if text.lines().any(hpl::is_hpl_line) {
            return Some(Self::Hpl);
        }
        table::is_table(text).then_some(Self::Csv)
    }
}

/// Returns true for a line of TaLPas, whose keys are separated by semicolons or commas.
fn is_talpas(line: &str) -> bool {
    line.contains("\"parameters\"")
        && line.contains("\"value\"")
        && !line.contains("\"measurements\"")
}

impl fmt::Display for ImportFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for ImportFormat {
    type Err = UnknownName;

    fn from_str(text: &str) -> Result<Self, UnknownName> {
        UnknownName::find("format", text, &Self::ALL, |format| format.name())
    }
}
