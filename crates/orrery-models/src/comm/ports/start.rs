//! The parameters at which the estimation of the model `ports` starts.

use std::collections::BTreeMap;

use super::{Layout, SizeLaw, Uplinks};
use crate::comm::Observations;
use orrery_base::numeric::median;
use orrery_base::units::Bytes;
use orrery_cluster::platform::{LinkClass, Processor};
use orrery_measure::sample::Experiment;

/// A flow has a limit of its own if it is slower than the ports by more than this factor.
const MIN_EXCESS: f64 = 1.1;

/// The smallest start of a parameter, relative to its scale: from 0 on, no critical path would
/// contain it.
const SMALLEST: f64 = 1e-3;

/// Returns the parameters at which the estimation starts.
///
/// With T_ij(m) the round trip of m bytes in both directions and D_i(m) = T_i→jk(m) − max over x =
/// j, k of (T_ix(0) + T_ix(m))/2, the time by which a second message delays a one-to-two
/// experiment:
///
/// | parameter | start |
/// |---|---|
/// | C_i | D_i(0)/2 |
/// | g_i | (D_i(m) − C_i)/m |
/// | g′_i | the least of (T_jk→i(m) − T_ik(0))/2m and T_ji(m) for one way, upper bounds; without two-to-one experiments g_i |
/// | t_i | (s_ij + s_ik − s_jk)/2 with s_ij = (T_ij(m) − T_ij(0))/2m − the mean of max(g_i, g′_j) and max(g_j, g′_i) |
/// | L_ij | T_ij(0)/2 − C_i − C_j |
/// | h_ij | (T_ij(m) − T_ij(0))/2m − t_i − t_j if that is above 1.1·max(g_i, g_j, g′_i, g′_j, s_G of shared links), else 0 |
///
/// Sizes are effective ones. A median is taken over the experiments of a processor, for g_i the
/// given quantile, and for t_i the median over neighbours j and k. Without one-to-two experiments
/// of some processors the least round trips of each processor take their place. `None` if there are
/// none of a pair.
pub(super) fn start(
    observations: &Observations,
    layout: Layout,
    size_law: &SizeLaw,
    uplinks: &Uplinks,
    port_quantile: f64,
) -> Option<Vec<f64>> {
    let trips = Trips::of(observations, layout)?;
    let hosts = observations.hosts();
    // The class of each pair, and the starts of the processors in messages of each class.
    let is_within = |a: Processor, b: Processor| {
        layout.has_within_host() && hosts.class(a, b) == Some(LinkClass::WithinHost)
    };
    let of_class = |is_wanted: bool| {
        let class = Class { is_wanted, is_within: &is_within };
        let (fixed, port) =
            processors(observations, layout, size_law, &trips, port_quantile, &class);
        let in_port = if is_wanted {
            port.clone()
        } else {
            in_ports(observations, layout, size_law, &trips, &port)
        };
        let both =
            |a: usize, b: usize| f64::midpoint(port[a].max(in_port[b]), port[b].max(in_port[a]));
        let slopes = layout.pairs().iter().zip(&trips.slope);
        let sums: Vec<f64> =
            slopes.map(|((a, b), slope)| slope - both(a.index(), b.index())).collect();
        let byte_delay = Processor::first(layout.processors())
            .map(|i| own_delay(layout, &sums, i, &class).max(SMALLEST * trips.scale.1))
            .collect();
        Start { fixed, byte_delay, port, in_port }
    };
    let across = of_class(false);
    let within = if layout.has_within_host() { of_class(true) } else { Start::default() };
    let of_pair = |a, b| if is_within(a, b) { &within } else { &across };
    let pairs = || layout.pairs().iter();
    let latency = pairs().zip(&trips.empty).map(|((a, b), empty)| {
        let fixed = &of_pair(a, b).fixed;
        (empty / 2.0 - fixed[a.index()] - fixed[b.index()]).max(SMALLEST * trips.scale.0)
    });
    let flow = pairs().zip(&trips.slope).map(|((a, b), slope)| {
        let Start { byte_delay, port, in_port, .. } = of_pair(a, b);
        let shared = uplinks.between(a, b).map(|(group, _)| uplinks.byte_delay()[group].value);
        let [a, b] = [a, b].map(Processor::index);
        let alone = slope - byte_delay[a] - byte_delay[b];
        let slowest = [port[a], port[b], in_port[a], in_port[b]]
            .into_iter()
            .chain(shared)
            .fold(0.0, f64::max);
        if alone > MIN_EXCESS * slowest { alone } else { 0.0 }
    });
    let (latency, flow): (Vec<f64>, Vec<f64>) = (latency.collect(), flow.collect());
    let in_port = if layout.has_in_ports() { across.in_port } else { Vec::new() };
    let of_across = [across.fixed, across.byte_delay, across.port, flow, latency, in_port];
    Some([of_across.concat(), within.fixed, within.byte_delay, within.port].concat())
}

