mod application;
mod kernel;
mod redistribution;
pub mod routine;
mod subject;

use std::path::PathBuf;

use anyhow::Context as _;
use clap::{Args, ValueEnum};
use orrery::comm::Predicted;
use orrery::kernel::Precision;
use orrery::model::{CollectiveAlgorithm, Model, Prediction, Predictor, Query};
use orrery::routine::RedistributionCall;
use orrery::sample::Library;
use orrery::schedule::CollectiveKind;
use orrery::units::{Bytes, SizeList};
use orrery_report::tables::{critical_path, predictions};

use self::application::Query as ApplicationQuery;
use self::kernel::KernelQuery;
use self::redistribution::Redistributions;
use self::routine::{RoutineDimensions, RoutineQuery};
use self::subject::{Subject, subjects};
use super::algorithms::AlgorithmOptions;
use super::kinds::{self, Kinds};
use super::load::LoadOptions;
use super::per_host::PerHost;
use super::{ranges, samples};
use crate::context::Usage;
use crate::output::{self, Format};

/// Arguments of `orrery predict`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  orrery predict model.json bcast --size 1K..1M --segments 8K,64K
  orrery predict model.json bcast --size 1K..1M --library ompi --algorithms binomial
  orrery predict model.json dgemm --m 1000 --n 1000 --k 64..512:64
  orrery predict model.json pdgemm --n 1024,2048 --grid 2x2,1x4 --block 64
  orrery predict model.json pdgemr2d --n 1024 --grid 2x2 --to 1x4
  orrery predict model.json pdgemm --n 1024 --grid 2x2 --availability n1=0.5,n3=0.8
  orrery predict model.json pdgemm --n 1024 --grid 2x2 --now http://127.0.0.1:7410
  orrery predict app.json application --n 9600 --configuration athlon=1x2,pentium-ii=8x1")]
pub struct Predict {
    /// Model file
    #[arg(value_name = "MODEL")]
    model: PathBuf,
    /// Operation, kernel or parallel routine to predict
    #[arg(value_name = "OPERATION|KERNEL|ROUTINE", value_parser = subjects())]
    operation: Subject,
    /// Sender of p2p [default: 0]
    #[arg(long, value_name = "RANK", allow_negative_numbers = true)]
    from: Option<String>,
    /// Receiver of p2p [default: 1]; grids of pdgemr2d after the copy, rows by columns: 1x4,4x1
    #[arg(long, value_name = "RANK|LIST", allow_negative_numbers = true)]
    to: Option<String>,
    /// Root of bcast, scatter, gather or reduce [default: 0]
    #[arg(long, value_name = "RANK", allow_negative_numbers = true)]
    root: Option<String>,
    /// Number of processors that take part in a collective operation [default: all]
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    procs: Option<usize>,
    #[command(flatten)]
    per_host: PerHost,
    #[command(flatten)]
    algorithms: AlgorithmOptions,
    /// Predict calls of this MPI library, each with a forced algorithm, by its measured
    /// corrections: ompi [default: the messages of Orrery]
    #[arg(long, value_name = "LIBRARY")]
    library: Option<Library>,
    /// Message sizes of p2p, block sizes of one processor, or sizes of the vector of bcast, reduce,
    /// allreduce and scans: 4K, 1K..1M (doubling), 1K..64K:4K (stepping)
    #[arg(long, value_name = "SIZES", allow_negative_numbers = true, default_value = "1K..32K")]
    size: SizeList,
    #[arg(long, value_name = "LIST", default_value = "all", help = kinds::model_help())]
    models: Kinds,
    #[command(flatten)]
    application: ApplicationQuery,
    #[command(flatten)]
    kernel: KernelQuery,
    #[command(flatten)]
    routine: RoutineQuery,
    #[command(flatten)]
    load: LoadOptions,
    /// Print the terms of the time along the critical path
    #[arg(long)]
    explain: bool,
    /// Output format
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

/// The operations that can be predicted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Operation {
    /// One message between two processors
    P2p,
    /// The root sends a block of its own to each rank
    Scatter,
    /// The root receives a block from each rank
    Gather,
    /// Each rank receives a block from each rank, the same for all
    Allgather,
    /// Each rank sends a block of its own to each rank
    Alltoall,
    /// No rank continues before all have begun
    Barrier,
    /// All ranks receive the vector of the root
    Bcast,
    /// The vectors of all ranks are combined at the root
    Reduce,
    /// The vectors of all ranks are combined at all ranks
    Allreduce,
    /// The vectors of all ranks are combined; each rank receives a block
    ReduceScatter,
    /// Each rank receives the combination of the vectors up to its own
    Scan,
    /// Each rank receives the combination of the vectors below its own
    Exscan,
    /// A run of an application
    Application,
}

