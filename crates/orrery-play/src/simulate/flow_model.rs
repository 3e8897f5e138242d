//! Flow models: the flows, rates and latencies of messages on shared links.

use super::size_law::SizeLaw;
use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;

use orrery_base::units::{Bytes, Seconds, UnknownName};
use orrery_cluster::platform::xml::{LocatedSetting, Setting};
use orrery_cluster::sharing::{Infiniband, SharingLaw};

/// A flow model: max-min fairness, one of SimGrid's network models, or the penalties of a sharing
/// law.
///
/// A message of m bytes is a flow of m + [`envelope`](Self::envelope) bytes. It waits Σ latency ×
/// latency factor. Then its rate is ρ × bandwidth factor, where ρ is its max-min rate with weight
/// 1/φ, φ = Σ latency + Σ S/bandwidth over its links, and bound min(least bandwidth, γ / (2 Σ
/// latency)). Factors are steps by size; S and γ are constants of the model.
///
/// Under a sharing law the rate of a message is B/p while its penalty is p, where B is its bound.
/// The penalties depend on the messages that flow at the time, from host to host; messages within a
/// host do not count. If links are shared as well, B/p is an upper bound.
///
/// Messages within a host use its loopback link. If the platform has none, each message has a
/// loopback of 10 GB/s without latency for itself.
///
/// Source: P. Velho et al., *On the Validity of Flow-level TCP Network Models for Grid and Cloud
/// Simulations*, TOMACS 23, 2013; the constants are SimGrid's defaults (version 3.32).
#[derive(Debug, Clone, PartialEq)]
pub struct FlowModel {
    name: &'static str,
    /// Latency factors, each for sizes above a bound in bytes; the largest bound first. 1 below all
    /// bounds.
    latency_factors: Cow<'static, [(f64, f64)]>,
    /// Bandwidth factors, likewise.
    bandwidth_factors: Cow<'static, [(f64, f64)]>,
    /// The effective sizes of messages of a fitted machine.
    size_law: Option<SizeLaw>,
    /// S, in bytes.
    weight_s: f64,
    /// γ, the TCP window in bytes; infinite for none.
    pub(super) tcp_window: f64,
    /// The weight of a flow on its reverse route, for acknowledgements.
    pub(super) cross_traffic: f64,
    /// Bandwidth in bytes per second and latency in seconds within hosts without a loopback link.
    pub(super) loopback: (f64, f64),
    /// Bytes added to each message.
    envelope: Bytes,
    /// The eager limit: smaller sends complete without their receive.
    eager: Bytes,
    /// Smaller messages leave before their receive is posted.
    async_limit: Bytes,
    /// When rendezvous sends complete.
    rendezvous: RendezvousEnd,
    /// How messages from one host to another flow.
    connection: Connection,
    /// The capacity of a receiver for eager messages whose receive is not posted.
    buffer: Bytes,
    /// The most data in bytes that the handshake of a message that waits for its receive waits for.
    queue: f64,
    /// The time of a test of a request.
    test: Seconds,
    /// The weights of flows.
    weights: Weights,
    pub(super) law: Option<SharingLaw>,
    /// True if a message counts for the law during its latency, as in SimGrid.
    pub(super) counts_latency: bool,
    /// True if links share their capacity.
    pub(super) shares_links: bool,
}

/// When a send that waited for its receive completes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum RendezvousEnd {
    /// With its message, without overheads, as in SimGrid.
    WithMessage,
    /// When its message starts to flow, or with its message beyond this size; with the overheads of
    /// eager sends.
    AtStart { buffered: Bytes },
    /// When what is left fits into this buffer of its connection, without overheads.
    InBuffer(Bytes),
}

/// The inverse weights φ of flows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Weights {
    /// All are 1.
    Equal,
    /// Those of their routes.
    ByRoute,
    /// Those of their routes, but 1 for routes without latency, as in SimGrid.
    ByRouteWithLatency,
}

/// How messages from one host to another flow.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Connection {
    /// At the same time, as in SimGrid.
    PerMessage,
    /// One after the other.
    PerPair,
}

