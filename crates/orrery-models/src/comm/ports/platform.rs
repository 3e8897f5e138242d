use super::{Ports, ProtocolLimits, SizeEffect};
use orrery_base::numeric::Estimate;
use orrery_base::units::{Bytes, BytesPerSecond, Seconds};
use orrery_cluster::platform::{
    Host, HostId, HostOverheads, LinkId, MemoryOverheads, Overheads, Pairs, Processor, Topology,
    processor_name, xml,
};
use orrery_play::simulate::FlowModel;

/// The smallest latency of a pair in a platform of SimGrid \[s\], where flows without latency have
/// another weight than all others.
const MIN_SIMGRID_LATENCY: Seconds = Seconds::new(1e-9);

/// The bandwidth \[B/s\] of a port or a flow that bounds no message.
const UNBOUND: f64 = 1e15;

impl Ports {
    /// The model as hosts with links, for simulations of flows that share the ports.
    ///
    /// Each host has a link of 1/g bytes per second in each direction, by its out-port and its
    /// in-port, which its messages share. Each pair has a link of L_ij seconds, whose bandwidth
    /// 1/h_ij every flow has for itself. Each group has a link of 1/s_G bytes per second in each
    /// direction, which its messages to and from the others share. Messages of both directions
    /// share one link more of 1/d_i bytes per second where d_i is known. Messages within a host
    /// pass links of its processors to memory instead of their ports, if these have parameters of
    /// their own. Sends and receives take
    /// C_i + m·t_i seconds of their hosts. `names` and `speeds` (operations per second of one core)
    /// are those of the processors, which are hosts with one core each; processors of one host have
    /// their number after its name.
    ///
    /// ```
    /// use orrery_models::comm::Ports;
    /// use orrery_base::numeric::Estimate;
    /// use orrery_cluster::platform::{HostId, PerPair};
    /// let ports = Ports {
    ///     fixed_delay: vec![Estimate::exact(10e-6); 2],
    ///     byte_delay: vec![Estimate::exact(0.0); 2],
    ///     port_byte_delay: vec![Estimate::exact(10e-9), Estimate::exact(20e-9)],
    ///     in_port_byte_delay: vec![],
    ///     both_ports_byte_delay: vec![],
    ///     within_host: None,
    ///     link_latency: PerPair::from_fn(2, |_, _| Estimate::exact(30e-6)),
    ///     flow_byte_delay: PerPair::from_fn(2, |_, _| Estimate::exact(0.0)),
    ///     size_law: Default::default(),
    ///     uplinks: Default::default(),
    ///     eager_limit: None,
    ///     buffered_limit: None,
    ///     queue: None,
    /// };
    /// let (topology, overheads) = ports.platform(&["a".into(), "b".into()], &[1e9; 2]);
    /// let route = topology.route(HostId(0), HostId(1)).unwrap();
    /// let least = route.iter().map(|link| topology.links[link.index()].bandwidth.get()).fold(f64::INFINITY, f64::min);
    /// assert_eq!((route.len(), least.round()), (3, 50e6));
    /// assert_eq!(overheads.of(HostId(1))[0].seconds(1000), 10e-6);
    /// ```
    pub fn platform(&self, names: &[String], speeds: &[f64]) -> (Topology, HostOverheads) {
        let n = self.processors();
        let mut topology = Topology { ports: vec![None; n], ..Topology::default() };
        let add = |topology: &mut Topology, name, byte_delay, latency, is_fatpipe| {
            topology.add_link(name, (bandwidth(byte_delay).get(), latency), is_fatpipe)
        };
        let mut ports = Vec::new();
        for i in 0..n {
            let gaps = [("out", self.port_byte_delay[i]), ("in", self.in_port(i))];
            ports.push(gaps.map(|(port, gap)| {
                add(&mut topology, format!("{port}-{i}"), gap.value, 0.0, false)
            }));
            let speed = speeds.get(i).copied().unwrap_or(1.0);
            topology.hosts.push(Host {
                name: processor_name(names, Processor(i as u32)),
                speed,
                cores: 1,
            });
        }
        for (number, delay) in self.uplinks.byte_delay().iter().enumerate() {
            let links = ["in", "out"].map(|way| {
                add(&mut topology, format!("group-{number}-{way}"), delay.value, 0.0, false)
            });
            debug_assert_eq!(links, uplink(n, number), "ports come first");
        }
        let mut both: Vec<Option<LinkId>> = vec![None; n];
        for (i, delay) in
            self.both_ports_byte_delay.iter().enumerate().filter(|(_, delay)| delay.value > 0.0)
        {
            both[i] = Some(add(&mut topology, format!("both-{i}"), delay.value, 0.0, false));
        }
        let within_host = self.within_host.iter().flat_map(|within| &within.port_byte_delay);
        let mut memory = Vec::new();
        for (i, delay) in within_host.enumerate() {
            memory.push(["out", "in"].map(|way| {
                add(&mut topology, format!("memory-{way}-{i}"), delay.value, 0.0, false)
            }));
        }
        for (i, j) in Pairs::of(n).iter() {
            let (flow, latency) =
                (self.flow_byte_delay.get(i, j).value, self.link_latency.get(i, j).value);
            let link = add(&mut topology, format!("pair-{i}-{j}"), flow, latency, true);
            for (from, to) in [(i, j), (j, i)] {
                if self.between(i, j).is_some() {
                    let route = vec![memory[from.index()][0], link, memory[to.index()][1]];
                    topology.routes.insert((HostId(from.0), HostId(to.0)), route);
                    continue;
                }
                let mut route = vec![ports[from.index()][0], link];
                let between = self.uplinks.between(from, to);
                route.extend(
                    between.map(|(group, is_outward)| uplink(n, group)[usize::from(is_outward)]),
                );
                route.push(ports[to.index()][1]);
                route.extend([from, to].into_iter().filter_map(|end| both[end.index()]));
                topology.routes.insert((HostId(from.0), HostId(to.0)), route);
            }
        }
        (topology, self.overheads())
    }

