use std::fs;
use std::path::Path;

use serde_json::error::Category;

use super::error::{Fault, ModelError, Refused};
use super::node::{Node, Result};
use super::place::byte_at;
use super::summary::{Unread, Warning};
use super::{FORMAT, VERSION, kinds, processors, provenance};
use crate::model::Model;

/// A model file that was read.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Loaded {
    /// The model.
    pub model: Model,
    /// What the caller should be told.
    pub warnings: Vec<Warning>,
}

/// Reads a model file.
///
/// # Errors
///
/// A file that cannot be opened, and whatever [`parse`] refuses.
pub fn read(path: impl AsRef<Path>) -> std::result::Result<Loaded, ModelError> {
    let path = path.as_ref();
    let content =
        fs::read(path).map_err(|reason| ModelError::System { path: path.to_owned(), doing: "read", reason })?;
    parse(content, path)
}

/// Reads the content of a model file; `name` is its name in errors and warnings.
///
/// # Errors
///
/// The first thing that is wrong, with its line, its column and its place in the JSON.
pub fn parse(content: impl AsRef<[u8]>, name: impl AsRef<Path>) -> std::result::Result<Loaded, ModelError> {
    let (content, path) = (content.as_ref(), name.as_ref());
    let content = content.strip_prefix("\u{feff}".as_bytes()).unwrap_or(content);
    match std::str::from_utf8(content) {
        Ok(text) => root(text).and_then(|root| model(root, text, path)).map_err(|refused| refused.in_text(text, path)),
        Err(error) => {
            let before = String::from_utf8_lossy(&content[..error.valid_up_to()]);
            Err(Refused { byte: before.len(), fault: Fault::NotText }.in_text(&before, path))
        }
    }
}

/// The outermost value of a text.
fn root(text: &str) -> Result<Node<'_>> {
    if text.trim().is_empty() {
        return Err(Refused { byte: 0, fault: Fault::Empty });
    }
    if text.starts_with('#') || text.starts_with("experiment,") {
        return Err(Refused { byte: 0, fault: Fault::Samples });
    }
    Node::root(text).map_err(|error| {
        let byte = byte_at(text, error.line(), error.column());
        let words = error.to_string();
        let reason = words.split(" at line ").next().unwrap_or_default().to_owned();
        // A number that is cut off behind its point or its e is no number any more.
        let cut = reason == "invalid number" && byte + 1 >= text.len();
        let torn = cut || error.classify() == Category::Eof;
        if torn {
            return Refused { byte: text.trim_end().len(), fault: Fault::Truncated };
        }
        Refused { byte, fault: Fault::Syntax { reason } }
    })
}

fn model(root: Node, text: &str, path: &Path) -> Result<Loaded> {
    let file = root.object("an object, such as {\"format\": \"orrery-model\", \"version\": 1, \"models\": {…}}")?;
    let format = file.needed("format", "\"orrery-model\"")?;
    let found = format.string("\"orrery-model\"")?;
    if found != FORMAT {
        return Err(format.refuse(Fault::Format { found }));
    }
    let version = file.needed("version", "1")?;
    if version.whole("1, the version of the format")? != VERSION {
        return Err(version.refuse(Fault::Version { found: version.text().to_owned() }));
    }
    let mut unread = Unread::new(path, text);
    unread.keys(&file, &["format", "version", "provenance", "processors", "models"]);
    let mut model = Model::default();
    if let Some(node) = file.get("provenance") {
        (model.provenance, model.measured) = provenance::read(node)?;
    }
    let models = file.needed("models", "{\"hockney\": {…}, \"lmo\": {…}}")?;
    let models = models.object("an object with the models by name")?;
    model.hosts = match file.get("processors") {
        Some(node) => processors::read(node, &mut unread)?,
        None => vec![String::new(); inferred(&models)?],
    };
    let processors = model.hosts.len();
    kinds::read(&models, processors, &mut model, &mut unread)?;
    Ok(Loaded { warnings: unread.warnings(&model), model })
}

/// The number of processors of a file that does not list them.
fn inferred(models: &super::node::Object) -> Result<usize> {
    match kinds::infer(models)? {
        Some(processors) => Ok(processors),
        None if models.iter().next().is_none() => Ok(0),
        None => Err(models.node.refuse(Fault::HowMany)),
    }
}