/// The latency factors of LV08, by size.
const LV08_LATENCY: [(f64, f64); 1] = [(f64::NEG_INFINITY, 13.01)];
/// The bandwidth factors of LV08, by size.
const LV08_BANDWIDTH: [(f64, f64); 1] = [(f64::NEG_INFINITY, 0.97)];
/// The latency factors of SMPI, by size in bytes.
const SMPI_LATENCY: [(f64, f64); 9] = [
    (65_472.0, 11.6436),
    (15_424.0, 3.48845),
    (9_376.0, 2.59299),
    (5_776.0, 2.18796),
    (3_484.0, 1.88101),
    (1_426.0, 1.61075),
    (732.0, 1.9503),
    (257.0, 1.95341),
    (0.0, 2.01467),
];
/// The bandwidth factors of SMPI, by size in bytes.
const SMPI_BANDWIDTH: [(f64, f64); 9] = [
    (65_472.0, 0.940_694),
    (15_424.0, 0.697_866),
    (9_376.0, 0.58729),
    (5_776.0, 1.08739),
    (3_484.0, 0.77493),
    (1_426.0, 0.608_902),
    (732.0, 0.341_987),
    (257.0, 0.338_112),
    (0.0, 0.812_084),
];

/// The names of SimGrid's models in platforms, with the corresponding names in Orrery.
const SIMGRID_NAMES: [(&str, &str); 4] = [
    ("CM02", "simgrid-cm02"),
    ("LV08", "simgrid-lv08"),
    ("SMPI", "simgrid-smpi"),
    ("IB", "simgrid-ib"),
];

/// The effect of a setting of a platform on a flow model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SettingEffect {
    /// The model has the setting now.
    Applied,
    /// SimGrid's model of this name does not use the setting either.
    Unused,
    /// The setting belongs to SimGrid's models, but this model is another one.
    Unsupported,
}

impl FlowModel {
    /// Max-min fairness without a sharing law: latency and bandwidth of the platform, equal
    /// weights, no envelope.
    pub const MAXMIN: Self = Self {
        name: "maxmin",
        latency_factors: Cow::Borrowed(&[]),
        bandwidth_factors: Cow::Borrowed(&[]),
        size_law: None,
        weight_s: 0.0,
        tcp_window: f64::INFINITY,
        cross_traffic: 0.0,
        loopback: (10e9, 0.0),
        envelope: Bytes::ZERO,
        eager: Bytes::new(65_536),
        async_limit: Bytes::ZERO,
        rendezvous: RendezvousEnd::WithMessage,
        connection: Connection::PerMessage,
        buffer: Bytes::new(u64::MAX),
        queue: 0.0,
        test: Seconds::ZERO,
        weights: Weights::Equal,
        law: None,
        counts_latency: false,
        shares_links: true,
    };
    /// SimGrid's CM02: a TCP window and acknowledgements on the reverse route.
    pub const CM02: Self = Self::simgrid("simgrid-cm02", &[], &[], 0.0, None);
    /// SimGrid's LV08: TCP on wide-area and local networks.
    pub const LV08: Self =
        Self::simgrid("simgrid-lv08", &LV08_LATENCY, &LV08_BANDWIDTH, 20_537.0, None);
    /// SimGrid's SMPI: MPI over TCP on Gigabit Ethernet.
    pub const SMPI: Self =
        Self::simgrid("simgrid-smpi", &SMPI_LATENCY, &SMPI_BANDWIDTH, 8_775.0, None);

    /// SimGrid's IB: SMPI with bounds divided by the penalties of InfiniBand.
    ///
    /// Source of the law: J. Vienne, *Prédiction de performances d'applications de calcul haute
    /// performance sur réseau InfiniBand*, thesis, Grenoble, 2010. Penalties are always those of
    /// the messages under way. SimGrid itself does not update all of them when a message ends, so
    /// that its times can be longer (`docs/simulating.md`).
    pub const IB: Self = Self::simgrid(
        "simgrid-ib",
        &SMPI_LATENCY,
        &SMPI_BANDWIDTH,
        8_775.0,
        Some(SharingLaw::Infiniband(Infiniband::SIMGRID)),
    );

    /// The model of flows on the links of a fitted machine
    /// (`comm::Ports::platform`): weights as in SMPI, without its
    /// factors, TCP window, acknowledgements and envelope. Eager messages leave before their
    /// receive is posted.
    pub const PORTS: Self = Self {
        name: "ports",
        weight_s: 8_775.0,
        weights: Weights::ByRoute,
        async_limit: Bytes::new(65_536),
        rendezvous: RendezvousEnd::AtStart { buffered: Bytes::new(u64::MAX) },
        connection: Connection::PerPair,
        ..Self::MAXMIN
    };

