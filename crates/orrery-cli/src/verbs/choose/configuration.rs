use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use anyhow::Context as _;
use clap::{Args, ValueEnum};
use orrery::platform::{Cluster, file as cluster_file};
use orrery::report::{certificates, choices};
use orrery::run::variable;
use orrery::scaling::search::{Grids, Objective, Ranking, Search, matrix_bytes};
use orrery::scaling::{Choice, Family, Layout, Times};
use orrery::units::NumberList;

use super::files;
use crate::context::{Context, Usage};
use crate::options;
use crate::output::{self, Format};
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
    /// Process grids: all, flat (P ≤ Q), none, or some such as 2x4,4x4 [default: all where the model was fitted to
    /// different grids, else none]
    #[arg(long, value_name = "GRIDS", value_parser = grids)]
    grid: Option<Grids>,
    /// Block sizes to choose from, where the model knows them
    #[arg(long, value_name = "LIST", allow_hyphen_values = true)]
    block: Option<NumberList>,
    /// What processes need of the memory of their hosts: the matrix of order n, dealt out evenly, or nothing
    /// [default: matrix for the terms of dense solvers, else none]
    #[arg(long, value_enum)]
    memory: Option<MemoryWord>,
    /// What is needed beside the matrix, as a part of it
    #[arg(long, value_name = "PART", default_value_t = 0.1, value_parser = part)]
    memory_overhead: f64,
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

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum MemoryWord {
    Matrix,
    None,
}

fn named(text: &str) -> Result<(String, f64), String> {
    let (name, number) = text.split_once('=').ok_or("write NAME=NUMBER, such as steps=100")?;
    let number = number.trim().parse().ok().filter(|number: &f64| number.is_finite());
    Ok((name.trim().to_owned(), number.ok_or_else(|| format!("{text}: not a finite number behind the ="))?))
}

fn part(text: &str) -> Result<f64, String> {
    let part = text.parse().ok().filter(|part: &f64| part.is_finite() && *part >= 0.0);
    part.ok_or_else(|| "write a part, such as 0.1".to_owned())
}

fn grids(text: &str) -> Result<Grids, String> {
    let shape = |shape: &str| {
        let (rows, columns) = shape.trim().split_once(['x', '×'])?;
        let side = |text: &str| text.parse::<u32>().ok().filter(|side| *side > 0);
        Some((side(rows)?, side(columns)?))
    };
    match text {
        "all" => Ok(Grids::All),
        "flat" => Ok(Grids::Flat),
        "none" => Ok(Grids::None),
        _ => {
            let shapes: Option<Vec<_>> = text.split(',').map(shape).collect();
            shapes.map(Grids::Given).ok_or_else(|| "write all, flat, none, or shapes such as 2x4,4x4".to_owned())
        }
    }
}

impl Configuration {
    pub fn run(self, context: Context) -> anyhow::Result<()> {
        let model = samples::model(&self.model)?;
        let application = model.application.as_ref().ok_or_else(|| {
            let path = self.model.display();
            Usage(format!("{path}: there is no model of an application in it; make one with orrery scaling fit"))
        })?;
        let place = || self.model.display().to_string();
        let times = &application.region(self.region.as_deref()).with_context(place)?.times;
        let loaded = cluster_file::read(&self.cluster)?;
        for unread in &loaded.passed_over {
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
            fixed.extend(size.map(|size| (variable::SIZE.to_owned(), size)));
            let ranking = self.search(times, &cluster, &fixed).with_context(place)?;
            all.push((size, Choice::all(times, &ranking, &fixed, self.level).with_context(place)?));
            rankings.push((size, ranking));
        }
        if let (Some(folder), Some((size, choices))) = (&self.write, all.first()) {
            let bytes = |layout: Layout| self.memory(times, *size).map(|memory| memory(layout));
            let written = files::write(folder, &cluster, &choices[0], *size, &bytes, &self.command)?;
            context.say(format!("wrote {}", written.join(", ")));
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

    fn search(&self, times: &Times, cluster: &Cluster, fixed: &BTreeMap<String, f64>) -> anyhow::Result<Ranking> {
        let kinds: Vec<String> = cluster.kinds().iter().map(|kind| kind.name.clone()).collect();
        let prepared = times.of_elements(&kinds, fixed)?;
        let mut search = Search::new(cluster.kinds(), &*prepared);
        let different = times.range(variable::ROWS).is_some_and(|(least, most)| least < most);
        let otherwise = if different { Grids::All } else { Grids::None };
        search.grids = self.grid.clone().unwrap_or(otherwise);
        search.blocks = self.blocks(times)?;
        search.objective = match self.objective {
            ObjectiveWord::Time => Objective::Time,
            ObjectiveWord::CoreHours => Objective::CoreHours,
            ObjectiveWord::Cost => Objective::Cost,
        };
        search.deadline = self.deadline.map(Into::into);
        let memory = self.memory(times, fixed.get(variable::SIZE).copied());
        search.memory = memory.as_deref();
        Ok(search.ranking(self.top as usize)?)
    }

    /// The block sizes in question: those that were asked for, else the one that was measured.
    fn blocks(&self, times: &Times) -> anyhow::Result<Vec<u32>> {
        let whole = |value: &f64| {
            let block = (value.fract().abs() < f64::EPSILON && *value >= 1.0).then_some(*value as u32);
            block.ok_or_else(|| Usage(format!("--block {value}: a block size is a whole number from 1")))
        };
        match (&self.block, times.range(variable::BLOCK)) {
            (Some(list), _) => Ok(list.as_slice().iter().map(whole).collect::<Result<_, _>>()?),
            (None, Some((least, most))) if least < most => Err(Usage(format!(
                "the model was fitted to block sizes from {least} to {most}; name those to choose from with --block"
            ))
            .into()),
            (None, Some((least, _))) => Ok(vec![whole(&least)?]),
            (None, None) => Ok(Vec::new()),
        }
    }

    /// The bytes that a process needs in a layout, where that is a limit.
    fn memory(&self, times: &Times, size: Option<f64>) -> Option<Box<dyn Fn(Layout) -> f64>> {
        let general = times.as_terms().is_some_and(|model| model.family == Family::General);
        let word = self.memory.unwrap_or(if general { MemoryWord::None } else { MemoryWord::Matrix });
        let order = size.filter(|_| word == MemoryWord::Matrix)?;
        Some(Box::new(matrix_bytes(order, self.memory_overhead)))
    }
}
