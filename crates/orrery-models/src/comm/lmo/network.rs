use crate::comm::{FittedNetwork, NamedParameters, ParameterId};
use orrery_base::numeric::Estimate;
use orrery_base::units::{Bytes, Seconds, SecondsPerByte};
use orrery_cluster::platform::{Pairs, Processor};
use orrery_play::engine::{
    Message, Moment, Network, Occupancy, Path, SenderContention, Sent, Term,
};

/// The numbering of the parameters of LMO in one list: C of each processor, t of each processor,
/// 1/β of each pair, and, except in LOM, L of each pair. HLMO has one value of each for all.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Layout {
    pairs: Pairs,
    with_latency: bool,
    is_equal: bool,
}

impl Layout {
    /// Returns the numbering for this number of processors, with link latency (LMO) or without
    /// (LOM).
    pub const fn new(processors: usize, with_latency: bool) -> Self {
        Self { pairs: Pairs::of(processors), with_latency, is_equal: false }
    }

    /// Returns the numbering for this number of equal processors with equal links (HLMO).
    pub const fn of_equal(processors: usize) -> Self {
        Self { pairs: Pairs::of(processors), with_latency: true, is_equal: true }
    }

    /// Returns the numbers of processors and of pairs that have parameters of their own.
    const fn distinct(self) -> (usize, usize) {
        if self.is_equal { (1, 1) } else { (self.pairs.processors(), self.pairs.count()) }
    }

    /// Returns the index of the parameters of a processor or a pair among those of its kind.
    const fn own(self, place: usize) -> usize {
        if self.is_equal { 0 } else { place }
    }

    /// Returns the number of parameters.
    pub const fn count(self) -> usize {
        let blocks = if self.with_latency { 2 } else { 1 };
        let (processors, pairs) = self.distinct();
        2 * processors + blocks * pairs
    }

    /// Returns the number of processors.
    pub const fn processors(self) -> usize {
        self.pairs.processors()
    }

    /// Returns the pairs of processors, in the order of the link parameters.
    pub const fn pairs(self) -> Pairs {
        self.pairs
    }

    /// Returns true if links have a latency (LMO); false for LOM.
    pub const fn with_latency(self) -> bool {
        self.with_latency
    }

    /// Returns the index of C_i.
    pub const fn fixed_delay(self, i: Processor) -> usize {
        self.own(i.index())
    }

    /// Returns the index of t_i.
    pub const fn byte_delay(self, i: Processor) -> usize {
        self.distinct().0 + self.own(i.index())
    }

    /// Returns the index of 1/β of a pair, given the index of the pair in the packed triangle.
    pub const fn link_byte_delay(self, pair: usize) -> usize {
        2 * self.distinct().0 + self.own(pair)
    }

    /// Returns the index of L of a pair, given the index of the pair in the packed triangle.
    pub const fn link_latency(self, pair: usize) -> usize {
        let (processors, pairs) = self.distinct();
        2 * processors + pairs + self.own(pair)
    }

    /// Returns equal parameters for all: `fixed` \[s\] for C and L, `per_byte` \[s/B\] for t and 1/β.
    #[cfg(feature = "estimation")]
    pub(super) fn even(self, fixed: f64, per_byte: f64) -> Vec<f64> {
        let is_fixed = |p: usize| p < self.distinct().0 || p >= self.link_latency(0);
        (0..self.count()).map(|p| if is_fixed(p) { fixed } else { per_byte }).collect()
    }
}

/// LMO as a network: processors serve one message at a time, each directed link carries one message
/// at a time.
///
/// A send keeps processor i busy for C_i + m·t_i. The message then waits until the directed link
/// i→j is free, occupies it for m/β_ij and arrives L_ij later. The receive keeps processor j busy
/// for C_j + m·t_j.
#[derive(Debug, Clone)]
pub struct LmoNetwork {
    layout: Layout,
    parameters: Vec<f64>,
    /// The moment from which each directed link i→j (at index i·n + j) is free.
    free: Vec<Moment>,
    used: Vec<u32>,
}

impl LmoNetwork {
    /// The network of these parameters: C \[s\] and t \[s/B\] of each processor, L \[s\] (`None`
    /// for LOM) and 1/β \[s/B\] of each pair in packed order.
    ///
    /// # Panics
    ///
    /// When the numbers of processors and pairs do not fit each other: a bug of the caller.
    pub fn new(
        fixed_delay: &[f64],
        byte_delay: &[f64],
        link_latency: Option<&[f64]>,
        link_byte_delay: &[f64],
    ) -> Self {
        let layout = Layout::new(fixed_delay.len(), link_latency.is_some());
        let parameters =
            [fixed_delay, byte_delay, link_byte_delay, link_latency.unwrap_or_default()].concat();
        assert!(byte_delay.len() == fixed_delay.len(), "C and t have a value per processor each");
        Self::from_parameters(layout, parameters)
    }

