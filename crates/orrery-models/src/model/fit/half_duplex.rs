//! Processors whose messages in both directions share one capacity, from exchanges of single pairs.

use std::collections::{BTreeMap, BTreeSet};

use rand::SeedableRng;
use rand::rngs::ChaCha8Rng;

use super::exchange_times::{ExchangeTimes, round_trip};
use crate::comm::ports::shared_port;
use crate::comm::{Correlations, Ports};
use crate::model::SharedPorts;
use orrery_base::numeric::{Estimate, median, normal_quantile, student_quantile};
use orrery_base::units::Bytes;
use orrery_cluster::platform::{LinkId, Processor};
use orrery_measure::sample::{ExchangeSet, ExchangeTime, Experiment, Samples, single_exchanges};
use orrery_play::simulate::SimulationError;

/// The smallest ratio of the delay of both directions together to that of the slower port. It is 2
/// if the link is half duplex; less may be due to processors, or to sizes beyond those of round
/// trips.
const MIN_RATIO: f64 = 1.5;

/// The smallest relative increase of the time of an exchange by both directions that counts.
const MIN_INCREASE: f64 = 0.25;
/// The smallest increase of this time that counts, in standard deviations.
const DEVIATIONS: f64 = 4.0;

/// The largest number of simulations from which the delay that explains a time is found.
const MAX_STEPS: usize = 60;
/// The error of the explained time, relative to it, at which the delay is found.
const EXACT: f64 = 1e-12;

/// The number of times that exchanges are assigned to the slower of both processors, and delays are
/// estimated from them.
const ASSIGNMENTS: usize = 8;

/// The largest ratio of the delay that an exchange shows to the bound by others. Beyond, neither of
/// its processors explains it.
const MAX_ABOVE_BOUND: f64 = 1.2;

/// The number of draws of the other parameters.
const DRAWS: usize = 16;
/// The seed of the draws, so that a fit is repeatable.
const SEED: u64 = 2;

/// The smallest relative standard deviation of a delay.
const SMALLEST_DEVIATION: f64 = 1e-9;

/// The delay of a processor that no exchange shows.
const UNKNOWN: Estimate = Estimate { value: 0.0, interval: None, samples: Some(0) };

/// A processor whose messages in both directions share one capacity.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct HalfDuplex {
    /// The processor.
    pub processor: Processor,
    /// The largest ratio of the time of an exchange to that with independent directions.
    pub slowdown: f64,
}

/// Two processors, the lower one first.
type Pair = (Processor, Processor);

/// An exchange of a pair by itself.
struct Exchange {
    pair: [Processor; 2],
    set: ExchangeSet,
    time: ExchangeTime,
    /// The bytes of each message, as the size law counts them.
    size: f64,
    /// The time with independent directions, as single messages show it: that of the model, or
    /// longer by as much as round trips of the pair take longer than in the model \[s\].
    independent: f64,
}

impl Exchange {
    /// Returns true if both directions delay each other by more than noise.
    fn is_slowed(&self) -> bool {
        let excess = self.time.seconds - self.independent;
        excess > MIN_INCREASE * self.independent && excess > DEVIATIONS * self.time.deviation
    }

    /// The time on a machine \[s\].
    fn simulated(&self, machine: &SharedPorts) -> Result<f64, SimulationError> {
        let (program, placement) = self.set.program(self.pair[0]);
        Ok(machine.ends(&program, &placement, false)?[0].get())
    }

    /// The delay per byte of a link that both messages share which explains the time \[s/B\].
    ///
    /// The time is convex in the delay, with a slope of at most two sizes: Newton's method with
    /// this slope approaches the delay from above.
    fn delay(&self, machine: &mut SharedPorts, link: LinkId) -> Result<f64, SimulationError> {
        let slope = 2.0 * self.size;
        let mut delay = self.time.seconds / slope;
        for _ in 0..MAX_STEPS {
            machine.set_byte_delay(link, delay);
            let excess = self.simulated(machine)? - self.time.seconds;
            delay -= excess / slope;
            if excess.abs() <= EXACT * self.time.seconds {
                break;
            }
        }
        machine.set_byte_delay(link, 0.0);
        Ok(delay.max(0.0))
    }

    /// The standard deviation of such a delay \[s/B\].
    fn deviation(&self) -> f64 {
        self.time.deviation / (2.0 * self.size)
    }
}

