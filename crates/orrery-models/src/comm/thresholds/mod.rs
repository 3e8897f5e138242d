//! Thresholds of linear scatter and gather on switched clusters: the block sizes at which their
//! behaviour changes.
//!
//! Beyond S, the scatter threshold, the root of a scatter serves its ranks one after the other. A
//! gather does so beyond M2 (`gather_large`). Between M1 (`gather_small`) and M2 it escalates
//! occasionally, by a few discrete levels that do not depend on the size. κ1 and κ2 \[s/B\] correct
//! the slope of its time up to M2, and beyond. They are differences from the prediction of a model,
//! so HLMO has its own beside those of LMO.
//!
//! | block m | messages | added |
//! |---|---|---|
//! | scatter, m ≤ S | eager | |
//! | scatter, m > S | each send waits for its receive | |
//! | gather, m ≤ M1 | eager | κ1·m |
//! | gather, M1 < m ≤ M2 | eager | κ1·m, and an escalation at its probability |
//! | gather, m > M2 | each send waits for its receive | κ2·m |
//!
//! An operation in segments, `linear:4K`, has the behaviour of its segments, which escalate one by
//! one: a gather in segments up to M1 does not escalate.
//!
//! Sources: Lastovetsky, Rychkov, O'Flynn, "A software tool for accurate estimation of parameters
//! of heterogeneous communication models", section 3; reference of the CPM module `LMO`.

#[cfg(feature = "estimation")]
mod estimate;
#[cfg(feature = "estimation")]
mod few_sizes;
#[cfg(feature = "estimation")]
mod levels;
mod pieces;
#[cfg(feature = "estimation")]
mod slope;

#[cfg(feature = "estimation")]
pub use estimate::{EscalationRule, ThresholdOptions, estimate};
pub use pieces::Pieces;
#[cfg(feature = "estimation")]
pub use slope::SlopeForm;

use orrery_base::numeric::Estimate;
use orrery_base::units::{Bytes, Seconds};
use orrery_cluster::platform::Processor;
use orrery_play::engine::Irregularity;
use orrery_program::schedule::{Algorithm, Collective, CollectiveKind};

/// Thresholds of one linear operation with one root and one number of processors.
#[derive(Debug, Clone, PartialEq)]
pub struct Thresholds {
    /// The operation.
    pub operation: CollectiveKind,
    /// Its root.
    pub root: Processor,
    /// The number of processors.
    pub procs: usize,
    /// S, the largest block that a scatter sends eagerly \[B\].
    pub scatter_threshold: Option<Estimate>,
    /// M1, the largest block at which no gather escalates \[B\].
    pub gather_small: Option<Estimate>,
    /// M2, the largest block at which gathers are eager and may escalate \[B\].
    pub gather_large: Option<Estimate>,
    /// κ1, the time per byte that a gather up to M2 takes beyond the prediction of LMO \[s/B\], of
    /// any sign.
    pub gather_small_slope: Option<Estimate>,
    /// κ2, the time per byte that a gather beyond M2 takes beyond the prediction of LMO \[s/B\], of
    /// any sign.
    pub gather_large_slope: Option<Estimate>,
    /// κ1 of HLMO \[s/B\], of any sign.
    pub hlmo_small_slope: Option<Estimate>,
    /// κ2 of HLMO \[s/B\], of any sign.
    pub hlmo_large_slope: Option<Estimate>,
    /// The levels by which a gather between M1 and M2 escalates, ascending.
    pub escalations: Vec<Escalation>,
}

/// The models with slope corrections of gathers: those that separate the delays of processors from
/// those of links.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SlopeCorrection {
    /// LMO, and LOM, which takes the corrections of LMO.
    Lmo,
    /// HLMO.
    Hlmo,
}

/// A level by which gathers escalate, with its probability.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Escalation {
    /// The additional time \[s\].
    pub seconds: Estimate,
    /// The probability that a gather escalates by this level.
    pub probability: Estimate,
}

impl Thresholds {
    /// Returns thresholds of this operation without any value.
    pub const fn none(operation: CollectiveKind, root: Processor, procs: usize) -> Self {
        Self {
            operation,
            root,
            procs,
            scatter_threshold: None,
            gather_small: None,
            gather_large: None,
            gather_small_slope: None,
            gather_large_slope: None,
            hlmo_small_slope: None,
            hlmo_large_slope: None,
            escalations: Vec::new(),
        }
    }

    /// Returns true if no threshold is known.
    pub fn is_empty(&self) -> bool {
        *self == Self::none(self.operation, self.root, self.procs)
    }

    /// Returns true if they apply to this operation: linear, whole or in segments, with this root
    /// and number of processors.
    pub fn apply_to(&self, collective: &Collective) -> bool {
        let Collective { kind, algorithm, root, ranks, .. } = *collective;
        let is_linear = matches!(algorithm, Algorithm::Linear | Algorithm::LinearSplit(_));
        is_linear && (kind, root.0, ranks) == (self.operation, self.root.0, self.procs)
    }

    /// The largest block that a scatter certainly sends eagerly \[B\]: the lower end of the
    /// interval of the scatter threshold, or the threshold itself without interval. `None` if it is
    /// unknown.
    pub fn scatter_limit(&self) -> Option<f64> {
        self.scatter_threshold
            .map(|threshold| threshold.interval.map_or(threshold.value, |interval| interval.low))
    }

