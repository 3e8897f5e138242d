//! Losses where messages of several senders meet at an in-port.
//!
//! The thresholds of linear gathers are those of every schedule: a gather of n processors loses
//! data beyond blocks of M1, with a backlog of (n − 2)·M1 at the root's port. Another schedule with
//! backlog B at a port behaves there as a gather with blocks of B/(n − 2): it escalates by the
//! levels of the gather at their probabilities, each time that its backlog exceeds that of M1.
//! Messages beyond M2, where gathers are sequential, leave when their receive is posted.
//!
//! Below the largest backlog that was measured without losses there are none. Beyond it, losses are
//! unknown unless a gather has shown them; so they are between M1 and the smallest block with
//! losses.

use std::fmt;

use super::predict::messages;
use super::{Alarm, CollectiveAlgorithm, Model, Query, Sweep};
use crate::comm::backlog::{Backlog, HostPorts, backlog, placed};
use crate::comm::thresholds::Pieces;
use crate::comm::{PointToPoint, Thresholds};
use orrery_base::units::Bytes;
use orrery_cluster::platform::{Placement, Processor};
use orrery_measure::sample::{Experiment, ExperimentKind, INCAST_SIZES};
use orrery_play::engine::{Engine, Protocol};
use orrery_program::schedule::{Algorithm, Collective, CollectiveKind};

/// What the measurements of a model show about losses at in-ports.
#[derive(Debug, Clone)]
pub(super) struct KnownLosses {
    ports: HostPorts,
    /// The largest backlog that was measured without losses \[B\].
    lossless: f64,
    /// The largest message whose send does not wait for its receive, if a gather showed it.
    largest_eager: Option<Bytes>,
    /// A gather with losses.
    gather: Option<LossyGather>,
    /// The largest backlog that the probe of `measure comm` can show \[B\].
    probed: f64,
    /// True if the measurements are on record, so that unmeasured losses are worth an alarm.
    are_measurements_known: bool,
}

/// A gather that escalates beyond M1.
#[derive(Debug, Clone)]
struct LossyGather {
    /// M1 and the levels alone.
    thresholds: Thresholds,
    /// M1 \[B\].
    largest_block: f64,
    /// The backlog of blocks of one byte.
    blocks: f64,
}

impl LossyGather {
    /// Returns true if a gather of blocks of this size is known to have losses: beyond M1, and not
    /// below the smallest size with losses, the upper end of the interval of M1.
    fn loses(&self, block: Bytes) -> bool {
        let (block, small) = (block.get() as f64, self.thresholds.gather_small);
        let first = small.and_then(|small| small.interval).map(|interval| interval.high);
        block > self.largest_block && first.is_none_or(|first| block >= first)
    }
}

/// The losses of one schedule.
#[derive(Debug, Clone)]
pub(super) enum Losses {
    /// None, or those of the measured operation itself.
    None,
    /// Those of a gather with messages of this size.
    AsGather(Box<Thresholds>, Pieces),
    /// Not measured.
    Unknown(Alarm),
}

impl Losses {
    /// The alarm for losses that are unknown.
    pub(super) fn alarm(&self) -> Option<Alarm> {
        match self {
            Self::Unknown(alarm) => Some(*alarm),
            _ => None,
        }
    }
}

/// The largest number of operations of a schedule that is played for its backlog; that of larger
/// ones counts as unknown beyond the measured one.
const MAX_OPERATIONS: u64 = 1 << 15;

/// The backlog that every port can hold \[B\]: ten packets of 1460 B, which a single sender of TCP
/// may emit at once. Source: RFC 6928.
const MIN_BUFFER: f64 = 14_600.0;

impl KnownLosses {
    /// What a model knows; `None` if nothing.
    pub(super) fn of(model: &Model, network: &dyn PointToPoint) -> Option<Self> {
        let processors = model.processors();
        let ports = HostPorts::new(&model.shared_hosts(), processors);
        let gathers = || {
            let is_gather = move |one: &&Thresholds| {
                one.operation == CollectiveKind::Gather && one.procs <= processors
            };
            model.thresholds.iter().filter(is_gather)
        };
        let measurements = &model.measurements;
        let are_measurements_known = measurements.processors.is_some();
        if !are_measurements_known && gathers().next().is_none() {
            return None;
        }
        let blocks_of = |one: &Thresholds| ports.blocks_of_gather(one.root, one.procs);
        let largest_eager = gathers()
            .filter_map(|one| one.gather_large)
            .map(|large| Bytes::new(large.value as u64))
            .reduce(Bytes::max);
        let is_eager = |size: Bytes| {
            let is_known = largest_eager.is_none_or(|largest| size <= largest);
            is_known && network.protocol(size) == Protocol::Eager
        };
        // Gathers up to M1, and those without losses up to M2 or up to the largest block.
        let up_to_thresholds = gathers().map(|one| {
            let block = one.gather_small.or(one.gather_large).map_or(0.0, |size| size.value);
            blocks_of(one) * block
        });
        let measured = measurements.sweeps.iter().filter(|sweep| {
            sweep.operation == CollectiveKind::Gather
                && sweep.procs <= processors
                && !gathers().any(|one| (one.root, one.procs) == (sweep.root, sweep.procs))
        });
        // Larger messages, which wait for their receive, did not meet.
        let up_to_largest = measured.filter_map(|sweep| {
            let Sweep { root, procs, largest: size, .. } = *sweep;
            let (kind, algorithm) = (CollectiveKind::Gather, Algorithm::Linear);
            let gather = Experiment::Collective { kind, algorithm, root, procs, size };
            let largest = measurements.seen.largest(&gather, is_eager);
            let largest = largest.or_else(|| Some(size).filter(|size| is_eager(*size)))?;
            Some(ports.blocks_of_gather(root, procs) * largest.get() as f64)
        });
        // Two messages that meet: one of them waits.
        let two_to_one = Experiment::templates()
            .find(|template| template.kind() == ExperimentKind::TwoToOne)
            .and_then(|template| measurements.seen.largest(&template, is_eager));
        let lossless = up_to_thresholds
            .chain(up_to_largest)
            .chain(two_to_one.map(|size| size.get() as f64))
            .chain(measurements.exchange_backlog.map(|backlog| backlog.get() as f64))
            .fold(MIN_BUFFER, f64::max);
        let lossy = gathers().filter_map(|one| {
            let (small, blocks) = (one.gather_small?, blocks_of(one));
            let thresholds = Thresholds {
                gather_small: Some(small),
                escalations: one.escalations.clone(),
                ..Thresholds::none(one.operation, one.root, one.procs)
            };
            let is_lossy = blocks > 0.0 && !one.escalations.is_empty();
            is_lossy.then_some(LossyGather { thresholds, largest_block: small.value, blocks })
        });
        let gather =
            lossy.reduce(|first, other| if other.blocks > first.blocks { other } else { first });
        let largest_probe = INCAST_SIZES[INCAST_SIZES.len() - 1].get() as f64;
        let probed = ports.blocks_of_gather(Processor(0), processors) * largest_probe;
        Some(Self { ports, lossless, largest_eager, gather, probed, are_measurements_known })
    }