/// Finds the processors whose messages in both directions share one capacity, and adds it to the
/// model. `None` without exchanges of single pairs.
///
/// Each exchange is an upper bound of the delays of its two processors; the least bound of a
/// processor holds. A slowed exchange shows the delay of the processor with the larger bound, or of
/// both if the bounds are equal: of two processors that only exchanged messages with each other,
/// both count as half duplex.
///
/// # Errors
///
/// When the exchanges cannot be simulated.
pub(super) fn add(
    samples: &Samples,
    ports: &mut Ports,
    correlations: &Correlations,
    level: f64,
) -> Result<Option<Vec<HalfDuplex>>, SimulationError> {
    let exchanges = exchanges(samples, ports);
    if exchanges.is_empty() {
        return Ok(None);
    }
    if !exchanges.iter().any(Exchange::is_slowed) {
        return Ok(Some(Vec::new()));
    }
    // A delay above 0 makes a link, whose bandwidth is then tried.
    let n = ports.processors();
    let trial = Ports { both_ports_byte_delay: vec![Estimate::exact(1.0); n], ..ports.clone() };
    let mut machine = SharedPorts::new(&trial);
    let links: Vec<LinkId> =
        Processor::first(n).filter_map(|one| shared_port(&trial, one)).collect();
    links.iter().for_each(|&link| machine.set_byte_delay(link, 0.0));
    let mut delays: Vec<(&Exchange, f64)> = Vec::new();
    for exchange in &exchanges {
        delays.push((exchange, exchange.delay(&mut machine, links[exchange.pair[0].index()])?));
    }
    let mut estimates = assigned(&delays, n, level);
    widen(&mut estimates, &delays, (&trial, &links), correlations, level)?;
    let slower_port = |one: usize| ports.port_byte_delay[one].value.max(ports.in_port(one).value);
    for (one, estimate) in estimates.iter_mut().enumerate() {
        if 2.0 * estimate.value < MIN_RATIO * slower_port(one) {
            *estimate = UNKNOWN;
        }
    }
    let slowdown = |one: Processor| {
        let own = exchanges.iter().filter(|exchange| exchange.pair.contains(&one));
        own.map(|exchange| exchange.time.seconds / exchange.independent).fold(1.0, f64::max)
    };
    let found: Vec<HalfDuplex> = Processor::first(n)
        .filter(|one| estimates[one.index()].value > 0.0)
        .map(|processor| HalfDuplex { processor, slowdown: slowdown(processor) })
        .collect();
    ports.both_ports_byte_delay = if found.is_empty() { Vec::new() } else { estimates };
    Ok(Some(found))
}

/// The largest measured round trip of each of these pairs with equal messages: its size and its
/// median time.
fn largest_round_trips(samples: &Samples, pairs: &BTreeSet<Pair>) -> BTreeMap<Pair, (Bytes, f64)> {
    let mut largest: BTreeMap<Pair, (Bytes, f64)> = BTreeMap::new();
    for series in samples.series() {
        let Experiment::RoundTrip { i, j, size, reply } = series.experiment else { continue };
        let pair = (i.min(j), i.max(j));
        let is_larger = largest.get(&pair).is_none_or(|(before, _)| size > *before);
        if size == reply && is_larger && pairs.contains(&pair) {
            largest.insert(pair, (size, median(&series.seconds())));
        }
    }
    largest
}

/// The exchanges of single pairs, with their times on a machine of independent directions.
fn exchanges(samples: &Samples, ports: &Ports) -> Vec<Exchange> {
    let independent = Ports { both_ports_byte_delay: Vec::new(), ..ports.clone() };
    let delays: Vec<f64> = ports.uplinks.byte_delay().iter().map(|delay| delay.value).collect();
    let mut exchanges = Vec::new();
    let times = single_exchanges(samples);
    let round_trips = largest_round_trips(samples, &times.keys().map(|(pair, _)| *pair).collect());
    for (((i, j), size), time) in times {
        let effective = ports.size_law.effective(size);
        // Where messages wait for their receive, a library may send one direction after the other.
        let is_eager = ports.largest_eager().is_none_or(|largest| size <= largest);
        if i.index().max(j.index()) < ports.processors() && effective > 0.0 && is_eager {
            let set = ExchangeSet::new([(i, j)], size);
            let alone = ExchangeTimes::new(&set, &independent, &ports.uplinks).times(&delays)[0];
            let longer = round_trips.get(&(i, j)).map_or(1.0, |&(size, seconds)| {
                (seconds / round_trip(&independent, (i, j), size)).max(1.0)
            });
            exchanges.push(Exchange {
                pair: [i, j],
                set,
                time,
                size: effective,
                independent: alone * longer,
            });
        }
    }
    exchanges
}

