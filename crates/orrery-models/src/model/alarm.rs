use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use super::collective_errors::ExpectedError;
use super::measurements::Sweep;
use super::predict::messages;
use super::{CollectiveAlgorithm, Model, ModelKind, PlayedFlows, Query};
use crate::comm::{Ports, Shape};
use orrery_base::units::Bytes;
use orrery_cluster::platform::Processor;
use orrery_measure::sample::{Experiment, LaunchDifference, PROCESSES_PER_HOST};
use orrery_program::schedule::{Algorithm, Collective, Program, Rank};

/// The confidence level of the factor by which a prediction may be off, in alarms.
const ALARM_LEVEL: f64 = 0.95;

/// The factor from which on a prediction has an alarm.
const ALARM_FACTOR: f64 = 1.5;

/// A reason why a prediction may not hold although its interval is narrow. The text ends with what
/// settles it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Alarm {
    /// Messages are smaller or larger than all measured ones.
    Size {
        /// The smallest and the largest of these messages.
        sizes: (Bytes, Bytes),
        /// The smallest and the largest measured message.
        measured: (Bytes, Bytes),
    },
    /// The collective operation was not measured here, and on other clusters the model was far off
    /// in such operations.
    Unmeasured {
        /// The operation and its algorithm.
        algorithm: CollectiveAlgorithm,
        /// The root, or processor 0.
        root: Processor,
        /// The number of processors.
        processors: usize,
        /// The smallest and the largest block or vector.
        sizes: (Bytes, Bytes),
        /// The factor by which the time may be off.
        factor: f64,
        /// The number of ranks on each host, if the model is one of some of them.
        per_host: Option<usize>,
    },
    /// Half-duplex processors send and receive at the same time, which the kind of model ignores.
    HalfDuplex {
        /// The kind of model.
        model: ModelKind,
        /// The first of these processors.
        first: Processor,
        /// Their number.
        processors: usize,
    },
    /// Several ranks are on one host, and the kind of model ignores that they share the link of the
    /// host, or this was not measured.
    SharedHost {
        /// The kind of model.
        model: ModelKind,
        /// The largest number of ranks on one host.
        ranks: usize,
        /// True if the model `ports` has the link of a host that its ranks share.
        is_known: bool,
    },
    /// The kind of model has the same parameters for links within a host and across hosts.
    MixedLinks {
        /// The kind of model.
        model: ModelKind,
    },
    /// The protocol changes below the size of a linear operation, which was not measured beyond.
    Protocol {
        /// The operation up to its size in the prediction.
        sweep: Sweep,
        /// The smallest size at which a protocol is known to change.
        change: Bytes,
        /// The largest measured block of the operation; `None` if it was not measured.
        measured: Option<Bytes>,
    },
    /// Hosts were not measured, and count as others of their class.
    UnmeasuredHosts {
        /// The first of their processors.
        first: Processor,
        /// Their number.
        processors: usize,
    },
    /// The launches of the samples disagree.
    Launches(LaunchDifference),
    /// The choice of processors does not change the prediction: the model has the same parameters
    /// for all.
    NoEffect {
        /// The kind of model.
        model: ModelKind,
    },
    /// The time to combine data in a reduction was not measured on all of its processors.
    Combination,
    /// A processor receives messages beyond the eager limit while it sends such ones, and how long
    /// their handshakes wait was not measured.
    Handshakes,
    /// More data waits at an in-port than was measured without losses.
    Losses {
        /// The algorithm.
        algorithm: CollectiveAlgorithm,
        /// The size of its block or vector.
        size: Bytes,
        /// The most data that may wait at an in-port.
        waiting: Bytes,
        /// The most data that waited at an in-port without losses.
        measured: Bytes,
        /// True if the probe of `measure comm` settles it.
        is_probed: bool,
    },
}

