use std::fmt;

use serde::{Deserialize, Serialize};

use crate::platform::{Hosts, LinkClass, Placement, Processor};
use crate::schedule::{
    Algorithm, Collective, CollectiveKind, Explicit, OneToTwo, Operation, Program, Rank, Request, RoundTrip, Tag,
    Train, TrainKind, Transfer,
};
use crate::units::Bytes;

/// What was measured, on which processors, at which size: the identity of a series of readings.
///
/// The one place that says which program, placed where, an experiment's readings are readings of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Experiment {
    /// Round trip of i and j: `size` bytes out, `reply` bytes back; read at i.
    RoundTrip {
        /// The processor that sends first.
        i: Processor,
        /// The processor that answers.
        j: Processor,
        /// Bytes out.
        size: Bytes,
        /// Bytes back.
        reply: Bytes,
    },
    /// i sends `size` bytes to j, then to k, and receives an empty reply of j, then of k; read at i.
    OneToTwo {
        /// The processor that sends.
        i: Processor,
        /// The partner that is served first.
        j: Processor,
        /// The partner that is served second.
        k: Processor,
        /// Bytes to each partner.
        size: Bytes,
    },
    /// i and j send each other `size` bytes at the same time (a posted send, a receive, a wait); read as the maximum of
    /// both. Source: PingPing of the Intel MPI Benchmarks.
    Exchange {
        /// One processor.
        i: Processor,
        /// The other.
        j: Processor,
        /// Bytes each way.
        size: Bytes,
    },
    /// A collective operation on processors 0 to procs − 1, rank r on processor r; read as the campaign's
    /// [`Timing`](crate::schedule::Timing) says, as the maximum over the ranks unless told.
    Collective {
        /// What is done.
        kind: CollectiveKind,
        /// How it is done.
        algorithm: Algorithm,
        /// The root.
        root: Processor,
        /// How many processors take part.
        procs: usize,
        /// The block of one processor.
        size: Bytes,
    },
    /// A collective operation as the MPI library carries it out, by an algorithm that is not known; processors and
    /// reading as of [`Experiment::Collective`].
    Native {
        /// What is done.
        kind: CollectiveKind,
        /// The root.
        root: Processor,
        /// How many processors take part.
        procs: usize,
        /// The block of one processor.
        size: Bytes,
    },
    /// A train of messages from i to j, of which overheads or gaps are read at i.
    Train {
        /// The processor that asks, and reads its clock.
        i: Processor,
        /// The other.
        j: Processor,
        /// The messages, and what is read of them.
        train: Train,
    },
}

/// The processors, the root and the size of the reply of an experiment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ExperimentFields {
    /// The processor that sends first.
    pub i: Option<Processor>,
    /// Its partner.
    pub j: Option<Processor>,
    /// Its second partner.
    pub k: Option<Processor>,
    /// The root of a collective operation.
    pub root: Option<Processor>,
    /// The size of the reply.
    pub reply: Option<Bytes>,
}

/// The kinds of experiments.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ExperimentKind {
    /// [`Experiment::RoundTrip`].
    RoundTrip,
    /// [`Experiment::OneToTwo`].
    OneToTwo,
    /// [`Experiment::Exchange`].
    Exchange,
    /// [`Experiment::Collective`].
    Collective,
    /// [`Experiment::Native`].
    Native,
    /// [`Experiment::Train`].
    Train,
}

impl Experiment {
    /// The kind of the experiment.
    pub const fn kind(&self) -> ExperimentKind {
        match self {
            Self::RoundTrip { .. } => ExperimentKind::RoundTrip,
            Self::OneToTwo { .. } => ExperimentKind::OneToTwo,
            Self::Exchange { .. } => ExperimentKind::Exchange,
            Self::Collective { .. } => ExperimentKind::Collective,
            Self::Native { .. } => ExperimentKind::Native,
            Self::Train { .. } => ExperimentKind::Train,
        }
    }