/// The delay of each processor from the slowed exchanges with processors of no larger delay; 0
/// without any.
fn assigned(delays: &[(&Exchange, f64)], processors: usize, level: f64) -> Vec<Estimate> {
    let mut values = vec![f64::INFINITY; processors];
    for (exchange, delay) in delays {
        let bound = delay + 2.0 * exchange.deviation();
        exchange.pair.iter().for_each(|end| values[end.index()] = values[end.index()].min(bound));
    }
    let bounds = values.clone();
    let mut estimates = vec![UNKNOWN; processors];
    for _ in 0..ASSIGNMENTS {
        for (one, estimate) in estimates.iter_mut().enumerate() {
            let is_own = |exchange: &Exchange| {
                let is_slowest = |end: Processor| {
                    values[end.index()] <= values[one] + 2.0 * exchange.deviation()
                };
                let ends = exchange.pair;
                exchange.is_slowed()
                    && ends.iter().any(|end| end.index() == one)
                    && ends.into_iter().all(is_slowest)
            };
            let is_explained = |delay: f64| delay <= MAX_ABOVE_BOUND * bounds[one];
            let own =
                delays.iter().filter(|(exchange, delay)| is_own(exchange) && is_explained(*delay));
            *estimate = mean(own, level);
        }
        for (value, estimate) in
            values.iter_mut().zip(&estimates).filter(|(_, estimate)| estimate.value > 0.0)
        {
            *value = estimate.value;
        }
    }
    estimates
}

/// Widens the intervals of the delays of processors by the errors of the other parameters: each
/// draw of `trial` changes the simulated times of the slowed exchanges, whose `delays` follow.
/// `links` are the shared links of the processors.
fn widen(
    estimates: &mut [Estimate],
    delays: &[(&Exchange, f64)],
    (trial, links): (&Ports, &[LinkId]),
    correlations: &Correlations,
    level: f64,
) -> Result<(), SimulationError> {
    if estimates.iter().all(|estimate| estimate.interval.is_none()) {
        return Ok(());
    }
    let mut squares = vec![0.0; estimates.len()];
    let mut rng = ChaCha8Rng::seed_from_u64(SEED);
    for _ in 0..DRAWS {
        let mut machine = SharedPorts::new(&trial.drawn(correlations, &mut rng));
        links.iter().for_each(|&link| machine.set_byte_delay(link, 0.0));
        let mut drawn = Vec::new();
        for &(exchange, delay) in delays {
            let link = links[exchange.pair[0].index()];
            machine.set_byte_delay(link, delay);
            let excess = exchange.simulated(&machine)? - exchange.time.seconds;
            machine.set_byte_delay(link, 0.0);
            drawn.push((exchange, (delay - excess / (2.0 * exchange.size)).max(0.0)));
        }
        let drawn = assigned(&drawn, estimates.len(), level);
        for (sum, (drawn, estimate)) in squares.iter_mut().zip(drawn.iter().zip(&*estimates)) {
            *sum += (drawn.value - estimate.value).powi(2);
        }
    }
    for (estimate, sum) in estimates.iter_mut().zip(squares) {
        *estimate =
            estimate.widened(student_quantile(DRAWS as f64, level) * (sum / DRAWS as f64).sqrt());
    }
    Ok(())
}

/// The mean of the delays of exchanges, weighted by the inverse of their variances, with an
/// interval at `level` if readings differ; [`UNKNOWN`] without exchanges.
fn mean<'a>(delays: impl Iterator<Item = &'a (&'a Exchange, f64)>, level: f64) -> Estimate {
    let (mut sum, mut weights, mut readings, mut has_spread) = (0.0, 0.0, 0, false);
    for (exchange, delay) in delays {
        let weight = exchange.deviation().max(SMALLEST_DEVIATION * delay).powi(-2);
        sum += weight * delay;
        weights += weight;
        readings += exchange.time.readings as u64;
        has_spread |= exchange.time.deviation > 0.0;
    }
    if readings == 0 {
        return UNKNOWN;
    }
    let half_width = has_spread.then(|| normal_quantile(level) / weights.sqrt());
    Estimate::not_negative(sum / weights, half_width, level, readings)
}
