//! The present conditions of the cluster, from the forecasts of all series, and the model under
//! them.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use orrery::conditions::{Conditions, Current, LinkConditions, Present};
use orrery::model::Model;
use orrery::units::Seconds;

use super::board::LiveSeries;
use super::refusal::Refusal;
use super::routes::{SeriesState, forecast};
use super::state::State;
use super::tracker::MAX_FORECAST_AHEAD;
use crate::name::Quantity;
use crate::store::{Store, StoreError};
use crate::timestamp::Timestamp;

/// The number of last samples that the level of an idle link is a quantile of.
const IDLE_SAMPLES: usize = 1000;

/// The quantile of latencies that is that of an idle link; of bandwidths it is 1 minus it.
const IDLE_QUANTILE: f64 = 0.05;

/// The time after which the level of an idle link is determined anew.
const IDLE_AGE: Duration = Duration::from_secs(300);

/// The time for which the model under the present conditions is kept.
const PRESENT_AGE: Duration = Duration::from_secs(1);

/// The fitted model of the cluster, what idle links have measured, and the model under the last
/// conditions.
#[derive(Debug, Default)]
pub(super) struct Models {
    fitted: Option<Model>,
    idle: Mutex<BTreeMap<i64, (Instant, Option<f64>)>>,
    present: Mutex<Option<(Instant, Arc<PresentModel>)>>,
}

/// A model under conditions.
#[derive(Debug)]
pub(super) struct PresentModel {
    pub(super) conditions: Conditions,
    pub(super) present: Present,
}

impl Models {
    /// The fitted model that questions about kernels and routines are answered by; `None` for none.
    pub(super) fn new(fitted: Option<Model>) -> Self {
        Self { fitted, ..Self::default() }
    }

    /// The latency or the bandwidth of an idle link: a quantile of the last samples of its series,
    /// determined anew after [`IDLE_AGE`]. `None` without samples.
    fn idle(&self, series: &LiveSeries, store: &Store) -> Result<Option<f64>, StoreError> {
        let known =
            self.idle.lock().unwrap_or_else(PoisonError::into_inner).get(&series.id).copied();
        if let Some((_, level)) = known.filter(|(when, _)| when.elapsed() < IDLE_AGE) {
            return Ok(level);
        }
        let is_latency = *series.name.quantity() == Quantity::Latency;
        let until = Timestamp::now().after(MAX_FORECAST_AHEAD);
        let recent = store.recent_until(series.id, until, IDLE_SAMPLES)?;
        let mut values: Vec<f64> = recent.into_iter().map(|(_, value)| value).collect();
        values.sort_by(f64::total_cmp);
        let quantile = if is_latency { IDLE_QUANTILE } else { 1.0 - IDLE_QUANTILE };
        let place = (quantile * values.len().saturating_sub(1) as f64).round() as usize;
        let level = values.get(place).copied();
        self.idle
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .insert(series.id, (Instant::now(), level));
        Ok(level)
    }
}

