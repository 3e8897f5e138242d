//! The registry of experiments. A new kind of experiment is a variant of [`Experiment`] with its
//! arms in this file, and its kind in `experiment_kind.rs`; the compiler names those that are
//! missing. Samples files, campaigns, fits, validation and reports use the methods of
//! [`Experiment`], which derive everything else from its fields.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::{ExperimentFields, NativeAlgorithm};
use orrery_base::units::Bytes;
use orrery_cluster::platform::{Hosts, LinkClass, Placement, Processor};
use orrery_program::schedule::{
    Algorithm, Collective, CollectiveKind, Exchanges, Explicit, OneToTwo, Operation, Program, Rank,
    RoundTrip, SendReceive, Train, TrainKind, TwoToOne,
};

/// A timed operation with its processors and its size: the identity of a series of readings.
///
/// It determines the program that the readings measure, and the placement of its ranks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Experiment {
    /// Round trip of i and j: `size` bytes out, `reply` bytes back; read at i.
    RoundTrip {
        /// The processor that sends first.
        i: Processor,
        /// The processor that answers.
        j: Processor,
        /// The size of the message to j.
        size: Bytes,
        /// The size of the reply.
        reply: Bytes,
    },
    /// i sends `size` bytes to j, then to k, and receives an empty reply of j, then of k; read at
    /// i.
    OneToTwo {
        /// The processor that sends.
        i: Processor,
        /// The partner that receives first.
        j: Processor,
        /// The partner that receives second.
        k: Processor,
        /// The size of each message.
        size: Bytes,
    },
    /// i sends an empty message to j, then to k, and receives `size` bytes of j, then of k; read at
    /// i.
    TwoToOne {
        /// The processor that receives.
        i: Processor,
        /// The partner whose message is received first.
        j: Processor,
        /// The partner whose message is received second.
        k: Processor,
        /// The size of each message.
        size: Bytes,
    },
    /// i sends `size` bytes to j, then receives `size` bytes of k, which were sent meanwhile, and
    /// an empty answer of j; read at i.
    SendReceive {
        /// The processor that sends, then receives.
        i: Processor,
        /// The processor that receives.
        j: Processor,
        /// The processor that sends.
        k: Processor,
        /// The size of both messages.
        size: Bytes,
    },
    /// i and j send each other `size` bytes at the same time (a posted send, a receive, a wait);
    /// read as the maximum of both. Source: PingPing of the Intel MPI Benchmarks.
    Exchange {
        /// One processor.
        i: Processor,
        /// The other.
        j: Processor,
        /// The size of each message.
        size: Bytes,
    },
    /// i and j send each other `size` bytes while the other pairs of a set do the same; read at i,
    /// when both messages and an empty answer of j have arrived. From it links are found that
    /// several pairs share.
    Exchanges {
        /// The processor that is read.
        i: Processor,
        /// The other.
        j: Processor,
        /// The size of each message.
        size: Bytes,
        /// The number of the set; its pairs are those of all experiments with this number. A pair
        /// by itself has set 0.
        set: u32,
        /// The number of pairs in the set.
        pairs: u32,
    },
    /// A collective operation on processors 0 to procs − 1, rank r on processor r; read by the
    /// campaign's [`Timing`](orrery_program::schedule::Timing), by default as the maximum over the ranks.
    Collective {
        /// The operation.
        kind: CollectiveKind,
        /// The algorithm.
        algorithm: Algorithm,
        /// The root; processor 0 for operations without a root.
        root: Processor,
        /// The number of processors.
        procs: usize,
        /// The size of the block of one processor.
        size: Bytes,
    },
    /// A collective operation of the MPI library, by the algorithm that was forced or else by an
    /// unknown one; processors and reading as of [`Experiment::Collective`].
    Native {
        /// The operation.
        kind: CollectiveKind,
        /// The algorithm that the library was forced to use; `None` if the library chose by itself.
        algorithm: Option<NativeAlgorithm>,
        /// The root; processor 0 for operations without a root.
        root: Processor,
        /// The number of processors.
        procs: usize,
        /// The size of the block of one processor.
        size: Bytes,
    },
    /// A train of messages from i to j, from which overheads or gaps are read at i.
    Train {
        /// The processor that sends first and reads its clock.
        i: Processor,
        /// The other.
        j: Processor,
        /// The messages, and the times that are read.
        train: Train,
    },
    /// Round trip of i and j with `size` bytes in both directions, which a campaign repeats: rounds
    /// of it show a change of the machine.
    Anchor {
        /// The processor that sends first.
        i: Processor,
        /// The processor that answers.
        j: Processor,
        /// The size of both messages.
        size: Bytes,
        /// The number of the round.
        round: u32,
        /// The part of the campaign under way, of [`AnchorStage`](super::AnchorStage).
        stage: u32,
        /// The start of the round since that of the campaign \[ns\].
        start: u64,
    },
    /// i combines `size` received bytes with own ones, as reductions do, without any message.
    Combination {
        /// The processor.
        i: Processor,
        /// The number of bytes.
        size: Bytes,
    },
}

