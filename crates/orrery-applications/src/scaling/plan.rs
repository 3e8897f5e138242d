//! Plans of runs for fits and evaluations.

use super::point::Point;
use crate::run::{Configuration, Share, variable};

/// The problem sizes of the paper's Basic plan.
const BASIC_SIZES: [f64; 9] = [400.0, 600.0, 800.0, 1200.0, 1600.0, 2400.0, 3200.0, 4800.0, 6400.0];

/// The problem sizes of its NL plan.
const NL_SIZES: [f64; 4] = [1600.0, 3200.0, 4800.0, 6400.0];

/// The problem sizes of its NS plan.
const NS_SIZES: [f64; 4] = [400.0, 800.0, 1200.0, 1600.0];

/// A planned run.
#[derive(Debug, Clone, PartialEq)]
pub struct PlannedRun {
    /// The problem size N.
    pub size: f64,
    /// The elements that take part.
    pub configuration: Configuration,
}

impl PlannedRun {
    /// The point of the run: size and configuration.
    pub fn point(&self) -> Point {
        let variables = [(variable::PROBLEM_SIZE.to_owned(), self.size)].into();
        Point { variables, configuration: self.configuration.clone(), ..Point::default() }
    }
}

/// A plan of runs for a fit or an evaluation, in the order of their sizes.
///
/// A cluster is given as a configuration: for each kind, the number of elements and the largest
/// number of processes on each. Source of the presets: Kishimoto, Ichikawa (2004), tables 2, 5 and 8.
///
/// ```
/// use orrery_applications::scaling::RunPlan;
/// let cluster = "athlon=1x6,pentium-ii=8x6".parse()?;
/// let runs = [RunPlan::basic(&cluster), RunPlan::nl(&cluster), RunPlan::ns(&cluster)].map(|plan| plan.runs.len());
/// assert_eq!(runs, [486, 120, 120]);
/// # Ok::<(), orrery_base::file::Fault>(())
/// ```
#[derive(Debug, Clone, Default, PartialEq)]
pub struct RunPlan {
    /// The runs.
    pub runs: Vec<PlannedRun>,
}

impl RunPlan {
    /// The Basic plan: each kind by itself, with every number of elements and of processes on each,
    /// for nine sizes from 400 to 6400.
    pub fn basic(cluster: &Configuration) -> Self {
        Self::homogeneous(cluster, &BASIC_SIZES, |elements| (1..=elements).collect())
    }

    /// The NL plan: each kind by itself, with 1, 2, 4, … and all elements and every number of
    /// processes on each, for the sizes 1600, 3200, 4800 and 6400. It has a quarter of the runs of
    /// the Basic plan and takes about half the time.
    pub fn nl(cluster: &Configuration) -> Self {
        Self::homogeneous(cluster, &NL_SIZES, powers_of_two_up_to)
    }

    /// The NS plan: as [`RunPlan::nl`], for the sizes 400, 800, 1200 and 1600. It takes minutes
    /// instead of hours; its models are inaccurate for large problems.
    pub fn ns(cluster: &Configuration) -> Self {
        Self::homogeneous(cluster, &NS_SIZES, powers_of_two_up_to)
    }

    /// Each kind by itself, for given sizes and the numbers of elements that `elements` selects.
    pub fn homogeneous(
        cluster: &Configuration,
        sizes: &[f64],
        elements: impl Fn(u32) -> Vec<u32>,
    ) -> Self {
        let mut configurations = Vec::new();
        for share in &cluster.shares {
            for elements in elements(share.elements) {
                for processes in 1..=share.processes {
                    configurations.push(Configuration {
                        shares: vec![Share { elements, processes, ..share.clone() }],
                    });
                }
            }
        }
        Self::of(sizes, &configurations)
    }

    /// The number of configurations that [`RunPlan::evaluation`] has for a cluster: Π(1 + elements
    /// × processes) − 1 over its kinds, at most `u64::MAX`.
    pub fn evaluations(cluster: &Configuration) -> u64 {
        let choices = cluster
            .shares
            .iter()
            .map(|share| 1 + u64::from(share.elements) * u64::from(share.processes));
        choices.fold(1, u64::saturating_mul) - 1
    }

    /// The configurations that the plan has for its first size, for these sizes.
    #[must_use]
    pub fn with_sizes(self, sizes: &[f64]) -> Self {
        let first = self.runs.first().map_or(0.0, |run| run.size);
        let of_first = self.runs.into_iter().take_while(|run| run.size.total_cmp(&first).is_eq());
        Self::of(sizes, &of_first.map(|run| run.configuration).collect::<Vec<_>>())
    }

    /// Every configuration of the cluster, as many as [`RunPlan::evaluations`] says, for given
    /// sizes.
    ///
    /// `athlon=1x6,pentium-ii=8x1` has the 62 configurations on which the paper evaluates its
    /// models.
    pub fn evaluation(cluster: &Configuration, sizes: &[f64]) -> Self {
        let mut configurations = vec![Configuration::default()];
        for share in &cluster.shares {
            let choices: Vec<Option<Share>> = std::iter::once(None)
                .chain((1..=share.elements).flat_map(|elements| {
                    (1..=share.processes)
                        .map(move |processes| Some(Share { elements, processes, ..share.clone() }))
                }))
                .collect();
            let with = |begun: &Configuration| {
                let begun = begun.clone();
                choices.iter().map(move |choice| {
                    let shares = begun.shares.iter().chain(choice).cloned().collect();
                    Configuration { shares }
                })
            };
            configurations = configurations.iter().flat_map(with).collect();
        }
        configurations.retain(|configuration| !configuration.shares.is_empty());
        Self::of(sizes, &configurations)
    }

    /// All combinations of sizes and configurations.
    fn of(sizes: &[f64], configurations: &[Configuration]) -> Self {
        let of_size = |&size: &f64| {
            configurations
                .iter()
                .map(move |configuration| PlannedRun { size, configuration: configuration.clone() })
        };
        Self { runs: sizes.iter().flat_map(of_size).collect() }
    }
}

/// The powers of two below a number, and the number itself.
pub(super) fn powers_of_two_up_to(max: u32) -> Vec<u32> {
    let powers = std::iter::successors(Some(1_u32), |power| power.checked_mul(2));
    powers.take_while(|power| *power < max).chain((max > 0).then_some(max)).collect()
}
