//! The thresholds of linear scatter and gather on a simulated cluster.

use orrery::comm::Thresholds;
use orrery::engine::Irregularity;
use orrery::machine::Irregular;
use orrery::model::{Model, ModelKind};
use orrery::schedule::Collective;

/// The thresholds of a model, as they act on its cluster.
#[derive(Debug, Clone)]
pub struct SimulatedThresholds(Vec<Thresholds>);

impl SimulatedThresholds {
    /// Those of the model, if it has some; slopes only where they correct this kind of model.
    pub fn of(kind: ModelKind, model: &Model) -> Option<Self> {
        let mut thresholds = model.thresholds.clone();
        if !kind.takes_slopes() {
            for of in &mut thresholds {
                (of.gather_small_slope, of.gather_large_slope) = (None, None);
            }
        }
        (!thresholds.is_empty()).then_some(Self(thresholds))
    }
}

impl Irregular for SimulatedThresholds {
    fn irregularity(&self, collective: &Collective) -> Irregularity {
        let found = self.0.iter().find(|thresholds| thresholds.are_of(collective));
        found.map(|thresholds| thresholds.irregularity(collective.block)).unwrap_or_default()
    }
}