/// The present conditions: the forecasts of the next samples, or those at a horizon.
pub(super) async fn conditions(
    state: &Arc<State>,
    horizon: Option<Seconds>,
) -> Result<Conditions, Refusal> {
    let now = Timestamp::now();
    let mut conditions = Conditions { time: now.seconds(), ..Conditions::default() };
    let mut links: BTreeMap<(String, String), LinkConditions> = BTreeMap::new();
    let mut of_links = Vec::new();
    for series in state.board.all() {
        let (name, quantity) = (&series.name, series.name.quantity());
        if !is_condition(quantity) {
            continue;
        }
        let tracked = forecast(state, &series, horizon, None).await?;
        let Some(current) = current(&SeriesState::new(&series, tracked, now)) else { continue };
        conditions.level = tracked.map(|tracked| tracked.options.level());
        if let (Quantity::Latency | Quantity::Bandwidth, Some(to)) = (quantity, name.target()) {
            let link = links
                .entry((name.host().to_owned(), to.to_owned()))
                .or_insert_with(|| unknown(name.host(), to));
            let place = if *quantity == Quantity::Latency {
                &mut link.latency
            } else {
                &mut link.bandwidth
            };
            *place = Some(current);
            of_links.push(Arc::clone(&series));
            continue;
        }
        let host = conditions.hosts.entry(name.host().to_owned()).or_default();
        match (quantity, name.target()) {
            (Quantity::Availability, None) => host.availability = Some(current),
            (Quantity::Load, None) => host.load = Some(current),
            (Quantity::MemoryFree, None) => host.memory_free = Some(current),
            (Quantity::SwapFree, None) => host.swap_free = Some(current),
            (Quantity::DiskFree, Some(folder)) => {
                host.disk_free.insert(folder.to_owned(), current);
            }
            _ => {}
        }
    }
    let of_state = Arc::clone(state);
    let levels = state.reader.run(move |store| {
        let level = |series: &Arc<LiveSeries>| {
            Ok((Arc::clone(series), of_state.models.idle(series, store)?))
        };
        of_links.iter().map(level).collect::<Result<Vec<_>, StoreError>>()
    });
    for (series, level) in levels.await? {
        let key =
            (series.name.host().to_owned(), series.name.target().unwrap_or_default().to_owned());
        let Some(link) = links.get_mut(&key) else { continue };
        let is_latency = *series.name.quantity() == Quantity::Latency;
        *(if is_latency { &mut link.idle_latency } else { &mut link.idle_bandwidth }) = level;
    }
    conditions.links = links.into_values().collect();
    Ok(conditions)
}

/// Returns true if conditions contain a quantity.
fn is_condition(quantity: &Quantity) -> bool {
    use Quantity::{Availability, Bandwidth, DiskFree, Latency, Load, MemoryFree, SwapFree};
    matches!(quantity, Availability | Load | MemoryFree | SwapFree | DiskFree | Latency | Bandwidth)
}

/// A link without known conditions.
fn unknown(from: &str, to: &str) -> LinkConditions {
    let (from, to) = (from.to_owned(), to.to_owned());
    LinkConditions {
        from,
        to,
        latency: None,
        bandwidth: None,
        idle_latency: None,
        idle_bandwidth: None,
    }
}

/// The forecast of a series as a condition; `None` without a forecast or a sample.
fn current(state: &SeriesState<'_>) -> Option<Current> {
    let (forecast, last) = (state.forecast?, state.last?);
    // The forecast of a quantity that is not negative is not.
    let interval =
        forecast.low.zip(forecast.high).map(|(low, high)| (low.clamp(0.0, forecast.value), high));
    Some(Current {
        value: forecast.value,
        interval,
        age: Seconds::new(last.age),
        ahead: Seconds::new(if state.stale { last.ahead } else { 0.0 }),
        is_stale: state.stale,
    })
}

/// The fitted model under the present conditions, which is kept for a second; made anew for a
/// horizon.
///
/// # Errors
///
/// Refuses if the service has no model, or if the conditions say nothing about its hosts.
pub(super) async fn model(
    state: &Arc<State>,
    horizon: Option<Seconds>,
) -> Result<Arc<PresentModel>, Refusal> {
    if state.models.fitted.is_none() {
        return Err(Refusal::missing(
            "the service has no model: start it with --model FILE, a model of orrery fit",
        ));
    }
    let kept = state.models.present.lock().unwrap_or_else(PoisonError::into_inner).clone();
    if let Some((_, present)) =
        kept.filter(|(when, _)| horizon.is_none() && when.elapsed() < PRESENT_AGE)
    {
        return Ok(present);
    }
    let conditions = conditions(state, horizon).await?;
    let of_state = Arc::clone(state);
    let made = state.reader.run(move |_| {
        let made = of_state.models.fitted.as_ref().filter(|model| conditions.concern(model)).map(
            |model| {
                let present = conditions.apply(model);
                Arc::new(PresentModel { conditions, present })
            },
        );
        Ok(made)
    });
    let made = made.await?.ok_or_else(|| {
        Refusal::missing(
            "no host of the model has a load that is known now: compare the names with those of \
                /v1/series",
        )
    })?;
    if horizon.is_none() {
        let kept = Some((Instant::now(), Arc::clone(&made)));
        *state.models.present.lock().unwrap_or_else(PoisonError::into_inner) = kept;
    }
    Ok(made)
}
