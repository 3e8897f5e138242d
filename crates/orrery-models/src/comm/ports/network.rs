use super::{IN_PORT, NAMES, SizeLaw, UPLINKS, Uplinks, WITHIN_HOST_NAMES};
use crate::comm::point_to_point::PortTimes;
use crate::comm::{NamedParameters, ParameterId};
use orrery_base::units::{Bytes, Seconds};
use orrery_cluster::platform::{Hosts, LinkClass, Pairs, Processor};
use orrery_play::engine::{Message, Moment, Network, Path, Protocol, Sent, Term};

/// The numbering of the parameters in one list: C, t and g of each processor, h and L of each pair,
/// and g of each in-port if these differ from the out-ports.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Layout {
    pairs: Pairs,
    has_in_ports: bool,
    has_within_host: bool,
}

impl Layout {
    /// Returns the numbering for this number of processors.
    pub const fn new(processors: usize) -> Self {
        Self { pairs: Pairs::of(processors), has_in_ports: false, has_within_host: false }
    }

    /// The same numbering with in-ports that differ from the out-ports.
    #[must_use]
    pub const fn with_in_ports(self) -> Self {
        Self { has_in_ports: true, ..self }
    }

    /// Returns true if in-ports have parameters of their own.
    pub const fn has_in_ports(self) -> bool {
        self.has_in_ports
    }

    /// The same numbering with C, t and g of messages within a host.
    #[must_use]
    pub const fn with_within_host(self) -> Self {
        Self { has_within_host: true, ..self }
    }

    /// Returns true if messages within a host have parameters of their own.
    pub const fn has_within_host(self) -> bool {
        self.has_within_host
    }

    /// Returns the number of parameters.
    pub const fn count(self) -> usize {
        let within_host = if self.has_within_host { 3 * self.pairs.processors() } else { 0 };
        self.first_within_host() + within_host
    }

    /// Returns the index of the first parameter of messages within a host: C of each processor,
    /// then t and g.
    pub const fn first_within_host(self) -> usize {
        let in_ports = if self.has_in_ports { self.pairs.processors() } else { 0 };
        3 * self.pairs.processors() + 2 * self.pairs.count() + in_ports
    }

    /// Returns the indices of C, t and g of a processor for messages within a host or across hosts.
    pub const fn of_processor(self, processor: usize, is_within_host: bool) -> [usize; 3] {
        let n = self.pairs.processors();
        let first = if is_within_host { self.first_within_host() } else { 0 };
        [first + processor, first + n + processor, first + 2 * n + processor]
    }

    /// Returns the number of processors.
    pub const fn processors(self) -> usize {
        self.pairs.processors()
    }

    /// Returns the pairs of processors, in the order of their parameters.
    pub const fn pairs(self) -> Pairs {
        self.pairs
    }

    /// Returns the index of C of a processor.
    pub const fn fixed_delay(self, processor: usize) -> usize {
        processor
    }

    /// Returns the index of t of a processor.
    pub const fn byte_delay(self, processor: usize) -> usize {
        self.pairs.processors() + processor
    }

    /// Returns the index of g of the out-port of a processor.
    pub const fn port_byte_delay(self, processor: usize) -> usize {
        2 * self.pairs.processors() + processor
    }

    /// Returns the index of g of the in-port of a processor, which is that of the out-port if they
    /// do not differ.
    pub const fn in_port_byte_delay(self, processor: usize) -> usize {
        if self.has_in_ports {
            3 * self.pairs.processors() + 2 * self.pairs.count() + processor
        } else {
            self.port_byte_delay(processor)
        }
    }

    /// Returns the index of h of a pair, given the index of the pair in the packed triangle.
    pub const fn flow_byte_delay(self, pair: usize) -> usize {
        3 * self.pairs.processors() + pair
    }

    /// Returns the index of L of a pair, given the index of the pair in the packed triangle.
    pub const fn link_latency(self, pair: usize) -> usize {
        3 * self.pairs.processors() + self.pairs.count() + pair
    }
}

/// The sizes of messages up to which libraries use each protocol; `None` if no message was seen to
/// exceed the limit.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ProtocolLimits {
    /// The size of the largest message that leaves before its receive is posted.
    pub eager: Option<Bytes>,
    /// The size of the largest message beyond the eager limit whose send completes while the
    /// message is under way.
    pub buffered: Option<Bytes>,
}

impl ProtocolLimits {
    /// The protocol of messages of this size.
    pub fn protocol(self, size: Bytes) -> Protocol {
        let exceeds = |limit: Option<Bytes>| limit.is_some_and(|limit| size > limit);
        match (exceeds(self.eager), exceeds(self.buffered)) {
            (false, _) => Protocol::Eager,
            (true, false) => Protocol::Rendezvous,
            (true, true) => Protocol::Unbuffered,
        }
    }
}

