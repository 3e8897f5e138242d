//! The experiments of the LogP family, and the pairs of processors that have all of them.

use std::collections::{BTreeMap, BTreeSet};

use super::{FitError, Observations};
use orrery_base::units::Bytes;
use orrery_cluster::platform::Processor;
use orrery_measure::sample::Experiment;
use orrery_program::schedule::TrainKind;

/// The kinds of experiments that are required of a pair.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Needed {
    RoundTrip,
    SendOverhead,
    ReceiveOverhead,
    Gap,
}

impl Needed {
    /// All kinds.
    const ALL: [Self; 4] = [Self::RoundTrip, Self::SendOverhead, Self::ReceiveOverhead, Self::Gap];

    /// Returns the kind of an experiment; `None` for experiments of other models.
    fn of(experiment: &Experiment) -> Option<Self> {
        match experiment {
            Experiment::RoundTrip { .. } => Some(Self::RoundTrip),
            Experiment::Train { train, .. } => Some(match train.kind {
                TrainKind::SendOverhead => Self::SendOverhead,
                TrainKind::ReceiveOverhead => Self::ReceiveOverhead,
                TrainKind::Gap | TrainKind::Prtt => Self::Gap,
            }),
            _ => None,
        }
    }

    /// The name in error messages.
    const fn name(self) -> &'static str {
        match self {
            Self::RoundTrip => "round trip",
            Self::SendOverhead => "send-overhead",
            Self::ReceiveOverhead => "receive-overhead",
            Self::Gap => "gap",
        }
    }
}

/// Returns the two processors of an experiment, the smaller one first; `None` if it is not of a
/// pair.
fn pair(experiment: &Experiment) -> Option<(Processor, Processor)> {
    match *experiment {
        Experiment::RoundTrip { i, j, .. } | Experiment::Train { i, j, .. } => {
            Some((i.min(j), i.max(j)))
        }
        _ => None,
    }
}

/// Returns the observations of those pairs for which trains were measured.
///
/// # Errors
///
/// When there are no trains, or when experiments of a pair are missing: the error lists them.
pub(in crate::comm) fn of_trains(
    model: &'static str,
    observations: &Observations,
) -> Result<Observations, FitError> {
    let mut found: BTreeMap<(Processor, Processor), BTreeSet<Needed>> = BTreeMap::new();
    for observation in observations.iter() {
        if let (Some(pair), Some(needed)) =
            (pair(&observation.experiment), Needed::of(&observation.experiment))
        {
            found.entry(pair).or_default().insert(needed);
        }
    }
    let any_train =
        |found: &BTreeSet<Needed>| found.iter().any(|needed| *needed != Needed::RoundTrip);
    let lacking = |found: &BTreeSet<Needed>, of: &str| -> Vec<String> {
        let missing = Needed::ALL.into_iter().filter(|needed| !found.contains(needed));
        missing.map(|needed| format!("{}{of}", needed.name())).collect()
    };
    let of_pair = |((a, b), found): (&(Processor, Processor), &BTreeSet<Needed>)| {
        lacking(found, &format!(" {a}-{b}"))
    };
    let mut missing: Vec<String> =
        found.iter().filter(|(_, found)| any_train(found)).flat_map(of_pair).collect();
    if !found.values().any(any_train) {
        let all: BTreeSet<Needed> = found.values().flatten().copied().collect();
        missing = lacking(&all, "");
    }
    complete(model, missing)?;
    Ok(observations
        .filtered(|experiment| pair(experiment).is_some_and(|pair| any_train(&found[&pair]))))
}

/// Returns an error if the list of missing experiments is not empty.
///
/// # Errors
///
/// When experiments are missing.
pub(in crate::comm) fn complete(model: &'static str, missing: Vec<String>) -> Result<(), FitError> {
    if missing.is_empty() {
        return Ok(());
    }
    Err(FitError::Missing { model, count: missing.len(), missing, campaign: "overheads" })
}

/// Returns the sizes of the trains of one kind; PRTT counts as a gap.
pub(in crate::comm) fn sizes(observations: &Observations, kind: TrainKind) -> BTreeSet<Bytes> {
    let of_kind = |experiment: &Experiment| match experiment {
        Experiment::Train { train, .. } => {
            let same = if train.kind == TrainKind::Prtt { TrainKind::Gap } else { train.kind };
            (same == kind).then_some(train.size)
        }
        _ => None,
    };
    observations.iter().filter_map(|observation| of_kind(&observation.experiment)).collect()
}
