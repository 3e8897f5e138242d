//! Choices: the algorithm and the root of a collective operation, and the order of processors in
//! its tree.

use std::sync::Arc;

use orrery::collective::{Candidate, CollectiveChoice, choose, order, split_candidate};
use orrery::model::Model as Fitted;
use orrery::platform::Processor;
use orrery::sample::Library;
use orrery::schedule::{Algorithm, Collective, CollectiveKind, Rank};
use orrery::units::Bytes;
use orrery_report::tables::{CollectiveRanges, OrderRow, collective_choices, orders};
use pyo3::prelude::*;

use crate::argument::{self, Words};
use crate::model::Model;
use crate::table::Table;
use crate::{algorithms, error, report_table, work};

/// The range of sizes by default.
const DEFAULT_SIZES: (Bytes, Bytes) = (Bytes::new(1), Bytes::new(4 << 20));

/// Chooses the algorithm and the root of collective operations: a table with a row for each range
/// of sizes.
///
/// `operation` names one or several. `sizes` is a range such as `1K..1M`, by default `1..4M`;
/// `step` the accuracy of its bounds in bytes. `root` is a rank, several, or `all`. Sizes at which
/// another algorithm cannot be told apart share a range, unless `exact`; `keep` names the algorithm
/// in use, which stays unless another one is faster beyond doubt. Further arguments are those of
/// `predict`.
#[pyfunction]
#[pyo3(signature = (model, operation, *, sizes = None, models = None, algorithms = None, segments = None, root = None, procs = None,
    step = 1, exact = false, keep = None))]
#[expect(clippy::too_many_arguments, reason = "each is an option of its own in Python")]
pub(crate) fn choose_collective(
    py: Python<'_>,
    model: &Bound<'_, Model>,
    operation: Words,
    sizes: Option<&Bound<'_, PyAny>>,
    models: Option<Words>,
    algorithms: Option<Words>,
    segments: Option<&Bound<'_, PyAny>>,
    root: Option<&Bound<'_, PyAny>>,
    procs: Option<i64>,
    step: i64,
    exact: bool,
    keep: Option<&str>,
) -> PyResult<Table> {
    let fitted = Arc::clone(&model.get().fitted);
    let kinds = argument::kinds(models.as_ref(), &fitted)?;
    let sizes = sizes.map_or(Ok(DEFAULT_SIZES), argument::size_range)?;
    let procs = argument::procs(procs, fitted.processors())?;
    let step = u64::try_from(step).ok().filter(|&step| step > 0);
    let step = step.filter(|_| sizes.0 > Bytes::ZERO);
    let step = step.ok_or_else(|| error::argument("sizes and step must be at least 1 byte"))?;
    let keep: Option<Algorithm> = keep.map(argument::parse).transpose()?;
    if exact && keep.is_some() {
        return Err(error::argument("exact and keep exclude each other; give one"));
    }
    let roots = argument::roots(root, procs)?;
    let mut choices = Vec::new();
    for operation in operation.parse::<CollectiveKind>()? {
        let found =
            algorithms::candidates(operation, procs, algorithms.as_ref(), segments, sizes.1)?;
        let roots = if operation.has_root() { &roots[..] } else { &[Processor(0)] };
        let candidates = candidates(&fitted, operation, procs, &found, roots);
        let kept = match keep {
            None => None,
            Some(keep) => {
                Some(*candidates.iter().find(|candidate| candidate.algorithm == keep).ok_or_else(
                    || {
                        error::argument(format!(
                            "keep {keep}: it is not among the algorithms to choose from"
                        ))
                    },
                )?)
            }
        };
        let library: Option<Library> = None;
        choices.push(CollectiveChoice {
            operation,
            library,
            procs,
            candidates,
            sizes,
            step,
            merges: !exact,
            kept,
        });
    }
    work::run(py, move |_| {
        let mut all = Vec::new();
        for (choice, &kind) in
            choices.iter().flat_map(|choice| kinds.iter().map(move |kind| (choice, kind)))
        {
            let ranges = choose(&fitted, kind, choice).map_err(error::input)?;
            let (operation, library, procs) = (choice.operation, choice.library, choice.procs);
            all.push(CollectiveRanges { model: kind, operation, library, procs, ranges });
        }
        Ok(report_table::table(collective_choices(&all)))
    })
}

/// The candidates of an operation: each algorithm from each root, and linear ones in segments below
/// thresholds of the model.
fn candidates(
    model: &Fitted,
    operation: CollectiveKind,
    procs: usize,
    algorithms: &[Algorithm],
    roots: &[Processor],
) -> Vec<Candidate> {
    let of_root = |&root: &Processor| {
        let named = algorithms.iter().map(move |&algorithm| Candidate { algorithm, root });
        let is_linear = algorithms.contains(&Algorithm::Linear);
        let split = split_candidate(model, operation, procs, root).filter(|_| is_linear);
        named
            .chain(split.filter(|split| !algorithms.contains(&split.algorithm)))
            .collect::<Vec<_>>()
    };
    roots.iter().flat_map(of_root).collect()
}

/// Chooses the order of processors in the tree of a collective operation: a table with a row for
/// each size and kind of model.
#[pyfunction]
#[pyo3(signature = (model, operation, algorithm, sizes, *, models = None, root = 0, procs = None))]
#[expect(clippy::too_many_arguments, reason = "each is an option of its own in Python")]
pub(crate) fn choose_order(
    py: Python<'_>,
    model: &Bound<'_, Model>,
    operation: &str,
    algorithm: &str,
    sizes: &Bound<'_, PyAny>,
    models: Option<Words>,
    root: i64,
    procs: Option<i64>,
) -> PyResult<Table> {
    let fitted = Arc::clone(&model.get().fitted);
    let kinds = argument::kinds(models.as_ref(), &fitted)?;
    let kind: CollectiveKind = argument::parse(operation)?;
    let ranks = argument::procs(procs, fitted.processors())?;
    let root = Rank(argument::rank("root", root, ranks)?.0);
    if !kind.has_root() && root != Rank(0) {
        return Err(error::argument(format!("root does not apply to {kind}, which has no root")));
    }
    let found = algorithms::named(kind, ranks, Some(&Words::One(algorithm.to_owned())), None)?;
    let [algorithm] = found[..] else { return Err(error::argument("algorithm: name one")) };
    let sizes = argument::sizes(sizes)?;
    work::run(py, move |_| {
        let mut rows = Vec::new();
        for (&model, &block) in
            kinds.iter().flat_map(|kind| sizes.iter().map(move |size| (kind, size)))
        {
            let collective = Collective { kind, algorithm, root, ranks, block };
            let found = order(&fitted, model, &collective).map_err(error::input)?;
            rows.push(OrderRow { model, collective, found });
        }
        Ok(report_table::table(orders(&rows, &fitted.hosts)))
    })
}
