//! Arguments as values of the library: message sizes, kinds of models, ranks, confidence levels.

use std::path::PathBuf;
use std::str::FromStr;

use orrery::model::{Model, ModelKind};
use orrery::platform::Processor;
use orrery::request::{AlgorithmSelection, Algorithms, RequestError, Roots};
use orrery::units::{Bytes, SizeList};
use pyo3::buffer::{Element, PyBuffer};
use pyo3::prelude::*;
use pyo3::types::PyString;

use crate::error;

/// 2⁵³: all whole numbers up to it are floating-point numbers, too.
const MAX_EXACT_FLOAT: f64 = 9_007_199_254_740_992.0;

/// A text, or several.
#[derive(Debug, Clone, FromPyObject)]
pub(crate) enum Words {
    /// A text, such as a list with commas.
    One(String),
    /// Texts.
    Many(Vec<String>),
}

impl Words {
    /// The words, without commas.
    pub(crate) fn list(&self) -> Vec<&str> {
        match self {
            Self::One(text) => text.split(',').map(str::trim).collect(),
            Self::Many(texts) => texts.iter().map(String::as_str).collect(),
        }
    }

    /// The words as values.
    pub(crate) fn parse<T: FromStr<Err: std::error::Error>>(&self) -> PyResult<Vec<T>> {
        self.list().into_iter().map(parse).collect()
    }

    /// The words as values; `None` for the word `all`.
    pub(crate) fn all_or_parse<T: FromStr<Err: std::error::Error>>(
        &self,
    ) -> PyResult<Option<Vec<T>>> {
        if self.list() == ["all"] { Ok(None) } else { self.parse().map(Some) }
    }
}

/// A path, or several.
#[derive(Debug, Clone, FromPyObject)]
pub(crate) enum Paths {
    /// A path.
    One(PathBuf),
    /// Paths.
    Many(Vec<PathBuf>),
}

impl From<Paths> for Vec<PathBuf> {
    fn from(paths: Paths) -> Self {
        match paths {
            Paths::One(path) => vec![path],
            Paths::Many(paths) => paths,
        }
    }
}

/// A text as a value; the exception is an `InputError`.
pub(crate) fn parse<T: FromStr<Err: std::error::Error>>(text: &str) -> PyResult<T> {
    text.parse().map_err(error::input)
}

/// The named kinds of models; an empty list, which stands for all kinds of the model, if `models`
/// is not given or is the word `all`.
pub(crate) fn kinds(models: Option<&Words>) -> PyResult<Vec<ModelKind>> {
    let named = models.map(Words::all_or_parse).transpose()?;
    Ok(named.flatten().unwrap_or_default())
}

/// The algorithms that a call names: all for the word `all`, and the usual ones without a name.
pub(crate) fn algorithms(
    names: Option<&Words>,
    segments: Option<&Bound<'_, PyAny>>,
) -> PyResult<AlgorithmSelection> {
    let names = match names.map(Words::all_or_parse).transpose()? {
        None => Algorithms::Usual,
        Some(None) => Algorithms::All,
        Some(Some(list)) => Algorithms::Named(list),
    };
    Ok(AlgorithmSelection { names, segments: segments.map(sizes).transpose()? })
}

/// The kind of model that an argument names, or the only one of the model; an exception if none is
/// named and it does not have exactly one.
pub(crate) fn kind(argument: &str, name: Option<&str>, model: &Model) -> PyResult<ModelKind> {
    if let Some(name) = name {
        return parse(name);
    }
    match model.kinds()[..] {
        [only] => Ok(only),
        [] => Err(error::request(RequestError::NoCommunication)),
        ref several => {
            let names: Vec<&str> = several.iter().map(|kind| kind.name()).collect();
            Err(error::argument(format!(
                "{argument}: name a kind of model, one of {}",
                names.join(", ")
            )))
        }
    }
}

/// A number as a whole number that is not negative, such as a rank, a number of processors or a
/// dimension; `name` is the name of the argument in the exception.
pub(crate) fn whole<T: TryFrom<i64>>(name: &str, number: i64) -> PyResult<T> {
    let words = || error::argument(format!("{name} {number}: a whole number from 0 is expected"));
    T::try_from(number).map_err(|_| words())
}

/// A whole number if it is given.
pub(crate) fn optional<T: TryFrom<i64>>(name: &str, number: Option<i64>) -> PyResult<Option<T>> {
    number.map(|number| whole(name, number)).transpose()
}

/// A list with the whole number; empty if it is not given.
pub(crate) fn list<T: TryFrom<i64>>(name: &str, number: Option<i64>) -> PyResult<Vec<T>> {
    Ok(Vec::from_iter(optional(name, number)?))
}

/// A rank.
pub(crate) fn rank(name: &str, rank: i64) -> PyResult<Processor> {
    whole(name, rank).map(Processor)
}

/// The roots that an argument names: `all`, a rank, or several; an empty list, for the usual root,
/// if it is not given.
pub(crate) fn roots(root: Option<&Bound<'_, PyAny>>) -> PyResult<Roots> {
    let Some(root) = root else { return Ok(Roots::default()) };
    if let Ok(word) = root.cast::<PyString>() {
        let roots = word.to_str()?.parse::<Roots>();
        return roots.map_err(|error| error::argument(format!("root: {error}")));
    }
    let ranks = root.extract::<i64>().map(|one| vec![one]).or_else(|_| root.extract())?;
    if ranks.is_empty() {
        return Err(error::argument("root: name one rank or more"));
    }
    ranks.into_iter().map(|one| rank("root", one)).collect::<PyResult<_>>().map(Roots::Ranks)
}