impl Alarm {
    /// The keyword in tables and files.
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Size { .. } => "size",
            Self::Unmeasured { .. } => "unmeasured",
            Self::HalfDuplex { .. } => "half-duplex",
            Self::SharedHost { .. } => "shared-host",
            Self::MixedLinks { .. } => "mixed-links",
            Self::Protocol { .. } => "protocol",
            Self::UnmeasuredHosts { .. } => "classes",
            Self::Launches(_) => "launches",
            Self::NoEffect { .. } => "no-effect",
            Self::Combination => "combination",
            Self::Handshakes => "handshakes",
            Self::Losses { .. } => "losses",
        }
    }

    /// Returns true if the measured time of the predicted operation settles it.
    pub(super) const fn is_settled_by_measuring(&self) -> bool {
        !matches!(self, Self::Size { .. } | Self::Launches(_) | Self::Combination)
    }

    /// Returns one alarm in place of two that the same measurement settles; `None` if they need
    /// different ones.
    #[must_use]
    pub fn merged(&self, other: &Self) -> Option<Self> {
        if matches!(self, Self::Losses { .. }) {
            return self.merged_losses(other);
        }
        let (mut one, mut same) = (*self, *other);
        match (&mut one, &mut same) {
            (Self::Size { sizes, .. }, Self::Size { sizes: others, .. }) => {
                *sizes = (sizes.0.min(others.0), sizes.1.max(others.1));
                *others = *sizes;
            }
            (
                Self::Unmeasured { sizes, factor, .. },
                Self::Unmeasured { sizes: others, factor: other, .. },
            ) => {
                (*sizes, *factor) =
                    ((sizes.0.min(others.0), sizes.1.max(others.1)), factor.max(*other));
                (*others, *other) = (*sizes, *factor);
            }
            (
                Self::UnmeasuredHosts { first, processors },
                Self::UnmeasuredHosts { first: other, processors: others },
            ) => {
                (*first, *processors) = ((*first).min(*other), (*processors).max(*others));
                (*other, *others) = (*first, *processors);
            }
            (Self::SharedHost { ranks, .. }, Self::SharedHost { ranks: others, .. }) => {
                *ranks = (*ranks).max(*others);
                *others = *ranks;
            }
            (Self::Protocol { sweep, .. }, Self::Protocol { sweep: others, .. }) => {
                sweep.largest = sweep.largest.max(others.largest);
                others.largest = sweep.largest;
            }
            _ => {}
        }
        (one == same).then_some(one)
    }

    /// Adds an alarm to a list in which the same measurement settles no two.
    pub fn add_to(&self, alarms: &mut Vec<Self>) {
        match alarms.iter_mut().find_map(|known| known.merged(self).map(|both| (known, both))) {
            Some((known, both)) => *known = both,
            None => alarms.push(*self),
        }
    }
}

