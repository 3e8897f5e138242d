use super::objective::Objective;
use crate::platform::Kind;
use crate::scaling::{ElementTime, Layout};
use crate::units::Seconds;

/// Which process grids are in question.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Grids {
    /// None: the program has no grid.
    None,
    /// All p × q = P.
    All,
    /// All p × q = P with p ≤ q, flat ones.
    Flat,
    /// These, as rows and columns.
    Given(Vec<(u32, u32)>),
}

/// The search for the best configuration: what may be chosen, and what is best.
///
/// ```
/// use orrery::platform::file;
/// use orrery::scaling::search::{Objective, Search};
/// use orrery::scaling::{ElementTime, Layout};
///
/// /// The work is 120 s for a slow element, and is dealt out evenly to the processes.
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
    /// The kinds of processing elements, in the order in which `times` numbers them.
    pub kinds: &'a [Kind],
    /// How long an element takes. A time that is negative or not finite counts as none.
    pub times: &'a dyn ElementTime,
    /// The process grids in question.
    pub grids: Grids,
    /// The block sizes in question; none for a program without.
    pub blocks: Vec<u32>,
    /// The bytes that each process needs in a layout; without it, memory is no limit.
    pub memory: Option<&'a dyn Fn(Layout) -> f64>,
    /// What is best.
    pub objective: Objective,
    /// When the run has to end.
    pub deadline: Option<Seconds>,
    /// How much work may be done, in steps of about a nanosecond. A search that needs more ends with what it has, and
    /// says how far from the optimum that may be.
    pub steps: u64,
}

impl<'a> Search<'a> {
    /// The search for the least time without grids, blocks and limits.
    pub fn new(kinds: &'a [Kind], times: &'a dyn ElementTime) -> Self {
        Self {
            kinds,
            times,
            grids: Grids::None,
            blocks: Vec::new(),
            memory: None,
            objective: Objective::Time,
            deadline: None,
            steps: 40_000_000_000,
        }
    }

    /// The most processes that there is room for, Σ n_k·M_k.
    pub(super) fn most_processes(&self) -> u64 {
        self.kinds.iter().map(|kind| u64::from(kind.elements()) * u64::from(kind.processes)).sum()
    }

    /// The number of selections of elements and processes, Π (1 + n_k·M_k) − 1.
    pub(super) fn selections(&self) -> f64 {
        self.kinds.iter().map(|kind| 1.0 + f64::from(kind.elements()) * f64::from(kind.processes)).product::<f64>()
            - 1.0
    }

    /// T_k(m, layout), where the model knows it.
    pub(in crate::scaling) fn seconds(&self, kind: usize, processes: u32, layout: Layout) -> Option<f64> {
        self.times.seconds(kind, processes, layout).filter(|seconds| seconds.is_finite() && *seconds >= 0.0)
    }

    /// The bytes that a process needs in a layout, where that is known.
    pub(in crate::scaling) fn bytes(&self, layout: Layout) -> Option<f64> {
        self.memory.map(|memory| memory(layout))
    }

    /// The layouts of so many processes, in their order.
    pub(in crate::scaling) fn layouts(&self, processes: u32) -> impl Iterator<Item = Layout> {
        let grids: Vec<Option<(u32, u32)>> = match &self.grids {
            Grids::None => vec![None],
            Grids::All => factors(processes).into_iter().map(Some).collect(),
            Grids::Flat => factors(processes).into_iter().filter(|(p, q)| p <= q).map(Some).collect(),
            Grids::Given(shapes) => {
                let fitting = |&&(p, q): &&(u32, u32)| u64::from(p) * u64::from(q) == u64::from(processes);
                in_order(shapes.iter().filter(fitting).copied().map(Some).collect())
            }
        };
        let blocks = match in_order(self.blocks.iter().copied().map(Some).collect()) {
            blocks if blocks.is_empty() => vec![None],
            blocks => blocks,
        };
        let all = grids.into_iter().flat_map(move |grid| blocks.clone().into_iter().map(move |block| (grid, block)));
        all.map(move |(grid, block)| Layout { processes, grid, block })
    }
}

/// Each once, in order.
fn in_order<T: Ord>(mut all: Vec<T>) -> Vec<T> {
    all.sort_unstable();
    all.dedup();
    all
}

/// All (p, q) with p·q = P, by growing p.
fn factors(processes: u32) -> Vec<(u32, u32)> {
    let small = (1..=processes.isqrt()).filter(|p| processes.is_multiple_of(*p));
    let flat: Vec<_> = small.map(|p| (p, processes / p)).collect();
    let tall = flat.iter().rev().filter(|(p, q)| p != q).map(|&(p, q)| (q, p));
    flat.iter().copied().chain(tall).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn factors_are_all_there_is() {
        for processes in 1..200 {
            let slow: Vec<_> = (1..=processes).filter(|p| processes % p == 0).map(|p| (p, processes / p)).collect();
            assert_eq!(factors(processes), slow);
        }
    }
}
