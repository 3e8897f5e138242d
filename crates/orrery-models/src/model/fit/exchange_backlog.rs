//! The data that waited at in-ports and shared links while pairs exchanged messages.

use std::collections::BTreeMap;

use crate::comm::backlog::HostPorts;
use crate::comm::{Ports, ports::Uplinks};
use crate::model::{Model, ModelKind};
use orrery_base::numeric::median;
use orrery_base::units::Bytes;
use orrery_cluster::platform::Processor;
use orrery_measure::sample::{Experiment, Samples};

/// The pairs of a set of exchanges, lower processor first, and its slowest reading \[s\].
#[derive(Default)]
struct Set {
    pairs: Vec<(Processor, Processor)>,
    slowest: f64,
}

/// The slowest reading of a set without losses, relative to the time of its exchanges one after the
/// other.
const MAX_SLOWDOWN: f64 = 2.0;

/// Returns the largest backlog of a measured set of exchanges without losses; `None` if in no set
/// data of several senders met.
///
/// A set has no losses if no reading is longer than [`MAX_SLOWDOWN`] times the exchanges of its
/// pairs by themselves, one after the other: a timeout is longer.
pub(super) fn exchange_backlog(model: &Model, samples: &Samples) -> Option<Bytes> {
    let mut alone: BTreeMap<((Processor, Processor), Bytes), f64> = BTreeMap::new();
    let mut sets: BTreeMap<(u32, u32, Bytes), Set> = BTreeMap::new();
    for series in samples.series() {
        let Experiment::Exchanges { i, j, size, set, pairs } = series.experiment else { continue };
        let (readings, pair) = (series.seconds(), (i.min(j), i.max(j)));
        if pairs == 1 {
            alone.insert((pair, size), median(&readings));
            continue;
        }
        let set = sets.entry((set, pairs, size)).or_default();
        set.slowest = readings.into_iter().fold(set.slowest, f64::max);
        if !set.pairs.contains(&pair) {
            set.pairs.push(pair);
        }
    }
    let places = Places::of(model);
    let backlogs = sets.into_iter().filter_map(|((_, _, size), set)| {
        let times = set.pairs.iter().map(|pair| alone.get(&(*pair, size)).copied());
        let in_turn: f64 = times.sum::<Option<f64>>()?;
        (set.slowest <= MAX_SLOWDOWN * in_turn).then(|| places.backlog(&set.pairs, size))
    });
    let largest = backlogs.fold(0.0, f64::max);
    (largest > 0.0).then(|| Bytes::new(largest as u64))
}

/// The places at which messages meet.
struct Places {
    hosts: HostPorts,
    /// The model with shared links, if it was fitted.
    ports: Option<Ports>,
}

impl Places {
    fn of(model: &Model) -> Self {
        let hosts = HostPorts::new(&model.shared_hosts(), model.processors());
        Self { hosts, ports: model.get(ModelKind::Ports) }
    }

    /// Returns the largest backlog at an in-port or shared link if all pairs send messages of this
    /// size to each other at the same time \[B\].
    fn backlog(&self, pairs: &[(Processor, Processor)], size: Bytes) -> f64 {
        let messages = || pairs.iter().flat_map(|&(i, j)| [(i, j), (j, i)]);
        let at_ports = self.hosts.bound(messages().map(|(from, to)| (from, to, size)));
        let Some(ports) = &self.ports else { return at_ports };
        let links = 0..ports.uplinks.groups().len();
        let directions = links.flat_map(|link| [(link, true), (link, false)]);
        directions
            .map(|of| self.at_link(&ports.uplinks, of, messages().map(|two| (two, size))))
            .fold(at_ports, f64::max)
    }

    /// Returns the backlog of a shared link in one direction, out of its group or into it: the data
    /// of all senders without what the link carries on while the largest sender sends \[B\].
    fn at_link(
        &self,
        uplinks: &Uplinks,
        of: (usize, bool),
        messages: impl Iterator<Item = ((Processor, Processor), Bytes)>,
    ) -> f64 {
        let crossing = messages
            .filter(|((from, to), _)| uplinks.between(*from, *to).any(|crossed| crossed == of));
        let mut data: BTreeMap<usize, (f64, f64)> = BTreeMap::new();
        for ((from, _), size) in crossing {
            let (size, port) = (size.get() as f64, self.port_byte_delay(from));
            let (bytes, seconds) = data.entry(self.hosts.of(from)).or_default();
            (*bytes, *seconds) = (*bytes + size, *seconds + size * port);
        }
        let of_link = uplinks.byte_delay()[of.0].value;
        let carried = |&(bytes, seconds): &(f64, f64)| {
            if of_link > 0.0 { f64::max(bytes, seconds / of_link) } else { f64::INFINITY }
        };
        let total: f64 = data.values().map(|(bytes, _)| bytes).sum();
        (total - data.values().map(carried).fold(0.0, f64::max)).max(0.0)
    }

    /// The delay per byte of the out-port of a processor \[s/B\].
    fn port_byte_delay(&self, processor: Processor) -> f64 {
        let ports = self.ports.as_ref();
        let delay = ports.and_then(|ports| ports.port_byte_delay.get(processor.index()));
        delay.map_or(0.0, |delay| delay.value)
    }
}
