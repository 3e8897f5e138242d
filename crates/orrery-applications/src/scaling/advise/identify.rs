//! Runs of single kinds, which show the cost of kinds that are never the slowest of their runs.

use super::plan::{Advice, AdvisedRun, PlanLimits, StopReason};
use super::posterior::point_key;
use crate::run::{Configuration, Share, variable};
use crate::scaling::measured::MeasuredTimes;
use crate::scaling::search::{Grids, SearchSpace};
use crate::scaling::term_model::Slowest;
use crate::scaling::{Layout, MeasuredPoint, Point, TermModel};
use orrery_base::units::Seconds;
use orrery_cluster::platform::Kind;

/// A plan of a run of each kind whose cost the measured runs bound only from above; `None` if there
/// is no such kind. No configuration can be chosen before these runs.
pub(super) fn identifying_plan(
    model: &TermModel,
    measured: &[MeasuredPoint],
    space: &SearchSpace,
    limits: &PlanLimits,
    repetitions: u32,
) -> Option<Advice> {
    let is_bounded = |kind: &&Kind| model.bound(&kind.name).is_some();
    let kinds: Vec<&Kind> = space.kinds.iter().filter(is_bounded).collect();
    if kinds.is_empty() {
        return None;
    }
    let sizes = descending_sizes(measured, limits.sizes);
    let own_runs = MeasuredTimes::new(measured);
    let failed: Vec<_> = limits.failed.iter().map(|point| point_key(model, point)).collect();
    let is_new =
        |point: &Point| own_runs.at(point).is_none() && !failed.contains(&point_key(model, point));
    let (mut runs, mut spent) = (Vec::new(), 0.0);
    let mut stop_reason = StopReason::UnidentifiedKind;
    for kind in kinds {
        let at = |&size: &f64| Some((alone(space, kind, size)?, size));
        let possible = sizes.iter().filter_map(at).filter(|(point, _)| is_new(point));
        let timed =
            possible.filter_map(|(point, _)| Some((expected_seconds(model, &point)?, point)));
        let timed: Vec<(f64, Point)> = timed.collect();
        let cost = |seconds: f64| seconds * f64::from(repetitions);
        let affordable =
            |(seconds, _): &&(f64, Point)| spent + cost(*seconds) <= limits.budget.get();
        match timed.iter().find(affordable) {
            Some((seconds, point)) => {
                spent += cost(*seconds);
                runs.push(AdvisedRun {
                    point: point.clone(),
                    seconds: Seconds::new(*seconds),
                    cost: Seconds::new(spent),
                    outlook: None,
                });
            }
            None if timed.is_empty() => stop_reason = StopReason::NoUsefulRun,
            None => stop_reason = StopReason::BudgetUsed,
        }
    }
    Some(Advice { decisions: Vec::new(), runs, outlook: None, stop_reason })
}

/// The sizes of runs of single kinds, the best first: the middle one of those that are given, or
/// else measured, in which fixed costs are small, then the smaller ones.
fn descending_sizes(measured: &[MeasuredPoint], given: &[f64]) -> Vec<f64> {
    let of_point =
        |measured: &MeasuredPoint| measured.point.variables.get(variable::PROBLEM_SIZE).copied();
    let mut sizes = given.to_vec();
    if sizes.is_empty() {
        sizes.extend(measured.iter().filter_map(of_point));
    }
    sizes.sort_by(f64::total_cmp);
    sizes.dedup();
    sizes.truncate(sizes.len().div_ceil(2));
    sizes.reverse();
    sizes
}

/// One process on one element of a kind; `None` if the problem does not fit in its memory.
fn alone(space: &SearchSpace, kind: &Kind, size: f64) -> Option<Point> {
    let grid = (space.grids != Grids::None).then_some((1, 1));
    let layout = Layout { processes: 1, grid, block: space.blocks.first().copied() };
    let share = Share { kind: kind.name.clone(), elements: 1, processes: 1 };
    let configuration = Configuration { shares: vec![share] };
    let fits = kind.room(1, space.bytes(size, layout)) > 0;
    fits.then(|| Point::of_configuration(&configuration, layout, &space.fixed_at(Some(size))))
}

/// The expected time of a run of a kind with a bound: its bound, and at most the time of the
/// slowest kind without one; `None` if a variable is missing.
fn expected_seconds(model: &TermModel, point: &Point) -> Option<f64> {
    let of_kind = |kind: &str| {
        let mut of_kind = point.clone();
        of_kind.configuration.shares.iter_mut().for_each(|share| kind.clone_into(&mut share.kind));
        Slowest::of(&model.coefficients, &of_kind).map(|slowest| slowest.seconds)
    };
    let own = of_kind(&point.configuration.shares.first()?.kind)?;
    let identified = model.kinds.iter().filter(|kind| model.bound(kind).is_none());
    let slowest = identified.filter_map(|kind| of_kind(kind)).reduce(f64::max);
    Some(slowest.map_or(own, |slowest| own.min(slowest)).max(0.0))
}
