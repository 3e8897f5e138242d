use std::str::FromStr;

use orrery::model::{Model, ModelKind};

/// Kinds of models as they are listed on the command line.
#[derive(Debug, Clone, PartialEq)]
pub struct Kinds(Option<Vec<ModelKind>>);

impl Kinds {
    /// The kinds that are named; `None` for all.
    pub fn named(&self) -> Option<&[ModelKind]> {
        self.0.as_deref()
    }

    /// The kinds that are named, or all that the model holds.
    pub fn of(&self, model: &Model) -> Vec<ModelKind> {
        self.0.clone().unwrap_or_else(|| model.kinds())
    }
}

impl FromStr for Kinds {
    type Err = String;

    fn from_str(list: &str) -> Result<Self, String> {
        if list == "all" {
            return Ok(Self(None));
        }
        let kinds = list.split(',').map(|word| word.trim().parse());
        kinds.collect::<Result<Vec<_>, _>>().map(|kinds| Self(Some(kinds)))
    }
}