/// The starts of the parameters of processors in messages of one class.
#[derive(Default)]
struct Start {
    fixed: Vec<f64>,
    byte_delay: Vec<f64>,
    port: Vec<f64>,
    in_port: Vec<f64>,
}

/// The pairs within a host, or all others.
struct Class<'a> {
    is_wanted: bool,
    is_within: &'a dyn Fn(Processor, Processor) -> bool,
}

impl Class<'_> {
    /// Returns true for a pair of this class.
    fn contains(&self, a: Processor, b: Processor) -> bool {
        (self.is_within)(a, b) == self.is_wanted
    }
}

/// The delay t_i from the sums t_i + t_j of all pairs of a class: the median of (s_ij + s_ik −
/// s_jk)/2 over neighbours j and k. Sums that contain the limit of a flow change few of them, or
/// cancel. Without such neighbours it is half the least sum.
fn own_delay(layout: Layout, sums: &[f64], i: Processor, class: &Class<'_>) -> f64 {
    let sum = |a, b| sums[layout.pairs().index(a, b)];
    let others: Vec<Processor> = Processor::first(layout.processors())
        .filter(|&other| other != i && class.contains(i, other))
        .collect();
    let next = others.iter().cycle().skip(1);
    let both = others.iter().zip(next).filter(|&(&j, &k)| j != k && class.contains(j, k));
    let delays: Vec<f64> = both.map(|(&j, &k)| (sum(i, j) + sum(i, k) - sum(j, k)) / 2.0).collect();
    if delays.is_empty() {
        let least = others.iter().map(|&j| sum(i, j) / 2.0).fold(f64::INFINITY, f64::min);
        return if least.is_finite() { least } else { 0.0 };
    }
    median(&delays)
}

/// The round trips of each pair, in packed order.
struct Trips {
    /// The time of an empty round trip \[s\].
    empty: Vec<f64>,
    /// The additional time of a message per byte in one direction \[s/B\].
    slope: Vec<f64>,
    /// The same from the first processor to the second, and back, as far as messages with an empty
    /// reply show the difference.
    slopes: Vec<[f64; 2]>,
    /// The size of the largest message.
    largest: Vec<Bytes>,
    /// The median empty round trip, and the median slope; above 0.
    scale: (f64, f64),
}

impl Trips {
    /// The round trips of empty messages, and of the largest in both directions; `None` if a pair
    /// has none.
    fn of(observations: &Observations, layout: Layout) -> Option<Self> {
        let is_directed = layout.has_in_ports();
        let mut largest = vec![Bytes::ZERO; layout.pairs().count()];
        for one in observations.iter() {
            if let Experiment::RoundTrip { i, j, size, reply } = one.experiment
                && size == reply
            {
                let pair = &mut largest[layout.pairs().index(i, j)];
                *pair = size.max(*pair);
            }
        }
        let (empty, slope, slopes) = (Vec::new(), Vec::new(), Vec::new());
        let mut trips = Self { empty, slope, slopes, largest, scale: (0.0, 0.0) };
        for ((a, b), &size) in layout.pairs().iter().zip(&trips.largest) {
            let empty = observations.round_trip(a, b, Bytes::ZERO, Bytes::ZERO)?.seconds;
            let full = observations.round_trip(a, b, size, size)?.seconds;
            let slope = ((full - empty) / 2.0 / size.get().max(1) as f64).max(0.0);
            let one_way = |i, j| {
                let trip =
                    observations.get(&Experiment::RoundTrip { i, j, size, reply: Bytes::ZERO })?;
                is_directed.then_some((trip.seconds - empty) / size.get().max(1) as f64)
            };
            let out = one_way(a, b).or_else(|| Some(2.0 * slope - one_way(b, a)?)).unwrap_or(slope);
            trips.slope.push(slope);
            trips.slopes.push([out, 2.0 * slope - out].map(|slope| slope.max(0.0)));
            trips.empty.push(empty);
        }
        trips.scale = (median(&trips.empty).max(1e-12), median(&trips.slope).max(1e-15));
        Some(trips)
    }

