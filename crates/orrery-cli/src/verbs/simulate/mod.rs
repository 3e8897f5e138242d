pub mod application;
pub mod cluster;
mod compare;
mod goal;
pub mod network;
pub mod output;
mod pairs;
pub mod placement;
mod played;
pub mod stage;

use std::path::PathBuf;

use clap::Args;
use orrery::units::Seconds;

use self::application::{Application, Bound, JobSpec};
use self::network::Network;
use self::placement::Placing;
use self::played::Played;
use self::stage::Stage;
use crate::context::{Context, Usage};

/// Arguments of `orrery simulate`.
#[derive(Debug, Args)]
pub struct Simulate {
    /// The trace: a time-independent one of SimGrid, an index that names a file for each rank, a binary one, or one in GOAL
    #[arg(value_name = "TRACE")]
    trace: PathBuf,
    /// The cluster: a cluster file in TOML with speeds and links, or a platform of SimGrid in XML; lmo, lom, hockney,
    /// hockney-mean and loggp need none
    #[arg(long, visible_alias = "platform", value_name = "CLUSTER")]
    cluster: Option<PathBuf>,
    /// How transfers share links: maxmin, simgrid-cm02, simgrid-lv08, simgrid-smpi or simgrid-ib; or by which law they
    /// slow each other: gige, myrinet or infiniband; or models that were fitted: lmo, lom, hlmo, hockney, hockney-mean,
    /// logp or plogp; or loggp, where none minds another [default: what the cluster file names, else simgrid-smpi]
    #[arg(long, value_name = "NETWORK")]
    network: Option<Network>,
    /// Which ranks stand where: rrn (hosts in turn), rrp (core by core), random[:SEED], or a file with a host for each
    /// rank, also as hostfile, machinefile or rankfile [default: rrn; on networks of pairs processors in order]
    #[arg(long, value_name = "PLACEMENT")]
    placement: Option<Placing>,
    /// Another application at the same time, with its placement and its start; may be repeated
    #[arg(long, value_name = "TRACE[,PLACEMENT][,start=SECONDS]")]
    job: Vec<JobSpec>,
    /// Measured times of tasks, in CSV with columns task and communicating or seconds, beside the simulated ones
    #[arg(long, value_name = "MEASURED")]
    compare: Option<PathBuf>,
    /// What of them is compared [default: communicating where there is such a column]
    #[arg(long, value_enum, value_name = "COLUMN", requires = "compare")]
    compare_by: Option<compare::Column>,
    #[command(flatten)]
    limits: cluster::Limits,
    #[command(flatten)]
    bound: Bound,
    #[command(flatten)]
    output: output::Output,
    #[command(flatten)]
    laws: network::Laws,
    #[command(flatten)]
    pairs: pairs::Pairs,
    #[command(flatten)]
    loggp: goal::Parameters,
}

impl Simulate {
    pub fn run(self, context: Context) -> anyhow::Result<()> {
        if let Some(option) = self.loggp.given().filter(|_| !matches!(self.network, Some(Network::LogGp))) {
            return Err(Usage(format!("{option} has a meaning for --network loggp alone; leave it out")).into());
        }
        let (stage, word) = match &self.network {
            Some(Network::LogGp) => (self.loggops()?, "loggp"),
            Some(Network::Pairs(kind)) => {
                if let Some(option) = self.limits.given() {
                    let why =
                        format!("{option} has no meaning for --network {kind}, where no send waits for its receive");
                    return Err(Usage(why).into());
                }
                if let Some(option) = self.output.of_flows() {
                    let why = format!("{option} has no meaning for --network {kind}, where no messages flow");
                    return Err(Usage(why).into());
                }
                self.laws.only_file(kind.name())?;
                let file = self.laws.parameters.file();
                (self.pairs.stage(*kind, file, self.cluster.as_deref())?, kind.name())
            }
            network => self.flows(network.as_ref(), context)?,
        };
        let first = JobSpec { trace: self.trace.clone(), placing: self.placement.clone(), start: Seconds::ZERO };
        let specs: Vec<JobSpec> = std::iter::once(first).chain(self.job.iter().cloned()).collect();
        let load = |spec: &JobSpec| {
            let application = Application::load(&spec.trace, self.bound)?;
            if stage.takes_graphs() { Ok(application) } else { application.in_sequence() }
        };
        let applications = specs.iter().map(load).collect::<anyhow::Result<Vec<_>>>()?;
        let placing = |spec: &'_ JobSpec| spec.placing.clone().or_else(|| self.placement.clone());
        let placings: Vec<Option<Placing>> = specs.iter().map(placing).collect();
        let jobs = applications.iter().zip(&specs).zip(&placings);
        let seated = stage.seat(jobs.map(|((one, spec), placing)| (one, placing.as_ref(), spec.start)))?;
        let played = Played::new(&stage, &seated, self.output.collect()?)?;
        context.say(played.summary());
        let compared = self.compare.as_ref().map(|path| compare::with(path, self.compare_by, &played)).transpose()?;
        compare::say(context, compared.as_ref());
        played.print(context, word, &self.output, compared)
    }

    /// The stage of a network whose messages flow, and its word.
    fn flows(&self, network: Option<&Network>, context: Context) -> anyhow::Result<(Stage, &'static str)> {
        let path = self.cluster.as_ref().ok_or_else(|| Usage("name the cluster with --cluster".into()))?;
        let cluster = cluster::load(path)?;
        let model = match network {
            Some(network) => network.flows(&self.laws)?,
            None => cluster.model(path, &self.laws)?,
        };
        let word = model.name();
        self.pairs.none(word)?;
        Ok((cluster.stage(model, self.limits, context)?, word))
    }

    /// The stage of the network loggp.
    fn loggops(&self) -> anyhow::Result<Stage> {
        if let Some(option) = self.output.of_flows().or(self.output.of_sequences()) {
            return Err(Usage(format!("{option} has no meaning for --network loggp; leave it out")).into());
        }
        if let Some(option) = self.limits.given() {
            return Err(Usage(format!("{option} has no meaning for --network loggp; the limit is -S")).into());
        }
        if self.laws.parameters.file().is_some() {
            let why = "--network loggp takes its parameters from -L, -o, -g and -G, in ns; `orrery model show` tells those of a model";
            return Err(Usage(why.into()).into());
        }
        self.laws.none("loggp")?;
        if self.cluster.is_some() && self.pairs.speed.is_some() {
            return Err(Usage("--speed and --cluster both say how fast; give one".into()).into());
        }
        let places = self.placement.is_some() || self.job.iter().any(|job| job.placing.is_some());
        if places && self.cluster.is_none() {
            return Err(Usage(
                "on loggp a placement says how fast ranks compute; name its hosts with --cluster".into(),
            )
            .into());
        }
        let cluster = self.cluster.as_deref().map(cluster::load).transpose()?.map(|cluster| cluster.topology);
        Ok(Stage::LogGops { model: self.loggp.model(), cluster, speed: self.pairs.speed })
    }
}
