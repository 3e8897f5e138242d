//! The search problem: kinds of elements, layouts, objective and limits.

use std::collections::{BTreeMap, BTreeSet};
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::run::Configuration;
use crate::scaling::{ElementTime, ForecastError, Layout};
use orrery_base::units::Seconds;
use orrery_cluster::platform::Kind;

/// The process grids to consider.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Grids {
    /// No grid: the program does not use one.
    None,
    /// All p × q = P.
    All,
    /// All p × q = P with p ≤ q.
    Flat,
    /// The listed (rows, columns).
    #[serde(untagged)]
    Given(Vec<(u32, u32)>),
}

/// A text that names no process grids.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("write all, flat, none, or shapes such as 2x4,4x4")]
pub struct GridsError;

impl FromStr for Grids {
    type Err = GridsError;

    /// Parses `all`, `flat`, `none` or shapes separated by commas.
    fn from_str(text: &str) -> Result<Self, GridsError> {
        let side = |text: &str| text.parse::<u32>().ok().filter(|side| *side > 0);
        let shape = |shape: &str| {
            let (rows, columns) = shape.trim().split_once(['x', '×'])?;
            Some((side(rows)?, side(columns)?))
        };
        match text {
            "all" => Ok(Self::All),
            "flat" => Ok(Self::Flat),
            "none" => Ok(Self::None),
            _ => {
                let shapes: Option<Vec<_>> = text.split(',').map(shape).collect();
                shapes.map(Self::Given).ok_or(GridsError)
            }
        }
    }
}

/// The quantity that a search minimizes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Objective {
    /// The time T in seconds.
    #[default]
    Time,
    /// The core-hours T/3600·Σ a_k: every element that takes part counts for the whole run.
    CoreHours,
    /// The cost T/3600·Σ a_k·price_k, in the currency of the prices.
    Cost,
}

/// The number of price units per unit of currency. Prices are integers in this unit, so that sums
/// are exact in any order.
const PRICE_UNITS: f64 = 1e9;

/// The default work limit of a search, in steps: about ten seconds.
const MAX_STEPS: u64 = 10_000_000_000;

/// The highest accepted price of a core-hour.
const MAX_PRICE: f64 = 1e6;

impl Objective {
    /// The weight of one element of a kind: 1, or its price in billionths for [`Objective::Cost`].
    pub(super) fn weight(self, kind: &Kind) -> Result<u64, ForecastError> {
        match self {
            Self::Time | Self::CoreHours => Ok(1),
            Self::Cost => price(kind)?.ok_or_else(|| {
                ForecastError::Other(format!(
                    "kind {:?} has no price; add its price per core-hour to the cluster file",
                    kind.name
                ))
            }),
        }
    }

    /// The objective value of a run of `seconds` on elements with this total weight. It increases
    /// with both.
    pub(super) fn value(self, seconds: f64, weight: u128) -> f64 {
        match self {
            Self::Time => seconds,
            Self::CoreHours => core_hours(seconds, weight as f64),
            Self::Cost => cost(seconds, weight),
        }
    }
}

/// The core-hours of a run.
pub(super) fn core_hours(seconds: f64, elements: f64) -> f64 {
    seconds * elements / 3600.0
}

/// The cost of a run on elements whose prices per hour, in billionths, sum to `price`.
pub(super) fn cost(seconds: f64, price: u128) -> f64 {
    seconds * price as f64 / (3600.0 * PRICE_UNITS)
}

/// The price of an element-hour in billionths; `None` if the kind has no price.
pub(super) fn price(kind: &Kind) -> Result<Option<u64>, ForecastError> {
    match kind.price {
        None => Ok(None),
        Some(price) if (0.0..=MAX_PRICE).contains(&price) => {
            Ok(Some((price * PRICE_UNITS).round() as u64))
        }
        Some(price) => Err(ForecastError::Other(format!(
            "kind {:?} has the price {price:?}; valid prices per core-hour are 0 to 1000000",
            kind.name
        ))),
    }
}

/// The memory per process in bytes of a dense linear solver, by layout: (1 + overhead)·8·N²/P.
///
/// `order` is the order N of a matrix of 8-byte numbers that is distributed evenly over P
/// processes; `overhead` is the additional memory relative to the matrix.
pub fn matrix_bytes(order: f64, overhead: f64) -> impl Fn(Layout) -> f64 {
    move |layout| (1.0 + overhead) * 8.0 * order * order / f64::from(layout.processes)
}