/// The model `ports` as a network: processors and ports serve messages in order, and work on one
/// message at the same time.
///
/// A send keeps processor i busy for C_i + m·t_i. The message then waits for the out-port of i and
/// occupies it for m·g_i. Its first byte reaches the receiver L_ij after it has left the out-port
/// and waits for the in-port of j, which the message occupies for m·g_j. It has arrived when the
/// slowest of the ports and the flow itself (m·h_ij) is done. The receive keeps processor j busy
/// for C_j + m·t_j. Messages from i to j that follow each other share the limit of the flow.
/// Between the ports, a message waits for the uplink of each group that it leaves or enters, and
/// occupies it for m·s_G. The handshake of a message beyond the eager limit waits for data in the
/// out-ports of its processors, for Q bytes at most.
///
/// Messages within a host pass its memory: they have C, t and g of their own, and ports that those
/// across hosts do not use.
#[derive(Debug, Clone)]
pub struct PortsNetwork {
    layout: Layout,
    pub(super) parameters: Vec<f64>,
    ports: PortTimes,
    /// The moment from which each directed flow i→j (at index i·n + j) is free, where flows have
    /// limits.
    flows: Vec<Moment>,
    used: Vec<u32>,
    size_law: SizeLaw,
    uplinks: Uplinks,
    /// True if the delays of uplinks are constants instead of parameters.
    are_uplinks_known: bool,
    /// The moments from which each uplink is free, into its group and out of it.
    uplink_times: Vec<[Moment; 2]>,
    limits: ProtocolLimits,
    /// The largest number of bytes that a handshake waits for.
    queue: f64,
    /// The hosts of the processors, if messages within a host have parameters of their own.
    hosts: Hosts,
}

impl PortsNetwork {
    /// Returns the network of a list of parameters in the order of their [`Layout`].
    ///
    /// # Panics
    ///
    /// When the list is longer or shorter than the layout: a bug of the caller.
    pub fn new(layout: Layout, parameters: Vec<f64>) -> Self {
        assert_eq!(parameters.len(), layout.count(), "one value for each parameter");
        let n = layout.processors();
        Self {
            layout,
            parameters,
            ports: PortTimes::idle(if layout.has_within_host { 2 * n } else { n }),
            flows: vec![Moment::START; n * n],
            used: Vec::new(),
            size_law: SizeLaw::default(),
            uplinks: Uplinks::default(),
            are_uplinks_known: false,
            uplink_times: Vec::new(),
            limits: ProtocolLimits::default(),
            queue: 0.0,
            hosts: Hosts::default(),
        }
    }

    /// The same network with messages above this size that wait until their receive is posted.
    #[must_use]
    pub fn with_eager_limit(self, eager_limit: Option<Bytes>) -> Self {
        Self { limits: ProtocolLimits { eager: eager_limit, ..self.limits }, ..self }
    }

    /// The same network with messages of protocols by these limits.
    #[must_use]
    pub fn with_limits(self, limits: ProtocolLimits) -> Self {
        Self { limits, ..self }
    }

    /// The same network, in which the handshake of a message beyond the eager limit waits for at
    /// most this number of bytes in the out-port.
    #[must_use]
    pub fn with_queue(self, queue: f64) -> Self {
        Self { queue, ..self }
    }

    /// The same network with links that groups of processors share; their parameters follow those
    /// of the layout.
    #[must_use]
    pub fn with_uplinks(self, uplinks: Uplinks) -> Self {
        Self { uplink_times: vec![[Moment::START; 2]; uplinks.groups().len()], uplinks, ..self }
    }

    /// The same network with effective sizes in place of sizes.
    #[must_use]
    pub fn with_size_law(self, size_law: SizeLaw) -> Self {
        Self { size_law, ..self }
    }

    /// The same network with shared links whose delays are known constants, for the estimation of
    /// the other parameters.
    pub(super) fn with_known_uplinks(self, uplinks: Uplinks) -> Self {
        Self { are_uplinks_known: true, ..self.with_uplinks(uplinks) }
    }

    /// The same network with the hosts of its processors, for the parameters of messages within a
    /// host.
    #[must_use]
    pub fn with_hosts(self, hosts: Hosts) -> Self {
        Self { hosts, ..self }
    }

    /// Returns true for messages with the parameters of those within a host.
    fn is_within_host(&self, message: Message) -> bool {
        self.layout.has_within_host
            && self.hosts.class(message.from, message.to) == Some(LinkClass::WithinHost)
    }

    /// Returns the moment at which processor i, which starts on a message at `start`, has processed
    /// it: C_i + m·t_i later.
    fn process(
        &self,
        i: Processor,
        message: Message,
        size: f64,
        start: Moment,
        path: &mut Path,
    ) -> Moment {
        let [c, t, _] = self.layout.of_processor(i.index(), self.is_within_host(message));
        let duration = Seconds::new(self.parameters[c] + size * self.parameters[t]);
        path.after_two(start, duration, Term::new(c as u32, 1.0), Term::new(t as u32, size))
    }

    /// Returns the moment m times a parameter per byte after `start`.
    fn transfer(&self, parameter: usize, size: f64, start: Moment, path: &mut Path) -> Moment {
        path.after(
            start,
            Seconds::new(size * self.parameters[parameter]),
            Term::new(parameter as u32, size),
        )
    }
}