    /// All models with published parameters.
    pub const ALL: [Self; 5] = [Self::MAXMIN, Self::CM02, Self::LV08, Self::SMPI, Self::IB];

    /// Returns one of SimGrid's models, with its constants.
    const fn simgrid(
        name: &'static str,
        latency_factors: &'static [(f64, f64)],
        bandwidth_factors: &'static [(f64, f64)],
        weight_s: f64,
        law: Option<SharingLaw>,
    ) -> Self {
        Self {
            name,
            latency_factors: Cow::Borrowed(latency_factors),
            bandwidth_factors: Cow::Borrowed(bandwidth_factors),
            size_law: None,
            weight_s,
            tcp_window: 4_194_304.0,
            cross_traffic: 0.05,
            loopback: (10e9, 0.0),
            envelope: Bytes::new(16),
            eager: Bytes::new(65_536),
            async_limit: Bytes::ZERO,
            rendezvous: RendezvousEnd::WithMessage,
            connection: Connection::PerMessage,
            buffer: Bytes::new(u64::MAX),
            queue: 0.0,
            test: Seconds::new(1e-4),
            weights: Weights::ByRouteWithLatency,
            counts_latency: law.is_some(),
            law,
            shares_links: true,
        }
    }

    /// A sharing law without max-min fairness of links: latency of the platform, rate = bandwidth /
    /// penalty.
    ///
    /// [`FlowModel::MAXMIN`] is the opposite case.
    pub fn from_law(law: SharingLaw) -> Self {
        match law {
            SharingLaw::MaxMinPorts => Self::MAXMIN,
            law => Self { name: law.name(), law: Some(law), shares_links: false, ..Self::MAXMIN },
        }
    }

    /// Returns the same model with links that also share their capacity max-min fairly, so that the
    /// law is an upper bound of rates.
    #[must_use]
    pub fn with_shared_links(self) -> Self {
        Self { shares_links: true, ..self }
    }

    /// The name on the command line.
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// The SimGrid model with this value of `network/model`; `None` for other values.
    pub fn from_simgrid_name(name: &str) -> Option<Self> {
        let (_, own) = SIMGRID_NAMES.iter().find(|(simgrid, _)| *simgrid == name)?;
        own.parse().ok()
    }

    /// The SimGrid model that the settings of a platform name, by default SMPI.
    pub fn of_settings(settings: &[LocatedSetting]) -> Self {
        let named = settings.iter().find_map(|one| match one.setting {
            Setting::NetworkModel(name) => Self::from_simgrid_name(name),
            _ => None,
        });
        named.unwrap_or(Self::SMPI)
    }

    /// The same model with another eager limit: smaller sends complete without their receive. If
    /// all eager messages leave before their receive is posted, those below the new limit do.
    #[must_use]
    pub fn with_eager(self, eager: Bytes) -> Self {
        let async_limit = if self.async_limit == self.eager { eager } else { self.async_limit };
        Self { eager, async_limit, ..self }
    }

    /// The same model with another buffer for eager messages whose receive is not posted, in bytes
    /// per rank.
    ///
    /// An eager send that does not fit into the buffer waits for its receive.
    #[must_use]
    pub fn with_buffer(self, buffer: Bytes) -> Self {
        Self { buffer, ..self }
    }

    /// The same model in which the handshake of a message that waits for its receive follows at
    /// most this number of bytes of the data that leaves its host.
    #[must_use]
    pub fn with_queue(self, queue: f64) -> Self {
        Self { queue, ..self }
    }

    /// The largest number of bytes that a handshake waits for.
    pub(super) fn queue(&self) -> f64 {
        self.queue
    }

    /// The same model with the effective sizes of a fitted machine in place of bandwidth factors.
    #[must_use]
    pub fn with_size_law(self, law: &SizeLaw) -> Self {
        Self { size_law: (!law.is_linear()).then(|| law.clone()), ..self }
    }

    /// The time in seconds, of any sign, by which the latency of messages of this size differs from
    /// that of the platform; 0 without a size law.
    pub(super) fn additional_latency(&self, size: Bytes) -> f64 {
        self.size_law.as_ref().map_or(0.0, |law| law.latency(size))
    }