    /// The additional time per byte of a message from a processor to another.
    fn slope(&self, layout: Layout, from: Processor, to: Processor) -> f64 {
        self.slopes[layout.pairs().index(from, to)][usize::from(to < from)]
    }
}

/// The value at this part (0 to 1) of the sorted values, the upper one of two; 0 without values.
fn quantile(values: &[f64], part: f64) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let place = (part * values.len() as f64) as usize;
    sorted.get(place.min(values.len().saturating_sub(1))).copied().unwrap_or(0.0)
}

/// Returns the starts of C and g of each processor in messages of a class.
fn processors(
    observations: &Observations,
    layout: Layout,
    size_law: &SizeLaw,
    trips: &Trips,
    port_quantile: f64,
    class: &Class<'_>,
) -> (Vec<f64>, Vec<f64>) {
    let scale = trips.scale;
    let mut delays: BTreeMap<(Processor, Bytes), Vec<f64>> = BTreeMap::new();
    for one in observations.iter() {
        if let Experiment::OneToTwo { i, j, k, size } = one.experiment
            && class.contains(i, j)
            && class.contains(i, k)
        {
            let alone = |to: Processor| {
                trips.empty[layout.pairs().index(i, to)]
                    + trips.slope(layout, i, to) * size_law.effective(size)
            };
            delays.entry((i, size)).or_default().push(one.seconds - alone(j).max(alone(k)));
        }
    }
    let own_slopes = |i: Processor| {
        let is_own = |(a, b): (Processor, Processor)| (a == i || b == i) && class.contains(a, b);
        let of = layout.pairs().iter().zip(&trips.slope).filter(|(pair, _)| is_own(*pair));
        let least = of.map(|(_, slope)| *slope).fold(f64::INFINITY, f64::min);
        if least.is_finite() { least } else { 0.0 }
    };
    let each = Processor::first(layout.processors()).map(|i| {
        let fixed = delays.get(&(i, Bytes::ZERO)).map_or(scale.0 / 8.0, |all| median(all) / 2.0);
        let fixed = fixed.max(SMALLEST * scale.0);
        let largest = delays.range((i, Bytes::new(1))..=(i, Bytes::new(u64::MAX))).next_back();
        let port = largest.map_or(own_slopes(i), |((_, size), all)| {
            (quantile(all, port_quantile) - fixed) / size_law.effective(*size).max(1.0)
        });
        (fixed, port.max(SMALLEST * scale.1))
    });
    each.unzip()
}

/// Returns the starts of the in-ports, which are those of the out-ports if they do not differ or
/// were not tested.
fn in_ports(
    observations: &Observations,
    layout: Layout,
    size_law: &SizeLaw,
    trips: &Trips,
    port: &[f64],
) -> Vec<f64> {
    let mut bounds = vec![f64::INFINITY; layout.processors()];
    for one in observations.iter().filter(|_| layout.has_in_ports()) {
        if let Experiment::TwoToOne { i, j, k, size } = one.experiment {
            let least = [j, k]
                .map(|from| trips.slope(layout, from, i))
                .into_iter()
                .fold(f64::INFINITY, f64::min);
            let both = one.seconds - trips.empty[layout.pairs().index(i, k)];
            let bound = &mut bounds[i.index()];
            *bound = bound.min(both / (2.0 * size_law.effective(size).max(1.0))).min(least);
        }
    }
    let smallest = SMALLEST * trips.scale.1;
    bounds
        .iter()
        .zip(port)
        .map(|(&bound, &port)| if bound.is_finite() { bound.max(smallest) } else { port })
        .collect()
}
