use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use clap::{ArgGroup, Args, ValueEnum};
use orrery::file::FileKind;
use orrery::machine::Machine;
use orrery::measure::{CampaignEnd, SchemeCampaign, SchemeNodes, empty_scheme};
use orrery::platform::Hosts;
use orrery::request::Repetitions;
use orrery::sample::{
    Communication, NodeMessage, Provenance, TimedScheme, Timings, measured_penalties,
};
use orrery::schedule::Completion;
use orrery::sharing::calibrate::{calibration_schemes, unidentified_parameters};
use orrery::sharing::scheme::{self, DEFAULT_SIZE, Scheme};
use orrery::units::{Bytes, Seconds};
use orrery_report::tables::measured_schemes;

use crate::applies;
use crate::campaign::LaunchOptions;
use crate::campaign_file::{self, CampaignFile};
use crate::context::{Context, Usage, interrupt_flag, warn};
use crate::options::{MachineOptions, PrecisionOptions, described};
use crate::output::{self, Format, counted};
use crate::printable::stem;
use crate::progress::Bar;
use crate::verbs::output_file;
use crate::verbs::share::read_scheme;

/// Arguments of `orrery measure scheme`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
    orrery measure scheme three.scheme --machine local:4 -o timings.csv\n  \
    mpirun -n 8 orrery measure scheme --calibrate -o timings.csv --nodes hosts")]
#[command(group(ArgGroup::new("what").args(["schemes", "calibrate"]).required(true).multiple(true)))]
pub struct SchemeArguments {
    /// Scheme files with one transfer per line, such as a: 0 -> 1 20M; a scheme has the name of its
    /// file
    #[arg(value_name = "SCHEME")]
    schemes: Vec<PathBuf>,
    /// Measure the schemes that identify the parameters of sharing laws, as far as there are enough
    /// nodes
    #[arg(long)]
    calibrate: bool,
    /// Message size of the schemes of --calibrate
    #[arg(long, value_name = "SIZE", default_value_t = DEFAULT_SIZE, requires = "calibrate")]
    size: Bytes,
    /// Event at which the sender stops timing a message
    #[arg(long, value_parser = described::<Completion>(), value_name = "WHEN", default_value_t)]
    completion: Completion,
    /// Meaning of the nodes of a scheme [default: hosts if several hosts are known, else
    /// processors]
    #[arg(long, value_enum, value_name = "WHAT")]
    nodes: Option<NodesWord>,
    /// Write the timings to this file
    #[arg(short, long, value_name = "TIMINGS")]
    output: PathBuf,
    /// Keep the readings of an existing file and continue its campaign
    #[arg(long, conflicts_with = "force")]
    resume: bool,
    /// Replace an existing file
    #[arg(long)]
    force: bool,
    /// Output format of the penalties
    #[arg(long, value_enum, default_value_t)]
    format: Format,
    #[command(flatten)]
    pub machine: MachineOptions,
    #[command(flatten)]
    repeat: LaunchOptions,
    #[command(flatten)]
    precision: PrecisionOptions,
}

/// The values of `--nodes`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum NodesWord {
    /// A host with all its processors
    Hosts,
    /// A processor
    Processors,
}

impl SchemeArguments {
    /// Measures schemes and prints their penalties.
    pub fn run(self, context: Context) -> anyhow::Result<()> {
        let repetitions = self.precision.checked()?;
        self.repeat.check(&self.machine)?;
        let mut schemes =
            self.schemes.iter().map(|path| read(path)).collect::<anyhow::Result<Vec<_>>>()?;
        let interrupt = interrupt_flag()?;
        let machine = self.machine.start(context, 0, Arc::clone(&interrupt))?;
        let (nodes, word) = self.nodes(&*machine)?;
        if self.calibrate {
            let own = calibration_schemes(nodes.count(), self.size);
            schemes.extend(own.iter().map(|one| timed(one.name.clone(), &one.scheme)));
            for (network, parameter, needed) in unidentified_parameters(nodes.count()) {
                let nodes = nodes.count();
                context.say(format!(
                    "{nodes} nodes do not identify {parameter} of {network}; it needs \
                        at least {needed}"
                ));
            }
        }
        check(&schemes)?;
        // Before --force replaces a file.
        schemes.iter().try_for_each(|scheme| nodes.check(scheme))?;
        let job = (&nodes, word, repetitions);
        let known = self.measure(context, machine, &interrupt, job, &schemes)?;
        output::print(
            &measured_schemes(&measured_penalties(&known), self.precision.level),
            self.format,
        )
    }

    /// The nodes of schemes and their name: hosts if the machine has several of known names, else
    /// processors.
    fn nodes(&self, machine: &dyn Machine) -> Result<(SchemeNodes, &'static str), Usage> {
        let provenance = machine.provenance();
        let hosts = provenance.hosts();
        let named = hosts.len() == machine.processors();
        let several = hosts.first().is_some_and(|first| hosts.iter().any(|host| host != first));
        let by_host = match self.nodes {
            Some(NodesWord::Processors) => false,
            Some(NodesWord::Hosts) => {
                if !named {
                    applies::refuse(&["--nodes"], "machines whose hosts are unknown")?;
                }
                true
            }
            None => named && several && Hosts::new(&hosts).are_mixed(),
        };
        Ok(if by_host {
            (SchemeNodes::per_host(&hosts), "hosts")
        } else {
            (SchemeNodes::per_processor(machine.processors()), "processors")
        })
    }

