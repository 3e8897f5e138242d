use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use anyhow::Context as _;
use clap::{Args, ValueEnum};
use orrery::platform::{Cluster, file as cluster_file};
use orrery::run::variable;
use orrery::scaling::search::{Objective, Ranking, Search, matrix_bytes};
use orrery::scaling::{ExecutionTimeModel, Layout, RankedConfiguration};
use orrery::units::NumberList;
use orrery_report::tables::{certificates, choices};

use super::files;
use crate::context::{Context, Usage};
use crate::options;
use crate::output::{self, Format};
use crate::verbs::field::FieldOptions;
use crate::verbs::samples;

/// Arguments of `orrery choose configuration`.
#[derive(Debug, Args)]
pub struct Configuration {
    /// The model file, with an application
    #[arg(value_name = "MODEL")]
    model: PathBuf,
    /// The cluster file: hosts by the kind of their processing elements
    #[arg(long, value_name = "CLUSTER")]
    cluster: PathBuf,
    /// Sizes of the problem: 9600, 3200..9600:1600
    #[arg(long, value_name = "LIST", allow_hyphen_values = true)]
    n: Option<NumberList>,
    /// Any other variable of the model, such as steps=100; may be repeated
    #[arg(long, value_name = "NAME=NUMBER", value_parser = named)]
    set: Vec<(String, f64)>,
    /// What is best
    #[arg(long, value_enum, default_value_t)]
    objective: ObjectiveWord,
    /// When the run has to end: 90s, 10m, 1h30m
    #[arg(long, value_name = "TIME", value_parser = options::duration)]
    deadline: Option<Duration>,
    #[command(flatten)]
    field: FieldOptions,
    /// How many configurations to show
    #[arg(long, value_name = "COUNT", default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..=1000))]
    top: u32,
    /// The region of the program, where the model has several
    #[arg(long, value_name = "NAME")]
    region: Option<String>,
    /// The probability of intervals, and of what is called told apart
    #[arg(long, value_name = "LEVEL", default_value_t = 0.95, value_parser = options::level)]
    level: f64,
    /// Write what runs the best one to this folder: HPL.dat, hostfile and rankfile for Open MPI, machinefile for MPICH, a
    /// script for Slurm
    #[arg(long, value_name = "DIR")]
    write: Option<PathBuf>,
    /// The command in the script for Slurm
    #[arg(long, value_name = "COMMAND", default_value = "./xhpl", requires = "write")]
    command: String,
    /// How to write it
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
enum ObjectiveWord {
    /// The shortest time
    #[default]
    Time,
    /// The fewest core-hours
    CoreHours,
    /// The lowest cost, of the prices in the cluster file
    Cost,
}

pub fn named(text: &str) -> Result<(String, f64), String> {
    let (name, number) = text.split_once('=').ok_or("write NAME=NUMBER, such as steps=100")?;
    let number = number.trim().parse().ok().filter(|number: &f64| number.is_finite());
    Ok((name.trim().to_owned(), number.ok_or_else(|| format!("{text}: not a finite number behind the ="))?))
}

impl Configuration {
    pub fn run(self, context: Context) -> anyhow::Result<()> {
        let model = samples::model(&self.model)?;
        let application = model.application.as_ref().ok_or_else(|| {
            let path = self.model.display();
            Usage(format!("{path}: there is no model of an application in it; make one with orrery scaling fit"))
        })?;
        let place = || self.model.display().to_string();
        let times = &application.region(self.region.as_deref()).with_context(place)?.model;
        let loaded = cluster_file::read(&self.cluster)?;
        for unread in &loaded.unused_keys {
            context.say(format!("{}:{}: {} is not used here", self.cluster.display(), unread.line, unread.key));
        }
        let cluster = loaded.cluster;
        let sizes: Vec<Option<f64>> = match &self.n {
            Some(list) => list.as_slice().iter().copied().map(Some).collect(),
            None => vec![None],
        };
        if self.write.is_some() && sizes.len() > 1 {
            return Err(Usage("--write goes with one size; name one with --n".into()).into());
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
            let written = files::write(folder, &cluster, &choices[0], *size, &bytes, &self.command)?;
            context.say(format!("wrote {}", written.join(", ")));
        }
        for (name, value) in times.as_terms().iter().flat_map(|model| model.constant_variables()) {
            context.say(format!("only configurations with {name} = {value} are considered: no other was measured"));
        }
        if self.format == Format::Table {
            for (_, ranking) in &rankings {
                context.say(ranking.proof);
            }
            return output::print(&choices(&all), self.format);
        }
        if self.format == Format::Csv {
            return output::print(&choices(&all), self.format);
        }
        output::print_all(&[choices(&all), certificates(&rankings)], self.format)
    }

    fn search(
        &self,
        times: &ExecutionTimeModel,
        cluster: &Cluster,
        fixed: &BTreeMap<String, f64>,
    ) -> anyhow::Result<Ranking> {
        let kinds: Vec<String> = cluster.kinds().iter().map(|kind| kind.name.clone()).collect();
        let prepared = times.element_times(&kinds, fixed)?;
        let mut search = Search::new(cluster.kinds(), &*prepared);
        search.grids = self.field.grids(times.as_terms());
        search.blocks = self.field.blocks(times.as_terms())?;
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

    /// The bytes that a process needs in a layout, where that is a limit.
    fn memory(&self, times: &ExecutionTimeModel, size: Option<f64>) -> Option<Box<dyn Fn(Layout) -> f64>> {
        let overhead = self.field.memory_overhead(times.as_terms())?;
        let order = size?;
        Some(Box::new(matrix_bytes(order, overhead)))
    }
}
