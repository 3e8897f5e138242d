use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use clap::Args;
use orrery::comm::Thresholds;
use orrery::comm::thresholds::{ThresholdOptions, estimate};
use orrery::estimation::Estimation;
use orrery::machine::Machine;
use orrery::measure::{CommDesign, SizeChoice, TripletDesign, further_experiments};
use orrery::names::advice;
use orrery::platform::{Processor, host_names};
use orrery::sample::Experiment;
use orrery::units::{Bytes, SizeList};

use crate::campaign::ParallelOption;
use crate::context::{Context, Usage, warn};
use crate::options::{described, size_above_zero};
use crate::session::{CampaignArguments, Settings};
use crate::verbs::{samples, switches::Switches};

/// Arguments of `orrery measure comm`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
    orrery measure comm --machine local:4 -o comm.csv\n  \
    mpirun -n 8 orrery measure comm -o comm.csv --sizes 1K..1M --max-time 10m\n  \
    mpirun -n 8 orrery measure comm -o n7.csv --hosts n7 && orrery fit comm.csv n7.csv -o \
    model.json")]
pub struct CommArguments {
    /// Size of the messages of the experiments, besides 0; choose it below the scatter threshold
    /// [default: 32K, or less if --thresholds or the continued file has a lower threshold]
    #[arg(long, value_name = "SIZE", allow_negative_numbers = true, value_parser = size_above_zero)]
    size: Option<Bytes>,
    /// Choose --size below the scatter threshold of this model, or below that estimated from these
    /// samples
    #[arg(long, value_name = "MODEL|SAMPLES")]
    thresholds: Option<PathBuf>,
    /// Measure round trips of these sizes too, for the regression of Hockney: 4K, 1K..1M
    /// (doubling), 1K..64K:4K (stepping)
    #[arg(long, value_name = "SIZES")]
    sizes: Option<SizeList>,
    /// Triplets of processors that the one-to-two experiments use
    #[arg(long, value_name = "WHICH", value_parser = described::<TripletDesign>(), default_value_t)]
    triplets: TripletDesign,
    #[arg(long, value_name = "EXPERIMENTS", value_delimiter = ',', value_parser = further, help = also_help())]
    also: Vec<Experiment>,
    /// Measure the part of these hosts again, such as n7 or n[7-8]: experiments in which their
    /// processors take part; fit old and new samples together
    #[arg(long, value_name = "HOSTS", conflicts_with = "classes", value_parser = hosts)]
    hosts: Option<BTreeSet<String>>,
    /// Do not measure pairs that exchange messages at the same time, from which fit finds links
    /// that groups of hosts share
    #[arg(long)]
    no_shared_links: bool,
    /// Measure a few gathers of all processors, which show losses where many send to one; with
    /// losses each reading takes up to some seconds
    #[arg(long, conflicts_with = "hosts")]
    incast: bool,
    /// Choose pairs that load the links between the switches in this topology.conf of Slurm, to
    /// test them with orrery fit --topology
    #[arg(long, value_name = "TOPOLOGY.CONF", conflicts_with_all = ["no_shared_links", "hosts"])]
    topology: Option<PathBuf>,
    #[command(flatten)]
    parallel: ParallelOption,
    #[command(flatten)]
    pub common: CampaignArguments,
}

/// The names of the experiments that `--also` takes, with commas between.
fn further_names() -> String {
    further_experiments().map(|template| template.name()).collect::<Vec<_>>().join(", ")
}

/// The help of `--also`.
fn also_help() -> String {
    format!(
        "Measure further experiments, as a test of models or for `fit --with-collectives`: {}",
        further_names()
    )
}

/// The further experiment of a name.
fn further(name: &str) -> Result<Experiment, String> {
    let found = further_experiments().find(|template| template.name() == name);
    found.ok_or_else(|| {
        let names = further_experiments().map(|template| template.name());
        format!("unknown experiment {name:?}; {}", advice(name, "known", names))
    })
}

