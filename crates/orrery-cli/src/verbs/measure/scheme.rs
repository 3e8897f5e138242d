use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use anyhow::{Context as _, anyhow};
use clap::{Args, ValueEnum};
use orrery::machine::Machine;
use orrery::measure::{CampaignEnd, SchemeCampaign, SchemeNodes, SchemeProblem};
use orrery::platform::Hosts;
use orrery::sample::file::timings::TimingsWriter;
use orrery::sample::{Communication, NodeMessage, Provenance, TimedScheme, Timings, measured_penalties};
use orrery::schedule::Completion;
use orrery::sharing::calibrate::{calibration_schemes, unidentified_parameters};
use orrery::sharing::scheme::{self, DEFAULT_SIZE, Scheme};
use orrery::units::{Bytes, Seconds};
use orrery_report::tables::measured_schemes;

use crate::context::{Context, Usage, command_line, warn};
use crate::interrupt;
use crate::options::{MachineOptions, PrecisionOptions, duration};
use crate::output::{self, Format, counted};
use crate::progress::Bar;
use crate::session::{check_launches, same_machine};

/// Arguments of `orrery measure scheme`.
#[derive(Debug, Args)]
pub struct SchemeArguments {
    /// The schemes: one transfer a line, such as a: 0 -> 1 20M; the name of a file is that of its scheme
    #[arg(value_name = "SCHEME")]
    schemes: Vec<PathBuf>,
    /// The schemes from which the laws of sharing can be fitted, as far as there are nodes for them
    #[arg(long)]
    calibrate: bool,
    /// The size of the messages of --calibrate
    #[arg(long, value_name = "SIZE", default_value_t = DEFAULT_SIZE, requires = "calibrate")]
    size: Bytes,
    /// When a message counts as complete, on the clock of its sender
    #[arg(long, value_enum, value_name = "WHEN", default_value_t)]
    completion: CompletionWord,
    /// What a node of a scheme is [default: a host where the machine has several, else a processor]
    #[arg(long, value_enum, value_name = "WHAT")]
    nodes: Option<NodesWord>,
    /// The timings file to write
    #[arg(short, long, value_name = "TIMINGS")]
    output: PathBuf,
    /// Continue the campaign of an existing file, keeping what it has measured
    #[arg(long, conflicts_with = "force")]
    resume: bool,
    /// Replace an existing file
    #[arg(long)]
    force: bool,
    /// How to write the penalties
    #[arg(long, value_enum, default_value_t)]
    format: Format,
    #[command(flatten)]
    machine: MachineOptions,
    #[command(flatten)]
    campaign: Course,
    #[command(flatten)]
    precision: PrecisionOptions,
}

#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Campaign")]
struct Course {
    /// Begin nothing further after this time, such as 90s, 10m or 2h; --resume continues
    #[arg(long, value_name = "TIME", value_parser = duration)]
    max_time: Option<Duration>,
    /// Repeat the campaign over so many launches of the machine
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=1000))]
    launches: u32,
    /// Count this run as one more launch of the campaign in the file (with --resume)
    #[arg(long, requires = "resume", conflicts_with = "launches")]
    new_launch: bool,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
enum CompletionWord {
    /// When the receiver's empty answer is back: for messages of any size
    #[default]
    Answered,
    /// When the send is complete, as in the paper: for messages so large that no buffer holds them
    Sent,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum NodesWord {
    /// A host, with all processors on it
    Hosts,
    /// A processor
    Processors,
}

impl SchemeArguments {
    /// The machine that is asked for.
    pub const fn machine(&self) -> &MachineOptions {
        &self.machine
    }

    pub fn run(self, context: Context) -> anyhow::Result<()> {
        self.precision.check()?;
        if self.schemes.is_empty() && !self.calibrate {
            return Err(
                Usage("what to measure? Name files of schemes, or --calibrate, which has its own".into()).into()
            );
        }
        check_launches(self.campaign.launches, &self.machine)?;
        let mut schemes = self.schemes.iter().map(|path| read(path)).collect::<anyhow::Result<Vec<_>>>()?;
        let interrupt = interrupt::flag()?;
        let machine = self.machine.start(context, 0, Arc::clone(&interrupt))?;
        let (nodes, word) = self.nodes(&*machine)?;
        if self.calibrate {
            let own = calibration_schemes(nodes.count(), self.size);
            schemes.extend(own.iter().map(|one| timed(one.name.clone(), &one.scheme)));
            for (network, parameter, needed) in unidentified_parameters(nodes.count()) {
                let nodes = nodes.count();
                context.say(format!("{nodes} nodes do not tell {network}'s {parameter}: at least {needed} do"));
            }
        }
        check(&schemes)?;
        // Before --force replaces a file.
        schemes.iter().try_for_each(|scheme| nodes.check(scheme))?;
        let known = self.measure(context, machine, &interrupt, (&nodes, word), &schemes)?;
        output::print(&measured_schemes(&measured_penalties(&known), self.precision.level), self.format)
    }

    /// Hosts where there are several, unless told; with the word for it.
    fn nodes(&self, machine: &dyn Machine) -> Result<(SchemeNodes, &'static str), Usage> {
        let provenance = machine.provenance();
        let hosts = provenance.hosts();
        let named = hosts.len() == machine.processors();
        let several = hosts.first().is_some_and(|first| hosts.iter().any(|host| host != first));
        let by_host = match self.nodes {
            Some(NodesWord::Hosts) if !named => {
                return Err(Usage("--nodes hosts: this machine does not say which hosts its processors are on".into()));
            }
            Some(word) => word == NodesWord::Hosts,
            None => named && several && Hosts::new(&hosts).are_mixed(),
        };
        Ok(if by_host {
            (SchemeNodes::per_host(&hosts), "hosts")
        } else {
            (SchemeNodes::per_processor(machine.processors()), "processors")
        })
    }

