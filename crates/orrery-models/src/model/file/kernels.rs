//! The models of kernels:
//! `[{"kernel": "dgemm", "variant": "nn", "host": "a", "equal_hosts": ["b"], "library": "libopenblas.so.0", "threads": 1, "operands": "warm", "level": 0.95, "measured": {"m": [32, 2000], …}, "memory": {"mk": 8.0, …, "1": 4096.0}, "pieces": [{"from": 1, "deviation": 0.02, "degrees": 30, "terms": {"mnk": {"value": 1e-10, "low": …, "high": …, "samples": 90}, …}, "correlations": [-0.3, …]}]}, …]`.

use super::error;
use super::warning::UnknownKeys;
use crate::model::KernelOnHost;
use orrery_base::file::{Fault, Result};
use orrery_base::json::{Layout, Node, list, object, quote};
use orrery_base::numeric::{Estimate, Interval};
use orrery_measure::sample::KernelConditions;
use orrery_program::kernel::{
    Kernel, KernelMemoryTerm, KernelModel, KernelPiece, KernelTermEstimate, Operands, Term,
};

/// The key of the file.
pub(super) const KEY: &str = "kernels";

/// The expected form of a model.
const FORM: &str = "{\"kernel\": \"dgemm\", \"variant\": \"nn\", \"host\": \"a\", \"library\": \
    \"libopenblas.so.0\", \"threads\": 1, \
                    \"operands\": \"warm\", \"level\": 0.95, \"measured\": {\"m\": [32, 2000], …}, \
                    \"pieces\": […]}";

/// The expected form of a piece.
const PIECE: &str = "{\"from\": 1, \"deviation\": 0.02, \"degrees\": 30, \"terms\": {\"mnk\": \
    {…}}, \"correlations\": []}";

/// The expected form of a coefficient.
const COEFFICIENT: &str = "{\"value\": 1e-10, \"low\": 9e-11, \"high\": 1.1e-10, \"samples\": 90}";

/// The keys of a model.
const KEYS: [&str; 11] = [
    "kernel",
    "variant",
    "host",
    "equal_hosts",
    "library",
    "threads",
    "operands",
    "level",
    "measured",
    "memory",
    "pieces",
];

/// The expected form of the memory.
const MEMORY: &str = "{\"mk\": 8, \"nk\": 8, \"mn\": 8, \"1\": 4096}";

/// The names of the dimensions.
const DIMENSIONS: [&str; 3] = ["m", "n", "k"];

/// Reads the models of kernels.
pub(super) fn read(node: Node, unknown: &mut UnknownKeys) -> Result<Vec<KernelOnHost>> {
    node.array("an array of models of kernels")?
        .into_iter()
        .map(|node| one(node, unknown))
        .collect()
}