    /// Returns the network of a list of parameters in the order of their [`Layout`].
    ///
    /// # Panics
    ///
    /// When the list is longer or shorter than the layout: a bug of the caller.
    pub fn from_parameters(layout: Layout, parameters: Vec<f64>) -> Self {
        assert_eq!(parameters.len(), layout.count(), "one value for each parameter");
        let links = layout.processors() * layout.processors();
        Self { layout, parameters, free: vec![Moment::START; links], used: Vec::new() }
    }

    /// Returns the network with the values of these estimates, in the order of their [`Layout`].
    pub(super) fn fitted(layout: Layout, estimates: Vec<Estimate>) -> FittedNetwork<Self> {
        let values = estimates.iter().map(|estimate| estimate.value).collect();
        FittedNetwork::new(Self::from_parameters(layout, values), estimates)
    }

    /// Returns the numbering of the network's parameters.
    pub fn layout(&self) -> Layout {
        self.layout
    }

    /// Returns the parameters in the order of the [`Layout`].
    pub fn parameters(&self) -> &[f64] {
        &self.parameters
    }

    /// Returns the moment at which processor i, which starts on a message at `start`, has processed
    /// it: C_i + m·t_i later.
    #[inline]
    fn process(&self, i: Processor, size: Bytes, start: Moment, path: &mut Path) -> Moment {
        let (c, t) = (self.layout.fixed_delay(i), self.layout.byte_delay(i));
        let duration =
            Seconds::new(self.parameters[c]) + size * SecondsPerByte::new(self.parameters[t]);
        path.after_two(
            start,
            duration,
            Term::new(c as u32, 1.0),
            Term::new(t as u32, size.get() as f64),
        )
    }
}

impl NamedParameters for LmoNetwork {
    fn parameter(&self, parameter: u32) -> ParameterId {
        let (n, pairs) = self.layout.distinct();
        let p = parameter as usize;
        let processor = |name, p: usize| ParameterId::of_processor(name, Processor(p as u32));
        let link = |name, p: usize| {
            let (a, b) = self.layout.pairs().get(p).unzip();
            ParameterId { name, place: (a, b), size: None, group: None }
        };
        let id = match p {
            _ if p < n => processor("fixed_delay", p),
            _ if p < 2 * n => processor("byte_delay", p - n),
            _ if p < 2 * n + pairs => link("link_byte_delay", p - 2 * n),
            _ => link("link_latency", p - 2 * n - pairs),
        };
        if self.layout.is_equal { ParameterId::of_all(id.name) } else { id }
    }
}

impl Network for LmoNetwork {
    fn processors(&self) -> usize {
        self.layout.processors()
    }

    fn reset(&mut self) {
        for link in self.used.drain(..) {
            self.free[link as usize] = Moment::START;
        }
    }

    fn send(&mut self, message: Message, start: Moment, path: &mut Path) -> Sent {
        let Message { from, to, size } = message;
        let release = self.process(from, size, start, path);
        let pair = self.layout.pairs().index(from, to);
        let rate = self.layout.link_byte_delay(pair);
        let link = from.index() * self.layout.processors() + to.index();
        let enter = release.or_later(self.free[link]);
        let transfer = size * SecondsPerByte::new(self.parameters[rate]);
        let leave = path.after(enter, transfer, Term::new(rate as u32, size.get() as f64));
        self.free[link] = leave;
        self.used.push(link as u32);
        if !self.layout.with_latency() {
            return Sent { release, arrival: leave };
        }
        let latency = self.layout.link_latency(pair);
        let arrival = path.after(
            leave,
            Seconds::new(self.parameters[latency]),
            Term::new(latency as u32, 1.0),
        );
        Sent { release, arrival }
    }

    fn receive(&mut self, message: Message, start: Moment, path: &mut Path) -> Moment {
        self.process(message.to, message.size, start, path)
    }

    fn sender_contention(&self) -> SenderContention {
        SenderContention::Nowhere
    }

    fn grows_with_size(&self) -> bool {
        let (n, _) = self.layout.distinct();
        self.parameters[n..2 * n].iter().all(|delay| *delay >= 0.0)
    }

    fn occupancy(&self, Message { from, to, size }: Message) -> Occupancy {
        let busy = |i: Processor| {
            let (c, t) = (self.layout.fixed_delay(i), self.layout.byte_delay(i));
            self.parameters[c] + size.get() as f64 * self.parameters[t]
        };
        Occupancy { sender: busy(from), receiver: busy(to), ..Occupancy::default() }
    }
}