    /// Applies a setting of a SimGrid platform.
    ///
    /// `network/model` is applied if this is the model that it names.
    pub fn apply(&mut self, setting: &Setting) -> SettingEffect {
        let is_simgrid = self.name.starts_with("simgrid-");
        // SMPI and its variant IB take factors by size, the others constant ones.
        let is_smpi = matches!(self.name, "simgrid-smpi" | "simgrid-ib");
        let constant = |factor: f64| Cow::Owned(vec![(f64::NEG_INFINITY, factor)]);
        let steps = |factors: &[(f64, f64)]| {
            let mut steps = factors.to_vec();
            steps.sort_by(|a, b| b.0.total_cmp(&a.0));
            Cow::Owned(steps)
        };
        match setting {
            Setting::LoopbackBandwidth(rate) => self.loopback.0 = *rate,
            Setting::LoopbackLatency(latency) => self.loopback.1 = *latency,
            Setting::AsyncThreshold(limit) => self.async_limit = Bytes::new(*limit),
            Setting::DetachedThreshold(limit) => self.eager = Bytes::new(*limit),
            Setting::TestTime(time) => self.test = Seconds::new(*time),
            Setting::NetworkModel(name) => {
                let is_own =
                    Self::from_simgrid_name(name).is_some_and(|model| model.name == self.name);
                return if is_own { SettingEffect::Applied } else { SettingEffect::Unused };
            }
            _ if !is_simgrid => return SettingEffect::Unsupported,
            Setting::WeightS(weight) => self.weight_s = *weight,
            Setting::TcpGamma(window) => self.tcp_window = *window,
            Setting::CrossTraffic(is_on) => self.cross_traffic = if *is_on { 0.05 } else { 0.0 },
            Setting::LatencyFactor(factor) if !is_smpi => self.latency_factors = constant(*factor),
            Setting::BandwidthFactor(factor) if !is_smpi => {
                self.bandwidth_factors = constant(*factor);
            }
            Setting::SmpiLatencyFactors(factors) if is_smpi => {
                self.latency_factors = steps(factors);
            }
            Setting::SmpiBandwidthFactors(factors) if is_smpi => {
                self.bandwidth_factors = steps(factors);
            }
            Setting::InfinibandPenalties([beta_in, beta_out, gamma]) if self.law.is_some() => {
                let Ok(law) = Infiniband::new(*beta_out, *beta_in, *gamma) else {
                    return SettingEffect::Unsupported;
                };
                self.law = Some(SharingLaw::Infiniband(law));
            }
            Setting::LatencyFactor(_)
            | Setting::BandwidthFactor(_)
            | Setting::SmpiLatencyFactors(_)
            | Setting::SmpiBandwidthFactors(_)
            | Setting::InfinibandPenalties(_) => return SettingEffect::Unused,
        }
        SettingEffect::Applied
    }

    /// Returns true if a message of this size fits into the buffer beside `used` bytes.
    pub(super) fn fits_in_buffer(&self, size: Bytes, used: Bytes) -> bool {
        size.get() <= self.buffer.get().saturating_sub(used.get())
    }

    /// The time of a test of a request.
    pub fn test_time(&self) -> Seconds {
        self.test
    }

    /// The bytes added to each message.
    pub fn envelope(&self) -> Bytes {
        self.envelope
    }

    /// Returns true if a send of this size completes without its receive.
    pub fn is_eager(&self, size: Bytes) -> bool {
        size < self.eager
    }

    /// Returns true if messages from one host to another flow one after the other.
    pub(super) fn is_in_order(&self) -> bool {
        self.connection == Connection::PerPair
    }

    /// The same model as SimGrid replays its export: messages from one host to another flow at the
    /// same time.
    #[must_use]
    pub fn with_parallel_messages(self) -> Self {
        Self { connection: Connection::PerMessage, ..self }
    }

    /// The same model with sends that all wait for the end of their message.
    #[must_use]
    pub fn with_synchronous_sends(self) -> Self {
        Self { rendezvous: RendezvousEnd::WithMessage, ..self.with_eager(Bytes::ZERO) }
    }

    /// The same model with connections of two ranks, on which messages follow each other. A send
    /// that waits for its receive ends when what is left of its message and of those before it fits
    /// into the buffer of the connection, as over TCP.
    #[must_use]
    pub fn with_send_buffer(self, buffer: Bytes) -> Self {
        Self {
            rendezvous: RendezvousEnd::InBuffer(buffer),
            connection: Connection::PerPair,
            ..self
        }
    }

