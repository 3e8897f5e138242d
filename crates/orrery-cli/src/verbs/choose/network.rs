use std::path::PathBuf;

use clap::Args;
use orrery::platform::MappingPolicy;
use orrery::request::{CandidateNetwork, NetworkRequest, RankPlacement};
use orrery::sharing::LAWS;
use orrery::simulate::Objective;

use crate::context::Context;
use crate::options::described;
use crate::output::{self, Format};
use crate::refusal;
use crate::verbs::simulate::mapping::MappingOption;
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
    #[arg(long, value_parser = described::<Objective>(), default_value_t)]
    objective: Objective,
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

impl Network {
    /// Simulates the applications on all candidates and prints the ranking.
    pub fn run(self, context: Context) -> anyhow::Result<()> {
        let load = |trace: &PathBuf| {
            application::load(trace, None, None)?.in_sequence().map_err(refusal::without_file)
        };
        let applications = self.traces.iter().map(load).collect::<anyhow::Result<Vec<_>>>()?;
        let networks = self.networks(context)?;
        let placements = self.placement.iter().flat_map(|mappings| &mappings.0);
        let placements = placements
            .map(|mapping| Ok((mapping.to_string(), mapping.load()?)))
            .collect::<anyhow::Result<Vec<(String, RankPlacement)>>>()?;
        let request = NetworkRequest {
            objective: self.objective,
            top: self.top.map(|top| top as usize),
            jobs: self.jobs as usize,
        };
        let ranked = request.answer(&networks, &placements, &applications);
        let ranked = ranked.map_err(refusal::without_file)?;
        let names: Vec<&str> =
            applications.iter().map(|application| application.name.as_str()).collect();
        let [candidates, applications] =
            [(ranked.count, "candidate"), (applications.len(), "application")]
                .map(|(count, noun)| output::counted(count as u64, noun));
        context.say(format!("{candidates} for {applications}"));
        output::print(
            &orrery_report::tables::networks(&ranked, &names, self.objective),
            self.format,
        )
    }

    /// All combinations of clusters and networks.
    fn networks(&self, context: Context) -> anyhow::Result<Vec<CandidateNetwork>> {
        let mut networks = Vec::new();
        for path in &self.cluster {
            let cluster = cluster::load(path)?;
            let models = match &self.networks[..] {
                [] => vec![cluster::flow_model(&cluster, path, &self.laws)?],
                named => FlowNetwork::flow_models(named, &self.laws)?,
            };
            for model in models {
                let (name, limits) = (path.display().to_string(), self.limits.given());
                let (network, unused) = CandidateNetwork::new(name, cluster.clone(), model, limits)
                    .map_err(refusal::without_file)?;
                cluster::say(&unused, network.network, context);
                networks.push(network);
            }
        }
        Ok(networks)
    }
}
