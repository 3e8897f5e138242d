use super::{Fault, Why};
use crate::platform::Processor;
use crate::sample::Experiment;
use crate::schedule::CollectiveKind;
use crate::units::{Bytes, Seconds};

/// What a benchmark measures, as far as samples can hold it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Measured {
    /// Half a round trip with a reply as long as the message.
    HalfRoundTrip,
    /// The same, as the mean over several pairs at the same time, or of one pair.
    Pairs,
    /// Both send at the same time.
    Exchange,
    /// A collective operation from root 0.
    Collective(CollectiveKind),
}

/// Where the processes of a benchmark stand.
#[derive(Debug, Clone, Copy)]
pub(super) struct Places<'a> {
    /// The processors of ranks 0, 1, …, as far as they were named.
    pub(super) named: Option<&'a [Processor]>,
    /// How many processes took part, where the output says it.
    pub(super) processes: Option<usize>,
}

/// The experiments of a benchmark: what a row of some size is a reading of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Subject {
    /// Experiments of two processors.
    Two(Measured, Processor, Processor),
    /// A collective operation of so many.
    Many(CollectiveKind, usize),
}

/// Why a benchmark has no experiments: it is wrong, or it is left out.
pub(super) enum Unfit {
    Fault(Fault),
    Left(Why),
}

impl Measured {
    /// Whose time it is; `name` is that of the benchmark.
    pub(super) fn subject(self, name: &str, places: Places) -> Result<Subject, Unfit> {
        let taking_part = places.processes.or(places.named.map(<[Processor]>::len)).filter(|count| *count > 0);
        if let Self::Collective(kind) = self {
            let procs = taking_part.ok_or_else(|| Unfit::Fault(Fault::Processes { benchmark: name.to_owned() }))?;
            let named = places.named.map(|named| enough(name, named, procs)).transpose()?;
            let in_order = |named: &[Processor]| named.iter().enumerate().all(|(place, p)| p.index() == place);
            if !named.is_none_or(in_order) {
                return Err(Unfit::Left(Why::Placement(name.to_owned())));
            }
            return Ok(Subject::Many(kind, procs));
        }
        if self == Self::Pairs && taking_part != Some(2) {
            let several = Unfit::Left(Why::SeveralPairs(name.to_owned()));
            return Err(if taking_part.is_none() {
                Unfit::Fault(Fault::Processes { benchmark: name.to_owned() })
            } else {
                several
            });
        }
        let two = [Processor(0), Processor(1)];
        let named = enough(name, places.named.unwrap_or(&two), 2)?;
        Ok(Subject::Two(if self == Self::Pairs { Self::HalfRoundTrip } else { self }, named[0], named[1]))
    }
}

/// The first processors, as many as are needed.
fn enough<'a>(name: &str, named: &'a [Processor], needed: usize) -> Result<&'a [Processor], Unfit> {
    let few = || Unfit::Fault(Fault::Processors { benchmark: name.to_owned(), needed, given: named.len() });
    named.get(..needed).ok_or_else(few)
}

impl Subject {
    /// The experiment of this size, and its time where the benchmark prints `seconds`.
    pub(super) fn reading(self, size: Bytes, seconds: Seconds) -> (Experiment, Seconds) {
        match self {
            Self::Two(Measured::Exchange, i, j) => (Experiment::Exchange { i, j, size }, seconds),
            Self::Two(_, i, j) => (Experiment::RoundTrip { i, j, size, reply: size }, seconds * 2.0),
            Self::Many(kind, procs) => (Experiment::Native { kind, root: Processor(0), procs, size }, seconds),
        }
    }
}
