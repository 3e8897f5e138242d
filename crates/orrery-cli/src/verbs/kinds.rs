use std::str::FromStr;
use std::sync::LazyLock;

use orrery::model::ModelKind;
use orrery::units::UnknownName;

/// The help of `--models` where samples are fitted.
pub fn fit_help() -> &'static str {
    static HELP: LazyLock<String> = LazyLock::new(|| help("all kinds that the samples identify"));
    &HELP
}

/// The help of `--models` where a model file is read.
pub fn model_help() -> &'static str {
    static HELP: LazyLock<String> = LazyLock::new(|| help("all kinds in the file"));
    &HELP
}

/// The help of `--models` with this meaning of `all`.
fn help(all: &str) -> String {
    format!("Kinds of models, separated by commas: all ({all}), or some of {}", ModelKind::names())
}

/// The kinds of models in a list on the command line; `None` for all.
#[derive(Debug, Clone, PartialEq)]
pub struct Kinds(Option<Vec<ModelKind>>);

impl Kinds {
    /// The named kinds; `None` for all.
    pub fn named(&self) -> Option<&[ModelKind]> {
        self.0.as_deref()
    }

    /// The named kinds; empty for all.
    pub fn list(&self) -> Vec<ModelKind> {
        self.0.clone().unwrap_or_default()
    }
}

impl FromStr for Kinds {
    type Err = UnknownName;

    fn from_str(list: &str) -> Result<Self, UnknownName> {
        if list == "all" {
            return Ok(Self(None));
        }
        let kinds = list.split(',').map(|word| word.trim().parse());
        kinds.collect::<Result<Vec<_>, _>>().map(|kinds| Self(Some(kinds)))
    }
}
