use std::path::PathBuf;

use anyhow::Context as _;
use clap::Args;
use orrery::collective::order;
use orrery::schedule::{Algorithm, Collective, CollectiveKind, Rank};
use orrery::units::SizeList;
use orrery_report::tables::{OrderRow, orders};

use crate::context::Usage;
use crate::output::{self, Format};
use crate::verbs::algorithms::AlgorithmOptions;
use crate::verbs::kinds::{self, Kinds};
use crate::verbs::per_host::PerHost;
use crate::verbs::{given, ranges, samples};

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
    /// Operation
    #[arg(long, value_name = "NAME")]
    operation: CollectiveKind,
    /// Algorithm, such as binomial or knomial-4:8K
    #[arg(long, value_name = "ALGORITHM")]
    algorithm: Algorithm,
    /// Root, whose processor stays
    #[arg(long, value_name = "RANK", default_value = "0", allow_negative_numbers = true)]
    root: String,
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
        let model = samples::model(&self.model)?;
        given::needs_communication(&model, &self.model)?;
        let model = self.per_host.of(model, &self.model)?;
        let place = || self.model.display().to_string();
        let (kind, algorithm) = (self.operation, self.algorithm);
        let ranks = self.procs.unwrap_or(model.processors());
        ranges::procs(ranks, model.processors())?;
        let root = Rank(ranges::rank("--root", &self.root, ranks)?.0);
        if !kind.has_root() && root != Rank(0) {
            return Err(Usage(format!("--root does not apply to {kind}, which has no root")).into());
        }
        AlgorithmOptions::single(algorithm).of(kind, ranks)?;
        let mut rows = Vec::new();
        for of in self.models.of(&model) {
            for block in self.size.iter() {
                let collective = Collective { kind, algorithm, root, ranks, block };
                let found = order(&model, of, &collective).with_context(place)?;
                rows.push(OrderRow { model: of, collective, found });
            }
        }
        output::print(&orders(&rows, &model.hosts), self.format)
    }
}