    /// Returns a description of the first inconsistency in them; `None` if they are consistent.
    pub fn fault(&self) -> Option<String> {
        let (small, large) = (
            self.gather_small.map(|small| small.value),
            self.gather_large.map(|large| large.value),
        );
        let together: f64 =
            self.escalations.iter().map(|escalation| escalation.probability.value).sum();
        if let (Some(small), Some(large)) = (small, large)
            && small > large
        {
            return Some(format!(
                "\"gather_small\" is {small}, beyond \"gather_large\", which is {large}"
            ));
        }
        if !self.escalations.is_empty() && small.is_none() {
            return Some(
                "there are escalations, but no \"gather_small\" from which on they occur".into(),
            );
        }
        // Fractions of one number of readings add up to 1 except for rounding.
        (together > 1.0 + 1e-9)
            .then(|| format!("the probabilities of the escalations add up to {together}, above 1"))
    }

    /// The thresholds and slopes, known or not, with their names in the model file.
    pub(crate) fn values_mut(&mut self) -> [(&'static str, &mut Option<Estimate>); 7] {
        [
            ("scatter_threshold", &mut self.scatter_threshold),
            ("gather_small", &mut self.gather_small),
            ("gather_large", &mut self.gather_large),
            ("gather_small_slope", &mut self.gather_small_slope),
            ("gather_large_slope", &mut self.gather_large_slope),
            ("hlmo_small_slope", &mut self.hlmo_small_slope),
            ("hlmo_large_slope", &mut self.hlmo_large_slope),
        ]
    }

    /// Returns the thresholds and slopes that are known, with their names in the model file.
    pub fn named(&self) -> impl Iterator<Item = (&'static str, Estimate)> {
        let all = self.clone().values_mut().map(|(name, estimate)| (name, *estimate));
        all.into_iter().filter_map(|(name, estimate)| Some((name, estimate?)))
    }

    /// Returns all numbers, with their names; `seconds` and `probability` for each escalation.
    pub fn estimates(&self) -> impl Iterator<Item = (&'static str, Estimate)> {
        let level = |e: &Escalation| [("seconds", e.seconds), ("probability", e.probability)];
        self.named().chain(self.escalations.iter().flat_map(level))
    }

    /// Returns true if messages of this size are sent one after the other: each send waits for its
    /// receive.
    pub fn is_serial(&self, block: Bytes) -> bool {
        let beyond =
            |threshold: Option<Estimate>| threshold.is_some_and(|t| block.get() as f64 > t.value);
        match self.operation {
            CollectiveKind::Scatter => beyond(self.scatter_threshold),
            CollectiveKind::Gather => beyond(self.gather_large),
            _ => false,
        }
    }

    /// Returns the thresholds moved to the end of their intervals beyond a message of this size,
    /// one at a time: those that may be on the other side of it.
    pub fn across(&self, block: Bytes) -> Vec<Self> {
        let block = block.get() as f64;
        let moved = |threshold: Option<Estimate>| {
            let Estimate { value, interval, samples } = threshold?;
            let interval = interval?;
            let is_beyond = block > value;
            let end = if is_beyond { interval.high } else { interval.low };
            (is_beyond != (block > end)).then_some(Some(Estimate {
                value: end,
                interval: None,
                samples,
            }))
        };
        let scatter = moved(self.scatter_threshold)
            .map(|moved| Self { scatter_threshold: moved, ..self.clone() });
        let small =
            moved(self.gather_small).map(|moved| Self { gather_small: moved, ..self.clone() });
        let large =
            moved(self.gather_large).map(|moved| Self { gather_large: moved, ..self.clone() });
        [scatter, small, large].into_iter().flatten().collect()
    }

    /// Returns name and value of the slope that corrects the prediction of this model for messages
    /// of this size; `None` if it is unknown.
    pub fn slope(&self, block: Bytes, of: SlopeCorrection) -> Option<(&'static str, Estimate)> {
        let (name, slope) = match (of, self.is_serial(block)) {
            (SlopeCorrection::Lmo, false) => ("gather_small_slope", self.gather_small_slope),
            (SlopeCorrection::Lmo, true) => ("gather_large_slope", self.gather_large_slope),
            (SlopeCorrection::Hlmo, false) => ("hlmo_small_slope", self.hlmo_small_slope),
            (SlopeCorrection::Hlmo, true) => ("hlmo_large_slope", self.hlmo_large_slope),
        };
        Some((name, slope?))
    }

    /// Returns the corrections of the operation in these pieces to the prediction of a model; `of`
    /// is `None` for a model without slope corrections.
    pub fn irregularity(
        &self,
        pieces: impl Into<Pieces>,
        of: Option<SlopeCorrection>,
    ) -> Irregularity {
        let pieces = pieces.into();
        let slope = of.and_then(|of| self.slope(pieces.size, of));
        let correction = slope.map_or(0.0, |(_, slope)| slope.value * pieces.block.get() as f64);
        let escalations = self.escalations(pieces);
        Irregularity {
            rendezvous: self.is_serial(pieces.size),
            correction: Seconds::new(correction),
            escalations: escalations
                .iter()
                .map(|e| (e.probability.value, Seconds::new(e.seconds.value)))
                .collect(),
        }
    }
}
