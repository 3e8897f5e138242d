//! The corrections of algorithms:
//! `{"lmo": {"bcast/binomial": {"spread": 0.02, "degrees": 5, "procs": [6, 6], "roots": [0], "pieces": [{"sizes": [1024, 65536], "factor": 1.3, "low": 1.25, "high": 1.35, "level": 0.95, "rows": 6, "error": 0.01}]}}, …}`.

use std::collections::BTreeMap;

use super::error::{self, wrong_measurement as wrong};
use super::warning::UnknownKeys;
use crate::model::correction::{MAX_DEVIATION, MAX_FACTOR};
use crate::model::{
    CollectiveAlgorithm, Correction, CorrectionPiece, Corrections, ModelKind, UnknownAlgorithm,
};
use orrery_base::file::Result;
use orrery_base::json::{Layout, Node, Object, list};
use orrery_base::numeric::{Estimate, Interval};
use orrery_base::units::{Bytes, UnknownName};
use orrery_cluster::platform::Processor;

/// The key of the file.
pub(super) const KEY: &str = "corrections";

/// The expected form of a correction.
const FORM: &str = "{\"spread\": 0.02, \"degrees\": 5, \"procs\": [6, 6], \"roots\": [0], \
    \"pieces\": [{\"sizes\": [1024, 65536], …}]}";

/// The expected form of a piece.
const PIECE: &str = "{\"sizes\": [1024, 65536], \"factor\": 1.3, \"low\": 1.25, \"high\": 1.35, \
    \"level\": 0.95, \"rows\": 6, \
                     \"error\": 0.01}";

/// The expected form of a range.
const RANGE: &str = "the smallest and the largest: [4, 16]";

/// The expected form of a standard deviation.
const DEVIATION: &str = "a standard deviation of a logarithm, such as 0.02";

/// Reads the corrections of all kinds of models.
pub(super) fn read(
    node: Node,
    unknown: &mut UnknownKeys,
) -> Result<BTreeMap<ModelKind, Corrections>> {
    let object = node.object("an object with corrections by model")?;
    let mut all = BTreeMap::new();
    for (key, node) in object.iter() {
        let kind: ModelKind =
            key.parse().map_err(|error: UnknownName| wrong(node, &error.to_string()))?;
        let mut of_kind = Corrections::new();
        for (key, node) in node
            .object("an object with corrections by algorithm: {\"bcast/binomial\": {…}}")?
            .iter()
        {
            let algorithm: CollectiveAlgorithm =
                key.parse().map_err(|error: UnknownAlgorithm| wrong(node, &error.to_string()))?;
            of_kind.insert(algorithm, correction(node, unknown)?);
        }
        all.insert(kind, of_kind);
    }
    Ok(all)
}

/// Reads the correction of an algorithm.
fn correction(node: Node, unknown: &mut UnknownKeys) -> Result<Correction> {
    let object = node.object(FORM)?;
    unknown.note_keys(&object, &["spread", "degrees", "procs", "roots", "pieces"]);
    let degrees = object.needed("degrees", FORM)?;
    let (place, procs) = (object.needed("procs", FORM)?, range(object.needed("procs", FORM)?)?);
    let procs = [procs.0, procs.1].map(|count| usize::try_from(count).unwrap_or(usize::MAX));
    let root = |node: &Node| -> Result<Processor> {
        let root = node.whole("the number of a processor")?;
        u32::try_from(root)
            .map(Processor)
            .map_err(|_| wrong(*node, &format!("the root {root} must be below 2^32")))
    };
    let roots = object.needed("roots", FORM)?.array("the measured roots, ascending: [0, 3]")?;
    let correction = Correction {
        spread: deviation(&object, "spread")?,
        degrees: degrees.whole("a whole number")?,
        procs: (procs[0], procs[1]),
        roots: roots.iter().map(root).collect::<Result<_>>()?,
        pieces: pieces(object.needed("pieces", FORM)?, unknown)?,
    };
    if correction.degrees == 0 {
        return Err(wrong(degrees, "the number of degrees of freedom is 0, but must be 1 or more"));
    }
    if correction.procs.0 == 0 {
        return Err(wrong(place, "the least number of processors is 0, but must be 1 or more"));
    }
    let places = correction.roots.windows(2).zip(&roots[1.min(roots.len())..]);
    if let Some((_, place)) = places.into_iter().find(|(two, _)| two[0] >= two[1]) {
        return Err(wrong(*place, "the roots must be in ascending order, each once"));
    }
    Ok(correction)
}

