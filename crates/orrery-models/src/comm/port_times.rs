//! The moments from which ports of processors are free, for the networks whose messages occupy
//! them.

use orrery_cluster::platform::Processor;
use orrery_play::engine::Moment;

/// The moments from which the ports of each processor are free: an out-port for messages sent, an
/// in-port for messages received.
#[derive(Debug, Clone)]
pub(super) struct PortTimes {
    outward: Vec<Moment>,
    inward: Vec<Moment>,
}

impl PortTimes {
    /// The ports of n processors, all free.
    pub(super) fn idle(processors: usize) -> Self {
        let idle = vec![Moment::START; processors];
        Self { outward: idle.clone(), inward: idle }
    }

    /// Returns the number of processors.
    pub(super) fn processors(&self) -> usize {
        self.outward.len()
    }

    /// Frees all ports.
    pub(super) fn reset(&mut self) {
        self.outward.fill(Moment::START);
        self.inward.fill(Moment::START);
    }

    /// The moment from which the out-port of a processor is free.
    pub(super) fn out_port(&mut self, processor: Processor) -> &mut Moment {
        &mut self.outward[processor.index()]
    }

    /// The moment from which the in-port of a processor is free.
    pub(super) fn in_port(&mut self, processor: Processor) -> &mut Moment {
        &mut self.inward[processor.index()]
    }
}
