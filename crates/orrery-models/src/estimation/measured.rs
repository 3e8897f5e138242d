use crate::comm::{FitError, Termination};
use crate::model::{FitOptions, FitOutcome, Misfit, diagnose};
use orrery_measure::machine::MachineError;
use orrery_measure::measure::{CampaignEnd, CampaignError, Interference, SizeChoice};
use orrery_measure::sample::Samples;

/// The readings of an estimation, and the decisions that were taken while it measured.
#[derive(Debug, Clone, PartialEq)]
pub struct Measured {
    /// The readings.
    pub samples: Samples,
    /// Whether everything was measured within the time limit.
    pub end: CampaignEnd,
    /// The size of messages; `None` if the time limit ended the search for thresholds.
    pub size: Option<SizeChoice>,
    /// True if experiments ran in parallel.
    pub parallel: bool,
    /// The test on which this was decided, if there was one.
    pub interference: Option<Interference>,
}

/// A fitted model and what was measured for it.
#[derive(Debug, Clone, PartialEq)]
pub struct Estimated {
    /// The readings.
    pub measured: Measured,
    /// The model with a report about the fit.
    pub fit: FitOutcome,
}

impl Estimated {
    /// The reasons to doubt the model, as sentences: ranks that share cores, links that are fitted
    /// together, parts of the fit that failed, iterations that did not converge, parameters at
    /// their bounds, suspected causes of misfit.
    ///
    /// ```
    /// use orrery_models::comm::lmo::LmoNetwork;
    /// use orrery_models::estimation::Estimated;
    /// use orrery_models::model::{FitOptions, fit};
    /// use orrery_measure::sample::{Provenance, Samples};
    /// use orrery_measure::machine::SimulatedMachine;
    /// use orrery_models::estimation::Estimation;
    /// use orrery_models::model::ModelKind;
    /// let network = LmoNetwork::new(&[10e-6; 3], &[1e-9; 3], Some(&[20e-6; 3]), &[8e-9; 3]);
    /// // Readings of ranks of which two were bound to one core.
    /// let provenance = Provenance::new().with("hosts", "a a b").with("cores", "0 0 0");
    /// let mut machine = SimulatedMachine::new(network, 0.02, 1);
    /// let measured = Estimation::lmo().resume(&mut machine, Samples::new(provenance), None)?;
    /// let fit = fit(&measured.samples, &FitOptions { kinds: Some(vec![ModelKind::Lmo]), ..FitOptions::default() })?;
    /// let warnings = Estimated { measured, fit }.warnings();
    /// assert!(warnings[0].starts_with("ranks 0 and 1 share core 0: "));
    /// # Ok::<(), orrery_models::estimation::EstimationError>(())
    /// ```
    pub fn warnings(&self) -> Vec<String> {
        let samples = &self.measured.samples;
        let mut warnings: Vec<String> =
            samples.provenance.shared_cores().iter().map(ToString::to_string).collect();
        for (kind, error) in &self.fit.mixed_links {
            warnings.push(format!(
                "{kind}: links within a host and across hosts are fitted together: {error}"
            ));
        }
        warnings.extend(self.fit.failed.iter().map(ToString::to_string));
        for (kind, termination) in &self.fit.terminations {
            if matches!(termination, Termination::NoImprovement { .. }) {
                warnings.push(format!("{kind}: {termination}"));
            }
        }
        // A kind that predicts no experiment of the samples has no diagnostics.
        for of_kind in
            diagnose(&self.fit.model, samples, &FitOptions::default()).unwrap_or_default()
        {
            let is_new = |misfit: &&Misfit| !matches!(misfit, Misfit::SharedCores(_));
            let bounds = of_kind.at_bounds.iter().map(ToString::to_string);
            let misfits = of_kind.misfits.iter().filter(is_new).map(ToString::to_string);
            warnings
                .extend(bounds.chain(misfits).map(|words| format!("{}: {words}", of_kind.kind)));
        }
        warnings
    }
}

/// The reason why a model could not be estimated.
#[derive(Debug, thiserror::Error)]
pub enum EstimationError {
    /// The machine failed in the test whether experiments can run in parallel.
    #[error(transparent)]
    Machine(#[from] MachineError),
    /// A campaign failed.
    #[error(transparent)]
    Campaign(#[from] CampaignError),
    /// The readings do not identify the models.
    #[error(transparent)]
    Fit(#[from] FitError),
}