/// Reads the model of a kernel on a host.
fn one(node: Node, unknown: &mut UnknownKeys) -> Result<KernelOnHost> {
    let object = node.object(FORM)?;
    unknown.note_keys(&object, &KEYS);
    let text = |key| -> Result<(Node, String)> {
        let node = object.needed(key, FORM)?;
        Ok((node, node.string("a text")?))
    };
    let (place, name) = text("kernel")?;
    let kernel: Kernel = name.parse().map_err(|error| wrong(place, &format!("{error}")))?;
    let (place, name) = text("variant")?;
    let variants = kernel.routine.variants();
    let variant = variants.iter().find(|known| **known == name);
    let variant = variant.ok_or_else(|| wrong(place, &no_variant(kernel, &name)))?;
    let (place, operands) = text("operands")?;
    let operands =
        operands.parse::<Operands>().map_err(|error| wrong(place, &error.to_string()))?;
    let place = object.needed("threads", FORM)?;
    let threads = u32::try_from(place.whole("a number of threads")?);
    let threads =
        threads.map_err(|_| wrong(place, &format!("the number of threads is {}", place.text())))?;
    let conditions =
        KernelConditions { host: text("host")?.1, library: text("library")?.1, threads, operands };
    let equal_hosts = object.optional("equal_hosts", |node| {
        let names = node.array("an array of names of hosts")?;
        names.iter().map(|name| name.string("the name of a host")).collect()
    })?;
    let place = object.needed("level", FORM)?;
    let level = place.number("a level, such as 0.95")?;
    error::check_level(place, level)?;
    let measured = object
        .needed("measured", FORM)?
        .object("the smallest and the largest of each dimension")?;
    let range = |name: &'static str| -> Result<[u64; 2]> {
        let node = measured.needed(name, "the smallest and the largest: [32, 2000]")?;
        match node.array("the smallest and the largest: [32, 2000]")?[..] {
            [low, high] => Ok([low.whole("a dimension")?, high.whole("a dimension")?]),
            ref other => Err(wrong(
                node,
                &format!("the array has {} numbers, but a range needs 2", other.len()),
            )),
        }
    };
    let measured = [range(DIMENSIONS[0])?, range(DIMENSIONS[1])?, range(DIMENSIONS[2])?];
    let place = object.needed("pieces", FORM)?;
    let pieces = place.array("an array of pieces by ascending \"from\"")?;
    let pieces =
        pieces.into_iter().map(|node| piece(node, level, unknown)).collect::<Result<Vec<_>>>()?;
    if pieces.is_empty() || pieces.windows(2).any(|two| two[0].from >= two[1].from) {
        return Err(wrong(place, "there must be a piece, and \"from\" must ascend"));
    }
    let memory = object.optional("memory", memory)?;
    let model = KernelModel { kernel, variant, pieces, measured, memory, level };
    Ok(KernelOnHost { conditions, equal_hosts, model })
}

/// Reads the terms of the memory.
fn memory(node: Node) -> Result<Vec<KernelMemoryTerm>> {
    let mut terms = Vec::new();
    for (key, node) in node.object(MEMORY)?.iter() {
        let term: Term = key.parse().map_err(|error| wrong(node, &format!("{error}")))?;
        let bytes = node.number("a number of bytes")?;
        error::check_not_negative(node, bytes)?;
        terms.push(KernelMemoryTerm { term, bytes });
    }
    Ok(terms)
}

/// Reads a piece of a model: its coefficients by terms, with intervals of this level.
fn piece(node: Node, level: f64, unknown: &mut UnknownKeys) -> Result<KernelPiece> {
    let object = node.object(PIECE)?;
    unknown.note_keys(&object, &["from", "deviation", "degrees", "terms", "correlations"]);
    let positive = |key| -> Result<f64> {
        let node = object.needed(key, PIECE)?;
        let value = node.number("a positive number")?;
        if value > 0.0 { Ok(value) } else { Err(wrong(node, &format!("{value} is not positive"))) }
    };
    let place = object.needed("terms", PIECE)?;
    let mut terms = Vec::new();
    for (key, node) in place.object("an object with coefficients by term")?.iter() {
        let term: Term = key.parse().map_err(|error| wrong(node, &format!("{error}")))?;
        terms.push(KernelTermEstimate { term, coefficient: coefficient(node, level, unknown)? });
    }
    if terms.is_empty() {
        return Err(wrong(place, "the piece has no term, but needs at least one"));
    }
    let node = object.needed("correlations", PIECE)?;
    let correlation = |node: Node| -> Result<f64> {
        let value = node.number("a correlation")?;
        if value.abs() <= 1.0 + 1e-9 {
            Ok(value)
        } else {
            Err(wrong(node, &format!("{value} is not between -1 and 1")))
        }
    };
    let correlations = node.array("the correlations of the coefficients")?;
    let correlations = correlations.into_iter().map(correlation).collect::<Result<Vec<_>>>()?;
    let (found, count) = (correlations.len(), terms.len());
    let needed = count * (count - 1) / 2;
    if found != needed {
        let reason =
            format!("the number of correlations is {found}, but must be {needed} by that of terms");
        return Err(wrong(node, &reason));
    }
    let from = object.needed("from", PIECE)?.whole("the smallest dimension of the piece")?;
    Ok(KernelPiece {
        from,
        terms,
        correlations,
        deviation: positive("deviation")?,
        degrees: positive("degrees")?,
    })
}