impl Experiment {
    /// One experiment of each name, with processors, sizes and counts of 0.
    pub fn templates() -> impl Iterator<Item = Self> {
        let (i, size, procs) = (Processor(0), Bytes::ZERO, 0);
        let train = |kind| Self::Train {
            i,
            j: i,
            train: Train { kind, size, reply: size, count: 0, delay: 0 },
        };
        let collective = move |kind| {
            let known = CollectiveKind::algorithms(kind).iter();
            let known = known.map(move |&algorithm| Self::Collective {
                kind,
                algorithm,
                root: i,
                procs,
                size,
            });
            known.chain([Self::Native { kind, algorithm: None, root: i, procs, size }])
        };
        [
            Self::RoundTrip { i, j: i, size, reply: size },
            Self::OneToTwo { i, j: i, k: i, size },
            Self::TwoToOne { i, j: i, k: i, size },
            Self::SendReceive { i, j: i, k: i, size },
            Self::Exchange { i, j: i, size },
            Self::Exchanges { i, j: i, size, set: 0, pairs: 0 },
            Self::Anchor { i, j: i, size, round: 0, stage: 0, start: 0 },
            Self::Combination { i, size },
        ]
        .into_iter()
        .chain(TrainKind::ALL.map(train))
        .chain(CollectiveKind::ALL.into_iter().flat_map(collective))
    }

    /// The collective operation with a name such as `bcast/knomial-3:8K`, `native/bcast` or
    /// `native/bcast/ompi/binomial`, with processors and sizes of 0; `None` for other texts.
    ///
    /// ```
    /// use orrery_measure::sample::Experiment;
    /// let forced = Experiment::collective_template("native/bcast/ompi/knomial-4").unwrap();
    /// assert_eq!(forced.name(), "native/bcast/ompi/knomial-4");
    /// assert_eq!(Experiment::collective_template("native/bcast/ompi/bruck"), None);
    /// ```
    pub fn collective_template(name: &str) -> Option<Self> {
        let (root, procs, size) = (Processor(0), 0, Bytes::ZERO);
        let (first, rest) = name.split_once('/')?;
        if first == "native" {
            let (kind, forced) =
                rest.split_once('/').map_or((rest, None), |(kind, forced)| (kind, Some(forced)));
            let kind: CollectiveKind = kind.parse().ok()?;
            let algorithm: Option<NativeAlgorithm> = forced.map(str::parse).transpose().ok()?;
            let is_known = algorithm.is_none_or(|forced| forced.algorithm.carries_out(kind));
            return is_known.then_some(Self::Native { kind, algorithm, root, procs, size });
        }
        let (kind, algorithm): (CollectiveKind, Algorithm) =
            (first.parse().ok()?, rest.parse().ok()?);
        kind.has(algorithm).then_some(Self::Collective { kind, algorithm, root, procs, size })
    }

