use super::{BOTH_PORTS, IN_PORT, NAMES, Ports, UPLINKS, WITHIN_HOST_NAMES, shared_port, uplink};
use crate::comm::ParameterId;
use orrery_base::numeric::Estimate;
use orrery_cluster::platform::{LinkId, Pairs, Processor};

/// A delay per byte of links that messages share: its parameter, its estimate and the links in
/// [`Ports::platform`].
#[derive(Debug, Clone)]
pub(crate) struct Capacity {
    pub(crate) parameter: ParameterId,
    pub(crate) estimate: Estimate,
    pub(crate) links: Vec<LinkId>,
}

/// The names of the delays per byte of links.
const CAPACITIES: [&str; 6] = [NAMES[2], NAMES[3], IN_PORT, BOTH_PORTS, UPLINKS, MEMORY];

/// The name of the delays per byte of memory.
const MEMORY: &str = WITHIN_HOST_NAMES[2];

impl Capacity {
    /// Returns true if a parameter is the delay per byte of links.
    pub(crate) fn has_parameter(parameter: &ParameterId) -> bool {
        CAPACITIES.contains(&parameter.name)
    }
}

impl Ports {
    /// The delay per byte of a capacity \[s/B\]; 0 if there is none.
    pub(crate) fn capacity_delay(&self, parameter: &ParameterId) -> f64 {
        let of = |all: &[Estimate]| parameter.place.0.and_then(|one| all.get(one.index()).copied());
        let estimate = match (parameter.name, parameter.place, parameter.group) {
            (UPLINKS, _, Some(group)) => self.uplinks.byte_delay().get(group as usize).copied(),
            (IN_PORT, ..) => of(&self.in_port_byte_delay),
            (BOTH_PORTS, ..) => of(&self.both_ports_byte_delay),
            (MEMORY, ..) => self.within_host.as_ref().and_then(|own| of(&own.port_byte_delay)),
            (_, (Some(i), Some(j)), _) => Some(*self.flow_byte_delay.get(i, j)),
            _ => of(&self.port_byte_delay),
        };
        estimate.map_or(0.0, |estimate| estimate.value)
    }

    /// The capacities that bound messages: ports, what both ports of a processor share, shared
    /// links and limits of flows.
    pub(crate) fn capacities(&self) -> Vec<Capacity> {
        let (n, groups) = (self.processors(), self.uplinks.groups().len());
        let none = ParameterId::of_all("");
        let of = |name, one: usize| ParameterId {
            name,
            place: (Some(Processor(one as u32)), None),
            ..none
        };
        let mut all = Vec::new();
        let mut add = |parameter, estimate: Estimate, links: Vec<LinkId>| {
            if estimate.value > 0.0 {
                all.push(Capacity { parameter, estimate, links });
            }
        };
        for (one, &port) in self.port_byte_delay.iter().enumerate() {
            let [out, back] = [2 * one as u32, 2 * one as u32 + 1].map(LinkId);
            match self.in_port_byte_delay.get(one) {
                Some(&in_port) => {
                    add(of(NAMES[2], one), port, vec![out]);
                    add(of(IN_PORT, one), in_port, vec![back]);
                }
                None => add(of(NAMES[2], one), port, vec![out, back]),
            }
        }
        for (group, &delay) in self.uplinks.byte_delay().iter().enumerate() {
            let parameter = ParameterId { name: UPLINKS, group: Some(group as u32), ..none };
            add(parameter, delay, uplink(n, group).to_vec());
        }
        let mut shared = 0;
        for (one, &both) in self.both_ports_byte_delay.iter().enumerate() {
            let link = shared_port(self, Processor(one as u32));
            shared += u32::from(link.is_some());
            add(of(BOTH_PORTS, one), both, link.into_iter().collect());
        }
        let mut first = 2 * (n + groups) as u32 + shared;
        let memory = self.within_host.iter().flat_map(|within| &within.port_byte_delay);
        for (one, &delay) in memory.enumerate() {
            add(of(MEMORY, one), delay, vec![LinkId(first), LinkId(first + 1)]);
            first += 2;
        }
        for ((i, j), (number, &flow)) in
            Pairs::of(n).iter().zip((first..).zip(self.flow_byte_delay.values()))
        {
            let parameter = ParameterId { name: NAMES[3], place: (Some(i), Some(j)), ..none };
            add(parameter, flow, vec![LinkId(number)]);
        }
        all
    }
}
