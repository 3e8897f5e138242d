use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use super::application;
use crate::model::Model;
use orrery_base::json::{Node, Object, json_path};

/// A warning about content of a model file that is ignored.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Warning {
    /// A model that this version does not support.
    #[error(
        "{}: {place}: unknown model, ignored; models are {known}: check the \
            spelling", path.display()
    )]
    UnknownModel {
        /// The file.
        path: PathBuf,
        /// Its path in the JSON, such as `models.hokney`.
        place: String,
        /// The names of the models.
        known: String,
    },
    /// A key that the format does not contain.
    #[error("{}: {place}: unknown key, ignored; keys here are {}: check the \
        spelling", path.display(), known.join(", "))]
    UnknownKey {
        /// The file.
        path: PathBuf,
        /// Its path in the JSON, such as `models.lmo.fixed_delay.lows`; the first one of several.
        place: String,
        /// The keys that are valid there.
        known: Vec<&'static str>,
    },
    /// The file has no model that this version supports.
    #[error("{}: the file has no model that this version can use", path.display())]
    NoModel {
        /// The file.
        path: PathBuf,
    },
}

/// The largest number of warnings about unknown keys; further ones are omitted.
const MAX_WARNINGS: usize = 20;

/// A collector of the unknown keys and models of a file.
pub(super) struct UnknownKeys<'a> {
    path: &'a Path,
    text: &'a str,
    keys: BTreeSet<String>,
    warnings: Vec<Warning>,
}

impl<'a> UnknownKeys<'a> {
    /// Creates an empty collector for a file.
    pub(super) fn new(path: &'a Path, text: &'a str) -> Self {
        Self { path, text, keys: BTreeSet::new(), warnings: Vec::new() }
    }

    /// Records the unknown keys of an object, each once.
    pub(super) fn note_keys(&mut self, object: &Object, known: &[&'static str]) {
        for (key, node) in object.iter().filter(|(key, _)| !known.contains(key)) {
            if self.keys.len() < MAX_WARNINGS && self.keys.insert(key.to_owned()) {
                let (path, place) = (self.path.to_owned(), json_path(self.text, node.byte));
                self.warnings.push(Warning::UnknownKey { path, place, known: known.to_vec() });
            }
        }
    }

    /// Records an unknown model; `known` lists the names of all models.
    pub(super) fn note_model(&mut self, key: &str, node: Node, known: String) {
        if self.keys.len() < MAX_WARNINGS && self.keys.insert(key.to_owned()) {
            let (path, place) = (self.path.to_owned(), json_path(self.text, node.byte));
            self.warnings.push(Warning::UnknownModel { path, place, known });
        }
    }

    /// Returns the warnings, and one more if the model is empty.
    pub(super) fn warnings(mut self, model: &Model) -> Vec<Warning> {
        let others = application::regions(model) > 0
            || !model.sharing.is_empty()
            || !model.thresholds.is_empty();
        let others = others || !model.kernels.is_empty();
        if model.kinds().is_empty() && !others {
            self.warnings.push(Warning::NoModel { path: self.path.to_owned() });
        }
        self.warnings
    }
}