/// Reads a coefficient with its interval.
fn coefficient(node: Node, level: f64, unknown: &mut UnknownKeys) -> Result<Estimate> {
    let object = node.object(COEFFICIENT)?;
    unknown.note_keys(&object, &["value", "low", "high", "samples"]);
    let number = |key| object.needed(key, COEFFICIENT)?.number("a time in seconds");
    let (value, low, high) = (number("value")?, number("low")?, number("high")?);
    error::check_not_negative(node, value)?;
    error::check_inside(node, value, low, high)?;
    let samples = object.needed("samples", COEFFICIENT)?.whole("a number of readings")?;
    Ok(Estimate { value, interval: Some(Interval { low, high, level }), samples: Some(samples) })
}

/// The reason for a variant that a kernel does not have.
fn no_variant(kernel: Kernel, name: &str) -> String {
    let known: Vec<String> =
        kernel.routine.variants().iter().map(|known| format!("{known:?}")).collect();
    format!("{kernel} has no variant {name:?}; known are {}", known.join(", "))
}

/// Returns an error about a model of a kernel at the position of a node.
fn wrong(node: Node, reason: &str) -> Fault {
    node.refuse(format!("{reason}; correct it here, or fit the kernels again"))
}

/// Lays out the models of kernels; `None` if there are none.
pub(super) fn write(all: &[KernelOnHost]) -> Option<Layout> {
    (!all.is_empty()).then(|| Layout::Array(all.iter().map(layout).collect()))
}

/// Lays out the model of a kernel.
fn layout(KernelOnHost { conditions, equal_hosts, model }: &KernelOnHost) -> Layout {
    let line = |key: &str, text: String| (key.to_owned(), Layout::Line(text));
    let ranges = DIMENSIONS.into_iter().zip(model.measured.map(list));
    let pieces = model.pieces.iter().map(|piece| {
        let term = |KernelTermEstimate { term, coefficient }: &KernelTermEstimate| {
            let value = coefficient.value;
            let (low, high) = coefficient
                .interval
                .map_or((f64::NAN, f64::NAN), |interval| (interval.low, interval.high));
            let samples = coefficient.samples.unwrap_or(0);
            let text = format!(
                "{{\"value\": {value:e}, \"low\": {low:e}, \"high\": \
                    {high:e}, \"samples\": {samples}}}"
            );
            (term.to_string(), Layout::Line(text))
        };
        let correlations = piece.correlations.iter().map(|one| format!("{one:.6}"));
        Layout::Object(vec![
            line("from", piece.from.to_string()),
            line("deviation", piece.deviation.to_string()),
            line("degrees", piece.degrees.to_string()),
            ("terms".to_owned(), Layout::Object(piece.terms.iter().map(term).collect())),
            line("correlations", list(correlations)),
        ])
    });
    let mut entries = vec![
        line("kernel", quote(&model.kernel.to_string())),
        line("variant", quote(model.variant)),
        line("host", quote(&conditions.host)),
    ];
    if !equal_hosts.is_empty() {
        entries.push(line("equal_hosts", list(equal_hosts.iter().map(|name| quote(name)))));
    }
    entries.extend([
        line("library", quote(&conditions.library)),
        line("threads", conditions.threads.to_string()),
        line("operands", quote(conditions.operands.name())),
        line("level", model.level.to_string()),
        line("measured", object(ranges)),
    ]);
    if !model.memory.is_empty() {
        let terms =
            model.memory.iter().map(|one| (one.term.to_string(), format!("{:e}", one.bytes)));
        entries.push(line("memory", object(terms)));
    }
    entries.push(("pieces".to_owned(), Layout::Array(pieces.collect())));
    Layout::Object(entries)
}
