//! `orrery predict bcast` and the other collective operations: the times of their algorithms;
//! `orrery predict p2p`: the times of messages.

use std::path::Path;

use clap::{ArgMatches, Args, Command, Error, FromArgMatches as _};
use orrery::collective::in_segments;
use orrery::model::{Model, Prediction};
use orrery::platform::Processor;
use orrery::request::{AlgorithmSelection, Algorithms, CollectiveRequest, MessageRequest, Queries};
use orrery::sample::Library;
use orrery::schedule::CollectiveKind;
use orrery::units::{Bytes, SizeList};
use orrery_report::tables::{critical_path, predictions};

use super::{Common, Communication, Explanation};
use crate::output::{self, Format};
use crate::refusal;
use crate::verbs::algorithms::Segments;
use crate::verbs::load::PresentLoad;
use crate::verbs::per_host::PerHost;
use crate::verbs::samples;

/// What an operation does.
pub fn about(operation: CollectiveKind) -> &'static str {
    match operation {
        CollectiveKind::Scatter => "The root sends a block of its own to each rank",
        CollectiveKind::Gather => "The root receives a block from each rank",
        CollectiveKind::Allgather => "Each rank receives a block from each rank, the same for all",
        CollectiveKind::Alltoall => "Each rank sends a block of its own to each rank",
        CollectiveKind::Barrier => "No rank continues before all have begun",
        CollectiveKind::Broadcast => "All ranks receive the vector of the root",
        CollectiveKind::Reduce => "The vectors of all ranks are combined at the root",
        CollectiveKind::Allreduce => "The vectors of all ranks are combined at all ranks",
        CollectiveKind::ReduceScatter => {
            "The vectors of all ranks are combined; each rank receives a block"
        }
        CollectiveKind::Scan => "Each rank receives the combination of the vectors up to its own",
        CollectiveKind::Exscan => "Each rank receives the combination of the vectors below its own",
    }
}

/// Arguments of a collective operation. Those that not all operations have are optional.
#[derive(Debug)]
pub struct CollectiveArguments {
    operation: CollectiveKind,
    of_all: OfAll,
    root: Option<Root>,
    sizes: Option<Sizes>,
    segments: Option<Segmentation>,
}

/// Arguments of all operations.
#[derive(Debug, Args)]
struct OfAll {
    #[command(flatten)]
    common: Common,
    /// Number of processors that take part [default: all]
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    procs: Option<usize>,
    #[command(flatten)]
    per_host: PerHost,
    /// Algorithms, separated by commas: all, or names such as binomial, knomial-4, pipeline:64K
    /// (fan-out 4, segments of 64 KiB) [default: linear and binomial of scatter and gather, all of
    /// other operations]
    #[arg(long, alias = "algorithm", value_name = "LIST")]
    algorithms: Option<Algorithms>,
    /// Predict calls of this MPI library, each with a forced algorithm, by its measured
    /// corrections: ompi [default: the messages of Orrery]
    #[arg(long, value_name = "LIBRARY")]
    library: Option<Library>,
    #[command(flatten)]
    communication: Communication,
    #[command(flatten)]
    explanation: Explanation,
    #[command(flatten)]
    load: PresentLoad,
}

/// The root of operations that have one.
#[derive(Debug, Args)]
struct Root {
    /// Rank of the root [default: 0]
    #[arg(long, value_name = "RANK", allow_negative_numbers = true)]
    root: Option<u32>,
}

/// The sizes of all operations but a barrier.
#[derive(Debug, Args)]
struct Sizes {
    /// Block sizes of one processor, or sizes of the vector of bcast, reduce, allreduce and scans:
    /// 4K, 1K..1M (doubling), 1K..64K:4K (stepping)
    #[arg(long, value_name = "SIZES", allow_negative_numbers = true, default_value = "1K..32K")]
    size: SizeList,
}

/// The sizes of segments of operations with algorithms that can divide vectors.
#[derive(Debug, Args)]
struct Segmentation {
    /// Sizes of segments into which algorithms that can divide vectors do so, besides undivided
    /// vectors: 8K,64K, or none [default: none]
    #[arg(long, value_name = "SIZES")]
    segments: Option<Segments>,
}

