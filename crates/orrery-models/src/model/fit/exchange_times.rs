//! The times of exchanges at the same time as flows with known starts, whatever the delays of
//! shared links.

use crate::comm::Ports;
use crate::comm::ports::{Uplinks, bandwidth};
use orrery_base::units::Bytes;
use orrery_cluster::platform::Processor;
use orrery_measure::sample::ExchangeSet;
use orrery_play::simulate::{FlowModel, FlowSet, SetFlow};

/// A set of exchanges on a machine, as [`SharedPorts`](crate::model::SharedPorts) simulates it.
///
/// Each processor sends one message and receives one, so that its ports only bound their rates. The
/// messages share the links of groups, and those of half-duplex processors.
pub(super) struct ExchangeTimes {
    /// For each pair the flow of the first processor, then that of the second.
    flows: FlowSet,
    pairs: Vec<PairOverheads>,
}

/// The times of a pair besides those of its flows \[s\].
struct PairOverheads {
    /// The time that each processor needs for a message, to send or to receive it.
    message: [f64; 2],
    /// The same for the empty answer of the second processor.
    answer: [f64; 2],
    /// The latency of the answer.
    latency: f64,
}

/// The time of a pair with its derivatives by the delays of shared links \[s, B\].
pub(super) struct PairEnd {
    /// The time \[s\].
    pub(super) seconds: f64,
    /// The derivative by the delay of each link that it may depend on.
    pub(super) terms: Vec<(usize, f64)>,
}

impl ExchangeTimes {
    /// The exchanges of a set on a machine with these ports and shared links.
    pub(super) fn new(set: &ExchangeSet, ports: &Ports, uplinks: &Uplinks) -> Self {
        let mut flows = Vec::new();
        let mut pairs = Vec::new();
        for &(i, j) in set.pairs() {
            for (from, to) in [(i, j), (j, i)] {
                let start =
                    overhead(ports, (from, to), set.size) + latency(ports, from, to, set.size);
                flows.push(flow(ports, uplinks, (from, to), set.size, start));
            }
            let of_both = |size| [overhead(ports, (i, j), size), overhead(ports, (j, i), size)];
            let (message, answer) = (of_both(set.size), of_both(Bytes::ZERO));
            pairs.push(PairOverheads {
                message,
                answer,
                latency: latency(ports, i, j, Bytes::ZERO),
            });
        }
        let groups = uplinks.groups().len();
        // The links of groups come first, both directions of each.
        let parameter_of = |link: usize| if link < 2 * groups { link / 2 } else { link - groups };
        Self { flows: FlowSet::new(flows, groups, parameter_of), pairs }
    }

    /// The time of each pair \[s\] with these delays: one of each group, then one of each
    /// half-duplex processor \[s/B\].
    pub(super) fn times(&self, delays: &[f64]) -> Vec<f64> {
        let ends = self.flows.ends(delays);
        let time = |(pair, ends): (&PairOverheads, &[f64])| pair.time([ends[0], ends[1]]).0;
        self.pairs.iter().zip(ends.chunks(2)).map(time).collect()
    }

    /// As [`ExchangeTimes::times`], with derivatives.
    pub(super) fn times_with_derivatives(&self, delays: &[f64]) -> Vec<PairEnd> {
        let ends = self.flows.ends_with_derivatives(delays);
        let pair_ends = self.pairs.iter().zip(ends.chunks(2)).map(|(pair, ends)| {
            let (seconds, flow) = pair.time([ends[0].seconds, ends[1].seconds]);
            let derivatives = flow.into_iter().flat_map(|flow| &ends[flow].derivatives);
            PairEnd {
                seconds,
                terms: self.flows.parameters().iter().copied().zip(derivatives.copied()).collect(),
            }
        });
        pair_ends.collect()
    }
}

impl PairOverheads {
    /// The time of the pair with these ends of its flows, and the number of the flow that
    /// determines it; `None` if a processor is busy until later.
    fn time(&self, ends: [f64; 2]) -> (f64, Option<usize>) {
        // Of each processor, the message from the other one.
        let [first, second] = [0, 1].map(|own| {
            let (sent, arrival) = (self.message[own], ends[1 - own]);
            (sent.max(arrival) + self.message[own], (arrival > sent).then_some(1 - own))
        });
        let answer = (second.0 + self.answer[1] + self.latency, second.1);
        let (last, flow) = if answer.0 > first.0 { answer } else { first };
        (last + self.answer[0], flow)
    }
}