/// Reads the pieces of a correction.
fn pieces(node: Node, unknown: &mut UnknownKeys) -> Result<Vec<CorrectionPiece>> {
    let mut pieces: Vec<CorrectionPiece> = Vec::new();
    for one in node.array("an array of pieces by ascending sizes")? {
        let object = one.object(PIECE)?;
        unknown.note_keys(&object, &["sizes", "factor", "low", "high", "level", "rows", "error"]);
        let place = object.needed("sizes", PIECE)?;
        let (smallest, largest) = range(place)?;
        if pieces.last().is_some_and(|before| before.sizes.1.get() >= smallest) {
            return Err(wrong(place, "the sizes of pieces must ascend and not overlap"));
        }
        let sizes = (Bytes::new(smallest), Bytes::new(largest));
        pieces.push(CorrectionPiece {
            sizes,
            factor: factor(&object)?,
            error: deviation(&object, "error")?,
        });
    }
    if pieces.is_empty() {
        Err(wrong(node, "the array is empty, but a correction needs at least 1 piece"))
    } else {
        Ok(pieces)
    }
}

/// Reads the factor of a piece with its interval.
fn factor(object: &Object) -> Result<Estimate> {
    let number = |key| -> Result<(Node, f64)> {
        let node = object.needed(key, PIECE)?;
        Ok((node, node.number("a number, such as 1.3")?))
    };
    let [(place, value), (of_low, low), (_, high), (of_level, level)] =
        [number("factor")?, number("low")?, number("high")?, number("level")?];
    if !(1.0 / MAX_FACTOR..=MAX_FACTOR).contains(&value) {
        return Err(wrong(place, &format!("the factor is {value:?}, but must be 1e-6 to 1e6")));
    }
    error::check_not_negative(of_low, low)?;
    error::check_inside(place, value, low, high)?;
    error::check_level(of_level, level)?;
    let rows = object.needed("rows", PIECE)?.whole("a whole number")?;
    Ok(Estimate { value, interval: Some(Interval { low, high, level }), samples: Some(rows) })
}

/// Reads a standard deviation.
fn deviation(object: &Object, key: &'static str) -> Result<f64> {
    let node = object.needed(key, FORM)?;
    let value = node.number(DEVIATION)?;
    if (0.0..=MAX_DEVIATION).contains(&value) {
        Ok(value)
    } else {
        Err(wrong(node, &format!("{value} is not between 0 and {MAX_DEVIATION}")))
    }
}

/// Reads a range of whole numbers.
fn range(node: Node) -> Result<(u64, u64)> {
    match node.array(RANGE)?[..] {
        [low, high] => match (low.whole(RANGE)?, high.whole(RANGE)?) {
            (low, high) if low <= high => Ok((low, high)),
            (low, high) => {
                Err(wrong(node, &format!("the range ends at {high}, before it begins at {low}")))
            }
        },
        ref others => Err(wrong(node, &format!("a range has 2 numbers, not {}", others.len()))),
    }
}

/// Lays out the corrections; `None` if there are none.
pub(super) fn write(all: &BTreeMap<ModelKind, Corrections>) -> Option<Layout> {
    let of_kind = |(kind, of): (&ModelKind, &Corrections)| {
        let entries =
            of.iter().map(|(algorithm, one)| (algorithm.to_string(), layout(one))).collect();
        (kind.name().to_owned(), Layout::Object(entries))
    };
    (!all.is_empty()).then(|| Layout::Object(all.iter().map(of_kind).collect()))
}

/// Lays out the correction of an algorithm.
fn layout(one: &Correction) -> Layout {
    let piece = |piece: &CorrectionPiece| {
        let CorrectionPiece { sizes, factor, error } = piece;
        let unknown = Interval { low: f64::NAN, high: f64::NAN, level: f64::NAN };
        let Interval { low, high, level } = factor.interval.unwrap_or(unknown);
        let (value, rows) = (factor.value, factor.samples.unwrap_or(0));
        format!(
            "{{\"sizes\": [{}, {}], \"factor\": {value}, \"low\": {low}, \"high\": \
                {high}, \"level\": {level}, \"rows\": {rows}, \
             \"error\": {error}}}",
            sizes.0.get(),
            sizes.1.get()
        )
    };
    let line = |key: &str, text: String| (key.to_owned(), Layout::Line(text));
    Layout::Object(vec![
        line("spread", one.spread.to_string()),
        line("degrees", one.degrees.to_string()),
        line("procs", list([one.procs.0, one.procs.1])),
        line("roots", list(&one.roots)),
        ("pieces".to_owned(), Layout::Rows(one.pieces.iter().map(piece).collect())),
    ])
}