impl CommArguments {
    /// Measures round trips and one-to-two experiments.
    pub fn run(self, context: Context) -> anyhow::Result<()> {
        let mut estimation = Estimation { size: self.size, ..Estimation::default() };
        let size = self.choose_size(context, &estimation)?;
        let started = self.common.start(context)?;
        if started.machine.processors() < 3 {
            context.say(
                "with two processors there are no one-to-two experiments: LMO needs three, \
                Hockney two",
            );
        }
        let (remeasured, only) = match &self.hosts {
            Some(names) => {
                let only = processors_of(names, &*started.machine)?;
                (Some(names.iter().map(String::as_str).collect::<Vec<_>>().join(" ")), only)
            }
            None => (None, Vec::new()),
        };
        let groups = match &self.topology {
            Some(path) => Switches::read(path, &started.machine.provenance().hosts())?.groups,
            None => Vec::new(),
        };
        estimation.experiments = CommDesign {
            sizes: self.sizes.iter().flat_map(SizeList::iter).collect(),
            triplets: self.triplets,
            further: self.also.clone(),
            only,
            shared_links: !self.no_shared_links,
            incast: self.incast,
            groups,
            anchors: true,
            ..estimation.experiments
        };
        let design = estimation.design(size, &started.machine.provenance());
        let parallel = self.parallel.parallel;
        self.common.run(
            context,
            started,
            &Settings { parallel, test_size: size, remeasured, timing: None },
            &design,
        )
    }

    /// The size of one-to-two experiments: below the scatter thresholds of the given and of the
    /// continued file.
    fn choose_size(&self, context: Context, estimation: &Estimation) -> anyhow::Result<Bytes> {
        let output = &self.common.output;
        let continued = (output.resume && output.path.exists()).then_some(&output.path);
        let files: Vec<&PathBuf> = self.thresholds.iter().chain(continued).collect();
        let known = files
            .iter()
            .map(|file| thresholds(context, file))
            .collect::<anyhow::Result<Vec<_>>>()?
            .concat();
        let choice = estimation.choose_size(&known);
        match choice {
            SizeChoice::Usual(size)
                if !files.is_empty() && known.iter().all(|one| one.scatter_limit().is_none()) =>
            {
                context.say(format!("--size is {size}: no scatter threshold is known"));
            }
            SizeChoice::Usual(_) => {}
            SizeChoice::Lowered { size, threshold } => {
                context.say(format!("--size is {size}: the scatter threshold is {threshold}"));
            }
            SizeChoice::AboveThreshold { size, threshold } => warn(format_args!(
                "--size {size} is above the scatter threshold, {threshold}: delays per byte will \
                    be too large"
            )),
        }
        Ok(choice.size())
    }
}

/// Parses a list of hosts.
fn hosts(list: &str) -> Result<BTreeSet<String>, String> {
    host_names(list).map(|names| names.into_iter().collect()).map_err(|error| error.to_string())
}

/// The processors of a machine on these hosts.
fn processors_of(names: &BTreeSet<String>, machine: &dyn Machine) -> Result<Vec<Processor>, Usage> {
    let provenance = machine.provenance();
    let hosts = provenance.hosts();
    if let Some(unknown) = names.iter().find(|name| !hosts.contains(&name.as_str())) {
        let mut known: Vec<&str> = hosts.clone();
        known.dedup();
        let known = if known.is_empty() {
            "it names no hosts".to_owned()
        } else {
            advice(unknown, "its hosts", known)
        };
        return Err(Usage(format!("--hosts: the machine has no host {unknown:?}; {known}")));
    }
    let named = hosts.iter().zip(0..).filter(|(host, _)| names.contains(**host));
    Ok(named.map(|(_, number)| Processor(number)).collect())
}

/// The thresholds of a model file, or those estimated from a samples file.
fn thresholds(context: Context, path: &Path) -> anyhow::Result<Vec<Thresholds>> {
    let text = orrery::file::read_bytes(path)
        .with_context(|| format!("{}: cannot read the model or samples", path.display()))?;
    if text.trim_ascii_start().first() == Some(&b'{') {
        return Ok(samples::model(path)?.thresholds);
    }
    let samples = samples::read(context, &[path.to_owned()])?;
    estimate(&samples, None, None, &ThresholdOptions::default())
        .with_context(|| path.display().to_string())
}