/// The reason and what settles it:
/// `messages of 1M are outside the measured sizes, 0 to 64K; measure such sizes`.
impl fmt::Display for Alarm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Size { sizes: (low, high), measured } => {
                let (sizes, (smallest, largest)) = (range(low, high), measured);
                write!(
                    f,
                    "messages of {sizes} are outside the measured sizes, {smallest} to {largest}; \
                        measure such sizes"
                )
            }
            Self::Unmeasured {
                algorithm, root, processors, sizes: (low, high), factor, ..
            } => {
                let sizes = range(low, high);
                write!(f, "{algorithm} of {sizes} on {processors} processors")?;
                if algorithm.operation.has_root() {
                    write!(f, " from root {root}")?;
                }
                write!(
                    f,
                    " was not measured, and such predictions may be off by a factor of \
                        {factor:.1}; measure it and fit with it"
                )
            }
            Self::HalfDuplex { model, first, processors } => {
                write!(f, "processor {first} ")?;
                match processors - 1 {
                    0 => f.write_str("is")?,
                    others => write!(f, "and {others} more are")?,
                }
                write!(
                    f,
                    " half duplex, which {model} ignores; predict \
                    by {}",
                    ModelKind::PortsFlows
                )
            }
            Self::SharedHost { model, ranks, is_known: true } => write!(
                f,
                "up to {ranks} ranks share the link of their host, which {model} ignores; predict \
                    by {}",
                ModelKind::PortsFlows
            ),
            Self::SharedHost { ranks, is_known: false, .. } => write!(
                f,
                "up to {ranks} ranks are on one host, and whether they share its link was not \
                    measured; measure comm with shared \
                 links and fit {}",
                ModelKind::Ports
            ),
            Self::MixedLinks { model } => write!(
                f,
                "{model} has the same parameters for links within a host and across hosts; fit a \
                    model with parameters of each"
            ),
            Self::Protocol { sweep, change, measured } => {
                let Sweep { operation, root, procs, .. } = sweep;
                write!(
                    f,
                    "the protocol changes at {change}, and linear {operation} of {procs} \
                        processors from root {root} was "
                )?;
                match measured {
                    Some(largest) => write!(f, "measured up to {largest} only")?,
                    None => f.write_str("not measured")?,
                }
                f.write_str("; measure its thresholds and fit with them")
            }
            Self::UnmeasuredHosts { first, processors } => {
                write!(f, "processor {first} ")?;
                match processors - 1 {
                    0 => f.write_str("was not measured and counts")?,
                    others => write!(f, "and {others} more were not measured and count")?,
                }
                f.write_str(" as others of the same class; measure all hosts")
            }
            Self::Launches(LaunchDifference { launches, between, expected }) => write!(
                f,
                "the medians of {launches} launches differ by {:.1} %, of which their spread \
                    explains {:.1} %; measure more \
                 launches",
                100.0 * between,
                100.0 * expected
            ),
            Self::NoEffect { model } => write!(
                f,
                "{model} has the same parameters for all processors, so their choice changes \
                    nothing; fit a model with \
                 parameters of each"
            ),
            Self::Combination => f.write_str(
                "the time to combine data was not measured on all processors and counts as that of \
                    others, or as 0; measure a \
                 reduction of them and fit with it",
            ),
            Self::Losses { .. } => self.write_losses(f),
            Self::Handshakes => f.write_str(
                "large messages are passed on, and how long their handshakes wait for other \
                    messages was not measured and counts as 0; \
                 measure send-receives and fit with them",
            ),
        }
    }
}

/// The words of a range: `4 to 16`, or its only value.
pub(super) fn range<T: PartialEq + fmt::Display>(low: &T, high: &T) -> String {
    if low == high { low.to_string() } else { format!("{low} to {high}") }
}

impl Model {
    /// Returns the alarms of a prediction of this query by a kind of model; `sizes` are the sizes
    /// of its messages, `expected` is what is known of the error of a collective operation.
    pub(super) fn alarms(
        &self,
        kind: ModelKind,
        query: &Query,
        sizes: impl Iterator<Item = Bytes>,
        expected: Option<&ExpectedError>,
    ) -> Vec<Alarm> {
        let program = query.program();
        let collective = match &program {
            Some((Program::Collective(collective), ..)) => Some(*collective),
            _ => None,
        };
        let unmeasured =
            program.and_then(|(_, placement, _)| self.unmeasured_among(placement.processors()));
        let all = [
            self.size_alarm(sizes),
            self.unmeasured_alarm(query, expected),
            self.half_duplex_alarm(kind, query),
            self.shared_host_alarm(kind, query),
            self.mixes_links(kind).then_some(Alarm::MixedLinks { model: kind }),
            collective.and_then(|collective| self.protocol_alarm(&collective)),
            unmeasured.map(|(first, processors)| Alarm::UnmeasuredHosts { first, processors }),
            self.measurements.launches.map(Alarm::Launches),
            (is_homogeneous(kind) && names_processors(query))
                .then_some(Alarm::NoEffect { model: kind }),
            collective
                .is_some_and(|one| self.lacks_combination(&one))
                .then_some(Alarm::Combination),
            collective
                .is_some_and(|one| self.lacks_queue(kind, messages(&one)))
                .then_some(Alarm::Handshakes),
        ];
        all.into_iter().flatten().collect()
    }

