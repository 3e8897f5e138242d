use std::collections::BTreeMap;

use super::AdviceError;
use crate::platform::Kind;
use crate::run::{Configuration, Share, variable};
use crate::scaling::search::{Grids, Search, matrix_bytes};
use crate::scaling::{Layout, Point, TermModel, TermTimes};

/// So many configurations compete for each size: those with the shortest times.
const ALTERNATIVES: usize = 64;

/// Runs of these parts of a size say something of it at less cost.
const PARTS: [f64; 6] = [0.125, 0.1875, 0.25, 0.375, 0.5, 0.75];

/// The configurations in question: a part of a cluster, and the layouts of programs on it.
#[derive(Debug, Clone)]
pub struct SearchSpace<'a> {
    /// The kinds of elements.
    pub kinds: &'a [Kind],
    /// The process grids.
    pub grids: Grids,
    /// The block sizes; none for a program without.
    pub blocks: Vec<u32>,
    /// What is needed of the memory of the hosts beside the matrix of order n, as a part of it; without it, memory is no
    /// limit.
    pub memory_overhead: Option<f64>,
    /// Other variables of the model, which stay as they are.
    pub fixed: BTreeMap<String, f64>,
}

impl SearchSpace<'_> {
    /// The configurations with the shortest times for a size, in order.
    pub(super) fn alternatives(&self, model: &TermModel, size: f64) -> Result<Vec<Point>, AdviceError> {
        let fixed = self.fixed(size);
        self.search(model, size, |search| {
            let ranking = search.ranking(ALTERNATIVES)?;
            let point =
                |c: &crate::scaling::search::Candidate| Point::of_configuration(&c.configuration, c.layout, &fixed);
            Ok(ranking.candidates.iter().map(point).collect())
        })
    }

    /// Whether a point that was measured is one of a size on these elements.
    pub(super) fn holds(&self, point: &Point, size: f64) -> bool {
        let room = |share: &Share| {
            let kind = self.kinds.iter().find(|kind| kind.name == share.kind);
            kind.is_some_and(|kind| share.elements <= kind.elements() && share.processes <= kind.processes)
        };
        let shares = &point.configuration.shares;
        let of_size = point.variables.get(variable::PROBLEM_SIZE).is_some_and(|own| own.total_cmp(&size).is_eq());
        of_size && !shares.is_empty() && shares.iter().all(room)
    }

    /// Runs that may teach something: of each size those of given configurations, and of each kind by itself.
    pub(super) fn experiments(
        &self,
        model: &TermModel,
        favourites: &[Point],
        sizes: &[f64],
    ) -> Result<Vec<Point>, AdviceError> {
        let mut points = Vec::new();
        for &size in sizes {
            for favourite in favourites {
                let mut point = favourite.clone();
                point.variables.insert(variable::PROBLEM_SIZE.to_owned(), size);
                points.push(point);
            }
            let fixed = self.fixed(size);
            points.extend(self.search(model, size, |search| {
                let alone = |(kind, of_kind): (usize, &Kind)| {
                    let numbers: Vec<(u32, u32)> = doubling(of_kind.elements())
                        .into_iter()
                        .flat_map(|elements| doubling(of_kind.processes).into_iter().map(move |each| (elements, each)))
                        .collect();
                    let point = |(elements, processes)| {
                        let share = Share { kind: of_kind.name.clone(), elements, processes };
                        let layout = fastest(search, kind, &share)?;
                        Some(Point::of_configuration(&Configuration { shares: vec![share] }, layout, &fixed))
                    };
                    numbers.into_iter().filter_map(point).collect::<Vec<_>>()
                };
                Ok(self.kinds.iter().enumerate().flat_map(alone).collect())
            })?);
        }
        Ok(points)
    }

    fn fixed(&self, size: f64) -> BTreeMap<String, f64> {
        let mut fixed = self.fixed.clone();
        fixed.insert(variable::PROBLEM_SIZE.to_owned(), size);
        fixed
    }

    fn search(
        &self,
        model: &TermModel,
        size: f64,
        ask: impl FnOnce(&Search) -> Result<Vec<Point>, AdviceError>,
    ) -> Result<Vec<Point>, AdviceError> {
        let kinds: Vec<&str> = self.kinds.iter().map(|kind| kind.name.as_str()).collect();
        let times = TermTimes::of(model, &kinds, &self.fixed(size))?;
        let bytes = self.memory_overhead.map(|overhead| matrix_bytes(size, overhead));
        let mut search = Search::new(self.kinds, &times);
        search.grids = self.grids.clone();
        search.blocks.clone_from(&self.blocks);
        search.memory = bytes.as_ref().map(|bytes| bytes as &dyn Fn(Layout) -> f64);
        ask(&search)
    }
}

/// The layout in which elements of a kind by themselves are fastest, where they have room for it.
fn fastest(search: &Search, kind: usize, share: &Share) -> Option<Layout> {
    let processes = share.elements.checked_mul(share.processes)?;
    let timed = search.layouts(processes).filter_map(|layout| {
        let room = search.kinds[kind].room(share.processes, search.bytes(layout)) >= share.elements;
        Some((search.seconds(kind, share.processes, layout).filter(|_| room)?, layout))
    });
    timed.min_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1))).map(|(_, layout)| layout)
}

/// The sizes of runs: those given, else parts of those asked for that are not below what was measured.
pub(super) fn sizes(model: &TermModel, asked: &[f64], given: &[f64]) -> Vec<f64> {
    let mut sizes = given.to_vec();
    if given.is_empty() {
        let least = model.ranges.get(variable::PROBLEM_SIZE).map_or(1.0, |(least, _)| *least);
        let parts = asked.iter().flat_map(|size| PARTS.iter().map(move |part| (size * part).round()));
        sizes = parts.filter(|size| *size >= least).chain(asked.iter().copied()).collect();
    }
    sizes.sort_by(f64::total_cmp);
    sizes.dedup();
    sizes
}

/// 1, 2, 4, … below a number, and the number itself.
fn doubling(most: u32) -> Vec<u32> {
    let powers = std::iter::successors(Some(1_u32), |power| power.checked_mul(2));
    powers.take_while(|power| *power < most).chain((most > 0).then_some(most)).collect()
}