    fn completion(&self) -> Completion {
        match self.completion {
            CompletionWord::Answered => Completion::Answered,
            CompletionWord::Sent => Completion::Sent,
        }
    }

    /// Measures in each launch, into the timings file.
    fn measure(
        &self,
        context: Context,
        mut machine: Box<dyn Machine>,
        interrupt: &Arc<AtomicBool>,
        (nodes, word): (&SchemeNodes, &str),
        schemes: &[TimedScheme],
    ) -> anyhow::Result<Timings> {
        let (mut writer, mut known) = self.open(&machine.provenance(), word)?;
        let before = known.count();
        let launches = known.schemes().iter().flat_map(|scheme| &scheme.communications);
        let last = launches.flat_map(|one| &one.readings).map(|reading| reading.launch).max();
        let first = if self.campaign.new_launch { last.map_or(0, |last| last + 1) } else { 0 };
        let mut left = self.campaign.max_time.map(Seconds::from);
        for launch in 0..self.campaign.launches {
            if launch > 0 {
                left = left.map(|left| left - machine.elapsed());
                drop(machine);
                machine = self.machine.start(context, launch, Arc::clone(interrupt))?;
            }
            let bar = Bar::new(context, "schemes");
            let end = SchemeCampaign {
                machine: &mut *machine,
                nodes,
                completion: self.completion(),
                precision: self.precision.rule(),
                warm_up: self.precision.warm_up,
                launch: first + launch,
                deadline: left,
                keep: &mut |rows| Ok(writer.append(rows)?),
                known: &mut known,
                progress: &mut |done, total, latest| bar.at(done, total, &latest),
            }
            .run(schemes)?;
            if let CampaignEnd::OutOfTime { imprecise, unmeasured, .. } = end {
                context.say(format!(
                    "the time is over: {imprecise} times are not precise enough, {unmeasured} of them have fewer than {} \
                     readings; --resume continues",
                    self.precision.min_reps
                ));
                break;
            }
        }
        let fresh = known.count() - before;
        let there = if before > 0 { format!(" ({before} were there before)") } else { String::new() };
        let (path, schemes) = (self.output.display(), counted(known.schemes().len() as u64, "scheme"));
        context.say(format!("{fresh} readings written to {path}{there}; it holds {schemes}"));
        Ok(known)
    }

    /// Opens the timings file for what this machine will measure.
    fn open(&self, machine: &Provenance, nodes: &str) -> anyhow::Result<(TimingsWriter, Timings)> {
        let completion = self.completion().name();
        if self.resume && self.output.exists() {
            let (writer, loaded) = TimingsWriter::resume(&self.output)?;
            loaded.warnings.iter().for_each(warn);
            let before = &loaded.timings.provenance;
            same_machine(&self.output, machine, before)?;
            for (key, now) in [("completion", completion), ("nodes", nodes)] {
                if let Some(other) = before.get(key).filter(|other| *other != now) {
                    let path = self.output.display();
                    anyhow::bail!(
                        "{path}: its messages are measured with --{key} {other}; say so, or name another file"
                    );
                }
            }
            return Ok((writer, loaded.timings));
        }
        let mut head = Provenance::new().with("orrery", env!("CARGO_PKG_VERSION")).with("command", command_line());
        machine.iter().for_each(|(key, value)| head.set(key, value));
        head.set("completion", completion);
        head.set("nodes", nodes);
        head.set("precision", self.precision.words());
        Ok((TimingsWriter::create(&self.output, &head, self.force)?, Timings::new(head)))
    }
}

/// Reads a scheme; the stem of its file is its name.
fn read(path: &Path) -> anyhow::Result<TimedScheme> {
    let place = path.display();
    let text = fs::read_to_string(path)
        .with_context(|| format!("{place}: cannot read the scheme; check its name, and that it is text"))?;
    let scheme = scheme::parse(&text).map_err(|error| anyhow!("{place}:{error}"))?;
    let name = path.file_stem().map(|stem| stem.to_string_lossy().trim().to_owned()).unwrap_or_default();
    if scheme.arcs.is_empty() {
        return Err(SchemeProblem::Empty(name).into());
    }
    Ok(timed(name, &scheme))
}

/// A scheme of which nothing was measured yet.
pub fn timed(name: String, scheme: &Scheme) -> TimedScheme {
    let communication = |arc: &scheme::Arc| Communication {
        name: arc.name.clone(),
        message: NodeMessage { source: arc.transfer.source.0, destination: arc.transfer.destination.0, size: arc.size },
        delay: arc.delay,
        readings: Vec::new(),
    };
    TimedScheme { name, communications: scheme.arcs.iter().map(communication).collect() }
}

/// Names are given once, and something is to be measured.
fn check(schemes: &[TimedScheme]) -> anyhow::Result<()> {
    if schemes.is_empty() {
        return Err(
            Usage("--calibrate: two nodes have no scheme to calibrate with; at least three are needed".into()).into()
        );
    }
    for (place, scheme) in schemes.iter().enumerate() {
        if schemes[..place].iter().any(|other| other.name == scheme.name) {
            let name = &scheme.name;
            return Err(Usage(format!("two schemes are called {name:?}; rename the file of one of them")).into());
        }
    }
    Ok(())
}