    /// Returns true for reductions with a processor whose time to combine data was not measured.
    fn lacks_combination(&self, collective: &Collective) -> bool {
        let is_measured = |processor: usize| {
            self.combination.get(processor).is_some_and(|delay| delay.samples != Some(0))
        };
        collective.kind.is_reduction() && !(0..collective.ranks).all(is_measured)
    }

    /// Returns true if a rank both sends and receives messages beyond the eager limit of the model
    /// `ports`, and the data that their handshakes wait for was not measured. False for other
    /// kinds.
    pub(super) fn lacks_queue(
        &self,
        kind: ModelKind,
        messages: impl Iterator<Item = (Rank, Rank, Bytes)>,
    ) -> bool {
        let ports: Option<Ports> =
            self.get(ModelKind::Ports).filter(|_| kind.stored_as() == ModelKind::Ports);
        let Some(limit) =
            ports.filter(|ports| ports.queue.is_none()).and_then(|ports| ports.largest_eager())
        else {
            return false;
        };
        let (mut senders, mut receivers) = (BTreeSet::new(), BTreeSet::new());
        for (from, to, _) in messages.filter(|(_, _, size)| *size > limit) {
            senders.insert(from);
            receivers.insert(to);
        }
        senders.intersection(&receivers).next().is_some()
    }

    /// Returns the alarm for the messages outside the measured range; `None` if there are none, or
    /// if the range is unknown.
    fn size_alarm(&self, sizes: impl Iterator<Item = Bytes>) -> Option<Alarm> {
        let measured = self.measured?;
        let outside = sizes.filter(|size| self.extrapolates(*size)).map(|size| (size, size));
        let sizes = outside.reduce(|(low, high), (size, _)| (low.min(size), high.max(size)))?;
        Some(Alarm::Size { sizes, measured })
    }

    /// Returns the alarm for a collective operation whose error may be large; `None` if it is known
    /// well enough, or unknown because nothing of the model is uncertain.
    fn unmeasured_alarm(&self, query: &Query, expected: Option<&ExpectedError>) -> Option<Alarm> {
        let factor = expected?.factor_at(ALARM_LEVEL);
        let Query::Experiment(experiment) = query else { return None };
        let algorithm = CollectiveAlgorithm::of(experiment)?;
        let per_host = self.provenance.get(PROCESSES_PER_HOST).and_then(|ranks| ranks.parse().ok());
        (factor > ALARM_FACTOR).then_some(Alarm::Unmeasured {
            algorithm,
            root: query.root(),
            processors: query.procs(),
            sizes: (query.size(), query.size()),
            factor,
            per_host,
        })
    }

    /// Returns the alarm for half-duplex processors that send and receive at the same time, by a
    /// kind without flows.
    fn half_duplex_alarm(&self, kind: ModelKind, query: &Query) -> Option<Alarm> {
        let Query::Experiment(experiment) = query else { return None };
        if kind.stored_as() != ModelKind::Ports || !experiment.sends_both_ways() {
            return None;
        }
        let played = PlayedFlows::of(self, kind);
        let has_flows =
            |collective: &Collective| played.is_some_and(|played| played.contains(collective));
        let is_played = match experiment.program() {
            Some((Program::Collective(collective), _)) => has_flows(&collective),
            _ => played == Some(PlayedFlows::All),
        };
        if is_played {
            return None;
        }
        let ports: Ports = self.get(ModelKind::Ports)?;
        let is_half_duplex = |one: &&Processor| {
            ports.both_ports_byte_delay.get(one.index()).is_some_and(|both| both.value > 0.0)
        };
        let placement = experiment.placement();
        let mut processors = placement.processors().iter().filter(is_half_duplex);
        let first = *processors.next()?;
        Some(Alarm::HalfDuplex { model: kind, first, processors: 1 + processors.count() })
    }

