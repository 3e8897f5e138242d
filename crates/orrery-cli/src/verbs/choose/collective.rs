use std::path::PathBuf;

use clap::Args;
use orrery::platform::Processor;
use orrery::request::{CollectiveChoiceRequest, OrderRequest, Roots};
use orrery::sample::Library;
use orrery::schedule::{Algorithm, CollectiveKind};
use orrery::units::{Bytes, SizeList};
use orrery_report::tables::{collective_choices, measured_choices, orders};

use crate::context::{Context, warn};
use crate::output::{self, Format};
use crate::verbs::algorithms::AlgorithmOptions;
use crate::verbs::kinds::{self, Kinds};
use crate::verbs::per_host::PerHost;
use crate::verbs::whole_numbers::WholeNumbers;
use crate::verbs::{ranges, samples};
use crate::{applies, refusal};

/// Arguments of `orrery choose collective`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  orrery choose collective model.json --operation scatter --size 1..4M
  orrery choose collective model.json --operation bcast,allreduce --procs 2..64
  orrery choose collective model.json --operation bcast --library ompi
  orrery choose collective model.json --operation gather --root all --procs 4,8,16 --models lmo \
  --format csv
  orrery choose collective collectives.csv --operation bcast
  orrery choose collective collectives.csv --operation bcast --procs 96 --size 4K..1M")]
pub struct Collective {
    /// Model file, or samples of collective operations by algorithm
    #[arg(value_name = "MODEL|SAMPLES")]
    file: PathBuf,
    /// Operations, separated by commas: scatter, gather, allgather, alltoall, bcast, reduce,
    /// allreduce, reduce-scatter, scan, exscan, barrier [default: all]
    #[arg(long, alias = "operations", value_name = "LIST", value_delimiter = ',')]
    operation: Vec<CollectiveKind>,
    /// Candidates for the root, separated by commas: all, or ranks; the fastest is chosen [default:
    /// 0; with samples: the only one]
    #[arg(long, value_name = "LIST")]
    root: Option<Roots>,
    /// Numbers of processors: 8, 2..16, 4,8,16; with samples a single one, within a factor of 2 of
    /// measured ones [default: all processors]
    #[arg(long, value_name = "LIST")]
    procs: Option<WholeNumbers>,
    #[command(flatten)]
    per_host: PerHost,
    /// Range of block sizes of one processor, or of sizes of the vector of bcast, reduce, allreduce
    /// and scans; with samples the measured ones inside and both ends [default: 1..4M; with
    /// samples: all]
    #[arg(long, value_name = "FROM..TO", value_parser = ranges::sizes)]
    size: Option<(Bytes, Bytes)>,
    #[command(flatten)]
    algorithms: AlgorithmOptions,
    /// Choose among the algorithms that this MPI library can be forced to use, with a model, by its
    /// measured corrections: ompi [default: the messages of Orrery]
    #[arg(long, value_name = "LIBRARY")]
    library: Option<Library>,
    /// Accuracy of the sizes at which the choice changes, with a model [default: 1]
    #[arg(long, value_name = "BYTES")]
    step: Option<Bytes>,
    /// Name the fastest algorithm at each size, with a model, even if another one cannot be told
    /// apart from it; by default such sizes share a range
    #[arg(long)]
    exact: bool,
    /// Algorithm in use, which is kept, with a model, unless another one is faster beyond doubt
    #[arg(long, value_name = "ALGORITHM", conflicts_with = "exact")]
    keep: Option<Algorithm>,
    #[arg(long, value_name = "LIST", help = kinds::model_help())]
    models: Option<Kinds>,
    /// Keep the library's own choice, with samples, unless an interval excludes that it is faster
    #[arg(long)]
    certain: bool,
    /// Output format
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

impl Collective {
    /// Prints the choices by size.
    pub fn run(self, context: Context) -> anyhow::Result<()> {
        let failure = |error| refusal::failure(error, &self.file);
        if samples::are_samples(&self.file) {
            applies::refuse(&["--ppn"], "samples")?;
            let samples = samples::read(context, std::slice::from_ref(&self.file))?;
            let found = self.request().by_samples(&samples).map_err(failure)?;
            for (kind, error) in &found.out_of_reach {
                warn(format_args!("no choice for {kind}: {error}"));
            }
            return output::print(&measured_choices(&found.choices), self.format);
        }
        let model = self.per_host.of(samples::model(&self.file)?, &self.file)?;
        let found = self.request().by_model(&model).map_err(failure)?;
        output::print(&collective_choices(&found), self.format)
    }

    /// The request of these options.
    fn request(&self) -> CollectiveChoiceRequest {
        let procs = self.procs.iter().flat_map(|list| &list.0);
        CollectiveChoiceRequest {
            operations: self.operation.clone(),
            models: self.models.as_ref().map(Kinds::list).unwrap_or_default(),
            library: self.library,
            algorithms: self.algorithms.selection(),
            root: self.root.clone().unwrap_or_default(),
            procs: procs.map(|number| *number as usize).collect(),
            sizes: self.size,
            step: self.step,
            exact: self.exact,
            keep: self.keep,
            certain: self.certain,
        }
    }
}

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
    /// [default: 1K..1M; barriers have none]
    #[arg(long, value_name = "SIZES")]
    size: Option<SizeList>,
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
        let usual = || "1K..1M".parse().expect("a list of sizes");
        let sizes = self.size.or_else(|| (self.operation != CollectiveKind::Barrier).then(usual));
        let request = OrderRequest {
            operation: self.operation,
            algorithm: self.algorithm,
            models: self.models.list(),
            root: self.root.map(Processor),
            procs: self.procs,
            sizes: sizes.iter().flat_map(SizeList::iter).collect(),
        };
        let rows = request.orders(&model).map_err(|error| refusal::failure(error, &self.model))?;
        output::print(&orders(&rows, &model.hosts), self.format)
    }
}
