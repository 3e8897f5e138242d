pub mod application;
pub mod cluster;
pub mod network;
pub mod output;
mod point_to_point;
mod results;

use std::path::PathBuf;

use clap::Args;
use orrery::request::{RankPlacement, SimulatedApplication, SimulatedPlatform};
use orrery::trace::actions::CollectiveAlgorithms;
use orrery::units::Seconds;

use self::application::{JobSpec, MappingOption};
use self::cluster::EagerLimits;
use self::network::{FlowNetwork, LawOptions, Network};
use self::output::Output;
use self::point_to_point::{LogGopsOptions, MeasuredRange};
use self::results::SimulatedJobs;
use crate::context::{Context, Usage};
use crate::{applies, refusal};

/// Arguments of `orrery simulate`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  orrery simulate app.tit --cluster cluster.toml --network maxmin --conflicts
  orrery simulate recorded --cluster cluster.toml --network maxmin
  orrery simulate app.goal --network loggp -L 2500 -o 1500 -g 1000 -G 6 --events")]
pub struct Simulate {
    /// Trace of the application: time-independent (SimGrid), an index with one file per rank,
    /// binary (orrt), GOAL, or the folder of a recorded run
    #[arg(value_name = "TRACE")]
    trace: PathBuf,
    /// Cluster file in TOML with speeds and links, or SimGrid platform in XML; optional with
    /// point-to-point models and loggp
    #[arg(
        long,
        visible_alias = "platform",
        value_name = "CLUSTER",
        required_unless_present = "network"
    )]
    cluster: Option<PathBuf>,
    #[arg(
        long,
        value_name = "NETWORK",
        help = network::help(),
        requires_ifs = network::requirements()
    )]
    network: Option<Network>,
    /// Rank-to-host mapping: rrn (round robin by host), rrp (by core), random[:SEED], or a
    /// hostfile, machinefile or rankfile [default: rrn; with point-to-point models the processors
    /// in order]
    #[arg(long, value_name = "PLACEMENT")]
    placement: Option<MappingOption>,
    /// Simulate another application at the same time, with its own placement and start; may be
    /// repeated
    #[arg(long, value_name = "TRACE[,PLACEMENT][,start=SECONDS]")]
    job: Vec<JobSpec>,
    /// Algorithms of collective operations, as bcast=pipeline:64K,allreduce=rabenseifner; names of
    /// SimGrid (allreduce=rab1) are known, too [default: those of SimGrid]
    #[arg(long, value_name = "LIST")]
    collectives: Option<CollectiveAlgorithms>,
    /// Speed of the hosts of a recorded run in operations per second: its computations are scaled
    /// to the simulated hosts [default: they take the measured times]
    #[arg(long, value_name = "FLOPS", allow_negative_numbers = true, value_parser = point_to_point::speed)]
    recorded_speed: Option<f64>,
    /// Compare with the measured times of tasks in a CSV file with the columns task and
    /// communicating or seconds
    #[arg(long, value_name = "MEASURED")]
    compare: Option<PathBuf>,
    /// Column to compare [default: communicating if present, else seconds]
    #[arg(long, value_enum, value_name = "COLUMN", requires = "compare")]
    compare_by: Option<results::Column>,
    #[command(flatten)]
    limits: EagerLimits,
    #[command(flatten)]
    output: Output,
    #[command(flatten)]
    laws: LawOptions,
    #[command(flatten)]
    point_to_point: point_to_point::SpeedOption,
    #[command(flatten)]
    loggp: LogGopsOptions,
}

