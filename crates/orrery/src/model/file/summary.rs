use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use super::{ModelError, models, read};
use crate::comm::{ParameterSet, Thresholds};
use crate::json::{Node, Object, json_path};
use crate::model::{Model, ModelKind};
use crate::sharing::FittedLaw;
use crate::units::Bytes;

/// A warning about content of a model file that is ignored.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Warning {
    /// A model that this version does not support.
    #[error(
        "{}: {place}: unknown model, ignored; models are {}: check the spelling", path.display(), models::names()
    )]
    UnknownModel {
        /// The file.
        path: PathBuf,
        /// Its path in the JSON, such as `models.hokney`.
        place: String,
    },
    /// A key that the format does not contain.
    #[error("{}: {place}: unknown key, ignored; keys here are {}: check the spelling", path.display(), known.join(", "))]
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

/// A summary of a model file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Summary {
    /// The kinds of communication models in it.
    pub kinds: Vec<ModelKind>,
    /// The number of processors.
    pub processors: usize,
    /// The smallest and the largest message that was measured.
    pub measured: Option<(Bytes, Bytes)>,
    /// The number of numeric values.
    pub parameters: usize,
    /// The number of values with an interval.
    pub with_interval: usize,
    /// The number of regions of the application.
    pub regions: usize,
    /// The names of its fitted sharing laws.
    pub sharing: Vec<&'static str>,
    /// The number of linear operations with thresholds.
    pub thresholds: usize,
    /// Warnings about content that is ignored.
    pub warnings: Vec<Warning>,
}

/// Checks a model file and returns a summary of it.
///
/// # Errors
///
/// All errors of [`read`].
pub fn check(path: impl AsRef<Path>) -> Result<Summary, ModelError> {
    let loaded = read(path)?;
    let model = &loaded.model;
    let shared: Vec<_> = model.sharing.iter().flat_map(FittedLaw::estimates).collect();
    let bounds: Vec<_> = model.thresholds.iter().flat_map(Thresholds::estimates).collect();
    let sets = model.point_to_point.values().flat_map(ParameterSet::iter);
    let point_to_point = sets.flat_map(|values| &values.estimates);
    let (mut parameters, mut with_interval) = (0, 0);
    let regions = model.application.iter().flat_map(|application| &application.regions);
    let terms = regions.clone().filter_map(|region| region.model.as_terms());
    let terms = terms.flat_map(|model| model.coefficients.iter().map(|c| &c.estimate));
    let paper = regions.clone().filter_map(|region| region.model.as_paper());
    // An N-T model has seven coefficients, a P-T model five; they have no intervals.
    parameters += paper.map(|model| 7 * model.nt_models.len() + 5 * model.pt_models.len()).sum::<usize>();
    let regions = regions.count();
    let sharing = model.sharing.iter().map(|law| law.kind().name).collect();
    let thresholds = model.thresholds.len();
    let shared = shared.into_iter().chain(bounds.iter().map(|(_, estimate)| estimate));
    for estimate in point_to_point.chain(terms).chain(shared) {
        parameters += 1;
        with_interval += usize::from(estimate.interval.is_some());
    }
    let (kinds, processors, measured) = (model.kinds(), model.processors(), model.measured);
    let warnings = loaded.warnings;
    Ok(Summary { kinds, processors, measured, parameters, with_interval, regions, sharing, thresholds, warnings })
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

    /// Records an unknown model.
    pub(super) fn note_model(&mut self, key: &str, node: Node) {
        if self.keys.len() < MAX_WARNINGS && self.keys.insert(key.to_owned()) {
            let (path, place) = (self.path.to_owned(), json_path(self.text, node.byte));
            self.warnings.push(Warning::UnknownModel { path, place });
        }
    }

    /// Returns the warnings, and one more if the model is empty.
    pub(super) fn warnings(mut self, model: &Model) -> Vec<Warning> {
        let others = model.application.is_some() || !model.sharing.is_empty() || !model.thresholds.is_empty();
        if model.kinds().is_empty() && !others {
            self.warnings.push(Warning::NoModel { path: self.path.to_owned() });
        }
        self.warnings
    }
}
