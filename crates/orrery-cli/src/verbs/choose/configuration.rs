//! `orrery choose configuration`.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, ValueEnum};
use orrery::request::{ChosenConfigurations, ConfigurationRequest};
use orrery::scaling::search::Objective;
use orrery::units::NumberList;
use orrery_report::tables::{choices, optimality_proofs};

use super::files::{Choice, WriteOptions};
use crate::context::Context;
use crate::output::{self, Format};
use crate::verbs::samples;
use crate::verbs::scaling::{input, warn_of_forecasts};
use crate::verbs::search_space::{self, SearchSpaceOptions, named};
use crate::{options, refusal};

/// Arguments of `orrery choose configuration`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  orrery choose configuration app.json --cluster cluster.toml --n 3200,9600
  orrery choose configuration app.json --cluster cluster.toml --n 9600 --objective cost --deadline \
  10m --write next")]
pub struct Configuration {
    /// Model file with an application model
    #[arg(value_name = "MODEL")]
    model: PathBuf,
    /// Cluster file with the hosts and the kinds of their processing elements
    #[arg(long, value_name = "CLUSTER")]
    cluster: PathBuf,
    /// Problem sizes: 9600, 3200..9600:1600
    #[arg(long, value_name = "LIST", allow_hyphen_values = true)]
    n: Option<NumberList>,
    /// Set another variable or a level of a category of the model, such as steps=100 or
    /// broadcast=2rM; may be repeated
    #[arg(long, value_name = "NAME=VALUE", value_parser = named)]
    set: Vec<(String, String)>,
    /// Quantity to minimize
    #[arg(long, value_enum, default_value_t)]
    objective: ObjectiveWord,
    /// Consider only configurations whose run takes at most this time: 90s, 10m, 2h [default:
    /// all]
    #[arg(long, value_name = "TIME", value_parser = options::duration)]
    deadline: Option<Duration>,
    #[command(flatten)]
    search_space: SearchSpaceOptions,
    /// Number of configurations to print
    #[arg(long, value_name = "COUNT", default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..=1000))]
    top: u32,
    /// Select the region of the program, if the model has several
    #[arg(long, value_name = "NAME")]
    region: Option<String>,
    /// Confidence level of the intervals and of "significantly worse"
    #[arg(long, value_name = "LEVEL", default_value_t = 0.95, value_parser = options::level)]
    level: f64,
    #[command(flatten)]
    files: WriteOptions,
    /// Replace existing files in this folder
    #[arg(long, requires = "write")]
    force: bool,
    /// Output format
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

/// The keyword of an [`Objective`].
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
enum ObjectiveWord {
    /// Time
    #[default]
    Time,
    /// Core-hours
    CoreHours,
    /// Cost by the prices in the cluster file
    Cost,
}

impl Configuration {
    /// Prints the best configurations and writes the input files of the first.
    pub fn run(self, context: Context) -> anyhow::Result<()> {
        let model = samples::model(&self.model)?;
        let cluster = input::cluster(context, &self.cluster)?;
        let n = self.n.as_ref().map(|list| list.as_slice().to_vec()).unwrap_or_default();
        self.files.check_sizes(n.len())?;
        let request = ConfigurationRequest {
            region: self.region.clone(),
            n,
            search: self.search_space.request(&self.set),
            objective: self.objective.into(),
            deadline: self.deadline.map(Into::into),
            top: self.top as usize,
            level: self.level,
        };
        let failure = |error| refusal::failure(error, &self.model);
        let at_levels = request.at_levels(&model).map_err(failure)?;
        search_space::report_levels(context, &at_levels);
        let chosen = request.answers(at_levels, &cluster).map_err(failure)?;
        let ChosenConfigurations { at_levels, space, rankings, choices: all } = chosen;
        let region = &at_levels.region;
        if let Some((size, [best, ..])) =
            all.first().map(|(size, choices)| (*size, choices.as_slice()))
        {
            let choice =
                Choice { at_levels: &at_levels, space: &space, cluster: &cluster, size, best };
            self.files.write(context, choice, self.force)?;
        }
        let best = all.iter().filter_map(|(_, choices)| choices.first());
        warn_of_forecasts(region, best.map(|best| (&best.point, &best.forecast)), self.level);
        for (name, value) in
            region.model.as_terms().iter().flat_map(|model| model.constant_variables())
        {
            context.say(format!(
                "only configurations with {name} = {value} are considered, the only measured value"
            ));
        }
        if self.format == Format::Table {
            for (size, ranking) in &rankings {
                let head = size.map(|n| format!("n = {n}: ")).unwrap_or_default();
                let more = if ranking.proof.is_optimal() {
                    ""
                } else {
                    "; --max-operations allows more work"
                };
                context.say(format!("{head}{}{more}", ranking.proof));
            }
            return output::print(&choices(&all), self.format);
        }
        if self.format == Format::Csv {
            return output::print(&choices(&all), self.format);
        }
        output::print_all(&[choices(&all), optimality_proofs(&rankings)], self.format)
    }
}

impl From<ObjectiveWord> for Objective {
    fn from(word: ObjectiveWord) -> Self {
        match word {
            ObjectiveWord::Time => Self::Time,
            ObjectiveWord::CoreHours => Self::CoreHours,
            ObjectiveWord::Cost => Self::Cost,
        }
    }
}