impl Predict {
    /// Prints predictions.
    pub fn run(self) -> anyhow::Result<()> {
        let model = samples::model(&self.model)?;
        if self.load.is_given() && self.operation == Subject::Operation(Operation::Application) {
            let words = "--availability and --now do not apply to application: its runs were \
                measured under the load that they had";
            return Err(Usage(words.into()).into());
        }
        let (model, availability) = self.load.apply(model, &self.model)?;
        let operation = match self.operation {
            Subject::Operation(operation) => operation,
            Subject::Kernel(kernel) => {
                self.refuse_explain(&kernel.to_string())?;
                self.refuse_options_of_messages(&kernel.to_string())?;
                if self.application.is_given_besides_n() {
                    return Err(Usage(
                        "--p, --q, --processes, --block, --set and --configuration apply to \
                            application only"
                            .into(),
                    )
                    .into());
                }
                if self.routine.is_given() {
                    let words =
                        "--grid and --to-block apply to parallel routines only, such as pdgemm";
                    return Err(Usage(words.into()).into());
                }
                let n = self.application.n.as_ref();
                return self.kernel.print(
                    (&model, &self.model),
                    &availability,
                    kernel,
                    n,
                    self.format,
                );
            }
            Subject::Redistribution(precision) => return self.redistribution(&model, precision),
            Subject::Routine(routine) => {
                self.refuse_options_of_messages(&routine.to_string())?;
                self.routine.refuse_block_after(&routine.to_string())?;
                if self.application.is_given_besides_block() {
                    let words = "--p, --q, --processes, --set and --configuration apply to \
                        application only; use --grid";
                    return Err(Usage(words.into()).into());
                }
                let (m, k, variant) = self.kernel.parts();
                let (n, block) = (self.application.n.as_ref(), self.application.block.as_ref());
                let kernels = self.kernel.choice();
                let given = RoutineDimensions { m, n, k, block, variant, kernels, availability };
                let output = (self.explain, self.format);
                return self.routine.print(
                    (&model, &self.model),
                    routine,
                    &given,
                    &self.models,
                    output,
                );
            }
        };
        if self.kernel.is_given() || self.routine.is_given() || self.load.has_availability() {
            let words = "--m, --k, --variant, --host, --blas, --threads, --operands, \
                --availability, --grid, --to-block and --broadcast apply to \
                         kernels and parallel routines only, such as dgemm";
            return Err(Usage(words.into()).into());
        }
        if operation == Operation::Application {
            self.refuse_explain("application")?;
            self.refuse_options_of_messages("application")?;
            return self.application.print(&model, &self.model, self.format);
        }
        if self.application.is_given() {
            return Err(Usage(
                "--n, --p, --q, --processes, --block, --set and --configuration apply to \
                    application only"
                    .into(),
            )
            .into());
        }
        if model.kinds().is_empty() {
            let place = self.model.display();
            return Err(Usage(format!(
                "{place}: this file has no communication model; predict application instead"
            ))
            .into());
        }
        let model = self.per_host.of(model, &self.model)?;
        let mut answers: Vec<(Prediction, Predicted)> = Vec::new();
        let queries = self.queries(operation, model.processors())?;
        for kind in self.models.of(&model) {
            let place = || self.model.display().to_string();
            let mut predictor = Predictor::new(&model, kind).with_context(place)?;
            for query in &queries {
                answers.push(predictor.explain(query).with_context(place)?);
            }
        }
        let rows: Vec<Prediction> =
            answers.iter().map(|(prediction, _)| prediction.clone()).collect();
        if !self.explain {
            return output::print(&predictions(&rows), self.format);
        }
        let mut tables = vec![predictions(&rows)];
        tables.push(critical_path(&answers));
        output::print_all(&tables, self.format)
    }

    /// Prints predictions of redistributions.
    fn redistribution(&self, model: &Model, precision: Precision) -> anyhow::Result<()> {
        let name = RedistributionCall::name(precision);
        if self.explain || self.is_of_messages_besides_to() {
            let words = "--explain, --from, --root, --procs, --ppn, --algorithms, --segments and \
                --library do not apply to";
            return Err(Usage(format!("{words} {name}")).into());
        }
        if self.application.is_given_besides_block() {
            let words = "--p, --q, --processes, --set and --configuration apply to application \
                only; use --grid and --to";
            return Err(Usage(words.into()).into());
        }
        let (m, k, variant) = self.kernel.parts();
        if k.is_some()
            || variant.is_some()
            || self.kernel.names_kernels()
            || self.load.has_availability()
        {
            let words = "--k, --variant, --host, --blas, --threads, --operands and --availability \
                do not apply to";
            return Err(Usage(format!("{words} {name}")).into());
        }
        let (n, block) = (self.application.n.as_ref(), self.application.block.as_ref());
        self.routine.refuse_broadcast(&name)?;
        let (from, to_block) = self.routine.parts();
        let query =
            Redistributions { precision, m, n, from, block, to: self.to.as_deref(), to_block };
        query.print((model, &self.model), &self.models, self.format)
    }