impl Simulate {
    /// Simulates applications and prints the results.
    pub fn run(self, context: Context) -> anyhow::Result<()> {
        if !matches!(self.network, Some(Network::LogGp)) {
            applies::refuse(&LogGopsOptions::NAMES, "networks besides loggp")?;
        }
        let cluster = self.cluster.as_deref();
        let mut measured = None;
        let (platform, network) = match &self.network {
            Some(Network::LogGp) => {
                let (platform, range) = self.loggp_platform(context)?;
                measured = range;
                (platform, "loggp")
            }
            Some(Network::PointToPoint(kind)) => {
                if !kind.shares_ports() {
                    let subject = format!("--network {kind}, which has no flows");
                    applies::refuse(&EagerLimits::NAMES, &subject)?;
                    applies::refuse(&Output::OF_FLOWS, &subject)?;
                }
                LawOptions::refuse_except(&["parameters"], kind.name())?;
                let file = self.laws.parameters.file();
                (
                    self.point_to_point.platform(*kind, file, cluster, self.limits, context)?,
                    kind.name(),
                )
            }
            Some(Network::Flows(network)) => self.flow_platform(Some(network), context)?,
            None => self.flow_platform(None, context)?,
        };
        let first = JobSpec {
            trace: self.trace.clone(),
            mapping: self.placement.clone(),
            start: Seconds::ZERO,
        };
        let specs: Vec<JobSpec> = std::iter::once(first).chain(self.job.iter().cloned()).collect();
        let load = |spec: &JobSpec| {
            let application =
                application::load(&spec.trace, self.collectives.as_ref(), self.recorded_speed)?;
            if platform.accepts_graphs() {
                return Ok(application);
            }
            application.in_sequence().map_err(refusal::without_file)
        };
        let applications =
            specs.iter().map(load).collect::<anyhow::Result<Vec<SimulatedApplication>>>()?;
        let measured = measured.or(platform.measured());
        if let (Some(range), Some(path)) = (measured, self.laws.parameters.file()) {
            point_to_point::check_range(range, path, &applications);
        }
        let placement = |spec: &JobSpec| {
            let given = spec.mapping.as_ref().or(self.placement.as_ref());
            given.map(MappingOption::load).transpose()
        };
        let placements: Vec<Option<RankPlacement>> =
            specs.iter().map(placement).collect::<anyhow::Result<_>>()?;
        let jobs = applications.iter().zip(&specs).zip(&placements);
        let jobs = jobs.map(|((one, spec), placement)| (one, placement.as_ref(), spec.start));
        let placed = platform.place(jobs).map_err(refusal::without_file)?;
        let mut results = SimulatedJobs::new(&platform, &placed, self.output.recording()?)?;
        context.say(results.summary());
        let compared = self
            .compare
            .as_ref()
            .map(|path| results::compare(path, self.compare_by, &results))
            .transpose()?;
        results::report_error(context, compared.as_ref());
        results.print(context, network, cluster, &self.output, compared)
    }

    /// The platform of a network with flows, and the name of the network.
    fn flow_platform(
        &self,
        network: Option<&FlowNetwork>,
        context: Context,
    ) -> anyhow::Result<(SimulatedPlatform, &'static str)> {
        let path = self.cluster.as_ref().unwrap_or_else(|| unreachable!("required with flows"));
        let cluster = cluster::load(path)?;
        let model = match network {
            Some(network) => network.flow_model(&self.laws)?,
            None => cluster::flow_model(&cluster, path, &self.laws)?,
        };
        let name = model.name();
        let links = cluster::links(cluster, model, self.limits, context)?;
        Ok((SimulatedPlatform::Flows(links), name))
    }

    /// The platform of the network loggp, and the sizes that its parameters were measured with.
    fn loggp_platform(
        &self,
        context: Context,
    ) -> anyhow::Result<(SimulatedPlatform, Option<MeasuredRange>)> {
        applies::refuse(&Output::OF_FLOWS, "--network loggp")?;
        applies::refuse(&["--chrome"], "--network loggp")?;
        applies::refuse(&EagerLimits::NAMES, "--network loggp, whose eager limit is -S")?;
        LawOptions::refuse_except(&["parameters"], "loggp")?;
        let has_mapping =
            self.placement.is_some() || self.job.iter().any(|job| job.mapping.is_some());
        if has_mapping && self.cluster.is_none() {
            let why = "with loggp a placement only sets the speeds of ranks; name the cluster with \
                --cluster";
            return Err(Usage(why.into()).into());
        }
        let (parameters, measured) = self.loggp.parameters(self.laws.parameters.file())?;
        let load = |path| cluster::hosts(cluster::load(path)?, "loggp", context);
        let hosts = self.cluster.as_deref().map(load).transpose()?;
        let speed = self.point_to_point.speed;
        Ok((SimulatedPlatform::LogGops { parameters, hosts, speed }, measured))
    }
}