    /// The same model in which a send that waited for its receive completes when its message starts
    /// to flow up to this size, and with its message beyond.
    #[must_use]
    pub fn with_buffered(self, buffered: Bytes) -> Self {
        Self { rendezvous: RendezvousEnd::AtStart { buffered }, ..self }
    }

    /// The buffer of a connection; `None` unless sends that wait for their receive complete when
    /// the rest fits into it.
    pub(super) fn send_buffer(&self) -> Option<Bytes> {
        match self.rendezvous {
            RendezvousEnd::InBuffer(buffer) => Some(buffer),
            RendezvousEnd::WithMessage | RendezvousEnd::AtStart { .. } => None,
        }
    }

    /// Returns true if hosts have overheads for eager or for other messages.
    pub(super) fn has_overheads(&self, is_eager: bool) -> bool {
        is_eager || matches!(self.rendezvous, RendezvousEnd::AtStart { .. })
    }

    /// Returns true if a send of this size that waits for its receive completes when its message
    /// starts to flow.
    pub(super) fn completes_at_start(&self, size: Bytes) -> bool {
        matches!(self.rendezvous, RendezvousEnd::AtStart { buffered } if size <= buffered)
    }

    /// Returns true if a message of this size, if it is eager, leaves before its receive is posted:
    /// it is below the asynchronous limit (SimGrid's `smpi/async-small-thresh`), which can differ
    /// from the eager limit.
    pub(super) fn is_async(&self, size: Bytes) -> bool {
        size < self.async_limit
    }

    /// The latency factor and the bandwidth factor of a flow of this size in bytes, envelope
    /// included.
    pub fn factors(&self, size: f64) -> (f64, f64) {
        let find = |factors: &[(f64, f64)]| {
            factors.iter().find(|(bound, _)| size > *bound).map_or(1.0, |step| step.1)
        };
        let effective =
            |law: &SizeLaw| law.effective(Bytes::new(size as u64)).max(f64::MIN_POSITIVE);
        let bandwidth = match &self.size_law {
            Some(law) if size >= 1.0 => size / effective(law),
            _ => find(&self.bandwidth_factors),
        };
        (find(&self.latency_factors), bandwidth)
    }

    /// Returns the inverse weight φ of a flow over links whose latencies in seconds have the sum
    /// `latency`, with these bandwidths in bytes per second; `factor` is the latency factor.
    pub fn inverse_weight(
        &self,
        latency: f64,
        factor: f64,
        bandwidths: impl Iterator<Item = f64>,
    ) -> f64 {
        match self.weights {
            Weights::Equal => 1.0,
            Weights::ByRouteWithLatency if latency * factor == 0.0 => 1.0,
            _ => latency + bandwidths.map(|bandwidth| self.weight_s / bandwidth).sum::<f64>(),
        }
    }

    /// The increase of the inverse weight φ of a flow with the delay per byte of each of its links,
    /// S in bytes; 0 if its φ is constant.
    pub fn weight_per_delay(&self, inverse_weight: f64) -> f64 {
        let is_constant = self.weights == Weights::Equal
            || self.weights == Weights::ByRouteWithLatency && (inverse_weight - 1.0).abs() == 0.0;
        if is_constant { 0.0 } else { self.weight_s }
    }
}

impl FromStr for FlowModel {
    type Err = UnknownName;

    fn from_str(text: &str) -> Result<Self, UnknownName> {
        let found = Self::ALL.into_iter().find(|model| model.name == text);
        let known = || Self::ALL.map(|model| model.name).to_vec();
        found.ok_or_else(|| UnknownName { what: "network", name: text.to_owned(), known: known() })
    }
}

impl fmt::Display for FlowModel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flows_without_latency_have_weights_by_their_route_on_a_fitted_machine() {
        let weight = |model: &FlowModel, latency: f64| {
            model.inverse_weight(latency, 1.0, [5e6, 1e7].into_iter())
        };
        let by_route = 8_775.0 * 3e-7;
        assert!((weight(&FlowModel::PORTS, 0.0) - by_route).abs() < 1e-12);
        assert!((weight(&FlowModel::PORTS, 1e-6) - by_route - 1e-6).abs() < 1e-12);
        assert!((weight(&FlowModel::SMPI, 1e-6) - by_route - 1e-6).abs() < 1e-12);
        // As in SimGrid.
        assert!((weight(&FlowModel::SMPI, 0.0) - 1.0).abs() < 1e-12);
    }
}
