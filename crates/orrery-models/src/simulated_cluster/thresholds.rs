use crate::comm::Thresholds;
use crate::comm::thresholds::{Pieces, SlopeCorrection};
use crate::model::{Model, ModelKind};
use orrery_measure::machine::IrregularCollectives;
use orrery_play::engine::Irregularity;
use orrery_program::schedule::Collective;

/// The thresholds of linear scatter and gather of a model, which make its simulated collectives
/// irregular.
#[derive(Debug, Clone)]
pub(super) struct SimulatedThresholds {
    thresholds: Vec<Thresholds>,
    corrected: Option<SlopeCorrection>,
}

impl SimulatedThresholds {
    /// The thresholds of a model, if it has any; slope corrections only if they are for this kind
    /// of model.
    pub(super) fn of(kind: ModelKind, model: &Model) -> Option<Self> {
        let (thresholds, corrected) = (model.thresholds.clone(), kind.slope_correction());
        (!thresholds.is_empty()).then_some(Self { thresholds, corrected })
    }
}

impl IrregularCollectives for SimulatedThresholds {
    fn irregularity(&self, collective: &Collective) -> Irregularity {
        let found = self.thresholds.iter().find(|thresholds| thresholds.apply_to(collective));
        found
            .map(|thresholds| thresholds.irregularity(Pieces::of(collective), self.corrected))
            .unwrap_or_default()
    }
}
