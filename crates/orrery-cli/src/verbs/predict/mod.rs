mod application;

use std::path::PathBuf;

use anyhow::Context as _;
use clap::{Args, ValueEnum};
use orrery::comm::Predicted;
use orrery::model::{Prediction, Predictor, Query};
use orrery::sample::Experiment;
use orrery::schedule::{Algorithm, CollectiveKind};
use orrery::units::{Bytes, SizeList};
use orrery_report::tables::{critical_path, predictions};

use self::application::Query as ApplicationQuestion;
use super::kinds::{self, Algorithms, Kinds};
use super::{ranges, samples};
use crate::context::Usage;
use crate::output::{self, Format};

/// Arguments of `orrery predict`.
#[derive(Debug, Args)]
pub struct Predict {
    /// The model file
    #[arg(value_name = "MODEL")]
    model: PathBuf,
    /// The operation
    operation: Operation,
    /// The sender of p2p [default: 0]
    #[arg(long, value_name = "RANK", allow_negative_numbers = true)]
    from: Option<String>,
    /// The receiver of p2p [default: 1]
    #[arg(long, value_name = "RANK", allow_negative_numbers = true)]
    to: Option<String>,
    /// The root of a collective operation [default: 0]
    #[arg(long, value_name = "RANK", allow_negative_numbers = true)]
    root: Option<String>,
    /// How many processors take part in a collective operation [default: all]
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    procs: Option<usize>,
    /// Predict these algorithms of a collective operation: all, or some with commas between [default: all]
    #[arg(long, value_name = "all|LIST")]
    algorithm: Option<Algorithms>,
    /// The sizes of the message, or of the block of one processor: 4K, 1K..1M (doubling), 1K..64K:4K (stepping)
    #[arg(long, value_name = "SIZES", allow_negative_numbers = true, default_value = "1K..32K")]
    size: SizeList,
    #[arg(long, value_name = "LIST", default_value = "all", help = kinds::model_help())]
    models: Kinds,
    #[command(flatten)]
    application: ApplicationQuestion,
    /// Say which terms, of which processors and links, make up the time
    #[arg(long)]
    explain: bool,
    /// How to write it
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Operation {
    /// One message
    P2p,
    /// The root sends a block of its own to each rank
    Scatter,
    /// The root receives a block from each rank
    Gather,
    /// A run of an application
    Application,
}

impl Predict {
    pub fn run(self) -> anyhow::Result<()> {
        let model = samples::model(&self.model)?;
        if self.operation == Operation::Application {
            let of_messages = [&self.from, &self.to, &self.root].into_iter().any(Option::is_some);
            if self.explain || of_messages || self.procs.is_some() || self.algorithm.is_some() {
                let words = "--explain, --from, --to, --root, --procs and --algorithm do not go with application";
                return Err(Usage(words.into()).into());
            }
            return self.application.answer(&model, &self.model, self.format);
        }
        if self.application.is_asked() {
            return Err(Usage(
                "--n, --p, --q, --processes, --block, --set and --configuration go with application".into(),
            )
            .into());
        }
        if model.kinds().is_empty() {
            let place = self.model.display();
            return Err(Usage(format!("{place}: there is no communication model in it; ask for application")).into());
        }
        let mut answers: Vec<(Prediction, Predicted)> = Vec::new();
        let queries = self.queries(model.processors())?;
        for kind in self.models.of(&model) {
            let place = || self.model.display().to_string();
            let mut predictor = Predictor::new(&model, kind).with_context(place)?;
            for query in &queries {
                answers.push(predictor.explain(query).with_context(place)?);
            }
        }
        let rows: Vec<Prediction> = answers.iter().map(|(prediction, _)| *prediction).collect();
        if !self.explain {
            return output::print(&predictions(&rows), self.format);
        }
        let mut tables = vec![predictions(&rows)];
        tables.push(critical_path(&answers));
        output::print_all(&tables, self.format)
    }

    fn queries(&self, processors: usize) -> Result<Vec<Query>, Usage> {
        let kind = match self.operation {
            Operation::P2p | Operation::Application => return self.messages(processors),
            Operation::Scatter => CollectiveKind::Scatter,
            Operation::Gather => CollectiveKind::Gather,
        };
        if self.from.is_some() || self.to.is_some() {
            return Err(Usage("--from and --to go with p2p; a collective operation has a --root".into()));
        }
        let procs = self.procs.unwrap_or(processors);
        ranges::procs(procs, processors)?;
        let root = ranges::rank("--root", self.root.as_deref().unwrap_or("0"), procs)?;
        let algorithms = self.algorithm.as_ref().map_or(&Algorithm::ALL[..], Algorithms::list);
        let query = |algorithm, size| Query::Experiment(Experiment::Collective { kind, algorithm, root, procs, size });
        Ok(algorithms.iter().flat_map(|&a| self.size.iter().map(move |size| query(a, size))).collect())
    }

    fn messages(&self, processors: usize) -> Result<Vec<Query>, Usage> {
        if self.root.is_some() || self.procs.is_some() || self.algorithm.is_some() {
            return Err(Usage(
                "--root, --procs and --algorithm go with collective operations; p2p has --from and --to".into(),
            ));
        }
        let from = ranges::rank("--from", self.from.as_deref().unwrap_or("0"), processors)?;
        let to = ranges::rank("--to", self.to.as_deref().unwrap_or("1"), processors)?;
        if from == to {
            return Err(Usage(format!("--from {from} --to {to}: a message to oneself costs nothing; name two ranks")));
        }
        let query = |size: Bytes| Query::PointToPoint { from, to, size };
        Ok(self.size.iter().map(query).collect())
    }
}