/// The time of a round trip of two processors with messages of this size \[s\].
pub(super) fn round_trip(ports: &Ports, (i, j): (Processor, Processor), size: Bytes) -> f64 {
    let uplinks = Uplinks::default();
    let one_way = |from, to| {
        let flow = flow(ports, &uplinks, (from, to), size, 0.0);
        overhead(ports, (from, to), size)
            + latency(ports, from, to, size)
            + flow.volume / flow.bound
            + overhead(ports, (to, from), size)
    };
    one_way(i, j) + one_way(j, i)
}

/// The time that a processor needs for a message, to send it to another one or to receive it
/// \[s\].
fn overhead(ports: &Ports, (one, other): (Processor, Processor), size: Bytes) -> f64 {
    let (fixed, per_byte) = match ports.between(one, other) {
        Some(within) => (&within.fixed_delay, &within.byte_delay),
        None => (&ports.fixed_delay, &ports.byte_delay),
    };
    fixed[one.index()].value + per_byte[one.index()].value * ports.size_law.effective(size)
}

/// The latency of a message \[s\].
fn latency(ports: &Ports, from: Processor, to: Processor, size: Bytes) -> f64 {
    (ports.link_latency.get(from, to).value + ports.size_law.latency(size)).max(0.0)
}

/// The flow of a message between two processors.
fn flow(
    ports: &Ports,
    uplinks: &Uplinks,
    (from, to): (Processor, Processor),
    size: Bytes,
    start: f64,
) -> SetFlow {
    let groups = uplinks.groups().len();
    let within = ports.between(from, to);
    let [out_port, in_port] = match within {
        Some(within) => [from, to].map(|one| within.port_byte_delay[one.index()]),
        None => [ports.port_byte_delay[from.index()], ports.in_port(to.index())],
    };
    let own = [out_port.value, in_port.value, ports.flow_byte_delay.get(from, to).value];
    let bandwidths = own.map(|delay| bandwidth(delay).get());
    let between =
        uplinks.between(from, to).map(|(group, is_outward)| 2 * group + usize::from(is_outward));
    let is_shared = |one: &Processor| {
        within.is_none()
            && ports.both_ports_byte_delay.get(one.index()).is_some_and(|one| one.value > 0.0)
    };
    let half_duplex = [from, to].into_iter().filter(is_shared).map(|one| 2 * groups + one.index());
    let latency = ports.link_latency.get(from, to).value;
    let inverse_weight = FlowModel::PORTS.inverse_weight(latency, 1.0, bandwidths.into_iter());
    SetFlow {
        start,
        volume: ports.size_law.effective(size).max(f64::MIN_POSITIVE),
        bound: bandwidths.into_iter().fold(f64::MAX, f64::min),
        inverse_weight,
        weight_per_delay: FlowModel::PORTS.weight_per_delay(inverse_weight),
        links: between.chain(half_duplex).collect(),
    }
}

#[cfg(test)]
mod tests {
    use rand::rngs::ChaCha8Rng;
    use rand::seq::SliceRandom;
    use rand::{RngExt, SeedableRng};

    use super::*;
    use crate::comm::ports::SizeLaw;
    use crate::model::SharedPorts;
    use orrery_base::numeric::Estimate;
    use orrery_cluster::platform::PerPair;

