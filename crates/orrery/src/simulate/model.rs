use std::fmt;
use std::str::FromStr;

use crate::sharing::{Infiniband, SharingLaw};
use crate::units::{Bytes, Seconds};

/// How messages become flows: plain max-min fairness, with the corrections of one of SimGrid's network models, or with the
/// penalties of a law of [`crate::sharing`].
///
/// A message of m bytes is a flow of m + [`envelope`](Self::envelope) bytes. It waits Σ latency × latency factor, then has
/// the rate ρ × bandwidth factor, where ρ is its max-min rate with weight φ = Σ latency + Σ S/bandwidth over its links and
/// bound min(least bandwidth, γ / (2 Σ latency)); factors are steps by size, S and γ constants of the model.
///
/// Under a law a message has the rate B/p meanwhile its penalty is p, where B is its bound; the penalties are those of the
/// messages that flow at the time, from host to host, and messages within a host do not count. Where links are shared
/// besides, B/p is a bound.
///
/// Source: P. Velho et al., *On the Validity of Flow-level TCP Network Models for Grid and Cloud Simulations*, TOMACS 23,
/// 2013; the numbers are SimGrid's defaults (version 3.32).
#[derive(Debug, Clone, PartialEq)]
pub struct FlowModel {
    name: &'static str,
    /// (sizes above this, latency factor, bandwidth factor), largest first; the last holds for all sizes.
    steps: &'static [(f64, f64, f64)],
    /// S.
    payload: f64,
    /// γ in bytes; infinite for none.
    pub(super) window: f64,
    /// The weight of a flow on the way back of its answers.
    pub(super) answers: f64,
    /// Bytes that go with every message.
    envelope: Bytes,
    /// Sends of fewer bytes do not wait for their receive.
    eager: Bytes,
    /// What eager messages fill at most at a receiver before their receives are posted.
    buffer: Bytes,
    /// How long a test takes.
    test: Seconds,
    /// φ is as the round trip; else all flows are alike.
    is_weighted: bool,
    /// By which law messages hold each other up.
    pub(super) law: Option<SharingLaw>,
    /// The law counts a message from the start of its latency and not of its flow, as SimGrid does.
    pub(super) counts_latency: bool,
    /// Whether the capacities of links are shared.
    pub(super) shares_links: bool,
}

const PLAIN: [(f64, f64, f64); 1] = [(f64::NEG_INFINITY, 1.0, 1.0)];
const LV08: [(f64, f64, f64); 1] = [(f64::NEG_INFINITY, 13.01, 0.97)];
const SMPI: [(f64, f64, f64); 9] = [
    (65_472.0, 11.6436, 0.940_694),
    (15_424.0, 3.48845, 0.697_866),
    (9_376.0, 2.59299, 0.58729),
    (5_776.0, 2.18796, 1.08739),
    (3_484.0, 1.88101, 0.77493),
    (1_426.0, 1.61075, 0.608_902),
    (732.0, 1.9503, 0.341_987),
    (257.0, 1.95341, 0.338_112),
    (f64::NEG_INFINITY, 2.01467, 0.812_084),
];

impl FlowModel {
    /// Max-min fairness alone: latency and bandwidth as they are, all flows alike, no envelope.
    pub const MAXMIN: Self = Self {
        name: "maxmin",
        steps: &PLAIN,
        payload: 0.0,
        window: f64::INFINITY,
        answers: 0.0,
        envelope: Bytes::ZERO,
        eager: Bytes::new(65_536),
        buffer: Bytes::new(u64::MAX),
        test: Seconds::ZERO,
        is_weighted: false,
        law: None,
        counts_latency: false,
        shares_links: true,
    };
    /// SimGrid's CM02: no corrections but the window and the answers.
    pub const CM02: Self = Self {
        name: "simgrid-cm02",
        window: 4_194_304.0,
        answers: 0.05,
        envelope: Bytes::new(16),
        test: Seconds::new(1e-4),
        is_weighted: true,
        ..Self::MAXMIN
    };
    /// SimGrid's LV08: TCP on wide and local networks.
    pub const LV08: Self = Self { name: "simgrid-lv08", steps: &LV08, payload: 20_537.0, ..Self::CM02 };
    /// SimGrid's SMPI: MPI over TCP on Gigabit Ethernet.
    pub const SMPI: Self = Self { name: "simgrid-smpi", steps: &SMPI, payload: 8_775.0, ..Self::CM02 };