/// A search for the best configuration of a cluster: candidates, objective and limits.
///
/// ```
/// use orrery_cluster::platform::file;
/// use orrery_applications::scaling::search::{Objective, Search};
/// use orrery_applications::scaling::{ElementTime, Layout};
///
/// /// 120 s of work on a slow element, distributed evenly over the processes.
/// struct Even;
/// impl ElementTime for Even {
///     fn seconds(&self, kind: usize, processes: u32, layout: Layout) -> Option<f64> {
///         let speed = [1.0, 4.0][kind];
///         Some(120.0 * f64::from(processes) / f64::from(layout.processes) / speed)
///     }
/// }
///
/// let cluster = file::parse(
///     "[[hosts]]\nnames = \"slow[1-4]\"\nkind = \"slow\"\ncores = 1\n\
///      [[hosts]]\nnames = \"fast\"\nkind = \"fast\"\ncores = 1\nprocesses = 6\n",
///     "cluster.toml",
/// )?
/// .cluster;
/// let mut search = Search::new(cluster.kinds(), &Even);
/// let best = search.best()?;
/// assert_eq!(best.candidate.configuration.to_string(), "slow=4x1,fast=1x4");
/// assert_eq!(best.candidate.time.get(), 15.0);
/// assert!(best.proof.is_optimal());
///
/// search.objective = Objective::CoreHours;
/// assert_eq!(search.best()?.candidate.configuration.to_string(), "fast=1x1");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct Search<'a> {
    /// The kinds of processing elements; `times` refers to them by index.
    pub kinds: &'a [Kind],
    /// The model of element times. A negative or non-finite time counts as unknown.
    pub times: &'a dyn ElementTime,
    /// The known times of configurations, which replace those of the model. Those of layouts that
    /// the search does not consider are ignored.
    pub known: Vec<KnownTime>,
    /// The process grids to consider.
    pub grids: Grids,
    /// The block sizes to consider; empty for a program without blocks.
    pub blocks: Vec<u32>,
    /// The memory in bytes that each process needs in a layout; `None` for no memory limit.
    pub memory: Option<&'a dyn Fn(Layout) -> f64>,
    /// The quantity to minimize.
    pub objective: Objective,
    /// The longest allowed time of the run.
    pub deadline: Option<Seconds>,
    /// The work limit, in steps of about one nanosecond. A search that reaches it returns the best
    /// configuration found and its optimality gap.
    pub max_steps: u64,
}

impl<'a> Search<'a> {
    /// A search for the shortest time without grids, blocks and limits.
    pub fn new(kinds: &'a [Kind], times: &'a dyn ElementTime) -> Self {
        Self {
            kinds,
            times,
            known: Vec::new(),
            grids: Grids::None,
            blocks: Vec::new(),
            memory: None,
            objective: Objective::Time,
            deadline: None,
            max_steps: MAX_STEPS,
        }
    }

    /// The largest number of processes on the cluster, Σ n_k·M_k.
    pub(super) fn max_processes(&self) -> u64 {
        self.kinds.iter().map(|kind| u64::from(kind.elements()) * u64::from(kind.processes)).sum()
    }

    /// The number of selections of elements and processes, Π (1 + n_k·M_k) − 1.
    pub(super) fn selections(&self) -> f64 {
        self.kinds
            .iter()
            .map(|kind| 1.0 + f64::from(kind.elements()) * f64::from(kind.processes))
            .product::<f64>()
            - 1.0
    }

    /// The element time T_k(m, layout); `None` if the model does not cover it.
    pub(in crate::scaling) fn seconds(
        &self,
        kind: usize,
        processes: u32,
        layout: Layout,
    ) -> Option<f64> {
        self.times
            .seconds(kind, processes, layout)
            .filter(|seconds| seconds.is_finite() && *seconds >= 0.0)
    }

    /// The memory that a process needs in a layout, in bytes; `None` without a memory limit.
    pub(in crate::scaling) fn bytes(&self, layout: Layout) -> Option<f64> {
        self.memory.map(|memory| memory(layout))
    }

