//! `orrery choose configuration`.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use anyhow::Context as _;
use clap::{Args, ValueEnum};
use orrery::platform::Cluster;
use orrery::run::variable;
use orrery::scaling::search::{Objective, Ranking, Search, matrix_bytes};
use orrery::scaling::{ExecutionTimeModel, Layout, RankedConfiguration};
use orrery::units::NumberList;
use orrery_report::tables::{choices, optimality_proofs};

use super::files;
use crate::context::{Context, Usage};
use crate::options;
use crate::output::{self, Format};
use crate::verbs::samples;
use crate::verbs::scaling::{application, decision};
use crate::verbs::search_space::SearchSpaceOptions;

/// Arguments of `orrery choose configuration`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  orrery choose configuration app.json --cluster cluster.toml --n 3200,9600
  orrery choose configuration app.json --cluster cluster.toml --n 9600 --objective cost --deadline 10m --write next")]
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
    /// Set another variable of the model, such as steps=100; may be repeated
    #[arg(long, value_name = "NAME=NUMBER", value_parser = named)]
    set: Vec<(String, f64)>,
    /// Quantity to minimize
    #[arg(long, value_enum, default_value_t)]
    objective: ObjectiveWord,
    /// Limit the time of the run: 90s, 10m, 1h30m
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
    /// Write the input files of the best configuration to this folder: HPL.dat, hostfile and rankfile for Open MPI,
    /// machinefile for MPICH, a script for Slurm
    #[arg(long, value_name = "DIR")]
    write: Option<PathBuf>,
    /// Replace existing files in this folder
    #[arg(long, requires = "write")]
    force: bool,
    /// Command that srun starts in the Slurm script, without srun itself
    #[arg(long, value_name = "COMMAND", default_value = "./xhpl", requires = "write")]
    command: String,
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

/// Parses NAME=NUMBER.
pub fn named(text: &str) -> Result<(String, f64), String> {
    let (name, number) = text.split_once('=').ok_or("write NAME=NUMBER, such as steps=100")?;
    let number = number.trim().parse().ok().filter(|number: &f64| number.is_finite());
    Ok((name.trim().to_owned(), number.ok_or_else(|| format!("{text}: the value must be a finite number"))?))
}

impl Configuration {
    /// Prints the best configurations and writes the input files of the first.
    pub fn run(self, context: Context) -> anyhow::Result<()> {
        let model = samples::model(&self.model)?;
        let application = application(&model, &self.model)?;
        let place = || self.model.display().to_string();
        let times = &application.region(self.region.as_deref()).with_context(place)?.model;
        let cluster = decision::cluster(context, &self.cluster)?;
        let sizes: Vec<Option<f64>> = match &self.n {
            Some(list) => list.as_slice().iter().copied().map(Some).collect(),
            None => vec![None],
        };
        if self.write.is_some() && sizes.len() > 1 {
            return Err(Usage("--write requires a single size; give one with --n".into()).into());
        }
        let (mut rankings, mut all) = (Vec::new(), Vec::new());
        for size in sizes {
            let mut fixed: BTreeMap<String, f64> = self.set.iter().cloned().collect();
            fixed.extend(size.map(|size| (variable::PROBLEM_SIZE.to_owned(), size)));
            let ranking = self.search(times, &cluster, &fixed).with_context(place)?;
            all.push((
                size,
                RankedConfiguration::from_ranking(times, &ranking, &fixed, self.level).with_context(place)?,
            ));
            rankings.push((size, ranking));
        }
        if let (Some(folder), Some((size, choices))) = (&self.write, all.first()) {
            let bytes = |layout: Layout| self.memory(times, *size).map(|memory| memory(layout));
            let files = files::files(&cluster, &choices[0], *size, &bytes, &self.command)?;
            let written = files::write(folder, &files, self.force)?;
            context.say(format!("wrote {}", written.join(", ")));
        }
        for (name, value) in times.as_terms().iter().flat_map(|model| model.constant_variables()) {
            context.say(format!("only configurations with {name} = {value} are considered, the only measured value"));
        }
        if self.format == Format::Table {
            for (size, ranking) in &rankings {
                let head = size.map(|n| format!("n = {n}: ")).unwrap_or_default();
                context.say(format!("{head}{}", ranking.proof));
            }
            return output::print(&choices(&all), self.format);
        }
        if self.format == Format::Csv {
            return output::print(&choices(&all), self.format);
        }
        output::print_all(&[choices(&all), optimality_proofs(&rankings)], self.format)
    }

    /// Ranks the configurations for one problem size.
    fn search(
        &self,
        times: &ExecutionTimeModel,
        cluster: &Cluster,
        fixed: &BTreeMap<String, f64>,
    ) -> anyhow::Result<Ranking> {
        let kinds: Vec<String> = cluster.kinds().iter().map(|kind| kind.name.clone()).collect();
        let prepared = times.element_times(&kinds, fixed)?;
        let mut search = Search::new(cluster.kinds(), &*prepared);
        search.grids = self.search_space.grids(times.as_terms());
        search.blocks = self.search_space.blocks(times.as_terms())?;
        search.objective = match self.objective {
            ObjectiveWord::Time => Objective::Time,
            ObjectiveWord::CoreHours => Objective::CoreHours,
            ObjectiveWord::Cost => Objective::Cost,
        };
        search.deadline = self.deadline.map(Into::into);
        let memory = self.memory(times, fixed.get(variable::PROBLEM_SIZE).copied());
        search.memory = memory.as_deref();
        Ok(search.ranking(self.top as usize)?)
    }

    /// The memory of a process in a layout, in bytes; `None` for no memory limit.
    fn memory(&self, times: &ExecutionTimeModel, size: Option<f64>) -> Option<Box<dyn Fn(Layout) -> f64>> {
        let overhead = self.search_space.memory_overhead(times.as_terms())?;
        let order = size?;
        Some(Box::new(matrix_bytes(order, overhead)))
    }
}
