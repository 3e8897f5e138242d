use std::collections::BTreeSet;
use std::path::Path;

use super::warning::{UnknownKeys, Warning};
use super::{
    FILE, VERSION, application, corrections, discrepancies, error, header, kernels, measurements,
    models as all_models, point_to_point, sharing,
};
use crate::comm::{ParameterSet, Thresholds};
use crate::model::{Model, ModelKind};
use orrery_base::budget::Budget;
use orrery_base::file::{self, Fault, FileError, FileKind, OutputFormat, Result};
use orrery_base::json::{self, Layout, Node, Object, quote};
use orrery_base::units::Bytes;
use orrery_cluster::sharing::FittedLaw;

/// A model file that was read.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Loaded {
    /// The model.
    pub model: Model,
    /// Warnings about content that is ignored.
    pub warnings: Vec<Warning>,
}

/// Reads a model file.
///
/// # Errors
///
/// A file that cannot be opened, and all errors of [`parse`].
pub fn read(path: impl AsRef<Path>) -> Result<Loaded, FileError> {
    let path = path.as_ref();
    parse(file::read(path, FILE)?, path)
}

/// Reads the content of a model file; `name` is its name in errors and warnings.
///
/// # Errors
///
/// The first error, with its line, its column and its path in the JSON.
pub fn parse(content: impl AsRef<[u8]>, name: impl AsRef<Path>) -> Result<Loaded, FileError> {
    let (content, path) = (content.as_ref(), name.as_ref());
    json::read(content, path, FileKind::Model, |text| model(Node::root(text)?, text, path))
}

/// Reads a model from the outermost value of the file.
fn model(root: Node, text: &str, path: &Path) -> Result<Loaded> {
    let file = root.object(
        "an object, such as {\"format\": \"orrery-model\", \"version\": 1, \"models\": {…}}",
    )?;
    json::check_format(&file, FileKind::Model, VERSION)?;
    let mut unknown = UnknownKeys::new(path, text);
    unknown.note_keys(
        &file,
        &[
            "format",
            "version",
            "provenance",
            measurements::KEY,
            discrepancies::KEY,
            corrections::KEY,
            kernels::KEY,
            header::HOST_MEMORY,
            "processors",
            "models",
        ],
    );
    let mut model = Model::default();
    (model.provenance, model.measured) = file.optional("provenance", header::read_provenance)?;
    model.measurements =
        file.optional(measurements::KEY, |node| measurements::read(node, &mut unknown))?;
    model.discrepancies =
        file.optional(discrepancies::KEY, |node| discrepancies::read(node, &mut unknown))?;
    for (kind, errors) in
        file.optional(corrections::KEY, |node| corrections::read(node, &mut unknown))?
    {
        model.discrepancies.entry(kind).or_default().collectives.extend(errors);
    }
    model.kernels = file.optional(kernels::KEY, |node| kernels::read(node, &mut unknown))?;
    model.host_memory = file.optional(header::HOST_MEMORY, header::read_host_memory)?;
    let models = file.needed("models", "{\"hockney\": {…}, \"lmo\": {…}}")?;
    let models = models.object("an object with the models by name")?;
    model.hosts = match file.get("processors") {
        Some(node) => header::read_processors(node, &mut unknown)?,
        None => vec![String::new(); inferred(&models)?],
    };
    let processors = model.hosts.len();
    let budget = Budget::of_input(text.len() as u64);
    all_models::read(&models, processors, budget, &mut model, &mut unknown)?;
    Ok(Loaded { warnings: unknown.warnings(&model), model })
}

/// Returns the number of processors of a file that does not list them.
fn inferred(models: &Object) -> Result<usize> {
    match point_to_point::infer_processors(models)? {
        Some(processors) => Ok(processors),
        None if models.iter().all(|(key, _)| [application::KEY, sharing::KEY].contains(&key)) => {
            Ok(0)
        }
        None => Err(models.node.refuse(
            "the number of processors is missing; add \"processors\": \
            [{\"rank\": 0, \"host\": \"a\"}, …]",
        )),
    }
}

/// Returns the text of a model file, with one line for each array, so that files can be compared
/// line by line.
///
/// # Errors
///
/// A model that could not be read back: a number that is not finite, a negative delay, a value
/// outside its interval, a parameter for another number of processors, a missing parameter.
pub fn to_text(model: &Model) -> Result<String, FileError> {
    let refuse = FileError::unwritable(FILE);
    let mut entries = vec![
        ("format".into(), Layout::Line(quote(FileKind::Model.format()))),
        ("version".into(), Layout::Line(VERSION.to_string())),
        (
            "provenance".into(),
            header::write_provenance(&model.provenance, model.measured).map_err(&refuse)?,
        ),
    ];
    let measured = [
        (measurements::KEY, measurements::write(&model.measurements)),
        (discrepancies::KEY, discrepancies::write(&model.discrepancies)),
        (kernels::KEY, kernels::write(&model.kernels)),
        (header::HOST_MEMORY, header::write_host_memory(&model.host_memory)),
    ];
    entries.extend(measured.into_iter().filter_map(|(key, part)| Some((key.into(), part?))));
    entries.push(("processors".into(), header::write_processors(&model.hosts)));
    entries.push(("models".into(), all_models::write(model).map_err(&refuse)?));
    let text = format!("{}\n", Layout::Object(entries));
    match unreadable(&text) {
        Some(fault) => Err(refuse(fault)),
        None => Ok(text),
    }
}

/// The fault of a written text that cannot be read back, with its path: values are checked in one
/// place, where they are read. `None` if it can be read.
fn unreadable(text: &str) -> Option<Fault> {
    let fault = Node::root(text).and_then(|root| model(root, text, Path::new(""))).err()?;
    let byte = fault.byte().unwrap_or(0);
    let word = text[byte..].split([',', ']', '}', '\n']).next().unwrap_or_default();
    let fault = match word.trim().parse::<f64>() {
        Ok(value) if !value.is_finite() => error::not_finite(value),
        _ => fault,
    };
    Some(fault.within(json::json_path(text, byte)))
}

/// The format of the file.
pub const FORMAT: OutputFormat = OutputFormat::new(FILE, FileKind::Model);

/// Writes a model file atomically; an existing one is replaced as a whole or left unchanged, a file
/// of another kind is never replaced.
///
/// # Errors
///
/// All errors of [`to_text`] and of the operating system.
pub fn write(path: impl AsRef<Path>, model: &Model) -> Result<(), FileError> {
    let path = path.as_ref();
    file::write(path, FORMAT, to_text(model)?.as_bytes(), true)
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
    /// The number of models of kernels.
    pub kernels: usize,
    /// The number of measured algorithms of collective operations.
    pub algorithms: usize,
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
    let measured = model.discrepancies.values().flat_map(|all| &all.collectives);
    let algorithms = measured.map(|one| one.algorithm).collect::<BTreeSet<_>>().len();
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
        algorithms,
        warnings: loaded.warnings,
    })
}