    /// A cluster of two switches, the first of which has two more below it.
    fn cluster(processors: u32, rng: &mut ChaCha8Rng) -> Ports {
        let n = processors as usize;
        let mut between = |low: f64, high: f64| Estimate::exact(rng.random_range(low..high));
        let group = |range: std::ops::Range<u32>| range.map(Processor).collect::<Vec<_>>();
        let half = processors / 2;
        let groups = vec![
            group(0..half),
            group(0..half / 2),
            group(half / 2..half),
            group(half..half + half / 2),
        ];
        let delays = (0..groups.len()).map(|_| between(1e-9, 8e-9)).collect();
        Ports {
            fixed_delay: (0..n).map(|_| between(6e-6, 20e-6)).collect(),
            byte_delay: (0..n).map(|_| between(0.1e-9, 0.5e-9)).collect(),
            port_byte_delay: (0..n).map(|_| between(8e-9, 12e-9)).collect(),
            in_port_byte_delay: (0..n).map(|_| between(8e-9, 12e-9)).collect(),
            both_ports_byte_delay: (0..n)
                .map(|i| if i % 5 == 0 { between(8e-9, 12e-9) } else { Estimate::exact(0.0) })
                .collect(),
            link_latency: PerPair::from_fn(n, |_, _| between(20e-6, 30e-6)),
            flow_byte_delay: PerPair::from_fn(n, |i, j| {
                Estimate::exact(if (i.0 + j.0) % 7 == 0 { 15e-9 } else { 0.0 })
            }),
            size_law: SizeLaw::default(),
            within_host: None,
            eager_limit: None,
            buffered_limit: None,
            queue: None,
            uplinks: Uplinks::new(groups, delays).unwrap_or_default(),
        }
    }

    /// Random pairs of the processors.
    fn random_set(processors: u32, rng: &mut ChaCha8Rng) -> ExchangeSet {
        let mut order: Vec<Processor> = (0..processors).map(Processor).collect();
        order.shuffle(rng);
        ExchangeSet::new(
            order.chunks_exact(2).map(|pair| (pair[0], pair[1])),
            Bytes::new(128 << 10),
        )
    }

    /// The delays of the links of a machine, then those of its processors with both directions.
    fn delays(ports: &Ports) -> Vec<f64> {
        ports
            .uplinks
            .byte_delay()
            .iter()
            .chain(&ports.both_ports_byte_delay)
            .map(|delay| delay.value)
            .collect()
    }

    #[test]
    fn times_are_those_of_a_simulation() {
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        for processors in [4, 9, 24, 40] {
            let (ports, set) = (cluster(processors, &mut rng), random_set(processors, &mut rng));
            let (program, placement) = set.program(set.pairs()[0].0);
            let ends = SharedPorts::new(&ports).ends(&program, &placement, false).unwrap();
            let times = ExchangeTimes::new(&set, &ports, &ports.uplinks).times(&delays(&ports));
            assert_eq!(times.len(), set.pairs().len());
            for (time, end) in times.iter().zip(ends.iter().step_by(2)) {
                assert!((time / end.get() - 1.0).abs() < 1e-9, "{processors}: {time}, {end}");
            }
        }
    }

    /// The relative change of a delay.
    const STEP: f64 = 1e-6;

    #[test]
    fn derivatives_are_those_of_small_differences() {
        let mut rng = ChaCha8Rng::seed_from_u64(2);
        let mut largest = 0.0_f64;
        for processors in [8, 16, 40] {
            let (ports, set) = (cluster(processors, &mut rng), random_set(processors, &mut rng));
            let exchanges = ExchangeTimes::new(&set, &ports, &ports.uplinks);
            let delays = delays(&ports);
            let with_derivatives = exchanges.times_with_derivatives(&delays);
            let times: Vec<f64> = with_derivatives.iter().map(|end| end.seconds).collect();
            for (time, plain) in times.iter().zip(exchanges.times(&delays)) {
                assert!((time / plain - 1.0).abs() < 1e-12, "{time}, {plain}");
            }
            for link in 0..ports.uplinks.groups().len() {
                let at = |factor: f64| {
                    let mut changed = delays.clone();
                    changed[link] *= factor;
                    exchanges.times(&changed)
                };
                for (pair, (low, high)) in at(1.0 - STEP).iter().zip(at(1.0 + STEP)).enumerate() {
                    let term = with_derivatives[pair].terms.iter().find(|term| term.0 == link);
                    let part = term.map_or(0.0, |term| term.1) * delays[link] / times[pair];
                    let expected = (high - low) / (2.0 * STEP * times[pair]);
                    assert!(
                        (part - expected).abs() < 1e-5,
                        "{processors}, {pair}, {link}: {part}, {expected}"
                    );
                    largest = largest.max(part);
                }
            }
        }
        assert!(largest > 0.5, "{largest}");
    }
}