    /// Returns true if an operation may have losses that are known: an upper bound of its backlog
    /// is beyond that of a gather with losses.
    pub(super) fn may_escalate(&self, collective: &Collective, placement: &Placement) -> bool {
        let Some(gather) = &self.gather else { return false };
        self.bound(collective, placement) > gather.blocks * gather.largest_block
    }

    /// Returns true if losses of an operation may be unknown: an upper bound of its backlog is
    /// beyond the measured one.
    pub(super) fn may_be_unknown(&self, collective: &Collective, placement: &Placement) -> bool {
        self.are_measurements_known && self.bound(collective, placement) > self.lossless
    }

    /// Returns an upper bound of the backlog of an operation \[B\].
    fn bound(&self, collective: &Collective, placement: &Placement) -> f64 {
        self.ports.bound(placed(messages(collective), placement))
    }

    /// Returns the losses of a query, played on this network.
    pub(super) fn losses(
        &self,
        engine: &mut Engine,
        network: &mut dyn PointToPoint,
        query: &Query,
        (collective, placement): (&Collective, &Placement),
    ) -> Losses {
        let may_escalate = self.may_escalate(collective, placement);
        let bound = self.bound(collective, placement);
        if bound <= self.lossless && !may_escalate {
            return Losses::None;
        }
        let limit =
            self.gather.as_ref().map_or(f64::INFINITY, |one| one.blocks * one.largest_block);
        let mut play = |largest_eager| {
            let schedule = (collective, placement);
            backlog(engine, &mut *network, &self.ports, largest_eager, schedule, limit)
        };
        let played = if query.operations() <= MAX_OPERATIONS {
            // A schedule that needs eager sends has them.
            play(self.largest_eager).or_else(|_| play(None)).ok()
        } else {
            None
        };
        let Backlog { converging, possible, overflows } =
            played.unwrap_or(Backlog { possible: bound, ..Backlog::default() });
        if let Some(gather) = &self.gather {
            let size = Bytes::new((converging / gather.blocks).round() as u64);
            let pieces = Pieces { block: size, size, count: overflows.max(1) };
            if gather.loses(size) {
                return Losses::AsGather(Box::new(gather.thresholds.clone()), pieces);
            }
        }
        // The probe shows gathers only, and a gather with losses shows that it was measured.
        let is_gather = converging >= possible && possible <= self.probed;
        let is_probed = is_gather && self.gather.is_none();
        let alarm = || {
            let Query::Experiment(experiment) = query else { return None };
            Some(Alarm::Losses {
                algorithm: CollectiveAlgorithm::of(experiment)?,
                size: query.size(),
                waiting: Bytes::new(whole_kib(possible)),
                measured: Bytes::new(self.lossless as u64),
                is_probed,
            })
        };
        let is_unknown = possible > self.lossless && self.are_measurements_known;
        is_unknown.then(alarm).flatten().map_or(Losses::None, Losses::Unknown)
    }
}

/// Rounds bytes up to whole KiB, from 1 KiB on.
fn whole_kib(bytes: f64) -> u64 {
    let kib = 1024.0;
    if bytes < kib { bytes as u64 } else { (bytes / kib).ceil() as u64 * 1024 }
}

impl Alarm {
    /// Returns one alarm for losses in place of two that the same measurement settles: both the
    /// probe, or the same algorithm. `None` for others.
    pub(super) fn merged_losses(&self, other: &Self) -> Option<Self> {
        let (
            &Self::Losses { algorithm, size, waiting, measured, is_probed },
            &Self::Losses {
                algorithm: other,
                size: other_size,
                waiting: others,
                is_probed: is_other_probed,
                ..
            },
        ) = (self, other)
        else {
            return None;
        };
        let is_same = is_probed && is_other_probed || algorithm == other;
        is_same.then_some(Self::Losses {
            algorithm,
            size: size.max(other_size),
            waiting: waiting.max(others),
            measured,
            is_probed: is_probed && is_other_probed,
        })
    }

    /// Writes the alarm for losses.
    pub(super) fn write_losses(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self::Losses { waiting, measured, .. } = self else { return Ok(()) };
        write!(
            f,
            "messages of several processors meet at one, up to {waiting} wait there, and losses \
                were measured up to {measured} only; measure larger gathers and fit with them"
        )
    }
}
