use super::Point;
use crate::run::{Configuration, Share, variable};

/// The sizes of the paper's Basic model.
const BASIC: [f64; 9] = [400.0, 600.0, 800.0, 1200.0, 1600.0, 2400.0, 3200.0, 4800.0, 6400.0];

/// The sizes of its NL model.
const LARGE: [f64; 4] = [1600.0, 3200.0, 4800.0, 6400.0];

/// The sizes of its NS model.
const SMALL: [f64; 4] = [400.0, 800.0, 1200.0, 1600.0];

/// A run that is to be made.
#[derive(Debug, Clone, PartialEq)]
pub struct PlannedRun {
    /// N.
    pub size: f64,
    /// On which elements.
    pub configuration: Configuration,
}

impl PlannedRun {
    /// Its point: size and configuration.
    pub fn point(&self) -> Point {
        let variables = [(variable::PROBLEM_SIZE.to_owned(), self.size)].into();
        Point { variables, configuration: self.configuration.clone() }
    }
}

/// Which runs teach a model, or test it, in the order of their sizes.
///
/// A cluster is written as a configuration: of each kind, how many elements there are and how many processes at the most
/// run on each. Source of the presets: Kishimoto, Ichikawa (2004), tables 2, 5 and 8.
///
/// ```
/// use orrery::scaling::RunPlan;
/// let cluster = "athlon=1x6,pentium-ii=8x6".parse()?;
/// let runs = [RunPlan::basic(&cluster), RunPlan::nl(&cluster), RunPlan::ns(&cluster)].map(|plan| plan.runs.len());
/// assert_eq!(runs, [486, 120, 120]);
/// # Ok::<(), orrery::run::ConfigurationError>(())
/// ```
#[derive(Debug, Clone, Default, PartialEq)]
pub struct RunPlan {
    /// The runs.
    pub runs: Vec<PlannedRun>,
}

impl RunPlan {
    /// Each kind by itself, with every number of its elements and every number of processes on each, for nine sizes from 400
    /// to 6400.
    pub fn basic(cluster: &Configuration) -> Self {
        Self::homogeneous(cluster, &BASIC, |elements| (1..=elements).collect())
    }

    /// Each kind by itself, with 1, 2, 4, … and all of its elements and every number of processes on each, for the sizes
    /// 1600, 3200, 4800 and 6400: a quarter of the runs, about half the time.
    pub fn nl(cluster: &Configuration) -> Self {
        Self::homogeneous(cluster, &LARGE, doubling)
    }

    /// As [`RunPlan::nl`], for the sizes 400, 800, 1200 and 1600: minutes instead of hours, and no good for large problems.
    pub fn ns(cluster: &Configuration) -> Self {
        Self::homogeneous(cluster, &SMALL, doubling)
    }

    /// Each kind by itself, for given sizes and numbers of elements out of all that there are.
    pub fn homogeneous(cluster: &Configuration, sizes: &[f64], elements: impl Fn(u32) -> Vec<u32>) -> Self {
        let mut configurations = Vec::new();
        for most in &cluster.shares {
            for elements in elements(most.elements) {
                for processes in 1..=most.processes {
                    configurations.push(Configuration { shares: vec![Share { elements, processes, ..most.clone() }] });
                }
            }
        }
        Self::of(sizes, &configurations)
    }

    /// Every configuration of the cluster, Π(1 + elements × processes) − 1 over its kinds, for given sizes.
    ///
    /// `athlon=1x6,pentium-ii=8x1` has the 62 configurations on which the paper tests its models.
    pub fn evaluation(cluster: &Configuration, sizes: &[f64]) -> Self {
        let mut configurations = vec![Configuration::default()];
        for most in &cluster.shares {
            let choices: Vec<Option<Share>> = std::iter::once(None)
                .chain((1..=most.elements).flat_map(|elements| {
                    (1..=most.processes).map(move |processes| Some(Share { elements, processes, ..most.clone() }))
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

    fn of(sizes: &[f64], configurations: &[Configuration]) -> Self {
        let of_size = |&size: &f64| {
            configurations.iter().map(move |configuration| PlannedRun { size, configuration: configuration.clone() })
        };
        Self { runs: sizes.iter().flat_map(of_size).collect() }
    }
}

/// 1, 2, 4, … below a number, and the number itself.
fn doubling(most: u32) -> Vec<u32> {
    let powers = std::iter::successors(Some(1_u32), |power| power.checked_mul(2));
    powers.take_while(|power| *power < most).chain((most > 0).then_some(most)).collect()
}