    /// The operation without its algorithm: `roundtrip`, `gap`, `scatter`.
    pub const fn operation(&self) -> &'static str {
        match self {
            Self::RoundTrip { .. } => "roundtrip",
            Self::OneToTwo { .. } => "one-to-two",
            Self::TwoToOne { .. } => "two-to-one",
            Self::SendReceive { .. } => "send-receive",
            Self::Exchange { .. } => "exchange",
            Self::Exchanges { .. } => "exchanges",
            Self::Anchor { .. } => "anchor",
            Self::Train { train, .. } => train.kind.name(),
            Self::Combination { .. } => "combination",
            Self::Collective { kind, .. } | Self::Native { kind, .. } => kind.name(),
        }
    }

    /// The algorithm of a collective operation with its fan-out and segments; `native` for one of
    /// the MPI library, `native/ompi/binomial` if its algorithm was forced.
    pub fn algorithm(&self) -> Option<String> {
        match self {
            Self::Collective { algorithm, .. } => Some(algorithm.to_string()),
            Self::Native { algorithm: None, .. } => Some("native".to_owned()),
            Self::Native { algorithm: Some(forced), .. } => Some(format!("native/{forced}")),
            Self::RoundTrip { .. }
            | Self::OneToTwo { .. }
            | Self::TwoToOne { .. }
            | Self::SendReceive { .. }
            | Self::Exchange { .. }
            | Self::Exchanges { .. }
            | Self::Anchor { .. }
            | Self::Combination { .. }
            | Self::Train { .. } => None,
        }
    }

    /// The name in the first column of the samples file: `roundtrip`, `one-to-two`, `exchange`,
    /// `gap`, `scatter/linear`, `native/scatter`, `native/scatter/ompi/binomial`.
    pub fn name(&self) -> String {
        match (self, self.algorithm()) {
            (Self::Native { kind, algorithm: None, .. }, _) => format!("native/{kind}"),
            (Self::Native { kind, algorithm: Some(forced), .. }, _) => {
                format!("native/{kind}/{forced}")
            }
            (_, Some(algorithm)) => format!("{}/{algorithm}", self.operation()),
            (_, None) => self.operation().to_owned(),
        }
    }

    /// The values in the columns of the samples file that the experiment uses.
    pub fn fields(&self) -> ExperimentFields {
        match *self {
            Self::RoundTrip { i, j, size, reply } => {
                ExperimentFields { reply: Some(reply), ..ExperimentFields::new([i, j], size) }
            }
            Self::OneToTwo { i, j, k, size } => ExperimentFields {
                reply: Some(Bytes::ZERO),
                ..ExperimentFields::new([i, j, k], size)
            },
            Self::TwoToOne { i, j, k, size } | Self::SendReceive { i, j, k, size } => {
                ExperimentFields::new([i, j, k], size)
            }
            Self::Combination { i, size } => ExperimentFields::new([i], size),
            Self::Exchange { i, j, size } => ExperimentFields::new([i, j], size),
            Self::Exchanges { i, j, size, set, pairs } => ExperimentFields {
                count: Some(pairs),
                set: Some(set),
                ..ExperimentFields::new([i, j], size)
            },
            Self::Anchor { i, j, size, round, stage, start } => ExperimentFields {
                count: Some(stage),
                delay: Some(start),
                set: Some(round),
                ..ExperimentFields::new([i, j], size)
            },
            Self::Train { i, j, train: Train { kind, size, reply, count, delay } } => {
                let (reply, delay) = match kind {
                    TrainKind::SendOverhead | TrainKind::ReceiveOverhead => (None, Some(delay)),
                    TrainKind::Gap => (None, None),
                    TrainKind::Prtt => (Some(reply), Some(delay)),
                };
                ExperimentFields {
                    reply,
                    count: Some(count),
                    delay,
                    ..ExperimentFields::new([i, j], size)
                }
            }
            Self::Collective { kind, root, procs, size, .. }
            | Self::Native { kind, root, procs, size, .. } => {
                let root = kind.has_root().then_some(root);
                ExperimentFields { root, procs: Some(procs), ..ExperimentFields::new([], size) }
            }
        }
    }

    /// The experiment of the same name with these values; values of columns that it does not use
    /// are ignored, those that are absent are 0.
    #[must_use]
    pub fn with_fields(&self, fields: &ExperimentFields) -> Self {
        let [i, j, k] = fields.processors.map(|processor| processor.unwrap_or(Processor(0)));
        let (root, procs, size) =
            (fields.root.unwrap_or(Processor(0)), fields.procs.unwrap_or(0), fields.size);
        let reply = fields.reply.unwrap_or(Bytes::ZERO);
        match *self {
            Self::RoundTrip { .. } => Self::RoundTrip { i, j, size, reply },
            Self::OneToTwo { .. } => Self::OneToTwo { i, j, k, size },
            Self::TwoToOne { .. } => Self::TwoToOne { i, j, k, size },
            Self::SendReceive { .. } => Self::SendReceive { i, j, k, size },
            Self::Combination { .. } => Self::Combination { i, size },
            Self::Exchange { .. } => Self::Exchange { i, j, size },
            Self::Exchanges { .. } => Self::Exchanges {
                i,
                j,
                size,
                set: fields.set.unwrap_or(0),
                pairs: fields.count.unwrap_or(0),
            },
            Self::Anchor { .. } => Self::Anchor {
                i,
                j,
                size,
                round: fields.set.unwrap_or(0),
                stage: fields.count.unwrap_or(0),
                start: fields.delay.unwrap_or(0),
            },
            Self::Collective { kind, algorithm, .. } => {
                Self::Collective { kind, algorithm, root, procs, size }
            }
            Self::Native { kind, algorithm, .. } => {
                Self::Native { kind, algorithm, root, procs, size }
            }
            Self::Train { train: Train { kind, .. }, .. } => {
                let (count, delay) = (fields.count.unwrap_or(0), fields.delay.unwrap_or(0));
                Self::Train { i, j, train: Train { kind, size, reply, count, delay } }
            }
        }
    }

    /// Returns the program that is timed and the processor of each rank; `None` if the algorithm is
    /// internal to the MPI library, and for one of several concurrent exchanges, whose others an
    /// [`ExchangeSet`](super::ExchangeSet) knows.
    ///
    /// ```
    /// use orrery_cluster::platform::Processor;
    /// use orrery_measure::sample::Experiment;
    /// use orrery_program::schedule::Schedule;
    /// use orrery_base::units::Bytes;
    /// let (i, j) = (Processor(3), Processor(5));
    /// let experiment = Experiment::RoundTrip { i, j, size: Bytes::new(64), reply: Bytes::ZERO };
    /// let (program, placement) = experiment.program().unwrap();
    /// assert_eq!((program.ranks(), placement.processors()), (2, &[i, j][..]));
    /// ```
    pub fn program(&self) -> Option<(Program, Placement)> {
        let program = match *self {
            Self::RoundTrip { size, reply, .. } => {
                Program::RoundTrip(RoundTrip { out: size, back: reply })
            }
            Self::Anchor { size, .. } => Program::RoundTrip(RoundTrip { out: size, back: size }),
            Self::OneToTwo { size, .. } => Program::OneToTwo(OneToTwo { size }),
            Self::TwoToOne { size, .. } => Program::TwoToOne(TwoToOne { size }),
            Self::SendReceive { size, .. } => Program::SendReceive(SendReceive { size }),
            Self::Exchange { size, .. } => Program::Explicit(Explicit::exchange(size)),
            Self::Exchanges { size, pairs: 1, .. } => {
                Program::Exchanges(Exchanges { pairs: 1, size })
            }
            Self::Collective { .. } if !self.has_program() => return None,
            Self::Collective { kind, algorithm, root, procs, size } => {
                Program::Collective(Collective {
                    kind,
                    algorithm,
                    root: Rank(root.0),
                    ranks: procs,
                    block: size,
                })
            }
            Self::Train { train, .. } => Program::Train(train),
            Self::Combination { size, .. } => {
                Program::Explicit(Explicit::new(vec![vec![Operation::Combine(size)]]))
            }
            // The other pairs are in other experiments of the set.
            Self::Native { .. } | Self::Exchanges { .. } => return None,
        };
        Some((program, self.placement()))
    }

    /// The number of operations of all ranks, approximately; 0 for calls of the MPI library.
    pub fn operations(&self) -> u64 {
        match self {
            Self::RoundTrip { .. } | Self::Anchor { .. } => 4,
            Self::Combination { .. } => 1,
            Self::OneToTwo { .. } | Self::TwoToOne { .. } | Self::Exchange { .. } => 6,
            Self::SendReceive { .. } => 8,
            Self::Exchanges { pairs, .. } => 8 * u64::from(*pairs),
            Self::Collective { .. } => match self.program() {
                Some((Program::Collective(collective), _)) => collective.operations(),
                _ => 0,
            },
            Self::Train { train, .. } => 4 * u64::from(train.count),
            Self::Native { .. } => 0,
        }
    }

    /// Returns true if the experiment by itself determines its program; false for calls of the MPI
    /// library and for concurrent exchanges, and if the number of processors does not suit the
    /// algorithm.
    pub fn has_program(&self) -> bool {
        match self {
            Self::Collective { kind, algorithm, procs, .. } => {
                kind.has(*algorithm) && algorithm.runs_on(*procs)
            }
            Self::Native { .. } | Self::Exchanges { .. } => false,
            _ => true,
        }
    }

    /// The processors in words: `0-1`, `0→1,2`, `root 3`.
    pub fn participants(&self) -> String {
        match self {
            Self::RoundTrip { i, j, .. }
            | Self::Exchange { i, j, .. }
            | Self::Exchanges { i, j, .. }
            | Self::Anchor { i, j, .. } => format!("{i}-{j}"),
            Self::OneToTwo { i, j, k, .. } => format!("{i}→{j},{k}"),
            Self::TwoToOne { i, j, k, .. } => format!("{j},{k}→{i}"),
            Self::SendReceive { i, j, k, .. } => format!("{k}→{i}→{j}"),
            Self::Combination { i, .. } => i.to_string(),
            Self::Train { i, j, .. } => format!("{i}→{j}"),
            Self::Collective { kind, .. } | Self::Native { kind, .. } if !kind.has_root() => {
                format!("{} processors", self.procs())
            }
            Self::Collective { root, .. } | Self::Native { root, .. } => format!("root {root}"),
        }
    }

    /// Returns the size of the reply of experiments whose reply can also be as long as the message;
    /// `None` if it is as long as the message.
    pub fn other_reply(&self) -> Option<Bytes> {
        match *self {
            Self::RoundTrip { size, reply, .. } if size != reply => Some(reply),
            _ => None,
        }
    }

    /// Returns the experiment without its processors. Experiments that are equal without them are
    /// assumed to have the same relative spread.
    #[must_use]
    pub fn without_processors(&self) -> Self {
        let processors = Default::default();
        let mut fields =
            ExperimentFields { processors, root: None, procs: None, set: None, ..self.fields() };
        // The waits between the calls of overheads are not part of the reading.
        let overhead = TrainKind::SendOverhead..=TrainKind::ReceiveOverhead;
        match self {
            Self::Train { train: Train { kind, .. }, .. } if overhead.contains(kind) => {
                fields.delay = None;
            }
            Self::Anchor { .. } => (fields.count, fields.delay) = (None, None),
            _ => {}
        }
        self.with_fields(&fields)
    }
}