    /// Refuses to explain predictions without a critical path.
    fn refuse_explain(&self, subject: &str) -> Result<(), Usage> {
        if self.explain {
            return Err(Usage(format!(
                "--explain does not apply to {subject}, which has no critical path"
            )));
        }
        Ok(())
    }

    /// Refuses options that apply to messages and collective operations.
    fn refuse_options_of_messages(&self, subject: &str) -> Result<(), Usage> {
        if self.to.is_some() || self.is_of_messages_besides_to() {
            return Err(Usage(format!(
                "--from, --to, --root, --procs, --ppn, --algorithms, --segments and --library do \
                    not apply to {subject}"
            )));
        }
        Ok(())
    }

    /// Returns true if an option is given that applies to messages and collective operations only,
    /// besides `--to`.
    fn is_of_messages_besides_to(&self) -> bool {
        let of_messages = self.from.is_some() || self.root.is_some();
        let of_collectives =
            self.procs.is_some() || self.per_host.is_given() || self.is_of_algorithms();
        of_messages || of_collectives
    }

    /// Returns true if an option selects algorithms.
    const fn is_of_algorithms(&self) -> bool {
        self.algorithms.is_given() || self.library.is_some()
    }

    /// The queries for messages or collective operations.
    fn queries(&self, operation: Operation, processors: usize) -> Result<Vec<Query>, Usage> {
        let kind = match operation {
            Operation::P2p | Operation::Application => return self.messages(processors),
            Operation::Scatter => CollectiveKind::Scatter,
            Operation::Gather => CollectiveKind::Gather,
            Operation::Allgather => CollectiveKind::Allgather,
            Operation::Alltoall => CollectiveKind::Alltoall,
            Operation::Barrier => CollectiveKind::Barrier,
            Operation::Bcast => CollectiveKind::Broadcast,
            Operation::Reduce => CollectiveKind::Reduce,
            Operation::Allreduce => CollectiveKind::Allreduce,
            Operation::ReduceScatter => CollectiveKind::ReduceScatter,
            Operation::Scan => CollectiveKind::Scan,
            Operation::Exscan => CollectiveKind::Exscan,
        };
        if self.from.is_some() || self.to.is_some() {
            return Err(Usage(
                "--from and --to apply to p2p only; use --root for collective operations".into(),
            ));
        }
        let procs = self.procs.unwrap_or(processors);
        ranges::procs(procs, processors)?;
        let root = ranges::rank("--root", self.root.as_deref().unwrap_or("0"), procs)?;
        if self.root.is_some() && !kind.has_root() {
            return Err(Usage(format!("--root does not apply to {kind}, which has no root")));
        }
        let library = self.library;
        let algorithms = match library {
            None => self.algorithms.of(kind, procs)?,
            Some(library) => self.algorithms.of_library(library, kind, procs)?,
        };
        let query = |algorithm, size| {
            let algorithm = CollectiveAlgorithm { operation: kind, library, algorithm };
            Query::Experiment(algorithm.experiment(root, procs, size))
        };
        let sizes: Vec<Bytes> = if kind == CollectiveKind::Barrier {
            vec![Bytes::ZERO]
        } else {
            self.size.iter().collect()
        };
        Ok(algorithms.iter().flat_map(|&a| sizes.iter().map(move |&size| query(a, size))).collect())
    }

    /// The queries for messages between two processors.
    fn messages(&self, processors: usize) -> Result<Vec<Query>, Usage> {
        let of_collectives =
            self.procs.is_some() || self.per_host.is_given() || self.is_of_algorithms();
        if self.root.is_some() || of_collectives {
            return Err(Usage(
                "--root, --procs, --ppn, --algorithms, --segments and --library apply to \
                    collective operations only; use --from and --to for p2p"
                    .into(),
            ));
        }
        let from = ranges::rank("--from", self.from.as_deref().unwrap_or("0"), processors)?;
        let to = ranges::rank("--to", self.to.as_deref().unwrap_or("1"), processors)?;
        if from == to {
            return Err(Usage(format!(
                "--from {from} --to {to}: sender and receiver must differ; name two ranks"
            )));
        }
        let query = |size: Bytes| Query::PointToPoint { from, to, size };
        Ok(self.size.iter().map(query).collect())
    }
}