    /// The program that is timed, and where its ranks stand; `None` where only the MPI library knows what is sent.
    ///
    /// ```
    /// use orrery::platform::Processor;
    /// use orrery::sample::Experiment;
    /// use orrery::schedule::Schedule;
    /// use orrery::units::Bytes;
    /// let (i, j) = (Processor(3), Processor(5));
    /// let experiment = Experiment::RoundTrip { i, j, size: Bytes::new(64), reply: Bytes::ZERO };
    /// let (program, placement) = experiment.program().unwrap();
    /// assert_eq!((program.ranks(), placement.processors()), (2, &[i, j][..]));
    /// ```
    pub fn program(&self) -> Option<(Program, Placement)> {
        let program = match *self {
            Self::RoundTrip { size, reply, .. } => Program::RoundTrip(RoundTrip { out: size, back: reply }),
            Self::OneToTwo { size, .. } => Program::OneToTwo(OneToTwo { size }),
            Self::Exchange { size, .. } => Program::Explicit(exchange(size)),
            Self::Collective { kind, algorithm, root, procs, size } => {
                Program::Collective(Collective { kind, algorithm, root: Rank(root.0), ranks: procs, block: size })
            }
            Self::Train { train, .. } => Program::Train(train),
            Self::Native { .. } => return None,
        };
        Some((program, self.placement()))
    }

    /// The two processors of an experiment of one pair: a round trip, an exchange or a train.
    pub const fn pair(&self) -> Option<(Processor, Processor)> {
        match *self {
            Self::RoundTrip { i, j, .. } | Self::Exchange { i, j, .. } | Self::Train { i, j, .. } => Some((i, j)),
            Self::OneToTwo { .. } | Self::Collective { .. } | Self::Native { .. } => None,
        }
    }

    /// The processors, the root and the size of the reply, each where the experiment has one.
    pub const fn fields(&self) -> ExperimentFields {
        let none = ExperimentFields { i: None, j: None, k: None, root: None, reply: None };
        match *self {
            Self::RoundTrip { i, j, reply, .. } => {
                ExperimentFields { i: Some(i), j: Some(j), reply: Some(reply), ..none }
            }
            Self::OneToTwo { i, j, k, .. } => ExperimentFields { i: Some(i), j: Some(j), k: Some(k), ..none },
            Self::Exchange { i, j, .. } => ExperimentFields { i: Some(i), j: Some(j), ..none },
            Self::Train { i, j, train } => {
                ExperimentFields { i: Some(i), j: Some(j), reply: Some(train.reply), ..none }
            }
            Self::Collective { root, .. } | Self::Native { root, .. } => ExperimentFields { root: Some(root), ..none },
        }
    }

    /// The number of processors that take part.
    pub const fn procs(&self) -> usize {
        match *self {
            Self::RoundTrip { .. } | Self::Exchange { .. } | Self::Train { .. } => 2,
            Self::OneToTwo { .. } => 3,
            Self::Collective { procs, .. } | Self::Native { procs, .. } => procs,
        }
    }

