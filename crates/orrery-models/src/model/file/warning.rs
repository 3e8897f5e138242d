use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use super::application;
use crate::model::Model;
use orrery_base::file::Fault;
use orrery_base::json::{Node, Object, json_path};
use orrery_base::names::advice;

/// A warning about content of a model file that is ignored.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}: {fault}", path.display())]
pub struct Warning {
    /// The file.
    pub path: PathBuf,
    /// What is ignored, with its path in the JSON, and what to do.
    pub fault: Fault,
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
    pub(super) fn note_keys(&mut self, object: &Object, known: &[&str]) {
        for (key, node) in object.iter().filter(|(key, _)| !known.contains(key)) {
            self.note(key, node, "unknown key, ignored", &advice(key, "keys here", known));
        }
    }

    /// Records an unknown model; `known` lists the names of all models.
    pub(super) fn note_model(&mut self, key: &str, node: Node, known: &[&str]) {
        self.note(key, node, "unknown model, ignored", &advice(key, "models", known));
    }

    /// Records an unknown name once, with the advice about those that are known.
    fn note(&mut self, key: &str, node: Node, what: &str, advice: &str) {
        if self.keys.len() < MAX_WARNINGS && self.keys.insert(key.to_owned()) {
            let fault = Fault::new(format!("{what}; {advice}: check the spelling"));
            self.warn(fault.within(json_path(self.text, node.byte)));
        }
    }

    /// Adds a warning.
    fn warn(&mut self, fault: Fault) {
        self.warnings.push(Warning { path: self.path.to_owned(), fault });
    }

    /// Returns the warnings, and one more if the model is empty.
    pub(super) fn warnings(mut self, model: &Model) -> Vec<Warning> {
        let others = application::regions(model) > 0
            || !model.sharing.is_empty()
            || !model.thresholds.is_empty()
            || !model.kernels.is_empty();
        if model.kinds().is_empty() && !others {
            self.warn("the file has no model that this version can use".into());
        }
        self.warnings
    }
}
