use super::{Estimated, Estimation, EstimationError, Measured};
use crate::comm::thresholds::{ThresholdOptions, estimate};
use crate::model::{FitOptions, ModelKind, fit};
use orrery_base::units::Seconds;
use orrery_cluster::platform::Processor;
use orrery_measure::machine::Machine;
use orrery_measure::measure::{
    AdaptiveCollectives, AdaptiveSizes, Campaign, CampaignEnd, CollectiveDesign, Design,
    OverheadDesign, Precision, Sink, TrainDesign, TrainPairs,
};
use orrery_measure::sample::{ExperimentKind, Samples};
use orrery_program::schedule::{Algorithm, CollectiveKind};

impl Estimation {
    /// Measures on a machine and fits the models.
    ///
    /// # Errors
    ///
    /// When the machine fails, or the readings do not identify a requested kind of model.
    pub fn estimate(&self, machine: &mut dyn Machine) -> Result<Estimated, EstimationError> {
        let measured = self.measure(machine)?;
        let fit = fit(&measured.samples, &self.fit_options())?;
        Ok(Estimated { measured, fit })
    }

    /// Measures on a machine.
    ///
    /// # Errors
    ///
    /// When the machine fails.
    pub fn measure(&self, machine: &mut dyn Machine) -> Result<Measured, EstimationError> {
        let samples = Samples::new(machine.provenance());
        self.resume(machine, samples, None)
    }

    /// Measures what is missing in `samples`, and passes new readings to `sink` as soon as they are
    /// taken.
    ///
    /// # Errors
    ///
    /// When the machine fails or the readings cannot be stored; all readings taken before are
    /// stored.
    pub fn resume(
        &self,
        machine: &mut dyn Machine,
        samples: Samples,
        mut sink: Option<&mut dyn Sink>,
    ) -> Result<Measured, EstimationError> {
        let deadline = self.time_limit.map(|limit| machine.elapsed() + limit);
        let (size, parallel, interference) = (None, false, None);
        let mut measured =
            Measured { samples, end: CampaignEnd::Complete, size, parallel, interference };
        let mut step =
            |machine: &mut dyn Machine, measured: &mut Measured, precision, design: &dyn Design| {
                let mut campaign =
                    self.campaign(machine, &mut measured.samples, precision, deadline);
                campaign = campaign.parallel(measured.parallel);
                if let Some(sink) = &mut sink {
                    campaign = campaign.sink(&mut **sink);
                }
                measured.end = campaign.measure(design)?;
                Ok::<bool, EstimationError>(measured.end == CampaignEnd::Complete)
            };
        if self.thresholds {
            let design = threshold_design(machine.processors());
            if !step(
                machine,
                &mut measured,
                self.precision.at_least(AdaptiveCollectives::MIN_REPS),
                &design,
            )? {
                return Ok(measured);
            }
        }
        let thresholds = estimate(&measured.samples, None, None, &ThresholdOptions::default())?;
        let choice = self.choose_size(&thresholds);
        measured.size = Some(choice);
        (measured.parallel, measured.interference) =
            self.parallelism.decide(machine, choice.size())?;
        let design = self.design(choice.size(), &machine.provenance());
        if step(machine, &mut measured, self.precision, &design)? && self.needs_trains() {
            let design = TrainDesign {
                overheads: OverheadDesign { pairs: TrainPairs::Ring, ..OverheadDesign::default() },
                send_receives: Vec::new(),
                ..TrainDesign::default()
            };
            step(machine, &mut measured, self.precision, &design)?;
        }
        Ok(measured)
    }

    /// The options of the fit: the requested kinds, otherwise the defaults.
    pub fn fit_options(&self) -> FitOptions {
        FitOptions { kinds: self.kinds.clone(), ..FitOptions::default() }
    }

    /// A campaign with the settings of this estimation.
    fn campaign<'a>(
        &self,
        machine: &'a mut dyn Machine,
        samples: &'a mut Samples,
        precision: Precision,
        deadline: Option<Seconds>,
    ) -> Campaign<'a> {
        let campaign = Campaign::new(machine, samples).precision(precision).warm_up(self.warm_up);
        campaign.seed(self.seed).deadline(deadline)
    }

    /// Returns true if a requested kind needs message trains.
    fn needs_trains(&self) -> bool {
        let needs = |kind: &ModelKind| {
            kind.stored_as().estimator().requires.contains(&ExperimentKind::Train)
        };
        self.kinds.iter().flatten().any(needs)
    }
}

/// Linear scatters and gathers from processor 0 at the default adaptive sizes.
fn threshold_design(procs: usize) -> AdaptiveCollectives {
    let operations = CollectiveKind::SCATTER_GATHER.map(|kind| (kind, Algorithm::Linear)).to_vec();
    let (native, roots, sizes) = (Vec::new(), vec![Processor(0)], Vec::new());
    let design = CollectiveDesign { operations, native, roots, procs, sizes };
    AdaptiveCollectives { design, sizes: AdaptiveSizes::default() }
}