/// Checks that a confidence level is between 0 and 1, both excluded, and returns it.
pub(crate) fn level(level: f64) -> PyResult<f64> {
    let is_valid = level > 0.0 && level < 1.0;
    is_valid.then_some(level).ok_or_else(|| {
        error::argument(format!("level {level}: it must lie between 0 and 1, such as 0.95"))
    })
}

/// Checks that a number is above 0 and finite, and returns it; `name` is the name of the argument.
pub(crate) fn positive(name: &str, number: f64) -> PyResult<f64> {
    let is_valid = number > 0.0 && number.is_finite();
    is_valid
        .then_some(number)
        .ok_or_else(|| error::argument(format!("{name} {number}: a number above 0 is expected")))
}

/// Message sizes: a number, a text such as `1K..1M`, a sequence, or an array of whole numbers.
pub(crate) fn sizes(sizes: &Bound<'_, PyAny>) -> PyResult<Vec<Bytes>> {
    if let Ok(text) = sizes.cast::<PyString>() {
        let list: SizeList = parse(text.to_str()?)?;
        return Ok(list.iter().collect());
    }
    if let Ok(size) = sizes.extract::<i64>() {
        return Ok(vec![bytes(size)?]);
    }
    if let Some(found) = of_buffer(sizes)? {
        return Ok(found);
    }
    // Lists, Series and columns of other libraries; whole numbers of other widths.
    let mut array = sizes.py().import("numpy")?.call_method1("asarray", (sizes,))?;
    let kind: String = array.getattr("dtype")?.getattr("kind")?.extract()?;
    if ["i", "u"].contains(&kind.as_str()) {
        array = array.call_method1("astype", ("int64",))?;
    }
    let found = of_buffer(&array)?;
    found.ok_or_else(|| {
        error::argument("sizes: whole numbers of bytes are expected, or a text such as \"1K..1M\"")
    })
}

/// The smallest and the largest size of a range: a text such as `1K..64K`, or two numbers.
pub(crate) fn size_range(range: &Bound<'_, PyAny>) -> PyResult<(Bytes, Bytes)> {
    let (low, high) = if let Ok(text) = range.cast::<PyString>() {
        let ends = text.to_str()?.split_once("..");
        let (low, high) = ends
            .ok_or_else(|| error::argument("a range of sizes is expected, such as \"1K..64K\""))?;
        (parse(low.trim())?, parse(high.trim())?)
    } else {
        let (low, high): (i64, i64) = range.extract()?;
        (bytes(low)?, bytes(high)?)
    };
    if low > high {
        return Err(error::argument(format!(
            "the range of sizes ends at {high}, before it begins at {low}"
        )));
    }
    Ok((low, high))
}

/// A size as a text such as `32K`, or a number.
pub(crate) fn size(size: &Bound<'_, PyAny>) -> PyResult<Bytes> {
    match sizes(size)?[..] {
        [one] => Ok(one),
        ref several => {
            let words =
                format!("size: one size is expected, such as \"1K\", not {}", several.len());
            Err(error::argument(words))
        }
    }
}

/// The sizes in a buffer of whole numbers; `None` if the object has no such buffer.
fn of_buffer(sizes: &Bound<'_, PyAny>) -> PyResult<Option<Vec<Bytes>>> {
    if let Some(values) = values::<i64>(sizes)? {
        return values.into_iter().map(bytes).collect::<PyResult<_>>().map(Some);
    }
    if let Some(values) = values::<u64>(sizes)? {
        return Ok(Some(values.into_iter().map(Bytes::new).collect()));
    }
    if let Some(values) = values::<f64>(sizes)? {
        return values.into_iter().map(exact).collect::<PyResult<_>>().map(Some);
    }
    Ok(None)
}

/// The values of a buffer with one dimension; `None` if the object has no buffer of this type.
fn values<T: Element>(object: &Bound<'_, PyAny>) -> PyResult<Option<Vec<T>>> {
    let Ok(buffer) = PyBuffer::<T>::get(object) else { return Ok(None) };
    if buffer.dimensions() != 1 {
        return Err(error::argument(format!(
            "sizes: an array of 1 dimension is expected, not of {}",
            buffer.dimensions()
        )));
    }
    buffer.to_vec(object.py()).map(Some)
}

/// A size that is a whole number of bytes, 0 or more.
fn bytes(size: i64) -> PyResult<Bytes> {
    u64::try_from(size).map(Bytes::new).map_err(|_| no_size(size))
}

/// A size that is a whole number of bytes, 0 or more, as a floating-point number.
fn exact(size: f64) -> PyResult<Bytes> {
    let is_whole = size.fract() == 0.0 && (0.0..MAX_EXACT_FLOAT).contains(&size);
    if is_whole { Ok(Bytes::new(size as u64)) } else { Err(no_size(size)) }
}

/// The exception for a number that is no size.
fn no_size(size: impl std::fmt::Display) -> PyErr {
    error::argument(format!("sizes: {size} is no number of bytes; give whole numbers from 0"))
}
