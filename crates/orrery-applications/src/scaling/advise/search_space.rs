//! The configurations to choose from, and the experiments that inform the choice.

use crate::run::{Configuration, Share, variable};
use crate::scaling::plan::powers_of_two_up_to;
use crate::scaling::search::{Search, SearchSpace};
use crate::scaling::{ExecutionTimeModel, ForecastError, Layout, MeasuredPoint, Point, TermModel};
use orrery_cluster::platform::Kind;

/// The number of alternatives for each size: the configurations with the shortest times.
const ALTERNATIVES: usize = 64;

/// The sizes of cheaper experiments, relative to the size of the decision.
const SIZE_FRACTIONS: [f64; 6] = [0.125, 0.1875, 0.25, 0.375, 0.5, 0.75];

/// The configurations with the shortest times for a size, in ascending order of time, and all
/// measured ones.
pub(super) fn alternatives(
    space: &SearchSpace,
    model: &ExecutionTimeModel,
    measured: &[MeasuredPoint],
    size: f64,
) -> Result<Vec<Point>, ForecastError> {
    let fixed = space.fixed_at(Some(size));
    space.search(model, measured, &fixed, |search| {
        let candidates = search.ranking(ALTERNATIVES)?.candidates;
        let ranked =
            candidates.iter().map(|c| Point::of_configuration(&c.configuration, c.layout, &fixed));
        let known =
            search.known.iter().filter(|known| search.fits(&known.configuration, known.layout));
        let known =
            known.map(|known| Point::of_configuration(&known.configuration, known.layout, &fixed));
        Ok(ranked.chain(known).collect())
    })
}

/// The possible experiments: for each size the given points and the fastest layouts of each kind by
/// itself.
pub(super) fn experiments(
    space: &SearchSpace,
    model: &ExecutionTimeModel,
    transferred: &[Point],
    sizes: &[f64],
) -> Result<Vec<Point>, ForecastError> {
    let mut points = Vec::new();
    for &size in sizes {
        for base in transferred {
            let mut point = base.clone();
            point.variables.insert(variable::PROBLEM_SIZE.to_owned(), size);
            points.push(point);
        }
        let fixed = space.fixed_at(Some(size));
        points.extend(space.search(model, &[], &fixed, |search| {
            let single_kind = |(kind, of_kind): (usize, &Kind)| {
                let numbers: Vec<(u32, u32)> = powers_of_two_up_to(of_kind.elements())
                    .into_iter()
                    .flat_map(|elements| {
                        powers_of_two_up_to(of_kind.processes)
                            .into_iter()
                            .map(move |each| (elements, each))
                    })
                    .collect();
                let point = |(elements, processes)| {
                    let share = Share { kind: of_kind.name.clone(), elements, processes };
                    let layout = fastest_layout(search, kind, &share)?;
                    Some(Point::of_configuration(
                        &Configuration { shares: vec![share] },
                        layout,
                        &fixed,
                    ))
                };
                numbers.into_iter().filter_map(point).collect::<Vec<_>>()
            };
            Ok(space.kinds.iter().enumerate().flat_map(single_kind).collect::<Vec<_>>())
        })?);
    }
    Ok(points)
}

/// The fastest layout of elements of one kind; `None` if none is covered by the model and fits in
/// memory.
fn fastest_layout(search: &Search, kind: usize, share: &Share) -> Option<Layout> {
    let processes = share.elements.checked_mul(share.processes)?;
    let timed = search.layouts(processes).filter_map(|layout| {
        let fits = search.kinds[kind].room(share.processes, search.bytes(layout)) >= share.elements;
        Some((search.seconds(kind, share.processes, layout).filter(|_| fits)?, layout))
    });
    timed.min_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1))).map(|(_, layout)| layout)
}

/// The sizes of experiments: the given ones, otherwise the sizes asked for and the fractions of
/// them that are not below the measured range.
pub(super) fn run_sizes(model: &TermModel, asked: &[f64], given: &[f64]) -> Vec<f64> {
    let mut sizes = given.to_vec();
    if given.is_empty() {
        let least = model.ranges.get(variable::PROBLEM_SIZE).map_or(1.0, |(least, _)| *least);
        let parts = asked
            .iter()
            .flat_map(|size| SIZE_FRACTIONS.iter().map(move |part| (size * part).round()));
        sizes = parts.filter(|size| *size >= least).chain(asked.iter().copied()).collect();
    }
    sizes.sort_by(f64::total_cmp);
    sizes.dedup();
    sizes
}
