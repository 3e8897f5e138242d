use crate::engine::Moment;
use crate::platform::Processor;

/// When the ports of each processor are free: messages leave through one and come in through the other.
#[derive(Debug, Clone)]
pub(super) struct Ports {
    outward: Vec<Moment>,
    inward: Vec<Moment>,
}

impl Ports {
    /// Ports of n processors, all free.
    pub(super) fn idle(processors: usize) -> Self {
        let idle = vec![Moment::START; processors];
        Self { outward: idle.clone(), inward: idle }
    }

    /// How many processors have them.
    pub(super) fn processors(&self) -> usize {
        self.outward.len()
    }

    /// Sets all of them free.
    pub(super) fn reset(&mut self) {
        self.outward.fill(Moment::START);
        self.inward.fill(Moment::START);
    }

    /// When the out-port of a processor is free.
    pub(super) fn out_port(&mut self, processor: Processor) -> &mut Moment {
        &mut self.outward[processor.index()]
    }

    /// When the in-port of a processor is free.
    pub(super) fn in_port(&mut self, processor: Processor) -> &mut Moment {
        &mut self.inward[processor.index()]
    }
}
