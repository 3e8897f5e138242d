pub mod application;
pub mod cluster;
mod compare;
mod goal;
mod pairs;
pub mod placement;
mod played;
pub mod stage;

use std::path::PathBuf;

use clap::Args;
use orrery::model::ModelKind;
use orrery::simulate::FlowModel;
use orrery::units::{Bytes, Seconds};

use self::application::{Application, JobSpec};
use self::placement::Placing;
use self::played::Played;
use self::stage::Stage;
use crate::context::{Context, Usage};
use crate::output::Format;

/// Arguments of `orrery simulate`.
#[derive(Debug, Args)]
pub struct Simulate {
    /// The trace: a time-independent one of SimGrid, or an index that names a file for each rank, or one in GOAL
    #[arg(value_name = "TRACE")]
    trace: PathBuf,
    /// The cluster: a cluster file in TOML with speeds and links, or a platform of SimGrid in XML; lmo, lom, hockney,
    /// hockney-mean and loggp need none
    #[arg(long, visible_alias = "platform", value_name = "CLUSTER")]
    cluster: Option<PathBuf>,
    /// How transfers share links: maxmin, simgrid-cm02, simgrid-lv08, simgrid-smpi or simgrid-ib; or networks of pairs:
    /// lmo, lom, hockney or hockney-mean of --parameters; or loggp, where none minds another [default: what the cluster
    /// file names, else simgrid-smpi]
    #[arg(long, value_name = "NETWORK")]
    network: Option<Network>,
    #[command(flatten)]
    loggp: goal::Parameters,
    #[command(flatten)]
    pairs: pairs::Pairs,
    /// Which ranks stand where: rrn (hosts in turn), rrp (core by core), random[:SEED], or a file with a host for each
    /// rank, also as hostfile, machinefile or rankfile [default: rrn; on networks of pairs processors in order]
    #[arg(long, value_name = "PLACEMENT", help_heading = "Options")]
    placement: Option<Placing>,
    /// Another application at the same time, with its placement and its start; may be repeated
    #[arg(long, value_name = "TRACE[,PLACEMENT][,start=SECONDS]", help_heading = "Options")]
    job: Vec<JobSpec>,
    /// Measured times of tasks, in CSV with columns task and communicating or seconds, beside the simulated ones
    #[arg(long, value_name = "MEASURED", help_heading = "Options")]
    compare: Option<PathBuf>,
    /// What of them is compared [default: communicating where there is such a column]
    #[arg(long, value_enum, value_name = "COLUMN", requires = "compare", help_heading = "Options")]
    compare_by: Option<compare::Column>,
    /// Sends of fewer bytes do not wait for their receive [default: what the cluster file says, else 64K]
    #[arg(long, value_name = "SIZE", help_heading = "Options")]
    eager: Option<Bytes>,
    /// Tell every operation that takes time, too
    #[arg(long, help_heading = "Options")]
    events: bool,
    /// How to write it
    #[arg(long, value_enum, default_value_t, help_heading = "Options")]
    format: Format,
}

/// A network: one whose links are shared, one of pairs, or LogGP.
#[derive(Debug, Clone)]
enum Network {
    Shared(FlowModel),
    Pairs(ModelKind),
    LogGp,
}

impl std::str::FromStr for Network {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        let pairs = || text.parse().map(Self::Pairs);
        match text {
            "loggp" => Ok(Self::LogGp),
            _ => text.parse().map(Self::Shared).or_else(|error| {
                let words = ModelKind::ALL.map(ModelKind::word).join(", ");
                pairs().map_err(|_| format!("{error}, {words} and loggp"))
            }),
        }
    }
}

impl Simulate {
    pub fn run(self, context: Context) -> anyhow::Result<()> {
        let stage = match &self.network {
            Some(Network::LogGp) => return self.on_loggp(context),
            Some(Network::Pairs(kind)) => {
                if self.eager.is_some() {
                    let why =
                        format!("--eager has no meaning for --network {kind}, where no send waits for its receive");
                    return Err(Usage(why).into());
                }
                self.pairs.stage(*kind, self.cluster.as_deref())?
            }
            network => self.flows(network.as_ref())?,
        };
        let first = JobSpec { trace: self.trace.clone(), placing: self.placement.clone(), start: Seconds::ZERO };
        let specs: Vec<JobSpec> = std::iter::once(first).chain(self.job.iter().cloned()).collect();
        let load = |spec: &JobSpec| Application::load(&spec.trace)?.in_sequence();
        let applications = specs.iter().map(load).collect::<anyhow::Result<Vec<_>>>()?;
        let placing = |spec: &'_ JobSpec| spec.placing.clone().or_else(|| self.placement.clone());
        let placings: Vec<Option<Placing>> = specs.iter().map(placing).collect();
        let jobs = applications.iter().zip(&specs).zip(&placings);
        let seated = stage.seat(jobs.map(|((one, spec), placing)| (one, placing.as_ref(), spec.start)))?;
        let played = Played::new(&stage, &seated, self.events)?;
        context.say(played.summary());
        let compared = self.compare.as_ref().map(|path| compare::with(path, self.compare_by, &played)).transpose()?;
        if let Some((_, Some(mean))) = &compared {
            context.say(format!("mean of the errors of tasks: {mean:.2} %"));
        }
        played.print(compared, self.format)
    }

    /// The stage of a network whose links are shared.
    fn flows(&self, network: Option<&Network>) -> anyhow::Result<Stage> {
        let path = self.cluster.as_ref().ok_or_else(|| Usage("name the cluster with --cluster".into()))?;
        let cluster = cluster::load(path)?;
        let model = match network {
            Some(Network::Shared(model)) => model.clone(),
            _ => cluster.model(path)?,
        };
        self.pairs.none(model.word())?;
        Ok(cluster.stage(model, self.eager))
    }

    fn on_loggp(&self, context: Context) -> anyhow::Result<()> {
        let other = [("--job", !self.job.is_empty()), ("--compare", self.compare.is_some()), ("--events", self.events)];
        let other = other.into_iter().chain([("--eager (it is -S)", self.eager.is_some())]);
        if let Some((option, _)) = other.into_iter().find(|(_, given)| *given) {
            return Err(Usage(format!("{option} has no meaning for --network loggp; leave it out")).into());
        }
        self.pairs.no_parameters("loggp")?;
        let application = Application::load(&self.trace)?;
        let cluster = self.cluster.as_deref().map(cluster::load).transpose()?;
        let speeds = match (&cluster, self.pairs.speed) {
            (Some(cluster), None) => {
                let placing = self.placement.clone().unwrap_or(Placing::FIRST);
                let hosts = placing.hosts(&cluster.topology, application.ranks())?;
                Some(hosts.iter().map(|host| cluster.topology.hosts[host.index()].speed).collect())
            }
            (None, Some(speed)) => Some(vec![speed; application.ranks()]),
            (Some(_), Some(_)) => return Err(Usage("--speed and --cluster both say how fast; give one".into()).into()),
            (None, None) => None,
        };
        goal::run(context, &application, speeds, &self.loggp, self.format)
    }
}
