//! Measured points: the times of the runs of each point, by the variant of the program.

use std::collections::{BTreeMap, BTreeSet};

use super::application::ExecutionTimeModel;
use super::effects::Levels;
use super::forecast::ForecastError;
use super::point::{ElementVariables, Point};
use super::term_model::TermModel;
use crate::run::{Configuration, Run, Share, hpl};
use orrery_base::numeric::median;

/// The runs of one point with one variant of the program.
#[derive(Debug, Clone, PartialEq)]
pub struct MeasuredPoint {
    /// The point; the shares of its configuration are in the order of their kinds.
    pub point: Point,
    /// The labels that are the variant of the program: those of HPL ([`hpl::LABELS`]), and the
    /// categories of the model; empty if it is unknown.
    pub variant: BTreeMap<String, String>,
    /// The times of the runs in seconds; at least one.
    pub seconds: Vec<f64>,
}

impl MeasuredPoint {
    /// The points of runs, in the order of the first run of each; the variant is that of HPL.
    pub fn of_runs<'a>(runs: impl IntoIterator<Item = &'a Run>) -> Vec<Self> {
        Self::by_variant(runs, |_| false)
    }

    /// The points of the runs of a model, in the order of the first run of each; the categories of
    /// the model are part of the variant.
    pub fn of_model<'a>(
        runs: impl IntoIterator<Item = &'a Run>,
        model: &ExecutionTimeModel,
    ) -> Vec<Self> {
        let categories =
            model.as_terms().map(|terms| terms.effects.categories()).unwrap_or_default();
        Self::by_variant(runs, |label| categories.contains(&label))
    }

    /// The points of runs; labels of HPL and those for which `is_variant` is true are the variant.
    fn by_variant<'a>(
        runs: impl IntoIterator<Item = &'a Run>,
        is_variant: impl Fn(&str) -> bool,
    ) -> Vec<Self> {
        let mut indices = BTreeMap::new();
        let mut points: Vec<Self> = Vec::new();
        for run in runs {
            let mut point = Point::of(run);
            point.configuration.shares.sort();
            let mut variant = hpl::labels_of(&run.labels);
            let others = run.labels.iter().filter(|(name, _)| is_variant(name));
            variant.extend(others.map(|(name, level)| (name.clone(), level.clone())));
            let index = *indices.entry((point.key(), variant.clone())).or_insert(points.len());
            if index == points.len() {
                points.push(Self { point, variant, seconds: Vec::new() });
            }
            points[index].seconds.push(run.seconds.get());
        }
        points
    }

    /// The points at fixed levels of the categories of a model: times are multiplied by the ratio
    /// of the factors. Of a point that was measured at these levels, only those runs count.
    pub(super) fn at_levels(
        points: &[Self],
        model: &TermModel,
        levels: &Levels,
    ) -> Result<Vec<Self>, ForecastError> {
        let asked = model.effects.at(levels)?.logarithm;
        let mut all = Vec::new();
        let mut exact = BTreeSet::new();
        for measured in points {
            let own = model.known_levels(&measured.variant, &measured.point.variables);
            let factor = (asked - model.effects.at(&own)?.logarithm).exp();
            let mut point = measured.point.clone();
            let mut labels = levels.clone();
            for (name, value) in &mut point.variables {
                if let Some(level) = labels.remove(name) {
                    *value = level.parse().unwrap_or(*value);
                }
            }
            let variant = hpl::with_parameters(&measured.variant, &labels);
            let seconds = measured.seconds.iter().map(|seconds| seconds * factor).collect();
            let key = point.key();
            if own == *levels {
                exact.insert(key.clone());
            }
            all.push((key, own == *levels, Self { point, variant, seconds }));
        }
        all.retain(|(key, is_exact, _)| *is_exact || !exact.contains(key));
        Ok(all.into_iter().map(|(_, _, measured)| measured).collect())
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
            by_configuration
                .entry(sorted(&point.configuration))
                .or_default()
                .push((variables, measured));
        }
        Self { by_configuration }
    }

    /// The configurations of the measured points on a cluster of these kinds. Runs that name no
    /// elements are of the only kind, with one process on each element.
    pub(super) fn configurations(&self, kinds: &[&str]) -> Vec<Configuration> {
        let own =
            |(shares, points): (&Vec<Share>, &Vec<(ElementVariables, &MeasuredPoint)>)| match kinds
            {
                [kind] if shares.is_empty() => {
                    let counts = points.iter().filter_map(|(variables, _)| {
                        variables.get(crate::run::variable::PROCESSES)
                    });
                    let share = |processes: f64| Share {
                        kind: (*kind).to_owned(),
                        elements: processes as u32,
                        processes: 1,
                    };
                    counts
                        .map(|processes| Configuration { shares: vec![share(processes)] })
                        .collect::<Vec<_>>()
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
    /// A run is of the point if it has the same configuration and the same values of the variables
    /// that both have.
    pub(super) fn at(&self, point: &Point) -> Option<OwnRuns<'a>> {
        let shares = sorted(&point.configuration);
        let found = self.by_configuration.get(&shares).or_else(|| match shares.as_slice() {
            [share] if share.processes == 1 => self.by_configuration.get(&Vec::new()),
            _ => None,
        })?;
        let asked = point.element_variables(shares.first());
        let mut by_variant: BTreeMap<&BTreeMap<String, String>, Vec<f64>> = BTreeMap::new();
        for (variables, measured) in found {
            let differs = |(name, value): (&str, f64)| {
                variables.get(name).is_some_and(|own| own.total_cmp(&value).is_ne())
            };
            if !asked.iter().any(differs) {
                by_variant.entry(&measured.variant).or_default().extend(&measured.seconds);
            }
        }
        let fastest =
            by_variant.into_iter().min_by(|a, b| median(&a.1).total_cmp(&median(&b.1)))?;
        Some(OwnRuns { variant: fastest.0, seconds: fastest.1 })
    }
}

/// The shares of a configuration in the order of their kinds.
fn sorted(configuration: &Configuration) -> Vec<Share> {
    let mut shares = configuration.shares.clone();
    shares.sort();
    shares
}
