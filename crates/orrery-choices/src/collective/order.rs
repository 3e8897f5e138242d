//! The order of processors in the tree of a collective operation: slow processors and thin links at
//! the leaves.

use orrery_base::budget::{Budget, STEPS_PER_OPERATION};
use orrery_base::units::Seconds;
use orrery_cluster::platform::{Placement, Processor};
use orrery_measure::sample::Experiment;
use orrery_models::comm::PointToPoint;
use orrery_models::model::{
    Alarm, Model, ModelKind, PlayedFlows, PredictError, Predictor, Query, SharedPorts,
};
use orrery_play::engine::Engine;
use orrery_program::schedule::{Collective, Operation, Rank, Schedule, Transfer, operations};

/// A placement of the ranks of a collective operation with its predicted time.
#[derive(Debug, Clone, PartialEq)]
pub struct Order {
    /// The processor of each rank; that of the root stays.
    pub placement: Placement,
    /// The predicted time.
    pub seconds: Seconds,
    /// The predicted time with rank r on processor r.
    pub in_rank_order: Seconds,
    /// The number of orders that were predicted.
    pub predicted: usize,
    /// The alarms of the prediction in rank order.
    pub alarms: Vec<Alarm>,
}

/// The maximum number of orders that are predicted.
const MAX_PREDICTIONS: usize = 20_000;

/// The steps of an operation in a predicted order.
const STEPS_PER_PLAYED: u64 = 20;

/// The number of orders that each of several searches predicts at most.
fn max_predictions(collective: &Collective, searches: usize) -> usize {
    let steps = collective.operations().max(1).saturating_mul(STEPS_PER_PLAYED);
    let own = Budget::of_input(0).operations() / searches.max(1) as u64;
    let affordable = own.saturating_mul(STEPS_PER_OPERATION) / steps;
    usize::try_from(affordable).unwrap_or(usize::MAX).clamp(1, MAX_PREDICTIONS)
}

/// The operations of one of several searches for an order: exchanges of all pairs of ranks, a few
/// times.
pub fn order_operations(collective: &Collective, searches: usize) -> u64 {
    let pairs = (collective.ranks as u64).saturating_pow(2);
    let orders = pairs.min(max_predictions(collective, searches) as u64);
    let steps = collective.operations().saturating_mul(STEPS_PER_PLAYED);
    orders.saturating_mul(steps).div_ceil(STEPS_PER_OPERATION)
}

/// The relative decrease of the time below which an exchange of two processors is no progress.
const MIN_GAIN: f64 = 1e-9;

/// Returns the fastest order of the processors 0 to p − 1 that a search finds.
///
/// It begins with the better of two orders: rank order, and the processors with the shortest
/// messages of the operation's size from the root at the ranks that send and receive most. Then
/// pairs of processors are exchanged as long as the predicted time decreases. The order is no
/// slower than rank order by the prediction. Its predicted time is too short on average, because
/// the search prefers orders that errors of the parameters favour. Source of the idea: Lastovetsky,
/// Rychkov, O'Flynn, "A software tool for accurate estimation of parameters of heterogeneous
/// communication models", section 4.
///
/// The search ends early if this and the other `searches` of a request take more operations than an
/// input may request.
///
/// # Errors
///
/// When the model does not contain the kind or has fewer processors than the operation has ranks.
pub fn order(
    model: &Model,
    kind: ModelKind,
    collective: &Collective,
    searches: usize,
) -> Result<Order, PredictError> {
    let Collective { kind: operation, algorithm, root, ranks, block } = *collective;
    let root = Processor(root.0);
    let experiment =
        Experiment::Collective { kind: operation, algorithm, root, procs: ranks, size: block };
    let query = Query::Experiment(experiment);
    let mut predictor = Predictor::new(model, kind)?;
    // The prediction checks the number of operations first.
    let alarms = predictor.predict(&query)?.alarms;
    let factor = predictor.expected_factor(&query);
    let mut times = Times { factor, ..Times::new(model, kind, collective)? };
    let most = max_predictions(collective, searches);
    let identity: Vec<Processor> = Processor::first(ranks).collect();
    let in_rank_order = times.of(&identity)?;
    let (mut best, mut seconds) = (identity, in_rank_order);
    let sorted = times.fast_processors_at_busy_ranks(&best)?;
    let of_sorted = times.of(&sorted)?;
    if of_sorted < seconds {
        (best, seconds) = (sorted, of_sorted);
    }
    loop {
        let before = seconds;
        for (i, j) in (0..ranks).flat_map(|i| (i + 1..ranks).map(move |j| (i, j))) {
            if i == root.index() || j == root.index() || times.predicted >= most {
                continue;
            }
            best.swap(i, j);
            let swapped = times.of(&best)?;
            if swapped.get() < seconds.get() * (1.0 - MIN_GAIN) {
                seconds = swapped;
            } else {
                best.swap(i, j);
            }
        }
        if seconds == before || times.predicted >= most {
            break;
        }
    }
    Ok(Order {
        placement: Placement::new(best),
        seconds,
        in_rank_order,
        predicted: times.predicted,
        alarms,
    })
}