    /// Returns true if a kind of model has the same parameters for links within a host and across
    /// hosts, and there are both.
    fn mixes_links(&self, kind: ModelKind) -> bool {
        let has_own =
            self.parameters(kind).is_some_and(|parameters| parameters.within_host().is_some());
        is_homogeneous(kind) && !has_own && self.shared_hosts().are_mixed()
    }

    /// Returns the alarm for collective operations of several ranks on one of several hosts, by a
    /// kind without the link that they share.
    fn shared_host_alarm(&self, kind: ModelKind, query: &Query) -> Option<Alarm> {
        let Query::Experiment(experiment) = query else { return None };
        let hosts = self.shared_hosts();
        if !experiment.is_collective() || !hosts.are_mixed() {
            return None;
        }
        let placement = experiment.placement();
        let mut ranks: BTreeMap<usize, usize> = BTreeMap::new();
        for host in placement.processors().iter().filter_map(|one| hosts.number(*one)) {
            *ranks.entry(host).or_default() += 1;
        }
        let largest =
            ranks.values().copied().max().filter(|largest| *largest > 1 && ranks.len() > 1)?;
        let is_of_one_host = |group: &Vec<Processor>| {
            let numbers: BTreeSet<Option<usize>> =
                group.iter().map(|one| hosts.number(*one)).collect();
            numbers.len() == 1 && group.len() > 1
        };
        let ports: Option<Ports> = self.get(ModelKind::Ports);
        let is_known = ports.is_some_and(|ports| ports.uplinks.groups().iter().any(is_of_one_host));
        let is_ignored = if is_known {
            kind.stored_as() != ModelKind::Ports
        } else {
            self.measurements.exchanging.is_none()
        };
        is_ignored.then_some(Alarm::SharedHost { model: kind, ranks: largest, is_known })
    }

    /// Returns the alarm for a linear operation beyond a change of protocol that was not measured;
    /// `None` for other algorithms, and for blocks that are measured or below the change.
    fn protocol_alarm(&self, collective: &Collective) -> Option<Alarm> {
        let Collective { kind, algorithm, root, ranks, block } = *collective;
        let measured = self.measurements.largest(collective);
        // A model without a record of its measurements was fitted to all sizes, if it has
        // thresholds.
        let is_known = measured.is_none() && self.thresholds_of(collective).is_some();
        let change = self.protocol_change(collective).filter(|change| block > *change)?;
        if algorithm != Algorithm::Linear
            || is_known
            || measured.is_some_and(|largest| block <= largest)
        {
            return None;
        }
        let sweep =
            Sweep { operation: kind, root: Processor(root.0), procs: ranks, largest: block };
        Some(Alarm::Protocol { sweep, change, measured })
    }

    /// Returns the smallest size at which the protocol changes: of the same operation with any
    /// root, or of single messages. `None` if no change is known.
    fn protocol_change(&self, collective: &Collective) -> Option<Bytes> {
        let alike =
            self.thresholds.iter().filter(|thresholds| thresholds.operation == collective.kind);
        let places =
            alike.flat_map(|one| [one.scatter_threshold, one.gather_small, one.gather_large]);
        let places = places.flatten().map(|place| Bytes::new(place.value as u64));
        let switches = self.point_to_point.iter().flat_map(|(kind, parameters)| {
            (kind.definition().protocol_switches)(parameters).into_iter().map(|switch| switch.last)
        });
        places.chain(switches).min()
    }
}

/// Returns true if a kind of model has the same parameters for all processors.
fn is_homogeneous(kind: ModelKind) -> bool {
    let groups = kind.definition().groups;
    !groups.is_empty()
        && groups.iter().all(|group| matches!(group.shape, Shape::Cluster | Shape::Sizes))
}

/// Returns true if a query names other processors than the first ones.
fn names_processors(query: &Query) -> bool {
    match *query {
        Query::PointToPoint { from, to, .. } => (from, to) != (Processor(0), Processor(1)),
        Query::Experiment(
            Experiment::Collective { root, .. } | Experiment::Native { root, .. },
        ) => root != Processor(0),
        Query::Experiment(_) => false,
    }
}
