//! Measured points: the times of the runs of each point, by the variant of the program.

use std::collections::BTreeMap;

use super::point::{ElementVariables, Point};
use crate::numeric::median;
use crate::run::{Configuration, Run, Share, hpl};

/// The runs of one point with one variant of the program.
#[derive(Debug, Clone, PartialEq)]
pub struct MeasuredPoint {
    /// The point; the shares of its configuration are in the order of their kinds.
    pub point: Point,
    /// The labels that are the variant of the program, as those of HPL ([`hpl::LABELS`]); empty if it is unknown.
    pub variant: BTreeMap<String, String>,
    /// The times of the runs in seconds; at least one.
    pub seconds: Vec<f64>,
}

impl MeasuredPoint {
    /// The points of runs, in the order of the first run of each.
    pub fn of_runs<'a>(runs: impl IntoIterator<Item = &'a Run>) -> Vec<Self> {
        let mut indices = BTreeMap::new();
        let mut points: Vec<Self> = Vec::new();
        for run in runs {
            let mut point = Point::of(run);
            point.configuration.shares.sort();
            let variant = hpl::labels_of(&run.labels);
            let variables: Vec<(String, u64)> =
                point.variables.iter().map(|(name, value)| (name.clone(), value.to_bits())).collect();
            let key = (variables, point.configuration.clone(), variant.clone());
            let index = *indices.entry(key).or_insert(points.len());
            if index == points.len() {
                points.push(Self { point, variant, seconds: Vec::new() });
            }
            points[index].seconds.push(run.seconds.get());
        }
        points
    }
}

/// The own runs of a point, of the variant that is the fastest there.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct OwnRuns<'a> {
    /// The labels of the variant.
    pub(super) variant: &'a BTreeMap<String, String>,
    /// The times in seconds.
    pub(super) seconds: Vec<f64>,
}

/// Measured points by configuration.
#[derive(Debug, Clone, Default)]
pub(super) struct MeasuredTimes<'a> {
    by_configuration: BTreeMap<Vec<Share>, Vec<(ElementVariables, &'a MeasuredPoint)>>,
}

impl<'a> MeasuredTimes<'a> {
    /// Indexes measured points.
    pub(super) fn new(measured: &'a [MeasuredPoint]) -> Self {
        let mut by_configuration: BTreeMap<_, Vec<_>> = BTreeMap::new();
        for measured in measured {
            let point = &measured.point;
            let variables = point.element_variables(point.configuration.shares.first());
            by_configuration.entry(sorted(&point.configuration)).or_default().push((variables, measured));
        }
        Self { by_configuration }
    }

    /// The configurations of the measured points on a cluster of these kinds. Runs that name no elements are of the only
    /// kind, with one process on each element.
    pub(super) fn configurations(&self, kinds: &[&str]) -> Vec<Configuration> {
        let own = |(shares, points): (&Vec<Share>, &Vec<(ElementVariables, &MeasuredPoint)>)| match kinds {
            [kind] if shares.is_empty() => {
                let counts = points.iter().filter_map(|(variables, _)| variables.get(crate::run::variable::PROCESSES));
                let share =
                    |processes: f64| Share { kind: (*kind).to_owned(), elements: processes as u32, processes: 1 };
                counts.map(|processes| Configuration { shares: vec![share(processes)] }).collect::<Vec<_>>()
            }
            _ => vec![Configuration { shares: shares.clone() }],
        };
        let mut all: Vec<Configuration> = self.by_configuration.iter().flat_map(own).collect();
        all.retain(|configuration| !configuration.shares.is_empty());
        all.sort();
        all.dedup();
        all
    }

    /// The own runs of a point; `None` if it was not measured.
    ///
    /// A run is of the point if it has the same configuration and the same values of the variables that both have.
    pub(super) fn at(&self, point: &Point) -> Option<OwnRuns<'a>> {
        let shares = sorted(&point.configuration);
        let found = self.by_configuration.get(&shares).or_else(|| match shares.as_slice() {
            [share] if share.processes == 1 => self.by_configuration.get(&Vec::new()),
            _ => None,
        })?;
        let asked = point.element_variables(shares.first());
        let mut by_variant: BTreeMap<&BTreeMap<String, String>, Vec<f64>> = BTreeMap::new();
        for (variables, measured) in found {
            let differs =
                |(name, value): (&str, f64)| variables.get(name).is_some_and(|own| own.total_cmp(&value).is_ne());
            if !asked.iter().any(differs) {
                by_variant.entry(&measured.variant).or_default().extend(&measured.seconds);
            }
        }
        let fastest = by_variant.into_iter().min_by(|a, b| median(&a.1).total_cmp(&median(&b.1)))?;
        Some(OwnRuns { variant: fastest.0, seconds: fastest.1 })
    }
}

/// The shares of a configuration in the order of their kinds.
fn sorted(configuration: &Configuration) -> Vec<Share> {
    let mut shares = configuration.shares.clone();
    shares.sort();
    shares
}
