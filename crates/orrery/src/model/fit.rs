use super::{Model, ModelKind};
use crate::comm::hockney::{self, HockneyEstimator};
use crate::comm::thresholds::{self, ThresholdOptions};
use crate::comm::{FitError, Observations, hlmo, lmo, loggp, plogp};
use crate::platform::Processor;
use crate::sample::{Experiment, Samples};
use crate::units::Bytes;

/// How LMO and LOM are estimated.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum LmoEstimator {
    /// Least squares along critical paths, see [`lmo::paths`].
    #[default]
    Paths,
    /// The papers' closed solutions of triplets, averaged, see [`lmo::triplets`].
    Triplets,
}

/// What is fitted, and how.
#[derive(Debug, Clone, PartialEq)]
pub struct FitOptions {
    /// The kinds of models; `None` for all that the samples identify.
    pub kinds: Option<Vec<ModelKind>>,
    /// The estimator of LMO and LOM.
    pub estimator: LmoEstimator,
    /// The way of Hockney.
    pub hockney: HockneyEstimator,
    /// The level of the intervals.
    pub level: f64,
    /// Whether collective operations and exchanges among the samples bear on the parameters too (paths estimator).
    /// Without it they remain an independent test of the model.
    pub collectives: bool,
    /// How thresholds of linear scatter and gather are estimated, where samples show some; `None` for not at all. Their
    /// level is that of all intervals.
    pub thresholds: Option<ThresholdOptions>,
    /// Models of the LogP family are those of this pair alone; `None` for the means over the pairs.
    pub pair: Option<(Processor, Processor)>,
}

impl Default for FitOptions {
    fn default() -> Self {
        let thresholds = Some(ThresholdOptions::default());
        let (estimator, hockney) = (LmoEstimator::default(), HockneyEstimator::default());
        Self { kinds: None, estimator, hockney, level: 0.95, collectives: false, thresholds, pair: None }
    }
}

/// A fitted model with what a person should know of the fit.
#[derive(Debug, Clone, PartialEq)]
pub struct Fitted {
    /// The model.
    pub model: Model,
    /// How the iterations of the paths estimator ended.
    pub terminations: Vec<(ModelKind, lmo::Termination)>,
    /// Kinds that were not asked for by name and that the samples do not identify, with the reason.
    pub skipped: Vec<(ModelKind, FitError)>,
    /// How many observations the fit rests on.
    pub observations: usize,
    /// Whether readings of one experiment differ anywhere; where they do not, intervals come from the residuals of the
    /// fit alone, and are absent where there are none.
    pub spread: bool,
}

/// Fits models to samples.
///
/// # Errors
///
/// When a kind that was asked for cannot be estimated, or none at all.
pub fn fit(samples: &Samples, options: &FitOptions) -> Result<Fitted, FitError> {
    let wanted = |experiment: &Experiment| match experiment {
        Experiment::RoundTrip { .. } | Experiment::OneToTwo { .. } => true,
        Experiment::Exchange { .. } | Experiment::Collective { .. } => options.collectives,
        Experiment::Native { .. } | Experiment::Train { .. } => false,
    };
    let of_trains = |experiment: &Experiment| match experiment {
        Experiment::RoundTrip { .. } | Experiment::Train { .. } => true,
        _ => wanted(experiment),
    };
    let all = Observations::from_samples(samples, of_trains);
    let observations = Observations::from_samples(samples, wanted);
    let has_trains = all.len() > observations.len();
    let mut fitted = Fitted {
        model: frame(samples, &all, options),
        terminations: Vec::new(),
        skipped: Vec::new(),
        observations: all.len(),
        spread: all.have_spread(),
    };
    let of_pair = |experiment: &Experiment| match *experiment {
        Experiment::RoundTrip { i, j, .. } | Experiment::Train { i, j, .. } => {
            options.pair.is_none_or(|(a, b)| (i, j) == (a, b) || (j, i) == (a, b))
        }
        _ => true,
    };
    let trains = all.filtered(of_pair);
    for kind in options.kinds.clone().unwrap_or_else(|| identified(has_trains)) {
        let takes_trains = matches!(kind, ModelKind::LogP | ModelKind::LogGp | ModelKind::PLogP);
        match fitted.add(kind, if takes_trains { &trains } else { &observations }, options) {
            Err(error) if options.kinds.is_none() => fitted.skipped.push((kind, error)),
            outcome => outcome?,
        }
    }
    if let Some(of_thresholds) = options.thresholds {
        let of_thresholds = ThresholdOptions { level: options.level, ..of_thresholds };
        let lmo = fitted.model.lmo.as_ref().or(fitted.model.lom.as_ref());
        fitted.model.thresholds = thresholds::estimate(samples, lmo, fitted.model.hlmo.as_ref(), &of_thresholds)?;
        let slopes = |of: &thresholds::Thresholds| of.named().any(|(name, _)| name.ends_with("_slope"));
        if fitted.model.thresholds.iter().any(slopes) {
            fitted.model.provenance.set("threshold_slopes", of_thresholds.slopes.name());
        }
    }
    if fitted.model.kinds().is_empty()
        && fitted.model.thresholds.is_empty()
        && let Some((_, error)) = fitted.skipped.pop()
    {
        return Err(error);
    }
    Ok(fitted)
}

