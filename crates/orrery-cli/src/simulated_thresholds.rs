//! The thresholds of linear scatter and gather on a simulated cluster.

use orrery::comm::Thresholds;
use orrery::comm::thresholds::SlopeCorrection;
use orrery::engine::Irregularity;
use orrery::machine::IrregularCollectives;
use orrery::model::{Model, ModelKind};
use orrery::schedule::Collective;

/// The thresholds of a model, as they act on its cluster.
#[derive(Debug, Clone)]
pub struct SimulatedThresholds {
    thresholds: Vec<Thresholds>,
    corrected: Option<SlopeCorrection>,
}

impl SimulatedThresholds {
    /// Those of the model, if it has some; slopes only where they correct this kind of model.
    pub fn of(kind: ModelKind, model: &Model) -> Option<Self> {
        let (thresholds, corrected) = (model.thresholds.clone(), kind.slope_correction());
        (!thresholds.is_empty()).then_some(Self { thresholds, corrected })
    }
}

impl IrregularCollectives for SimulatedThresholds {
    fn irregularity(&self, collective: &Collective) -> Irregularity {
        let found = self.thresholds.iter().find(|thresholds| thresholds.apply_to(collective));
        found.map(|thresholds| thresholds.irregularity(collective.block, self.corrected)).unwrap_or_default()
    }
}