/// Properties of an experiment that follow from its fields.
impl Experiment {
    /// The size of the message or block.
    pub fn size(&self) -> Bytes {
        self.fields().size
    }

    /// Returns true for operations of processors 0 to procs − 1, by a known algorithm or that of
    /// the MPI library.
    pub fn is_collective(&self) -> bool {
        self.fields().procs.is_some()
    }

    /// The two processors of an experiment of one pair; `None` for other experiments.
    pub fn pair(&self) -> Option<(Processor, Processor)> {
        let fields = self.fields();
        let mut processors = fields.processors();
        match (processors.next(), processors.next(), processors.next()) {
            (Some(i), Some(j), None) => Some((i, j)),
            _ => None,
        }
    }

    /// The number of processors that take part.
    pub fn procs(&self) -> usize {
        let fields = self.fields();
        fields.procs.unwrap_or_else(|| fields.processors().count())
    }

    /// The processor at which the time is read: the root, or the processor that sends first.
    pub fn reader(&self) -> Processor {
        let fields = self.fields();
        fields.root.or(fields.processors[0]).unwrap_or(Processor(0))
    }

    /// The processor of each rank.
    pub fn placement(&self) -> Placement {
        let fields = self.fields();
        fields.procs.map_or_else(|| Placement::new(fields.processors()), Placement::identity)
    }

