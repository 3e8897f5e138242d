use std::path::PathBuf;
use std::str::FromStr;

use anyhow::Context as _;
use clap::Args;
use orrery::collective::measured::{KeepDefault, Selection};
use orrery::collective::{Candidate, CollectiveChoice, choose, split_candidate};
use orrery::model::Model;
use orrery::platform::Processor;
use orrery::sample::Library;
use orrery::schedule::{Algorithm, CollectiveKind};
use orrery::units::{Bytes, NumberList};
use orrery_report::tables::{CollectiveRanges, collective_choices};

use super::measured::MeasuredChoice;
use crate::context::{Context, Usage};
use crate::output::{self, Format};
use crate::verbs::algorithms::AlgorithmOptions;
use crate::verbs::kinds::{self, Kinds};
use crate::verbs::per_host::PerHost;
use crate::verbs::{given, ranges, samples};

/// Arguments of `orrery choose collective`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  orrery choose collective model.json --operation scatter --size 1..4M
  orrery choose collective model.json --operation bcast,allreduce --procs 2..64
  orrery choose collective model.json --operation bcast --library ompi
  orrery choose collective model.json --operation gather --root all --procs 4,8,16 --models lmo \
  --format csv
  orrery choose collective collectives.csv --operation bcast")]
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
    /// Numbers of processors: 8, 2..16, 4,8,16 [default: all processors]
    #[arg(long, value_name = "LIST")]
    procs: Option<NumberList>,
    #[command(flatten)]
    per_host: PerHost,
    /// Range of block sizes of one processor, or of sizes of the vector of bcast, reduce, allreduce
    /// and scans [default: 1..4M; with samples: all]
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

/// The largest number of processors of samples.
const MAX_PROCESSORS: usize = 1 << 20;

/// The roots in a list on the command line; `None` for all.
#[derive(Debug, Clone)]
struct Roots(Option<Vec<String>>);

impl FromStr for Roots {
    type Err = String;

    fn from_str(list: &str) -> Result<Self, String> {
        Ok(Self(
            (list != "all").then(|| list.split(',').map(|word| word.trim().to_owned()).collect()),
        ))
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
    /// Prints the choices by size.
    pub fn run(self, context: Context) -> anyhow::Result<()> {
        if samples::are_samples(&self.file) { self.by_samples(context) } else { self.by_model() }
    }

    /// Prints the choices by measured times.
    fn by_samples(self, context: Context) -> anyhow::Result<()> {
        let given = [
            ("--models", self.models.is_some()),
            ("--ppn", self.per_host.is_given()),
            ("--step", self.step.is_some()),
            ("--exact", self.exact),
            ("--keep", self.keep.is_some()),
            ("--algorithms and --segments", self.algorithms.is_given()),
            ("--library", self.library.is_some()),
        ];
        if let Some((option, _)) = given.iter().find(|(_, is_given)| *is_given) {
            return Err(Usage(format!(
                "{option}: not with samples, whose algorithms and sizes are those measured"
            ))
            .into());
        }
        let procs = match self.procs(MAX_PROCESSORS)?[..] {
            [MAX_PROCESSORS] if self.procs.is_none() => None,
            [procs] => Some(procs),
            _ => {
                return Err(
                    Usage("--procs: name one number of processors with samples".into()).into()
                );
            }
        };
        let root = match self
            .root
            .as_ref()
            .map(|roots| roots.of(procs.unwrap_or(MAX_PROCESSORS)))
            .transpose()?
            .as_deref()
        {
            None => None,
            Some([root]) => Some(*root),
            Some(_) => return Err(Usage("--root: name one root with samples".into()).into()),
        };
        let selection = Selection { operations: self.operation, procs, root };
        let keep = if self.certain { KeepDefault::UnlessSlower } else { KeepDefault::IfFaster };
        MeasuredChoice {
            samples: self.file,
            selection,
            sizes: self.size,
            keep,
            format: self.format,
        }
        .run(context)
    }

    /// Prints the fastest algorithm and root by a model.
    fn by_model(self) -> anyhow::Result<()> {
        let model = samples::model(&self.file)?;
        given::needs_communication(&model, &self.file)?;
        let model = self.per_host.of(model, &self.file)?;
        let place = || self.file.display().to_string();
        if self.certain {
            return Err(Usage(
                "--certain: only with samples, which contain the library's own choice".into(),
            )
            .into());
        }
        let (size, step) = (
            self.size.unwrap_or(CollectiveChoice::DEFAULT_SIZES),
            self.step.unwrap_or(Bytes::new(1)),
        );
        if size.0 == Bytes::ZERO || step == Bytes::ZERO {
            return Err(Usage("--size and --step must be at least 1 byte".into()).into());
        }
        let operations =
            if self.operation.is_empty() { &CollectiveKind::ALL[..] } else { &self.operation[..] };
        let procs = self.procs(model.processors())?;
        // All options are checked before the first choice, which may take long.
        let mut choices = Vec::new();
        for (&operation, &procs) in operations
            .iter()
            .flat_map(|operation| procs.iter().map(move |procs| (operation, procs)))
        {
            choices.push(self.choice(&model, operation, procs, (size, step))?);
        }
        let kinds = self.models.as_ref().map_or_else(|| model.kinds(), |kinds| kinds.of(&model));
        let mut all = Vec::new();
        for of_operation in choices.chunks(procs.len()) {
            for (&kind, choice) in
                kinds.iter().flat_map(|kind| of_operation.iter().map(move |choice| (kind, choice)))
            {
                let ranges = choose(&model, kind, choice).with_context(place)?;
                all.push(CollectiveRanges {
                    model: kind,
                    operation: choice.operation,
                    library: choice.library,
                    procs: choice.procs,
                    ranges,
                });
            }
        }
        output::print(&collective_choices(&all), self.format)
    }

    /// The choice for an operation of some processors.
    fn choice(
        &self,
        model: &Model,
        operation: CollectiveKind,
        procs: usize,
        (sizes, step): ((Bytes, Bytes), Bytes),
    ) -> Result<CollectiveChoice, Usage> {
        let algorithms = match self.library {
            None => self.algorithms.candidates(operation, procs, sizes.1)?,
            Some(library) => self.algorithms.of_library(library, operation, procs)?,
        };
        let roots = match &self.root {
            Some(roots) if operation.has_root() => roots.of(procs)?,
            _ => vec![Processor(0)],
        };
        // A library divides no linear operation.
        let is_linear = algorithms.contains(&Algorithm::Linear) && self.library.is_none();
        let of_root = |&root: &Processor| {
            let named = algorithms.iter().map(|&algorithm| Candidate { algorithm, root });
            let split = split_candidate(model, operation, procs, root).filter(|_| is_linear);
            named
                .chain(split.filter(|split| !algorithms.contains(&split.algorithm)))
                .collect::<Vec<_>>()
        };
        let candidates: Vec<Candidate> = roots.iter().flat_map(of_root).collect();
        let kept = self.kept(&candidates)?;
        let (library, step, merges) = (self.library, step.get(), !self.exact);
        Ok(CollectiveChoice { operation, library, procs, candidates, sizes, step, merges, kept })
    }

    /// The candidate in use.
    fn kept(&self, candidates: &[Candidate]) -> Result<Option<Candidate>, Usage> {
        let Some(keep) = self.keep else { return Ok(None) };
        let found = candidates.iter().find(|candidate| candidate.algorithm == keep).copied();
        found.map(Some).ok_or_else(|| {
            Usage(format!("--keep {keep}: it is not among the algorithms to choose from"))
        })
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