impl NamedParameters for PortsNetwork {
    fn parameter(&self, parameter: u32) -> ParameterId {
        let (n, pairs) = (self.layout.processors(), self.layout.pairs());
        let p = parameter as usize;
        let place = |p: usize| (Some(Processor(p as u32)), None);
        let ends = |pair: usize| pairs.get(pair).unzip();
        if let Some(group) = p.checked_sub(self.layout.count()) {
            return ParameterId { group: Some(group as u32), ..ParameterId::of_all(UPLINKS) };
        }
        let (name, place) = if let Some(own) = p.checked_sub(self.layout.first_within_host()) {
            (WITHIN_HOST_NAMES[own / n], place(own % n))
        } else if p < 3 * n {
            (NAMES[p / n], place(p % n))
        } else if p < self.layout.link_latency(0) {
            (NAMES[3], ends(p - self.layout.flow_byte_delay(0)))
        } else if let Some(processor) = p.checked_sub(self.layout.link_latency(pairs.count())) {
            (IN_PORT, place(processor))
        } else {
            (NAMES[4], ends(p - self.layout.link_latency(0)))
        };
        ParameterId { name, place, size: None, group: None }
    }
}

impl Network for PortsNetwork {
    fn processors(&self) -> usize {
        self.layout.processors()
    }

    fn reset(&mut self) {
        self.ports.reset();
        self.uplink_times.fill([Moment::START; 2]);
        for flow in self.used.drain(..) {
            self.flows[flow as usize] = Moment::START;
        }
    }

    fn send(&mut self, message: Message, start: Moment, path: &mut Path) -> Sent {
        let Message { from, to, size } = message;
        let (layout, additional) = (self.layout, self.size_law.latency(size));
        let size = self.size_law.effective(size);
        let is_within_host = self.is_within_host(message);
        // Memory is another port than that of the network.
        let port_of = |one: Processor| {
            Processor(one.0 + if is_within_host { layout.processors() as u32 } else { 0 })
        };
        let [out_port, in_port] = [port_of(from), port_of(to)];
        let [.., out_delay] = layout.of_processor(from.index(), is_within_host);
        let in_delay = if is_within_host {
            layout.of_processor(to.index(), true)[2]
        } else {
            layout.in_port_byte_delay(to.index())
        };
        let pair = layout.pairs().index(from, to);
        let (flow, latency) = (layout.flow_byte_delay(pair), layout.link_latency(pair));
        let release = self.process(from, message, size, start, path);
        let mut enter = release.or_later(*self.ports.out_port(out_port));
        let mut left = self.transfer(out_delay, size, enter, path);
        *self.ports.out_port(out_port) = left;
        if self.parameters[flow] > 0.0 {
            let index = from.index() * layout.processors() + to.index();
            enter = enter.or_later(self.flows[index]);
            let done = self.transfer(flow, size, enter, path);
            self.flows[index] = done;
            self.used.push(index as u32);
            left = left.or_later(done);
        }
        // An empty message waits for no link.
        let passed = (size > 0.0).then(|| self.uplinks.between(from, to));
        for (group, is_outward) in passed.into_iter().flatten() {
            let free = &mut self.uplink_times[group][usize::from(is_outward)];
            enter = enter.or_later(*free);
            let duration = Seconds::new(size * self.uplinks.byte_delay()[group].value);
            let parameter = Term::new((layout.count() + group) as u32, size);
            let term = if self.are_uplinks_known { Term::constant(duration) } else { parameter };
            *free = path.after(enter, duration, term);
            left = left.or_later(*free);
        }
        // A latency is not negative.
        let additional = additional.max(-self.parameters[latency]);
        let mut after_latency = |moment: Moment| {
            let constant = Term::constant(Seconds::new(additional));
            let duration = Seconds::new(self.parameters[latency] + additional);
            path.after_two(moment, duration, Term::new(latency as u32, 1.0), constant)
        };
        let (first, last) = (after_latency(enter), after_latency(left));
        let first = first.or_later(*self.ports.in_port(in_port));
        let received = self.transfer(in_delay, size, first, path);
        *self.ports.in_port(in_port) = received;
        Sent { release, arrival: last.or_later(received) }
    }

    fn receive(&mut self, message: Message, start: Moment, path: &mut Path) -> Moment {
        let size = self.size_law.effective(message.size);
        self.process(message.to, message, size, start, path)
    }

    fn protocol(&self, size: Bytes) -> Protocol {
        self.limits.protocol(size)
    }

    fn pass_data(&mut self, handshake: Message, start: Moment, path: &mut Path) -> Moment {
        if self.is_within_host(handshake) {
            return start;
        }
        let from = handshake.from;
        let port = self.layout.port_byte_delay(from.index());
        let free = *self.ports.out_port(from);
        let longest = Seconds::new(self.queue * self.parameters[port]);
        if free.time - start.time <= longest {
            return start.or_later(free);
        }
        if self.queue > 0.0 { self.transfer(port, self.queue, start, path) } else { start }
    }
}
