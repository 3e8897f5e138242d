use std::path::PathBuf;

use anyhow::Context as _;
use clap::{Args, ValueEnum};
use orrery::platform::MappingPolicy;
use orrery::request::{RankPlacement, RequestError, SimulatedApplication, SimulatedPlatform};
use orrery::sharing::LAWS;
use orrery::simulate::{FlowModel, Objective, rank, sweep, without_sharing};
use orrery::units::Seconds;
use orrery_report::tables::{NetworkCandidate, NetworkTime};

use crate::context::Context;
use crate::output::{self, Format};
use crate::refusal;
use crate::verbs::simulate::application::MappingOption;
use crate::verbs::simulate::network::{FlowNetwork, LawOptions};
use crate::verbs::simulate::{application, cluster};

/// Arguments of `orrery choose network`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  orrery choose network app.tit --cluster a.toml --cluster b.toml --placement rrn,rrp
  orrery choose network a.tit b.tit --cluster cluster.toml --network maxmin,simgrid-smpi \
  --objective makespan")]
pub struct Network {
    /// Traces of the applications, as for orrery simulate
    #[arg(value_name = "TRACE", required = true)]
    traces: Vec<PathBuf>,
    /// Cluster file or SimGrid platform; may be repeated
    #[arg(long, value_name = "CLUSTER", required = true)]
    cluster: Vec<PathBuf>,
    #[arg(long = "network", value_name = "LIST", value_delimiter = ',', help = network_help())]
    networks: Vec<FlowNetwork>,
    /// Rank-to-host mappings, separated by commas: rrn, rrp, random[:SEED], random:1..20 for 20
    /// seeds, or files
    #[arg(long, value_name = "LIST", value_delimiter = ',', default_value = "rrn")]
    placement: Vec<MappingOptions>,
    /// Objective to minimize
    #[arg(long, value_enum, default_value_t)]
    objective: ObjectiveWord,
    /// Number of candidates to print [default: all]
    #[arg(long, value_name = "COUNT", value_parser = clap::value_parser!(u32).range(1..))]
    top: Option<u32>,
    /// Run N simulations in parallel; the result does not depend on N
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=1024))]
    jobs: u32,
    #[command(flatten)]
    limits: cluster::EagerLimits,
    /// Output format
    #[arg(long, value_enum, default_value_t)]
    format: Format,
    #[command(flatten)]
    laws: LawOptions,
}

/// The help of `--network`.
fn network_help() -> String {
    let laws = LAWS
        .into_iter()
        .filter(|law| !law.parameters.is_empty())
        .map(|law| law.name)
        .collect::<Vec<_>>();
    format!(
        "Networks with flows, separated by commas; the parameters of {} are read from --parameters \
            [default: the one in \
         each cluster file, else simgrid-smpi]",
        laws.join(", ")
    )
}

/// The keyword of an [`Objective`].
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
enum ObjectiveWord {
    /// Sum of the times of the applications
    #[default]
    Total,
    /// Longest time of an application
    Makespan,
    /// Mean over the applications of the time divided by the best time of any candidate
    MeanSlowdown,
}

/// The maximum number of seeds in a range.
const MAX_SEEDS: u64 = 100_000;

/// One mapping, or one for each of several seeds.
#[derive(Debug, Clone)]
struct MappingOptions(Vec<MappingOption>);

impl std::str::FromStr for MappingOptions {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let Some((first, last)) =
            text.strip_prefix("random:").and_then(|seeds| seeds.split_once(".."))
        else {
            return Ok(Self(vec![text.parse()?]));
        };
        let wrong = || format!("{text:?} is not a range of seeds; write random:1..20");
        let (first, last): (u64, u64) = (
            first.parse().map_err(|_| wrong())?,
            last.trim_start_matches('=').parse().map_err(|_| wrong())?,
        );
        if last < first {
            return Err(format!("{text:?} ends before it begins; write the lower seed first"));
        }
        if last - first >= MAX_SEEDS {
            return Err(format!("{text:?} has more than {MAX_SEEDS} seeds; name fewer"));
        }
        Ok(Self(
            (first..=last).map(|seed| MappingOption::Policy(MappingPolicy::Random(seed))).collect(),
        ))
    }
}

/// A cluster with a network, and the same one without sharing.
struct NetworkOption {
    cluster: String,
    network: &'static str,
    platform: SimulatedPlatform,
    alone: SimulatedPlatform,
}

/// The network without its sharing law: messages take the same time without others.
fn without_law(model: &FlowModel) -> FlowModel {
    match model.name() {
        // IB without its law is SMPI.
        "simgrid-ib" => FlowModel::SMPI,
        word if word.starts_with("simgrid-") => model.clone(),
        _ => FlowModel::MAXMIN,
    }
}