/// The kinds that are tried where none is named: those of the LogP family only where trains were measured.
fn identified(has_trains: bool) -> Vec<ModelKind> {
    let mut kinds = vec![ModelKind::Hockney, ModelKind::Lom, ModelKind::Lmo, ModelKind::Hlmo];
    if has_trains {
        kinds.extend([ModelKind::LogP, ModelKind::LogGp, ModelKind::PLogP]);
    }
    kinds
}

impl Fitted {
    fn add(&mut self, kind: ModelKind, observations: &Observations, options: &FitOptions) -> Result<(), FitError> {
        match kind {
            ModelKind::Hockney | ModelKind::HockneyMean => {
                self.model.hockney = Some(hockney::fit(observations, options.hockney, options.level)?);
            }
            ModelKind::Lom => self.model.lom = Some(self.lmo(kind, observations, options)?),
            ModelKind::Lmo => self.model.lmo = Some(self.lmo(kind, observations, options)?),
            ModelKind::Hlmo => self.model.hlmo = Some(hlmo::fit(observations, options.level)?),
            ModelKind::LogP => self.model.logp = Some(loggp::fit(observations, false, options.level)?),
            ModelKind::LogGp => self.model.loggp = Some(loggp::fit(observations, true, options.level)?),
            ModelKind::PLogP => self.model.plogp = Some(plogp::fit(observations, options.level)?),
        }
        Ok(())
    }

    fn lmo(
        &mut self,
        kind: ModelKind,
        observations: &Observations,
        options: &FitOptions,
    ) -> Result<lmo::Lmo, FitError> {
        let with_latency = kind == ModelKind::Lmo;
        match options.estimator {
            LmoEstimator::Triplets => lmo::triplets(observations, with_latency, options.level),
            LmoEstimator::Paths => {
                let (model, termination) = lmo::paths(observations, with_latency, options.level)?;
                self.terminations.push((kind, termination));
                Ok(model)
            }
        }
    }
}

/// The model without its parameters.
fn frame(samples: &Samples, observations: &Observations, options: &FitOptions) -> Model {
    let mut provenance = samples.provenance.clone();
    provenance.set(
        "estimator",
        match options.estimator {
            LmoEstimator::Paths => "paths",
            LmoEstimator::Triplets => "triplets",
        },
    );
    provenance.set(
        "hockney",
        match options.hockney {
            HockneyEstimator::Regression => "regression",
            HockneyEstimator::Empty => "empty",
        },
    );
    provenance.set("collectives_in_fit", if options.collectives { "yes" } else { "no" });
    if let Some((a, b)) = options.pair {
        provenance.set("pair", format!("{a}-{b}"));
    }
    provenance.set("readings", samples.count().to_string());
    let sizes = || observations.iter().map(|observation| observation.experiment.size());
    let measured: Option<(Bytes, Bytes)> = sizes().min().zip(sizes().max());
    let mut hosts: Vec<String> = samples.provenance.hosts().iter().map(ToString::to_string).collect();
    hosts.resize(observations.processors(), String::new());
    Model { provenance, measured, hosts, ..Model::default() }
}