/// Returns true if an algorithm of an operation can divide its vector.
fn has_segments(operation: CollectiveKind) -> bool {
    !in_segments(operation, operation.algorithms(), &[Bytes::new(1024)]).is_empty()
}

impl CollectiveArguments {
    /// Adds the arguments of an operation.
    pub fn augment(operation: CollectiveKind, mut command: Command) -> Command {
        if operation != CollectiveKind::Barrier {
            command = Sizes::augment_args(command);
        }
        if operation.has_root() {
            command = Root::augment_args(command);
        }
        if has_segments(operation) {
            command = Segmentation::augment_args(command);
        }
        // The heading of its last options would apply to others behind them.
        OfAll::augment_args(command)
    }

    /// The arguments of an operation.
    pub fn of(operation: CollectiveKind, matches: &ArgMatches) -> Result<Self, Error> {
        let has_sizes = operation != CollectiveKind::Barrier;
        Ok(Self {
            operation,
            of_all: OfAll::from_arg_matches(matches)?,
            root: operation.has_root().then(|| Root::from_arg_matches(matches)).transpose()?,
            sizes: has_sizes.then(|| Sizes::from_arg_matches(matches)).transpose()?,
            segments: has_segments(operation)
                .then(|| Segmentation::from_arg_matches(matches))
                .transpose()?,
        })
    }

    /// Prints predictions.
    pub fn run(self) -> anyhow::Result<()> {
        let Self { operation, of_all, root, sizes, segments } = self;
        let path = &of_all.common.model;
        let (model, _) = of_all.load.apply(samples::model(path)?, path)?;
        let model = of_all.per_host.of(model, path)?;
        let segments = segments.and_then(|option| option.segments);
        let request = CollectiveRequest {
            operation,
            models: of_all.communication.models.list(),
            library: of_all.library,
            algorithms: AlgorithmSelection {
                names: of_all.algorithms.unwrap_or_default(),
                segments: segments.map(|segments| segments.sizes()),
            },
            root: root.and_then(|option| option.root).map(Processor),
            procs: of_all.procs,
            sizes: sizes.map(|option| option.size.iter().collect()).unwrap_or_default(),
        };
        let queries = request.queries(&model).map_err(|error| refusal::failure(error, path))?;
        print(&queries, (&model, path), of_all.explanation.explain, of_all.common.format)
    }
}

/// Arguments of a message.
#[derive(Debug, Args)]
pub struct MessageArguments {
    #[command(flatten)]
    common: Common,
    /// Rank that sends
    #[arg(long, value_name = "RANK", allow_negative_numbers = true, default_value_t = 0)]
    from: u32,
    /// Rank that receives
    #[arg(long, value_name = "RANK", allow_negative_numbers = true, default_value_t = 1)]
    to: u32,
    /// Message sizes: 4K, 1K..1M (doubling), 1K..64K:4K (stepping)
    #[arg(long, value_name = "SIZES", allow_negative_numbers = true, default_value = "1K..32K")]
    size: SizeList,
    #[command(flatten)]
    communication: Communication,
    #[command(flatten)]
    explanation: Explanation,
    #[command(flatten)]
    load: PresentLoad,
}

impl MessageArguments {
    /// Prints predictions.
    pub fn run(self) -> anyhow::Result<()> {
        let path = &self.common.model;
        let (model, _) = self.load.apply(samples::model(path)?, path)?;
        let request = MessageRequest {
            models: self.communication.models.list(),
            from: Processor(self.from),
            to: Processor(self.to),
            sizes: self.size.iter().collect(),
        };
        let queries = request.queries(&model).map_err(|error| refusal::failure(error, path))?;
        print(&queries, (&model, path), self.explanation.explain, self.common.format)
    }
}

/// Prints the predictions of queries, and their terms if they are explained.
pub fn print(
    queries: &Queries,
    (model, path): (&Model, &Path),
    is_explained: bool,
    format: Format,
) -> anyhow::Result<()> {
    let answers = queries.answers(model).map_err(|error| refusal::failure(error, path))?;
    let rows: Vec<Prediction> = answers.iter().map(|(prediction, _)| prediction.clone()).collect();
    if is_explained {
        output::print_all(&[predictions(&rows), critical_path(&answers)], format)
    } else {
        output::print(&predictions(&rows), format)
    }
}