    /// The class of the links from the first processor to its partners; `None` if all links of the
    /// cluster are of one class, and for collective operations, which use links of all classes.
    pub fn class(&self, hosts: &Hosts) -> Option<LinkClass> {
        let fields = self.fields();
        let first = fields.processors().next()?;
        let links: Vec<_> = fields.processors().skip(1).map(|partner| (first, partner)).collect();
        hosts.class_of(&links)
    }

    /// One more than the highest processor that takes part.
    pub fn processors_needed(&self) -> usize {
        let fields = self.fields();
        let named =
            fields.processors().chain(fields.root).map(|processor| processor.index() + 1).max();
        named.unwrap_or(0).max(fields.procs.unwrap_or(0))
    }
}

/// For people: `round trip 0-1 (4K, 0)`.
impl fmt::Display for Experiment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::RoundTrip { i, j, size, reply } => {
                write!(f, "round trip {i}-{j} ({size} out, {reply} back)")
            }
            Self::OneToTwo { i, j, k, size } => write!(f, "one-to-two {i}→{j},{k} ({size})"),
            Self::TwoToOne { i, j, k, size } => write!(f, "two-to-one {j},{k}→{i} ({size})"),
            Self::SendReceive { i, j, k, size } => write!(f, "send-receive {k}→{i}→{j} ({size})"),
            Self::Exchange { i, j, size } => write!(f, "exchange {i}-{j} ({size})"),
            Self::Exchanges { i, j, size, pairs, .. } => {
                write!(f, "exchange {i}-{j} among {pairs} ({size})")
            }
            Self::Anchor { i, j, size, round, .. } => {
                write!(f, "anchor {i}-{j} ({size}), round {round}")
            }
            Self::Combination { i, size } => write!(f, "combination at {i} ({size})"),
            Self::Train { i, j, train: Train { kind, size, count, .. } } => {
                write!(f, "{} {i}→{j} ({count} of {size})", kind.name())
            }
            Self::Native { kind, procs, size, .. } | Self::Collective { kind, procs, size, .. }
                if !kind.has_root() =>
            {
                write!(f, "{} of {procs} ({size})", self.name())
            }
            Self::Native { root, procs, size, .. } | Self::Collective { root, procs, size, .. } => {
                write!(f, "{} of {procs}, root {root} ({size})", self.name())
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use orrery_program::schedule::Schedule;

    #[test]
    fn every_experiment_is_made_of_its_name_and_its_fields() {
        let templates: Vec<Experiment> = Experiment::templates().collect();
        let names: BTreeSet<String> = templates.iter().map(Experiment::name).collect();
        assert_eq!(names.len(), templates.len(), "{names:?}");
        for template in templates {
            let fields = template.fields().with_processors([3, 1, 2].map(Processor));
            let (size, reply) = (Bytes::new(8), fields.reply.map(|_| Bytes::new(4)));
            let (root, procs) = (fields.root.map(|_| Processor(2)), fields.procs.map(|_| 5));
            let (count, delay) = (fields.count.map(|_| 6), fields.delay.map(|_| 7));
            let experiment = template.with_fields(&ExperimentFields {
                root,
                procs,
                size,
                reply,
                count,
                delay,
                ..fields
            });
            // Replies of some experiments are always empty.
            let always_empty = experiment.fields().reply.filter(|reply| *reply == Bytes::ZERO);
            let reply = always_empty.or(reply);
            let expected = ExperimentFields { root, procs, size, reply, count, delay, ..fields };
            assert_eq!(experiment.fields(), expected, "{experiment}");
            assert_eq!((experiment.name(), experiment.size()), (template.name(), size));
            assert_eq!(experiment.with_fields(&experiment.fields()), experiment);
            assert_eq!(experiment.has_program(), experiment.program().is_some());
            if let Some((program, placement)) = experiment.program() {
                assert_eq!(
                    (program.ranks(), placement.ranks()),
                    (experiment.procs(), experiment.procs())
                );
            }
        }
    }
}
