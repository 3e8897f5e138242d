use std::path::Path;

use super::warning::{UnknownKeys, Warning};
use super::{
    FILE, VERSION, application, corrections, discrepancies, error, header, host_memory, kernels,
    measurements, models as all_models, point_to_point, sharing,
};
use crate::model::Model;
use orrery_base::budget::Budget;
use orrery_base::file::{self, Fault, FaultKind, FileError, FileKind, Result};
use orrery_base::json::{self, Layout, Node, Object, quote};

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
    json::read(content, path, |text| model(root(text)?, text, path))
}

/// Parses a text and returns its outermost value.
fn root(text: &str) -> Result<Node<'_>> {
    if text.trim().is_empty() {
        return Err(no_model("the file is empty"));
    }
    if text.starts_with('#') || text.starts_with("experiment,") {
        return Err(no_model("this is a samples file"));
    }
    Node::root(text)
}

/// The fault of a content that is no model file.
fn no_model(message: &str) -> Fault {
    Fault::new(message).of_kind(FaultKind::Format(FileKind::Model)).at(0)
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
            host_memory::KEY,
            "processors",
            "models",
        ],
    );
    let mut model = Model::default();
    if let Some(node) = file.get("provenance") {
        (model.provenance, model.measured) = header::read_provenance(node)?;
    }
    if let Some(node) = file.get(measurements::KEY) {
        model.measurements = measurements::read(node, &mut unknown)?;
    }
    if let Some(node) = file.get(discrepancies::KEY) {
        model.discrepancies = discrepancies::read(node, &mut unknown)?;
    }
    if let Some(node) = file.get(corrections::KEY) {
        model.corrections = corrections::read(node, &mut unknown)?;
    }
    if let Some(node) = file.get(kernels::KEY) {
        model.kernels = kernels::read(node, &mut unknown)?;
    }
    if let Some(node) = file.get(host_memory::KEY) {
        model.host_memory = host_memory::read(node)?;
    }
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
        (corrections::KEY, corrections::write(&model.corrections)),
        (kernels::KEY, kernels::write(&model.kernels)),
        (host_memory::KEY, host_memory::write(&model.host_memory)),
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
    let fault = root(text).and_then(|root| model(root, text, Path::new(""))).err()?;
    let byte = fault.byte().unwrap_or(0);
    let word = text[byte..].split([',', ']', '}', '\n']).next().unwrap_or_default();
    let fault = match word.trim().parse::<f64>() {
        Ok(value) if !value.is_finite() => error::not_finite(value),
        _ => fault,
    };
    Some(fault.within(json::json_path(text, byte)))
}

/// Writes a model file atomically; an existing file is replaced as a whole or left unchanged.
///
/// # Errors
///
/// All errors of [`to_text`] and of the operating system.
pub fn write(path: impl AsRef<Path>, model: &Model) -> Result<(), FileError> {
    let path = path.as_ref();
    file::write(path, FILE, to_text(model)?.as_bytes(), true)
}