    /// The operation without its algorithm: `roundtrip`, `gap`, `scatter`.
    pub const fn operation(&self) -> &'static str {
        match self {
            Self::RoundTrip { .. } => "roundtrip",
            Self::OneToTwo { .. } => "one-to-two",
            Self::Exchange { .. } => "exchange",
            Self::Train { train, .. } => train.kind.name(),
            Self::Collective { kind, .. } | Self::Native { kind, .. } => kind.name(),
        }
    }

    /// The algorithm of a collective operation, `native` for one of the MPI library.
    pub const fn algorithm(&self) -> Option<&'static str> {
        match self {
            Self::Collective { algorithm, .. } => Some(algorithm.name()),
            Self::Native { .. } => Some("native"),
            Self::RoundTrip { .. } | Self::OneToTwo { .. } | Self::Exchange { .. } | Self::Train { .. } => None,
        }
    }

    /// The processor at which the time is read: the root, or the processor that sends first.
    pub const fn reader(&self) -> Processor {
        match *self {
            Self::RoundTrip { i, .. } | Self::OneToTwo { i, .. } | Self::Exchange { i, .. } | Self::Train { i, .. } => {
                i
            }
            Self::Collective { root, .. } | Self::Native { root, .. } => root,
        }
    }

    /// The processors in words: `0-1`, `0→1,2`, `root 3`.
    pub fn participants(&self) -> String {
        match self {
            Self::RoundTrip { i, j, .. } | Self::Exchange { i, j, .. } => format!("{i}-{j}"),
            Self::OneToTwo { i, j, k, .. } => format!("{i}→{j},{k}"),
            Self::Train { i, j, .. } => format!("{i}→{j}"),
            Self::Collective { root, .. } | Self::Native { root, .. } => format!("root {root}"),
        }
    }

    /// The processor of each rank.
    pub fn placement(&self) -> Placement {
        match *self {
            Self::RoundTrip { i, j, .. } | Self::Exchange { i, j, .. } | Self::Train { i, j, .. } => {
                Placement::new([i, j])
            }
            Self::OneToTwo { i, j, k, .. } => Placement::new([i, j, k]),
            Self::Collective { procs, .. } | Self::Native { procs, .. } => Placement::identity(procs),
        }
    }

    /// Whether its links run within a host or across hosts; `None` where all links of the cluster are alike in this, and
    /// of collective operations, which use links of all kinds.
    pub fn class(&self, hosts: &Hosts) -> Option<LinkClass> {
        match *self {
            Self::RoundTrip { i, j, .. } | Self::Exchange { i, j, .. } | Self::Train { i, j, .. } => hosts.class(i, j),
            Self::OneToTwo { i, j, k, .. } => hosts.class_of(&[(i, j), (i, k)]),
            Self::Collective { .. } | Self::Native { .. } => None,
        }
    }

    /// The size of the message or block.
    pub fn size(&self) -> Bytes {
        match *self {
            Self::RoundTrip { size, .. }
            | Self::OneToTwo { size, .. }
            | Self::Exchange { size, .. }
            | Self::Collective { size, .. }
            | Self::Native { size, .. }
            | Self::Train { train: Train { size, .. }, .. } => size,
        }
    }

    /// The word in the first column of the samples file: `roundtrip`, `one-to-two`, `exchange`, `gap`,
    /// `scatter/linear`, `native/scatter`.
    pub fn name(&self) -> String {
        match self {
            Self::RoundTrip { .. } => "roundtrip".into(),
            Self::OneToTwo { .. } => "one-to-two".into(),
            Self::Exchange { .. } => "exchange".into(),
            Self::Collective { kind, algorithm, .. } => format!("{kind}/{algorithm}"),
            Self::Native { kind, .. } => format!("native/{kind}"),
            Self::Train { train, .. } => train.kind.name().into(),
        }
    }

    /// The same experiment on no processors in particular: what those have in common whose readings are taken to spread
    /// alike, relative to the time.
    #[must_use]
    pub fn without_processors(&self) -> Self {
        let nobody = Processor(0);
        match *self {
            Self::RoundTrip { size, reply, .. } => Self::RoundTrip { i: nobody, j: nobody, size, reply },
            Self::OneToTwo { size, .. } => Self::OneToTwo { i: nobody, j: nobody, k: nobody, size },
            Self::Exchange { size, .. } => Self::Exchange { i: nobody, j: nobody, size },
            Self::Collective { kind, algorithm, size, .. } => {
                Self::Collective { kind, algorithm, root: nobody, procs: 0, size }
            }
            Self::Native { kind, size, .. } => Self::Native { kind, root: nobody, procs: 0, size },
            // The waits of overheads are not part of what is read.
            Self::Train { train, .. } if train.kind != TrainKind::Prtt => {
                Self::Train { i: nobody, j: nobody, train: Train { delay: 0, ..train } }
            }
            Self::Train { train, .. } => Self::Train { i: nobody, j: nobody, train },
        }
    }

    /// One more than the highest processor that takes part.
    pub fn processors_needed(&self) -> usize {
        match *self {
            Self::RoundTrip { i, j, .. } | Self::Exchange { i, j, .. } | Self::Train { i, j, .. } => {
                i.max(j).index() + 1
            }
            Self::OneToTwo { i, j, k, .. } => i.max(j).max(k).index() + 1,
            Self::Collective { root, procs, .. } | Self::Native { root, procs, .. } => procs.max(root.index() + 1),
        }
    }
}

/// Two ranks that send each other a message at the same time.
fn exchange(size: Bytes) -> Explicit {
    let rank = |peer| {
        let send = Transfer::Send { to: Rank(peer), size, tag: Tag(0) };
        vec![Operation::Post(send, Request(0)), Operation::receive(Rank(peer), size), Operation::Wait(Request(0))]
    };
    Explicit::new(vec![rank(1), rank(0)])
}

/// For people: `round trip 0-1 (4K, 0)`.
impl fmt::Display for Experiment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::RoundTrip { i, j, size, reply } => write!(f, "round trip {i}-{j} ({size} out, {reply} back)"),
            Self::OneToTwo { i, j, k, size } => write!(f, "one-to-two {i}→{j},{k} ({size})"),
            Self::Exchange { i, j, size } => write!(f, "exchange {i}-{j} ({size})"),
            Self::Train { i, j, train: Train { kind, size, count, .. } } => {
                write!(f, "{} {i}→{j} ({count} of {size})", kind.name())
            }
            Self::Native { kind, root, procs, size } => {
                write!(f, "native/{kind} of {procs}, root {root} ({size})")
            }
            Self::Collective { kind, algorithm, root, procs, size } => {
                write!(f, "{kind}/{algorithm} of {procs}, root {root} ({size})")
            }
        }
    }
}
