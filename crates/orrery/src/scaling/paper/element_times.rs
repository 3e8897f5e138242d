use super::PaperModel;
use crate::scaling::{ElementTime, Layout};

/// The element times of a model of the paper for a problem of one size, as a search wants them.
#[derive(Debug, Clone, Copy)]
pub struct PaperTimes<'a> {
    /// The model.
    pub model: &'a PaperModel,
    /// The kinds of the cluster, in its order.
    pub kinds: &'a [String],
    /// N.
    pub size: f64,
}

impl ElementTime for PaperTimes<'_> {
    fn seconds(&self, kind: usize, processes: u32, layout: Layout) -> Option<f64> {
        self.model.element_seconds(self.kinds.get(kind)?, self.size, u64::from(layout.processes), processes)
    }
}
