//! The configurations of runs by the files that hold them.

use std::path::{Path, PathBuf};

use super::error;
use super::name_pattern::{FileProperties, NamePattern};
use super::table::Layout;
use crate::run::Configuration;
use orrery_base::file::{Fault, FileError, Result};
use orrery_base::json;

/// The configuration of the runs of each file: by a pattern of its name, or by a table.
#[derive(Debug, Clone, PartialEq)]
pub enum FileConfigurations {
    /// Fields of the name are the configuration and variables.
    Pattern(NamePattern),
    /// File names, or the ends of their paths, with the configurations.
    Table(Vec<(PathBuf, Configuration)>),
}

/// The columns of the table.
const COLUMNS: [&str; 2] = ["file", "configuration"];

impl FileConfigurations {
    /// Reads a table with the columns `file` and `configuration`; `name` is its name in errors.
    ///
    /// # Errors
    ///
    /// The first fault, with its line and column.
    pub fn parse_table(
        content: impl AsRef<[u8]>,
        name: impl AsRef<Path>,
    ) -> Result<Self, FileError> {
        let path = name.as_ref();
        let text = json::text(content.as_ref()).map_err(|(_, before)| {
            FileError::located(path, &before, error::not_text().at(before.len()))
        })?;
        let files = files(text).map_err(|fault| FileError::located(path, text, fault))?;
        Ok(Self::Table(files))
    }

    /// What a file's name says about its runs; `None` if it does not match or is not in the table.
    pub(super) fn properties(&self, path: &Path) -> Option<FileProperties> {
        match self {
            Self::Pattern(pattern) => pattern.properties(path),
            Self::Table(files) => {
                let (_, configuration) = files.iter().find(|(file, _)| path.ends_with(file))?;
                Some(FileProperties { configuration: configuration.clone(), variables: Vec::new() })
            }
        }
    }
}

/// The rows of the table.
fn files(text: &str) -> Result<Vec<(PathBuf, Configuration)>> {
    let Some(layout) = Layout::read(text)? else {
        return Err(error::column(COLUMNS[0], &[]).at(0));
    };
    let place = |column: &str| {
        let found = layout.names.iter().position(|name| name == column);
        found.ok_or_else(|| error::column(column, &layout.names).at(layout.byte))
    };
    let (file, configuration) = (place(COLUMNS[0])?, place(COLUMNS[1])?);
    let mut files: Vec<(PathBuf, Configuration)> = Vec::new();
    for (byte, fields) in &layout.rows {
        let field = &fields[configuration];
        let at = byte + field.start;
        let parsed = field.text.parse().map_err(|error| Fault::new(error).at(at))?;
        let path = PathBuf::from(&*fields[file].text);
        if files.iter().any(|(other, _)| *other == path) {
            let name = fields[file].text.to_string();
            return Err(error::twice("the file", &name).at(*byte));
        }
        files.push((path, parsed));
    }
    Ok(files)
}
