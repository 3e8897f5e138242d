use std::path::PathBuf;
use std::str::FromStr;

use anyhow::Context as _;
use clap::Args;
use orrery::collective::{Candidate, CollectiveChoice, choose};
use orrery::platform::Processor;
use orrery::schedule::{Algorithm, CollectiveKind};
use orrery::units::{Bytes, NumberList};
use orrery_report::tables::{CollectiveRanges, collective_choices};

use crate::context::Usage;
use crate::output::{self, Format};
use crate::verbs::algorithms::AlgorithmOptions;
use crate::verbs::kinds::{self, Kinds};
use crate::verbs::{given, ranges, samples};

/// Arguments of `orrery choose collective`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  orrery choose collective model.json --operation scatter --size 1..4M
  orrery choose collective model.json --operation gather --root all --procs 4,8,16 --models lmo --format csv")]
pub struct Collective {
    /// Model file
    #[arg(value_name = "MODEL")]
    model: PathBuf,
    /// Operation: scatter, gather, allgather, alltoall, bcast, reduce, allreduce, reduce-scatter, scan, exscan or barrier
    #[arg(long, value_name = "NAME")]
    operation: CollectiveKind,
    /// Candidates for the root, separated by commas: all, or ranks; the fastest is chosen
    #[arg(long, value_name = "LIST", default_value = "0")]
    root: Roots,
    /// Numbers of processors: 8, 2..16, 4,8,16 [default: all processors]
    #[arg(long, value_name = "LIST")]
    procs: Option<NumberList>,
    /// Range of block sizes of one processor, or of sizes of the vector of bcast, reduce, allreduce and scans: 1..4M
    #[arg(long, value_name = "FROM..TO", default_value = "1..4M", value_parser = ranges::sizes)]
    size: (Bytes, Bytes),
    #[command(flatten)]
    algorithms: AlgorithmOptions,
    /// Accuracy of the sizes at which the choice changes
    #[arg(long, value_name = "BYTES", default_value = "1")]
    step: Bytes,
    /// Name the fastest algorithm at each size, even if another one cannot be told apart from it; by default such sizes share a range
    #[arg(long)]
    exact: bool,
    /// Algorithm in use, which is kept unless another one is faster beyond doubt
    #[arg(long, value_name = "ALGORITHM", conflicts_with = "exact")]
    keep: Option<Algorithm>,
    #[arg(long, value_name = "LIST", default_value = "all", help = kinds::model_help())]
    models: Kinds,
    /// Output format
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

/// The roots in a list on the command line; `None` for all.
#[derive(Debug, Clone)]
struct Roots(Option<Vec<String>>);

impl FromStr for Roots {
    type Err = String;

    fn from_str(list: &str) -> Result<Self, String> {
        Ok(Self((list != "all").then(|| list.split(',').map(|word| word.trim().to_owned()).collect())))
    }
}

impl Roots {
    /// The roots among this number of processors.
    fn of(&self, procs: usize) -> Result<Vec<Processor>, Usage> {
        match &self.0 {
            None => Ok(Processor::first(procs).collect()),
            Some(list) => list.iter().map(|word| ranges::rank("--root", word, procs)).collect(),
        }
    }
}

impl Collective {
    /// Prints the fastest algorithm and root by block size.
    pub fn run(self) -> anyhow::Result<()> {
        let model = samples::model(&self.model)?;
        given::needs_communication(&model, &self.model)?;
        let place = || self.model.display().to_string();
        let operation = self.operation;
        if self.size.0 == Bytes::ZERO || self.step == Bytes::ZERO {
            return Err(Usage("--size and --step must be at least 1 byte".into()).into());
        }
        let mut all = Vec::new();
        for procs in self.procs(model.processors())? {
            let algorithms = self.algorithms.of(operation, procs)?;
            let roots = if operation.has_root() { self.root.of(procs)? } else { vec![Processor(0)] };
            let of_root = |&root: &Processor| {
                algorithms.iter().map(move |&algorithm| Candidate { algorithm, root }).collect::<Vec<_>>()
            };
            let candidates: Vec<Candidate> = roots.iter().flat_map(of_root).collect();
            let kept = self.kept(&candidates)?;
            let (sizes, step, merges) = (self.size, self.step.get(), !self.exact);
            let choice = CollectiveChoice { operation, procs, candidates, sizes, step, merges, kept };
            for kind in self.models.of(&model) {
                let ranges = choose(&model, kind, &choice).with_context(place)?;
                all.push(CollectiveRanges { model: kind, operation, procs, ranges });
            }
        }
        output::print(&collective_choices(&all), self.format)
    }

    /// The candidate in use.
    fn kept(&self, candidates: &[Candidate]) -> Result<Option<Candidate>, Usage> {
        let Some(keep) = self.keep else { return Ok(None) };
        let found = candidates.iter().find(|candidate| candidate.algorithm == keep).copied();
        found.map(Some).ok_or_else(|| Usage(format!("--keep {keep}: it is not among the algorithms to choose from")))
    }

    /// The numbers of processors; by default that of the model.
    fn procs(&self, processors: usize) -> Result<Vec<usize>, Usage> {
        let Some(list) = &self.procs else { return Ok(vec![processors]) };
        let whole = |number: &f64| {
            let procs = if number.fract() == 0.0 && *number >= 0.0 { *number as usize } else { 0 };
            ranges::procs(procs, processors).map(|()| procs)
        };
        list.as_slice().iter().map(whole).collect()
    }
}
