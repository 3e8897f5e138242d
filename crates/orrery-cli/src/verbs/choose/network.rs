use std::path::PathBuf;

use anyhow::Context as _;
use clap::{Args, ValueEnum};
use orrery::platform::MappingPolicy;
use orrery::simulate::{FlowModel, Objective, rank, sweep, without_sharing};
use orrery::units::Seconds;
use orrery_report::tables::{NetworkCandidate, NetworkTime};

use crate::context::{Context, Usage};
use crate::output::{self, Format};
use crate::verbs::simulate::application::{Application, Bound};
use crate::verbs::simulate::cluster;
use crate::verbs::simulate::network::{Laws, Network as FlowNetwork};
use crate::verbs::simulate::output::Collect;
use crate::verbs::simulate::placement::Placing;
use crate::verbs::simulate::stage::Stage;

/// Arguments of `orrery choose network`.
#[derive(Debug, Args)]
pub struct Network {
    /// The applications: traces, as orrery simulate takes them
    #[arg(value_name = "TRACE", required = true)]
    traces: Vec<PathBuf>,
    /// A cluster file or a platform of SimGrid; may be repeated
    #[arg(long, value_name = "CLUSTER", required = true)]
    cluster: Vec<PathBuf>,
    /// Networks on which messages flow, between commas; gige and infiniband take their parameters from --parameters [default: what each cluster file names, else simgrid-smpi]
    #[arg(long = "network", value_name = "LIST", value_delimiter = ',')]
    networks: Vec<FlowNetwork>,
    /// Placements between commas: rrn, rrp, random[:SEED], random:1..20 for each of the seeds, or files
    #[arg(long, value_name = "LIST", value_delimiter = ',', default_value = "rrn")]
    placement: Vec<Placings>,
    /// What is best
    #[arg(long, value_enum, default_value_t)]
    objective: ObjectiveWord,
    /// How many candidates to show [default: all]
    #[arg(long, value_name = "COUNT", value_parser = clap::value_parser!(u32).range(1..))]
    top: Option<u32>,
    /// Simulate so many at the same time; the result does not depend on it
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=1024))]
    jobs: u32,
    #[command(flatten)]
    limits: cluster::Limits,
    #[command(flatten)]
    bound: Bound,
    /// How to write it
    #[arg(long, value_enum, default_value_t)]
    format: Format,
    #[command(flatten)]
    laws: Laws,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
enum ObjectiveWord {
    /// The sum of the times of the applications
    #[default]
    Total,
    /// The longest time of an application
    Makespan,
    /// The mean over the applications of the time by the best time on any candidate
    MeanSlowdown,
}

/// More seeds than this at a time are a slip of the pen.
const MOST_SEEDS: u64 = 100_000;

/// One placement, or one for each of several seeds.
#[derive(Debug, Clone)]
struct Placings(Vec<Placing>);

impl std::str::FromStr for Placings {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let Some((first, last)) = text.strip_prefix("random:").and_then(|seeds| seeds.split_once("..")) else {
            return Ok(Self(vec![text.parse()?]));
        };
        let wrong = || format!("{text:?} is no range of seeds; write random:1..20");
        let (first, last): (u64, u64) =
            (first.parse().map_err(|_| wrong())?, last.trim_start_matches('=').parse().map_err(|_| wrong())?);
        if last < first || last - first >= MOST_SEEDS {
            return Err(format!("{}, up to {MOST_SEEDS} seeds, the lower one first", wrong()));
        }
        Ok(Self((first..=last).map(|seed| Placing::MappingPolicy(MappingPolicy::Random(seed))).collect()))
    }
}

/// A cluster with a network, and the same where nothing is shared.
struct Place {
    cluster: String,
    network: &'static str,
    stage: Stage,
    alone: Stage,
}

/// The network whose messages take as long alone: laws of sharing slow messages besides what links do.
fn alone(model: &FlowModel) -> FlowModel {
    match model.name() {
        // Without the law nothing is left of sharing but what links do.
        "simgrid-ib" => FlowModel::SMPI,
        word if word.starts_with("simgrid-") => model.clone(),
        _ => FlowModel::MAXMIN,
    }
}

impl Network {
    pub fn run(self, context: Context) -> anyhow::Result<()> {
        let load = |trace: &PathBuf| Application::load(trace, self.bound)?.in_sequence();
        let applications = self.traces.iter().map(load).collect::<anyhow::Result<Vec<_>>>()?;
        let places = self.places(context)?;
        let placings: Vec<&Placing> = self.placement.iter().flat_map(|placings| &placings.0).collect();
        let candidates: Vec<(&Place, &Placing)> =
            places.iter().flat_map(|place| placings.iter().map(move |placing| (place, *placing))).collect();
        let each = applications.len();
        let results = sweep(candidates.len() * each, self.jobs as usize, |number| {
            let (place, placing) = candidates[number / each];
            let application = &applications[number % each];
            time(place, placing, application)
                .with_context(|| format!("{} with {} and {placing}", place.cluster, place.network))
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
        let names: Vec<&str> = applications.iter().map(|application| application.name.as_str()).collect();
        let [candidates, applications] = [(candidates.len(), "candidate"), (each, "application")]
            .map(|(count, noun)| output::counted(count as u64, noun));
        context.say(format!("{candidates} for {applications}"));
        output::print(&orrery_report::tables::networks(&rows, &names, &ranked.best, word), self.format)
    }

    /// Each cluster with each network.
    fn places(&self, context: Context) -> anyhow::Result<Vec<Place>> {
        let mut places = Vec::new();
        for path in &self.cluster {
            let models = match &self.networks[..] {
                [] => vec![cluster::load(path)?.model(path, &self.laws)?],
                named => named.iter().map(|network| network.flows_among(&self.laws)).collect::<Result<_, _>>()?,
            };
            for model in models {
                let loaded = cluster::load(path)?;
                let mut unshared = loaded.clone();
                unshared.topology = without_sharing(&loaded.topology);
                places.push(Place {
                    cluster: path.display().to_string(),
                    network: model.name(),
                    alone: unshared.stage(alone(&model), self.limits, Context::new(true))?,
                    stage: loaded.stage(model, self.limits, context)?,
                });
            }
        }
        if places.is_empty() { Err(Usage("name a cluster with --cluster".into()).into()) } else { Ok(places) }
    }
}

/// The time of an application, and of its communication with and without others in its way.
fn time(place: &Place, placing: &Placing, application: &Application) -> anyhow::Result<NetworkTime> {
    let on = |stage: &Stage| {
        let seated = stage.seat([(application, Some(placing), Seconds::ZERO)])?;
        stage.play(&seated.iter().collect::<Vec<_>>(), Collect::default())
    };
    let communicating =
        |outcome: &orrery::simulate::Outcome| outcome.tasks.iter().map(|times| times.communicating).sum();
    let (shared, alone) = (on(&place.stage)?, on(&place.alone)?);
    Ok(NetworkTime {
        seconds: shared.end,
        communicating: communicating(&shared),
        unshared: communicating(&alone),
        unshared_seconds: alone.end,
    })
}
