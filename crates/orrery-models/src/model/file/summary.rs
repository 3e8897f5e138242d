use std::collections::BTreeSet;
use std::path::Path;

use super::warning::Warning;
use super::{application, read};
use crate::comm::{ParameterSet, Thresholds};
use crate::model::ModelKind;
use orrery_base::file::FileError;
use orrery_base::units::Bytes;
use orrery_cluster::sharing::FittedLaw;

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
    /// The number of models of kernels.
    pub kernels: usize,
    /// The number of algorithms of collective operations with a correction for some model.
    pub corrections: usize,
    /// Warnings about content that is ignored.
    pub warnings: Vec<Warning>,
}

/// Checks a model file and returns a summary of it.
///
/// # Errors
///
/// All errors of [`read`].
pub fn check(path: impl AsRef<Path>) -> Result<Summary, FileError> {
    let loaded = read(path)?;
    let model = &loaded.model;
    let shared: Vec<_> = model.sharing.iter().flat_map(FittedLaw::estimates).collect();
    let bounds: Vec<_> = model.thresholds.iter().flat_map(Thresholds::estimates).collect();
    let sets = model.point_to_point.values().flat_map(ParameterSet::iter);
    let point_to_point = sets.flat_map(|values| &values.estimates);
    let (mut parameters, mut with_interval) = (0, 0);
    parameters += application::exact_coefficients(model);
    let regions = application::regions(model);
    let sharing = model.sharing.iter().map(|law| law.kind().name).collect();
    let thresholds = model.thresholds.len();
    let off = model.corrections.values().flatten().filter(|(_, correction)| !correction.is_plain());
    let corrections = off.map(|(algorithm, _)| algorithm).collect::<BTreeSet<_>>().len();
    let kernels =
        model.kernels.iter().flat_map(|one| &one.model.pieces).flat_map(|piece| &piece.terms);
    let kernels: Vec<_> = kernels.map(|one| one.coefficient).collect();
    let shared = shared.into_iter().chain(bounds.iter().map(|(_, estimate)| estimate));
    for estimate in
        point_to_point.chain(application::estimates(model)).chain(shared).chain(&kernels)
    {
        parameters += 1;
        with_interval += usize::from(estimate.interval.is_some());
    }
    Ok(Summary {
        kinds: model.kinds(),
        processors: model.processors(),
        measured: model.measured,
        parameters,
        with_interval,
        regions,
        sharing,
        thresholds,
        kernels: model.kernels.len(),
        corrections,
        warnings: loaded.warnings,
    })
}
