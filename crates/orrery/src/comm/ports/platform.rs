use super::Ports;
use crate::platform::{Host, HostId, HostOverheads, Link, LinkId, Overheads, PiecewiseTime, Topology};
use crate::units::{BytesPerSecond, Seconds};

/// The bandwidth \[B/s\] of a port or a flow that bounds no message.
const UNBOUND: f64 = 1e15;

impl Ports {
    /// The model as hosts with links, for simulations of flows that share the ports.
    ///
    /// Each host has a link of 1/g_i bytes per second in each direction, which its messages share. Each pair has a link of
    /// L_ij seconds, whose bandwidth 1/h_ij every flow has for itself. Sends and receives take C_i + m·t_i seconds of their
    /// hosts. `names` and `speeds` (operations per second of one core) are those of the processors, which are hosts with one
    /// core each.
    ///
    /// ```
    /// use orrery::comm::Ports;
    /// use orrery::numeric::Estimate;
    /// use orrery::platform::{HostId, PerPair};
    /// let ports = Ports {
    ///     fixed_delay: vec![Estimate::exact(10e-6); 2],
    ///     byte_delay: vec![Estimate::exact(0.0); 2],
    ///     port_byte_delay: vec![Estimate::exact(10e-9), Estimate::exact(20e-9)],
    ///     link_latency: PerPair::from_fn(2, |_, _| Estimate::exact(30e-6)),
    ///     flow_byte_delay: PerPair::from_fn(2, |_, _| Estimate::exact(0.0)),
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
        let mut overheads = HostOverheads::default();
        let add = |topology: &mut Topology, name: String, byte_delay: f64, latency: f64, is_fatpipe: bool| {
            let bandwidth = BytesPerSecond::new(if byte_delay > 0.0 { 1.0 / byte_delay } else { UNBOUND });
            topology.links.push(Link { name, bandwidth, latency: Seconds::new(latency), is_fatpipe });
            LinkId(topology.links.len() as u32 - 1)
        };
        let mut ports = Vec::new();
        for i in 0..n {
            let name = names.get(i).filter(|name| !name.is_empty()).cloned().unwrap_or_else(|| format!("{i}"));
            let gap = self.port_byte_delay[i].value;
            ports.push(["out", "in"].map(|port| add(&mut topology, format!("{name}-{port}"), gap, 0.0, false)));
            let time = PiecewiseTime::new(vec![(0, self.fixed_delay[i].value, self.byte_delay[i].value)]);
            let [send, posted_send, receive] = [(); 3].map(|()| Some(time.clone()));
            overheads.hosts.insert(HostId(i as u32), Overheads { send, posted_send, receive });
            let speed = speeds.get(i).copied().unwrap_or(1.0);
            topology.hosts.push(Host { name, speed, cores: 1 });
        }
        for i in 0..n {
            for j in i + 1..n {
                let pair = [i, j].map(|p| crate::platform::Processor(p as u32));
                let (flow, latency) =
                    (self.flow_byte_delay.get(pair[0], pair[1]), self.link_latency.get(pair[0], pair[1]));
                let name = format!("{}-{}", topology.hosts[i].name, topology.hosts[j].name);
                let link = add(&mut topology, name, flow.value, latency.value, true);
                for (from, to) in [(i, j), (j, i)] {
                    let route = vec![ports[from][0], link, ports[to][1]];
                    topology.routes.insert((HostId(from as u32), HostId(to as u32)), route);
                }
            }
        }
        (topology, overheads)
    }
}
