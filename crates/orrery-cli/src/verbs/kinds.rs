use std::str::FromStr;
use std::sync::LazyLock;

use orrery::model::{Model, ModelKind};
use orrery::schedule::Algorithm;

/// The help of `--models` where samples are fitted.
pub fn fit_help() -> &'static str {
    static HELP: LazyLock<String> = LazyLock::new(|| help("all that the samples identify"));
    &HELP
}

/// The help of `--models` where a model file is read.
pub fn model_help() -> &'static str {
    static HELP: LazyLock<String> = LazyLock::new(|| help("all that the file holds"));
    &HELP
}

fn help(all: &str) -> String {
    format!("List the kinds of models, with commas between: all ({all}), or some of {}", ModelKind::names())
}

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

/// Algorithms of collective operations as they are listed on the command line: `all`, or some with commas between.
#[derive(Debug, Clone, PartialEq)]
pub struct Algorithms(Vec<Algorithm>);

impl Algorithms {
    /// The algorithms.
    pub fn list(&self) -> &[Algorithm] {
        &self.0
    }
}

impl FromStr for Algorithms {
    type Err = String;

    fn from_str(list: &str) -> Result<Self, String> {
        if list == "all" {
            return Ok(Self(Algorithm::ALL.to_vec()));
        }
        list.split(',').map(|word| word.trim().parse()).collect::<Result<Vec<_>, _>>().map(Self)
    }
}
