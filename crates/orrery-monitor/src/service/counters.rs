//! Counters of the service itself, for Prometheus.

use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::registry::Registry;

/// The labels of a counted request.
#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct RequestLabels {
    route: &'static str,
    status: u16,
}

/// The label of a counted connection.
#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct ConnectionLabels {
    outcome: &'static str,
}

/// What the service has done since it was started.
#[derive(Debug, Clone, Default)]
pub(super) struct Counters {
    samples: Counter,
    duplicates: Counter,
    requests: Family<RequestLabels, Counter>,
    connections: Family<ConnectionLabels, Counter>,
}

impl Counters {
    /// Counts stored samples and repeated ones.
    pub(super) fn count_samples(&self, accepted: usize, duplicates: usize) {
        self.samples.inc_by(accepted as u64);
        self.duplicates.inc_by(duplicates as u64);
    }

    /// Counts an answered request; the route is `other` for unknown paths.
    pub(super) fn count_request(&self, route: &'static str, status: u16) {
        self.requests.get_or_create(&RequestLabels { route, status }).inc();
    }

    /// Counts a connection: `accepted`, `refused`, `replaced`, `late` or `handshake_failed`.
    pub(super) fn count_connection(&self, outcome: &'static str) {
        self.connections.get_or_create(&ConnectionLabels { outcome }).inc();
    }

    /// Adds the counters to a registry.
    pub(super) fn register(&self, registry: &mut Registry) {
        registry.register("orrery_samples", "Samples that were stored", self.samples.clone());
        registry.register(
            "orrery_duplicate_samples",
            "Samples that were stored before",
            self.duplicates.clone(),
        );
        registry.register(
            "orrery_requests",
            "Answered requests by route and status",
            self.requests.clone(),
        );
        let help = "Connections by what became of them: accepted, refused, replaced, late, handshake_failed";
        registry.register("orrery_connections", help, self.connections.clone());
    }
}
