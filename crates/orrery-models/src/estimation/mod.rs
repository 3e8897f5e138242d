//! Models from a machine in one call: the measuring protocol and the fit.
//!
//! An [`Estimation`] measures in this order, each step with what the steps before it have shown:
//!
//! 1. if requested, linear scatters and gathers at adaptive sizes, which locate the scatter
//!    threshold;
//! 2. the size of messages, below this threshold;
//! 3. a test whether pairs of processors disturb each other, which decides if experiments run in
//!    parallel;
//! 4. round trips, one-to-two and two-to-one experiments ([`CommDesign`]);
//! 5. if a kind of the LogP family is requested, message trains at adaptive sizes.
//!
//! ```
//! use orrery_models::comm::lmo::LmoNetwork;
//! use orrery_models::estimation::Estimation;
//! use orrery_measure::machine::SimulatedMachine;
//! use orrery_measure::measure::Precision;
//! let network = LmoNetwork::new(&[10e-6; 4], &[1e-9; 4], Some(&[20e-6; 6]), &[8e-9; 6]);
//! let mut machine = SimulatedMachine::new(network, 0.0, 1);
//! let estimation = Estimation { precision: Precision::within(0.02), ..Estimation::lmo() };
//! let estimated = estimation.estimate(&mut machine)?;
//! let lmo: orrery_models::comm::Lmo = estimated.fit.model.get(orrery_models::model::ModelKind::Lmo).expect("it was fitted");
//! assert!((lmo.fixed_delay[0].value / 10e-6 - 1.0).abs() < 0.05);
//! # Ok::<(), orrery_models::estimation::EstimationError>(())
//! ```
//!
//! Source: the CPM module `LMO` of Lastovetsky, Rychkov and O'Flynn, whose `LMO_estimate` takes a
//! precision, message sizes and a flag for parallel experiments.

use crate::comm::thresholds::{ThresholdOptions, estimate};
use crate::comm::{FitError, Termination, Thresholds};
use crate::model::{FitOptions, FitOutcome, Misfit, ModelKind, diagnose, fit};
use orrery_base::units::{Bytes, Seconds};
use orrery_cluster::platform::{Pairs, Processor};
use orrery_measure::machine::{Machine, MachineError};
use orrery_measure::measure::{
    AdaptiveCollectives, AdaptiveSizes, Campaign, CampaignEnd, CampaignError, CollectiveDesign,
    CommDesign, Design, Interference, MEMORY_PER_READING, OverheadDesign, Parallelism, Precision,
    Sink, SizeChoice, TrainDesign, TrainPairs, choose_size,
};
use orrery_measure::sample::{ExperimentKind, Provenance, Samples};
use orrery_program::schedule::{Algorithm, CollectiveKind};

/// What to measure on a machine and which models to fit, with defaults for all of it.
#[derive(Debug, Clone, PartialEq)]
pub struct Estimation {
    /// The kinds of models; `None` for all kinds that the samples identify.
    pub kinds: Option<Vec<ModelKind>>,
    /// How often each experiment is repeated.
    pub precision: Precision,
    /// The number of repetitions before the first reading of each batch.
    pub warm_up: u32,
    /// The seed of the order of experiments.
    pub seed: u64,
    /// Whether experiments that share no processor run in parallel.
    pub parallelism: Parallelism,
    /// The time after which no further experiment starts.
    pub time_limit: Option<Seconds>,
    /// True to measure linear scatters and gathers first, to locate their thresholds.
    pub thresholds: bool,
    /// The size of messages, besides 0, which should be below the scatter threshold; `None` to
    /// [choose](Self::choose_size) it.
    pub size: Option<Bytes>,
    /// The experiments of point-to-point models; [`Estimation::design`] replaces their size.
    pub experiments: CommDesign,
}

impl Default for Estimation {
    /// All kinds of models that the samples identify, messages of 32 KiB, one warm-up, a test whether
    /// experiments can run in parallel, and a search for shared links; no thresholds and no limit of
    /// time.
    fn default() -> Self {
        Self {
            kinds: None,
            precision: Precision::default(),
            warm_up: 1,
            seed: 1,
            parallelism: Parallelism::Auto,
            time_limit: None,
            thresholds: false,
            size: None,
            experiments: CommDesign { shared_links: true, ..CommDesign::new(Bytes::ZERO) },
        }
    }
}

impl Estimation {
    /// The estimation of these kinds of models, otherwise as [`Estimation::default`].
    pub fn of(kinds: impl IntoIterator<Item = ModelKind>) -> Self {
        Self { kinds: Some(kinds.into_iter().collect()), ..Self::default() }
    }

    /// The estimation of LMO, without a search for shared links, which LMO does not have. The
    /// machine needs three processors.
    pub fn lmo() -> Self {
        let experiments = CommDesign { shared_links: false, ..Self::default().experiments };
        Self { experiments, ..Self::of([ModelKind::Lmo]) }
    }

    /// Chooses the size of messages: the requested one, else 32 KiB or less, below the scatter
    /// thresholds.
    ///
    /// ```
    /// use orrery_models::estimation::Estimation;
    /// assert_eq!(Estimation::default().choose_size(&[]).size().get(), 32 << 10);
    /// ```
    pub fn choose_size(&self, thresholds: &[Thresholds]) -> SizeChoice {
        choose_size(self.size, thresholds.iter().filter_map(Thresholds::scatter_limit))
    }

    /// The experiments with messages of this size on a machine with this provenance. Shared links
    /// are not searched if all processors are on one host, or if only some are measured.
    pub fn design(&self, size: Bytes, provenance: &Provenance) -> CommDesign {
        let hosts = provenance.hosts();
        let is_one_host = !hosts.is_empty() && hosts.iter().all(|host| *host == hosts[0]);
        let own = &self.experiments;
        let shared_links = own.shared_links && !is_one_host && own.only.is_empty();
        CommDesign { size, shared_links, ..own.clone() }
    }
}

impl Estimation {
    /// The least memory of an estimation on this number of processors, in bytes: that of round trips of
    /// all pairs, of which each size M has (M, M) and (M, 0), and of their readings.
    pub fn memory(&self, processors: usize) -> u64 {
        /// The memory of an experiment without readings: in the plan, the samples and the fit.
        const MEMORY_PER_EXPERIMENT: u64 = 768;
        let of_pair = 3 + 2 * self.experiments.sizes.len() as u64;
        let experiments = of_pair.saturating_mul(Pairs::of(processors).count() as u64);
        let readings = u64::from(self.precision.min_reps).saturating_mul(MEMORY_PER_READING);
        experiments.saturating_mul(readings.saturating_add(MEMORY_PER_EXPERIMENT))
    }

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
        let diagnostics = diagnose(&self.fit.model, samples, &FitOptions::default());
        let diagnostics = diagnostics.unwrap_or_else(|error| {
            warnings.push(format!("residuals are unknown: {error}"));
            Vec::new()
        });
        // A kind that predicts no experiment of the samples has no diagnostics.
        for of_kind in diagnostics {
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
