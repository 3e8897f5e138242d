//! Experiments that Extra-P 4 saves (`.extra-p`): a zip archive with `experiment.json`, and with
//! the values of measurements if they were kept.
//!
//! ```text
//! {"Extra-P": "4.2.5", "parameters": ["p"], "measurements": {"main": {"time": [
//!   {"coordinate": [4.0], "median": 1.1, "mean": 1.1, "minimum": 1.0, "maximum": 1.2, "std": 0.1,
//!    "repetitions": 2, "values": [0, 3]}]}}, "modelers": …}
//! ```

mod archive;
mod error;
mod statistics;
mod values;

use archive::Archive;
use statistics::Statistics;
use values::Values;

use super::extrap::{Series, parameters, variables};
use super::mapping::ColumnMapping;
use super::parsed::{Parsed, RemarkKind, budget};
use orrery_base::file::{Fault, FileKind, Result, kind_of};
use orrery_base::json::{self, Node, Object};

/// The member with the measurements.
const EXPERIMENT: &str = "experiment.json";

/// Returns true if content is an experiment, or the beginning of one.
pub(super) fn is_experiment(content: &[u8]) -> bool {
    const HEAD_BYTES: usize = 64;
    kind_of(&content[..content.len().min(HEAD_BYTES)]) == Some(FileKind::ExtraPExperiment)
}

/// Reads an experiment: a run for each value, or those that follow from its statistics. Models are
/// not read.
pub(super) fn read(content: &[u8], map: &ColumnMapping) -> Result<Parsed> {
    let archive = Archive::new(content)?;
    let text = archive.member(EXPERIMENT, budget(content))?;
    let text = std::str::from_utf8(&text).map_err(|_| error::damaged(EXPERIMENT))?;
    measurements(text, Values::new(&archive, budget(content)), map, budget(content)).map_err(
        |fault| match fault.byte() {
            Some(byte) => {
                let place = json::json_path(text, byte);
                let place = if place.is_empty() { EXPERIMENT.to_owned() } else { place };
                Fault::new(format!("{place}: {fault}")).of_kind(fault.kind().clone())
            }
            None => fault,
        },
    )
}

/// Reads the measurements, whose runs have `budget` bytes at most.
fn measurements(
    text: &str,
    mut values: Values,
    map: &ColumnMapping,
    mut budget: usize,
) -> Result<Parsed> {
    const BYTES: usize = 64;
    let file = Node::root(text)?.object("an object with \"parameters\" and \"measurements\"")?;
    let names = file.optional("parameters", |node| parameters(&node, map))?;
    // Threads of profiles count as repetitions in their statistics.
    let has_threads = file.get("scaling").is_some_and(|node| !node.is_null());
    let bytes_of_names = BYTES + names.iter().map(|name| BYTES + name.len()).sum::<usize>();
    let limit = budget;
    let mut read = Parsed::default();
    let all = file.needed("measurements", "{\"main\": {\"time\": []}}")?;
    for (region, node) in all.object("an object with the call paths")?.iter() {
        for (metric, node) in node.object("an object with the metrics")?.iter() {
            let mut series = Series::new(region, metric);
            let bytes_of_run = bytes_of_names + region.len() + metric.len();
            let mut unknown = 0;
            for node in node.array("an array of measurements")? {
                let object = node.object("an object with \"coordinate\" and \"median\"")?;
                let point = object.needed("coordinate", "[4, 100]")?;
                let variables = variables(&point, &names)?;
                let repetitions = repetitions(&object, &mut values, has_threads)?;
                budget = budget
                    .checked_sub(repetitions.len().saturating_mul(bytes_of_run))
                    .ok_or_else(|| error::too_long("the list of measurements", limit))?;
                let (known, others): (Vec<_>, Vec<_>) =
                    repetitions.into_iter().partition(|seconds| seconds.is_finite());
                known.into_iter().for_each(|s| series.push(&mut read, 0, &variables, s));
                unknown += others.len();
            }
            if unknown > 0 {
                let name = series.name();
                let remark = format!("{unknown} of the times of {name} are no numbers: left out");
                read.remarks.push((0, RemarkKind::Note(remark)));
            }
            series.end(&mut read);
        }
    }
    Ok(read)
}

/// The values of a measurement.
fn repetitions(object: &Object, values: &mut Values, has_threads: bool) -> Result<Vec<f64>> {
    if let Some(node) = object.get("values").filter(|node| !node.is_null()) {
        const EXPECTED: &str = "the number of a chunk and of an array";
        let place = node.array(EXPECTED)?;
        let [chunk, array] = place[..] else { return Err(node.expected(EXPECTED)) };
        return values.repetitions(chunk.whole(EXPECTED)?, array.whole(EXPECTED)?);
    }
    let statistic = |key| statistic(&object.needed(key, "a number in seconds")?);
    let median = statistic("median")?;
    let repetitions = object.get("repetitions").filter(|node| !node.is_null() && !has_threads);
    let Some(repetitions) = repetitions else { return Ok(vec![median]) };
    let statistics = Statistics {
        repetitions: repetitions.whole("the number of repetitions")?,
        mean: statistic("mean")?,
        median,
        minimum: statistic("minimum")?,
        maximum: statistic("maximum")?,
        std: statistic("std")?,
    };
    Ok(statistics.values())
}

/// A statistic: a number, or the text of one that is not finite.
fn statistic(node: &Node) -> Result<f64> {
    match node.text() {
        "\"nan\"" => Ok(f64::NAN),
        "\"inf\"" => Ok(f64::INFINITY),
        "\"-inf\"" => Ok(f64::NEG_INFINITY),
        _ => node.number("a number in seconds"),
    }
}