    /// How messages flow on [`Ports::platform`].
    pub fn flow_model(&self) -> FlowModel {
        let ProtocolLimits { eager, buffered } = self.limits();
        let model = FlowModel::PORTS.with_size_law(&self.size_law).with_queue(self.queue_bytes());
        let model = eager
            .into_iter()
            .fold(model, |model, largest| model.with_eager(largest + Bytes::new(1)));
        buffered.into_iter().fold(model, FlowModel::with_buffered)
    }

    /// The overheads of the hosts of [`Ports::platform`].
    pub(crate) fn overheads(&self) -> HostOverheads {
        let of_hosts = |fixed: &[Estimate], byte_delay: &[Estimate]| {
            let each = fixed.iter().zip(byte_delay).enumerate().map(|(i, (fixed, per_byte))| {
                let time = self.size_law.time(fixed.value, per_byte.value);
                let [send, posted_send, receive] = [(); 3].map(|()| Some(time.clone()));
                (HostId(i as u32), Overheads { send, posted_send, receive })
            });
            each.collect()
        };
        let through_memory = self.within_host.as_ref().map(|within| MemoryOverheads {
            machines: within.hosts.clone(),
            hosts: of_hosts(&within.fixed_delay, &within.byte_delay),
        });
        HostOverheads {
            hosts: of_hosts(&self.fixed_delay, &self.byte_delay),
            through_memory,
            ..HostOverheads::default()
        }
    }

    /// The factors of bandwidths by size, in SimGrid's notation: each from the middle between the
    /// size before and its own size on.
    fn bandwidth_factors(&self) -> String {
        let mut factors = vec!["0:1".to_owned()];
        let mut before = 0;
        for SizeEffect { size, effective, .. } in self.size_law.effects().iter().skip(1) {
            let factor = size.get() as f64 / effective.max(1.0);
            factors.push(format!("{}:{factor:e}", u64::midpoint(before, size.get())));
            before = size.get();
        }
        if before > 0 {
            factors.remove(0);
            factors.push(format!("{before}:1"));
        }
        factors.join(";")
    }

    /// The model as a platform of SimGrid in XML, for `smpirun` with messages below `eager` bytes
    /// sent eagerly.
    ///
    /// Larger messages flow when their receive is posted. In SimGrid their sends do not wait for
    /// that, and messages of one connection share it.
    ///
    /// Effective sizes become factors of bandwidths; the fixed times of sizes are left out.
    ///
    /// SimGrid's model SMPI shares the ports, without its factors, TCP window and acknowledgements.
    /// Its flows have weights by the bandwidths and latencies of their routes, as in simulations of
    /// this library; latencies are at least 1 ns for this.
    pub fn to_simgrid(&self, names: &[String], speeds: &[f64], eager: Bytes) -> String {
        let (mut topology, overheads) = self.platform(names, speeds);
        for link in topology.links.iter_mut().filter(|link| link.is_fatpipe) {
            link.latency = link.latency.max(MIN_SIMGRID_LATENCY);
        }
        let settings = [
            ("network/model", "SMPI".to_owned()),
            ("smpi/bw-factor", self.bandwidth_factors()),
            ("smpi/lat-factor", "0:1".to_owned()),
            ("network/TCP-gamma", format!("{UNBOUND:e}")),
            ("network/crosstraffic", "no".to_owned()),
            ("smpi/async-small-thresh", eager.get().to_string()),
            ("smpi/send-is-detached-thresh", i32::MAX.to_string()),
        ];
        xml::write(&topology, &overheads, &settings)
    }
}

/// The links of [`Ports::platform`] that lead into a group and out of it.
pub(crate) fn uplink(processors: usize, group: usize) -> [LinkId; 2] {
    let first = 2 * (processors + group) as u32;
    [LinkId(first), LinkId(first + 1)]
}

/// The link of [`Ports::platform`] that both directions of a processor share; `None` if there is
/// none.
pub(crate) fn shared_port(ports: &Ports, processor: Processor) -> Option<LinkId> {
    let shares = |one: &Estimate| one.value > 0.0;
    let (before, from) = ports.both_ports_byte_delay.split_at_checked(processor.index())?;
    let first = 2 * (ports.processors() + ports.uplinks.groups().len());
    let place = first + before.iter().filter(|one| shares(one)).count();
    from.first().filter(|one| shares(one)).map(|_| LinkId(place as u32))
}

/// The bandwidth of a link with this delay per byte \[s/B\]; 0 stands for a link that bounds no
/// message.
pub(crate) fn bandwidth(byte_delay: f64) -> BytesPerSecond {
    BytesPerSecond::new(if byte_delay > 0.0 { 1.0 / byte_delay } else { UNBOUND })
}