    /// Measures the schemes in each launch and writes the timings file.
    fn measure(
        &self,
        context: Context,
        mut machine: Box<dyn Machine>,
        interrupt: &Arc<AtomicBool>,
        (nodes, word, repetitions): (&SchemeNodes, &str, Repetitions),
        schemes: &[TimedScheme],
    ) -> anyhow::Result<Timings> {
        let mut file = self.open(&machine.provenance(), word, repetitions)?;
        let launches = file.table.schemes().iter().flat_map(|scheme| &scheme.communications);
        let last = launches.flat_map(|one| &one.readings).map(|reading| reading.launch).max();
        let first = if self.repeat.new_launch { last.map_or(0, |last| last + 1) } else { 0 };
        let mut left = self.repeat.max_time.map(Seconds::from);
        for launch in 0..self.repeat.launches {
            if launch > 0 {
                left = left.map(|left| left - machine.elapsed());
                drop(machine);
                machine = self.machine.start(context, launch, Arc::clone(interrupt))?;
            }
            let bar = Bar::new(context, "schemes");
            let CampaignFile { table, writer, .. } = &mut file;
            let measured = SchemeCampaign {
                machine: &mut *machine,
                nodes,
                completion: self.completion,
                precision: repetitions.precision,
                warm_up: repetitions.warm_up,
                launch: first + launch,
                deadline: left,
                keep: &mut |rows| Ok(writer.append(rows)?),
                known: table,
                progress: &mut |done, total, latest| bar.at(done, total, &latest),
            }
            .run(schemes);
            let end = measured.map_err(|error| file.rescue(error.into()))?;
            if let CampaignEnd::OutOfTime { imprecise, unmeasured, .. } = end {
                context.say(format!(
                    "time limit reached: {imprecise} times are not precise enough, {unmeasured} of \
                        them have fewer than {} readings; continue {} with --resume",
                    repetitions.precision.min_reps,
                    self.output.display()
                ));
                break;
            }
        }
        let schemes = counted(file.table.schemes().len() as u64, "scheme");
        if let Some(written) = file.finish()? {
            context.say(format!("{written}; it holds {schemes}"));
        }
        Ok(file.table)
    }

    /// Opens the timings file for this machine. Warns of ranks that share cores.
    fn open(
        &self,
        machine: &Provenance,
        nodes: &str,
        repetitions: Repetitions,
    ) -> anyhow::Result<CampaignFile<Timings>> {
        machine.shared_cores().iter().for_each(warn);
        let completion = self.completion.name();
        if self.resume && self.output.exists() {
            let file = CampaignFile::<Timings>::resume(&self.output, machine)?;
            let before = &file.table.provenance;
            for (key, now) in [("completion", completion), ("nodes", nodes)] {
                if let Some(other) = before.get(key).filter(|other| *other != now) {
                    let path = self.output.display();
                    anyhow::bail!(
                        "{path}: its messages are measured with --{key} {other}; use the same, or \
                            name another file"
                    );
                }
            }
            return Ok(file);
        }
        let mut head = campaign_file::head(None, machine);
        head.set("completion", completion);
        head.set("nodes", nodes);
        head.set("precision", repetitions.words());
        output_file::check(&self.output, self.force, FileKind::Timings)?;
        CampaignFile::create(&self.output, self.force, Timings::new(head))
    }
}

/// Reads a scheme file; the scheme has the name of its file without the extension.
fn read(path: &Path) -> anyhow::Result<TimedScheme> {
    let (_, scheme) = read_scheme(path)?;
    let name = stem(path);
    if scheme.arcs.is_empty() {
        return Err(empty_scheme(&name).into());
    }
    Ok(timed(name, &scheme))
}

/// A scheme without readings.
pub fn timed(name: String, scheme: &Scheme) -> TimedScheme {
    let communication = |arc: &scheme::Arc| Communication {
        name: arc.name.clone(),
        message: NodeMessage {
            source: arc.transfer.source.0,
            destination: arc.transfer.destination.0,
            size: arc.size,
        },
        delay: arc.delay,
        readings: Vec::new(),
    };
    TimedScheme { name, communications: scheme.arcs.iter().map(communication).collect() }
}

/// Checks that there is a scheme, and that names differ.
fn check(schemes: &[TimedScheme]) -> anyhow::Result<()> {
    if schemes.is_empty() {
        applies::refuse(&["--calibrate"], "two nodes, which identify no parameter")?;
    }
    for (place, scheme) in schemes.iter().enumerate() {
        if schemes[..place].iter().any(|other| other.name == scheme.name) {
            let name = &scheme.name;
            return Err(Usage(format!(
                "two schemes have the name {name:?}; give each file once, and rename a file with the \
                 name of another scheme"
            ))
            .into());
        }
    }
    Ok(())
}