    /// All layouts of a number of processes, in ascending order.
    pub(in crate::scaling) fn layouts(&self, processes: u32) -> impl Iterator<Item = Layout> {
        let grids: Vec<Option<(u32, u32)>> = match &self.grids {
            Grids::None => vec![None],
            Grids::All => factor_pairs(processes).into_iter().map(Some).collect(),
            Grids::Flat => {
                factor_pairs(processes).into_iter().filter(|(p, q)| p <= q).map(Some).collect()
            }
            Grids::Given(shapes) => {
                let fitting =
                    |&&(p, q): &&(u32, u32)| u64::from(p) * u64::from(q) == u64::from(processes);
                sorted_unique(shapes.iter().filter(fitting).copied().map(Some).collect())
            }
        };
        let blocks = match sorted_unique(self.blocks.iter().copied().map(Some).collect()) {
            blocks if blocks.is_empty() => vec![None],
            blocks => blocks,
        };
        let all = grids
            .into_iter()
            .flat_map(move |grid| blocks.clone().into_iter().map(move |block| (grid, block)));
        all.map(move |(grid, block)| Layout { processes, grid, block })
    }
}

/// Sorts and removes duplicates.
fn sorted_unique<T: Ord>(mut all: Vec<T>) -> Vec<T> {
    all.sort_unstable();
    all.dedup();
    all
}

/// All (p, q) with p·q = P, by ascending p.
fn factor_pairs(processes: u32) -> Vec<(u32, u32)> {
    let small = (1..=processes.isqrt()).filter(|p| processes.is_multiple_of(*p));
    let flat: Vec<_> = small.map(|p| (p, processes / p)).collect();
    let tall = flat.iter().rev().filter(|(p, q)| p != q).map(|&(p, q)| (q, p));
    flat.iter().copied().chain(tall).collect()
}

/// The time of a configuration that is known otherwise than from the model, such as from its own
/// runs.
#[derive(Debug, Clone, PartialEq)]
pub struct KnownTime {
    /// The elements that take part, and the processes on each.
    pub configuration: Configuration,
    /// The layout of the processes.
    pub layout: Layout,
    /// The time of the run.
    pub time: Seconds,
}

/// (elements, processes on each) of each kind; (0, 0) for a kind that does not take part.
pub(super) type Selection = Vec<(u32, u32)>;

/// The known times by layout and selection.
#[derive(Debug, Clone, Default)]
pub(super) struct KnownTimes {
    by_layout: BTreeMap<Layout, BTreeMap<Selection, f64>>,
}

impl KnownTimes {
    /// The known times of a search, without those of configurations and layouts that it does not
    /// consider.
    pub(super) fn new(search: &Search) -> Self {
        let mut by_layout: BTreeMap<Layout, BTreeMap<Selection, f64>> = BTreeMap::new();
        for KnownTime { configuration, layout, time } in &search.known {
            let processes = u32::try_from(configuration.processes()).ok();
            let considered = processes
                .is_some_and(|processes| search.layouts(processes).any(|own| own == *layout));
            if let Some(selection) = selection(search.kinds, configuration).filter(|_| considered) {
                by_layout.entry(*layout).or_default().insert(selection, time.get());
            }
        }
        Self { by_layout }
    }

    /// The known time of a selection in a layout, in seconds; `None` if it is unknown.
    pub(super) fn get(&self, layout: Layout, selection: &[(u32, u32)]) -> Option<f64> {
        self.by_layout.get(&layout)?.get(selection).copied()
    }

    /// The selections with known times in a layout.
    pub(super) fn selections(&self, layout: Layout) -> BTreeSet<Selection> {
        self.by_layout.get(&layout).map(|known| known.keys().cloned().collect()).unwrap_or_default()
    }

    /// All layouts and selections with known times.
    pub(super) fn iter(&self) -> impl Iterator<Item = (Layout, &Selection)> {
        self.by_layout
            .iter()
            .flat_map(|(layout, known)| known.keys().map(|selection| (*layout, selection)))
    }
}

/// The selection of a configuration; `None` if it has kinds that the cluster does not have, or too
/// many elements or processes of a kind.
fn selection(kinds: &[Kind], configuration: &Configuration) -> Option<Selection> {
    if configuration.shares.iter().any(|share| kinds.iter().all(|kind| kind.name != share.kind)) {
        return None;
    }
    let of_kind = |kind: &Kind| match configuration.share(&kind.name) {
        None => Some((0, 0)),
        Some(share) if share.elements <= kind.elements() && share.processes <= kind.processes => {
            Some((share.elements, share.processes))
        }
        Some(_) => None,
    };
    kinds.iter().map(of_kind).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn factor_pairs_lists_all_factorizations() {
        for processes in 1..200 {
            let slow: Vec<_> = (1..=processes)
                .filter(|p| processes % p == 0)
                .map(|p| (p, processes / p))
                .collect();
            assert_eq!(factor_pairs(processes), slow);
        }
    }
}
