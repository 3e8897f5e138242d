use std::path::PathBuf;

use clap::Args;
use orrery::platform::Processor;
use orrery::request::OrderRequest;
use orrery::schedule::{Algorithm, CollectiveKind};
use orrery::units::SizeList;
use orrery_report::tables::orders;

use crate::output::{self, Format};
use crate::refusal;
use crate::verbs::kinds::{self, Kinds};
use crate::verbs::per_host::PerHost;
use crate::verbs::samples;

/// Arguments of `orrery choose order`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  orrery choose order model.json --operation bcast --algorithm binomial --size 64K
  orrery choose order model.json --operation gather --algorithm binomial --root 3 --size 1K..1M \
  --models lmo")]
pub struct OrderArguments {
    /// Model file
    #[arg(value_name = "MODEL")]
    model: PathBuf,
    /// Operation: scatter, gather, allgather, alltoall, bcast, reduce, allreduce,
    /// reduce-scatter, scan, exscan or barrier
    #[arg(long, value_name = "NAME")]
    operation: CollectiveKind,
    /// Algorithm, such as binomial or knomial-4:8K
    #[arg(long, value_name = "ALGORITHM")]
    algorithm: Algorithm,
    /// Rank of the root, which keeps its processor [default: 0]
    #[arg(long, value_name = "RANK", allow_negative_numbers = true)]
    root: Option<u32>,
    /// Number of processors that take part [default: all]
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    procs: Option<usize>,
    #[command(flatten)]
    per_host: PerHost,
    /// Block sizes of one processor, or sizes of the vector of bcast, reduce, allreduce and scans
    #[arg(long, value_name = "SIZES", default_value = "1K..1M")]
    size: SizeList,
    #[arg(long, value_name = "LIST", default_value = "all", help = kinds::model_help())]
    models: Kinds,
    /// Output format
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

impl OrderArguments {
    /// Prints the order of processors with the shortest time.
    pub fn run(self) -> anyhow::Result<()> {
        let model = self.per_host.of(samples::model(&self.model)?, &self.model)?;
        let request = OrderRequest {
            operation: self.operation,
            algorithm: self.algorithm,
            models: self.models.list(),
            root: self.root.map(Processor),
            procs: self.procs,
            sizes: self.size.iter().collect(),
        };
        let rows = request.orders(&model).map_err(|error| refusal::failure(error, &self.model))?;
        output::print(&orders(&rows, &model.hosts), self.format)
    }
}