    /// SimGrid's IB: as SMPI, and bounds are divided by InfiniBand's penalties.
    ///
    /// Source of the law: J. Vienne, *Prédiction de performances d'applications de calcul haute performance sur réseau
    /// InfiniBand*, thesis, Grenoble, 2010. When a message ends, SimGrid looks at the hosts that other messages still join
    /// to its sender, and leaves the penalties of all others as they were. Here penalties are always those of the messages
    /// that there are; in an uneven halo exchange that is 4·10⁻⁶ of the time.
    pub const IB: Self = Self {
        name: "simgrid-ib",
        law: Some(SharingLaw::Infiniband(Infiniband::SIMGRID)),
        counts_latency: true,
        ..Self::SMPI
    };

    /// All models whose parameters are known.
    pub const ALL: [Self; 5] = [Self::MAXMIN, Self::CM02, Self::LV08, Self::SMPI, Self::IB];

    /// A law alone: latency and bandwidth as they are, a rate of bandwidth over penalty, links without limits of their own.
    /// Fairness is that of links: [`FlowModel::MAXMIN`].
    pub fn from_law(law: SharingLaw) -> Self {
        match law {
            SharingLaw::MaxMinPorts => Self::MAXMIN,
            law => Self { name: law.name(), law: Some(law), shares_links: false, ..Self::MAXMIN },
        }
    }

    /// The same, with the capacities of links shared max-min fair besides.
    #[must_use]
    pub fn with_shared_links(self) -> Self {
        Self { shares_links: true, ..self }
    }

    /// Its word on the command line.
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// The same with another limit below which sends do not wait for their receive.
    #[must_use]
    pub fn with_eager(self, eager: Bytes) -> Self {
        Self { eager, ..self }
    }

    /// The same with another size of the buffer in which a rank keeps eager messages that it has not asked for yet. A send
    /// that finds no room there waits for its receive.
    #[must_use]
    pub fn with_buffer(self, buffer: Bytes) -> Self {
        Self { buffer, ..self }
    }

    /// Whether a message of this size finds room beside so many bytes.
    pub(super) fn is_kept(&self, size: Bytes, beside: Bytes) -> bool {
        size.get() <= self.buffer.get().saturating_sub(beside.get())
    }

    /// How long a test of a request takes.
    pub fn test_time(&self) -> Seconds {
        self.test
    }

    /// Bytes that go with every message.
    pub fn envelope(&self) -> Bytes {
        self.envelope
    }

    /// Whether a send of this size does not wait for its receive.
    pub fn is_eager(&self, size: Bytes) -> bool {
        size < self.eager
    }

    /// The latency factor and the bandwidth factor of a flow of this size, envelope included.
    pub fn factors(&self, size: f64) -> (f64, f64) {
        let step = self.steps.iter().find(|(above, ..)| size > *above);
        step.map_or((1.0, 1.0), |&(_, latency, bandwidth)| (latency, bandwidth))
    }

    /// φ of a flow over links with these latencies and bandwidths: Σ latency + Σ S/bandwidth; 1 without latency.
    pub(super) fn share(&self, latency: f64, bandwidths: impl Iterator<Item = f64>) -> f64 {
        if !self.is_weighted || latency == 0.0 {
            return 1.0;
        }
        latency + bandwidths.map(|bandwidth| self.payload / bandwidth).sum::<f64>()
    }
}

impl FromStr for FlowModel {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let words = || Self::ALL.map(|model| model.name).join(", ");
        let found = Self::ALL.into_iter().find(|model| model.name == text);
        found.ok_or_else(|| format!("unknown network {text:?}; known are {}", words()))
    }
}

impl fmt::Display for FlowModel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name)
    }
}
