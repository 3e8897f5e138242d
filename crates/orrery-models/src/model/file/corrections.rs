//! The corrections of algorithms in files of earlier releases, which become errors in measured
//! collective operations:
//! `{"lmo": {"bcast/binomial": {"spread": 0.02, "degrees": 5, "procs": [6, 6], "roots": [0], "pieces": [{"sizes": [1024, 65536], "factor": 1.3, "low": 1.25, "high": 1.35, "level": 0.95, "rows": 6, "error": 0.01}]}}, …}`.

use std::collections::BTreeMap;

use super::error::{self, wrong_measurement as wrong};
use super::warning::UnknownKeys;
use crate::model::{CollectiveAlgorithm, MeasuredError, ModelKind, UnknownAlgorithm};
use orrery_base::file::Result;
use orrery_base::json::{Node, Object};
use orrery_base::units::{Bytes, UnknownName};
use orrery_cluster::platform::Processor;

/// The largest factor, and the inverse of the smallest one.
const MAX_FACTOR: f64 = 1e6;

/// The largest standard deviation of a logarithm: a factor of 20,000.
const MAX_DEVIATION: f64 = 10.0;

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

/// The correction of an algorithm: factors of its times by ranges of sizes.
struct Correction {
    pieces: Vec<Piece>,
    /// The standard deviation of ln(measured/corrected).
    spread: f64,
    /// The smallest and the largest measured number of processors.
    procs: (usize, usize),
    roots: Vec<Processor>,
}

/// The factor of a range of sizes.
struct Piece {
    sizes: (Bytes, Bytes),
    factor: f64,
    /// The standard deviation of its logarithm.
    error: f64,
}

impl Correction {
    /// The errors at the ends of its pieces, which are as uncertain as the factor and as different
    /// as the spread says.
    fn errors(&self, algorithm: CollectiveAlgorithm) -> Vec<MeasuredError> {
        let root = self.roots.first().copied().unwrap_or(Processor(0));
        let ends = |piece: &Piece| {
            let mut ends = vec![piece.sizes.0, piece.sizes.1];
            ends.dedup();
            let (error, noise) = (piece.factor.ln(), piece.error.hypot(self.spread));
            let procs = self.procs.1;
            let of_size = move |size| MeasuredError { algorithm, root, procs, size, error, noise };
            ends.into_iter().map(of_size)
        };
        self.pieces.iter().flat_map(ends).filter(MeasuredError::is_readable).collect()
    }
}

/// Reads the corrections of all kinds of models.
pub(super) fn read(
    node: Node,
    unknown: &mut UnknownKeys,
) -> Result<BTreeMap<ModelKind, Vec<MeasuredError>>> {
    let object = node.object("an object with corrections by model")?;
    let mut all = BTreeMap::new();
    for (key, node) in object.iter() {
        let kind: ModelKind =
            key.parse().map_err(|error: UnknownName| wrong(node, &error.to_string()))?;
        let mut of_kind = Vec::new();
        for (key, node) in node
            .object("an object with corrections by algorithm: {\"bcast/binomial\": {…}}")?
            .iter()
        {
            let algorithm: CollectiveAlgorithm =
                key.parse().map_err(|error: UnknownAlgorithm| wrong(node, &error.to_string()))?;
            of_kind.extend(correction(node, unknown)?.errors(algorithm));
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
        procs: (procs[0], procs[1]),
        roots: roots.iter().map(root).collect::<Result<_>>()?,
        pieces: pieces(object.needed("pieces", FORM)?, unknown)?,
    };
    if degrees.whole("a whole number")? == 0 {
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
fn pieces(node: Node, unknown: &mut UnknownKeys) -> Result<Vec<Piece>> {
    let mut pieces: Vec<Piece> = Vec::new();
    for one in node.array("an array of pieces by ascending sizes")? {
        let object = one.object(PIECE)?;
        unknown.note_keys(&object, &["sizes", "factor", "low", "high", "level", "rows", "error"]);
        let place = object.needed("sizes", PIECE)?;
        let (smallest, largest) = range(place)?;
        if pieces.last().is_some_and(|before| before.sizes.1.get() >= smallest) {
            return Err(wrong(place, "the sizes of pieces must ascend and not overlap"));
        }
        let sizes = (Bytes::new(smallest), Bytes::new(largest));
        pieces.push(Piece { sizes, factor: factor(&object)?, error: deviation(&object, "error")? });
    }
    if pieces.is_empty() {
        Err(wrong(node, "the array is empty, but a correction needs at least 1 piece"))
    } else {
        Ok(pieces)
    }
}

/// Reads the factor of a piece with its interval.
fn factor(object: &Object) -> Result<f64> {
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
    object.needed("rows", PIECE)?.whole("a whole number")?;
    Ok(value)
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