/// The predicted times of an operation in different orders of processors.
struct Times<'a> {
    collective: &'a Collective,
    engine: Engine,
    network: Box<dyn PointToPoint>,
    flows: Option<SharedPorts>,
    /// The factor of the expected error.
    factor: f64,
    predicted: usize,
}

impl<'a> Times<'a> {
    /// The times of an operation by a kind of model.
    ///
    /// # Errors
    ///
    /// When the model does not contain the kind or has fewer processors than the operation has
    /// ranks.
    fn new(
        model: &Model,
        kind: ModelKind,
        collective: &'a Collective,
    ) -> Result<Self, PredictError> {
        let network = model.network(kind)?;
        let processors = model.processors();
        if collective.ranks > processors {
            return Err(PredictError::NoSuchProcessor {
                processor: Processor(processors as u32),
                processors,
            });
        }
        let has_flows =
            PlayedFlows::of(model, kind).is_some_and(|played| played.contains(collective));
        let flows = if has_flows { SharedPorts::of(model) } else { None };
        Ok(Self { collective, engine: Engine::new(), network, flows, factor: 1.0, predicted: 0 })
    }

    /// The time until the last rank has ended.
    fn of(&mut self, processors: &[Processor]) -> Result<Seconds, PredictError> {
        self.predicted += 1;
        let placement = Placement::new(processors.iter().copied());
        if let Some(flows) = &self.flows {
            let ends = flows.ends(self.collective, &placement, false)?;
            return Ok(ends.into_iter().fold(Seconds::ZERO, Seconds::max) * self.factor);
        }
        let outcome = self.engine.run(self.collective, &placement, &mut *self.network)?;
        let ends = Rank::first(self.collective.ranks).map(|rank| outcome.finish(rank));
        Ok(ends.fold(Seconds::ZERO, Seconds::max) * self.factor)
    }

    /// The order in which the ranks with most bytes and messages have the processors with the
    /// shortest messages from the root.
    fn fast_processors_at_busy_ranks(
        &mut self,
        identity: &[Processor],
    ) -> Result<Vec<Processor>, PredictError> {
        let root = self.collective.root.index();
        let load = |rank: usize| {
            let sizes = operations(self.collective, Rank(rank as u32)).filter_map(|operation| {
                match operation {
                    Operation::Do(transfer) | Operation::Post(transfer, _) => match transfer {
                        Transfer::Send { size, .. } | Transfer::Receive { size, .. } => {
                            Some(size.get())
                        }
                        Transfer::ReceiveAny { .. } => None,
                    },
                    _ => None,
                }
            });
            sizes.fold((0, 0), |(bytes, messages), size| (bytes + size, messages + 1))
        };
        let mut ranks: Vec<usize> =
            (0..self.collective.ranks()).filter(|&rank| rank != root).collect();
        ranks.sort_by_key(|&rank| (std::cmp::Reverse(load(rank)), rank));
        let mut times = Vec::new();
        for &processor in identity.iter().filter(|processor| processor.index() != root) {
            let message = Collective { ranks: 2, root: Rank(0), ..*self.collective };
            let placement = Placement::new([Processor(root as u32), processor]);
            let outcome = self.engine.run(&message, &placement, &mut *self.network)?;
            times.push((outcome.finish(Rank(0)).max(outcome.finish(Rank(1))), processor));
        }
        times.sort_by(|(a, one), (b, other)| a.get().total_cmp(&b.get()).then(one.cmp(other)));
        let mut order = identity.to_vec();
        ranks.iter().zip(times).for_each(|(&rank, (_, processor))| order[rank] = processor);
        Ok(order)
    }
}