impl Network {
    /// Simulates the applications on all candidates and prints the ranking.
    pub fn run(self, context: Context) -> anyhow::Result<()> {
        let load = |trace: &PathBuf| {
            application::load(trace, None, None)?.in_sequence().map_err(refusal::without_file)
        };
        let applications = self.traces.iter().map(load).collect::<anyhow::Result<Vec<_>>>()?;
        let options = self.options(context)?;
        let placements = self.placement.iter().flat_map(|mappings| &mappings.0);
        let placements = placements
            .map(|mapping| Ok((mapping, mapping.load()?)))
            .collect::<anyhow::Result<Vec<(&MappingOption, RankPlacement)>>>()?;
        let candidates: Vec<(&NetworkOption, &MappingOption, &RankPlacement)> = options
            .iter()
            .flat_map(|option| placements.iter().map(move |(word, place)| (option, *word, place)))
            .collect();
        let each = applications.len();
        let results = sweep(candidates.len() * each, self.jobs as usize, |number| {
            let (option, mapping, placement) = candidates[number / each];
            let application = &applications[number % each];
            time(option, placement, application).map_err(refusal::without_file).with_context(|| {
                format!("{} with {} and {mapping}", option.cluster, option.network)
            })
        });
        let times = results.into_iter().collect::<anyhow::Result<Vec<NetworkTime>>>()?;
        let times: Vec<&[NetworkTime]> = times.chunks(each).collect();
        let seconds: Vec<Vec<f64>> =
            times.iter().map(|own| own.iter().map(|time| time.seconds.get()).collect()).collect();
        let (objective, word) = match self.objective {
            ObjectiveWord::Total => (Objective::Total, "total"),
            ObjectiveWord::Makespan => (Objective::Makespan, "makespan"),
            ObjectiveWord::MeanSlowdown => (Objective::MeanSlowdown, "mean slowdown"),
        };
        let ranked = rank(&seconds, objective);
        let rows: Vec<NetworkCandidate<'_>> = ranked
            .order
            .iter()
            .take(self.top.map_or(usize::MAX, |top| top as usize))
            .map(|&(number, score)| NetworkCandidate {
                cluster: &candidates[number].0.cluster,
                network: candidates[number].0.network,
                placement: candidates[number].1.to_string(),
                score,
                times: times[number],
            })
            .collect();
        let names: Vec<&str> =
            applications.iter().map(|application| application.name.as_str()).collect();
        let [candidates, applications] = [(candidates.len(), "candidate"), (each, "application")]
            .map(|(count, noun)| output::counted(count as u64, noun));
        context.say(format!("{candidates} for {applications}"));
        output::print(
            &orrery_report::tables::networks(&rows, &names, &ranked.best, word),
            self.format,
        )
    }

    /// All combinations of clusters and networks.
    fn options(&self, context: Context) -> anyhow::Result<Vec<NetworkOption>> {
        let on = |cluster, model, context| {
            cluster::links(cluster, model, self.limits, context).map(SimulatedPlatform::Flows)
        };
        let mut options = Vec::new();
        for path in &self.cluster {
            let models = match &self.networks[..] {
                [] => vec![cluster::flow_model(&cluster::load(path)?, path, &self.laws)?],
                named => FlowNetwork::flow_models(named, &self.laws)?,
            };
            for model in models {
                let loaded = cluster::load(path)?;
                let mut unshared = loaded.clone();
                unshared.topology = without_sharing(&loaded.topology);
                options.push(NetworkOption {
                    cluster: path.display().to_string(),
                    network: model.name(),
                    alone: on(unshared, without_law(&model), Context::new(true))?,
                    platform: on(loaded, model, context)?,
                });
            }
        }
        Ok(options)
    }
}

/// The time of an application, and its time in communication with and without sharing.
fn time(
    option: &NetworkOption,
    placement: &RankPlacement,
    application: &SimulatedApplication,
) -> Result<NetworkTime, RequestError> {
    let on = |platform: &SimulatedPlatform| {
        let placed = platform.place([(application, Some(placement), Seconds::ZERO)])?;
        platform.run(&placed.iter().collect::<Vec<_>>(), false, None)
    };
    let communicating = |outcome: &orrery::simulate::Outcome| {
        outcome.tasks.iter().map(|times| times.communicating).sum()
    };
    let (shared, alone) = (on(&option.platform)?, on(&option.alone)?);
    Ok(NetworkTime {
        seconds: shared.end,
        communicating: communicating(&shared),
        unshared: communicating(&alone),
        unshared_seconds: alone.end,
    })
}
