//! A running campaign: a machine, the samples file it fills, and progress bars.

use std::error::Error;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use clap::Args;
use orrery::machine::Machine;
use orrery::measure::{Campaign, CampaignEnd, Design, Interference, Parallelism, Progress, Sink};
use orrery::sample::file::{self, Writer};
use orrery::sample::{Provenance, REMEASURED, Sample, Samples};
use orrery::schedule::Timing;
use orrery::units::{Bytes, Seconds};

use crate::campaign::{LaunchOptions, Output, ParallelWord};
use crate::context::{Context, command_line, interrupt_flag, warn};
use crate::host_classes::{self, ClassesWord};
use crate::options::{MachineOptions, PrecisionOptions};
use crate::output::counted;
use crate::progress::StageBars;
use crate::recovery;
use crate::verbs::output_file::{self, OutputKind};

/// Options of every campaign that writes a samples file.
#[derive(Debug, Args)]
pub struct CampaignArguments {
    #[command(flatten)]
    pub output: Output,
    #[command(flatten)]
    pub machine: MachineOptions,
    /// Measure three hosts of each class of equal hosts, and take them for the others in fits: auto
    /// (the same processor model and memory, in MPI jobs), or a file with the names of a class on
    /// each line [default: measure all hosts]
    #[arg(long, value_name = "FILE|auto")]
    pub classes: Option<ClassesWord>,
    #[command(flatten)]
    pub repeat: LaunchOptions,
    #[command(flatten)]
    pub precision: PrecisionOptions,
}

/// Settings of a campaign that follow from its verb.
#[derive(Debug, Clone)]
pub struct Settings {
    /// What runs in parallel.
    pub parallel: ParallelWord,
    /// The message size for the test whether experiments can run in parallel.
    pub test_size: Bytes,
    /// How collective operations are timed, if requested.
    pub timing: Option<Timing>,
    /// The hosts that are measured again, separated by blanks, if not all experiments are measured.
    pub remeasured: Option<String>,
}

/// A started machine and the flag that interrupts it.
pub struct Started {
    pub machine: Box<dyn Machine>,
    interrupt: Arc<AtomicBool>,
}

impl CampaignArguments {
    /// Checks the options and starts the machine.
    pub fn start(&self, context: Context) -> anyhow::Result<Started> {
        self.precision.check()?;
        self.repeat.check(&self.machine)?;
        let interrupt = interrupt_flag()?;
        let machine = self.start_machine(context, 0, &interrupt)?;
        Ok(Started { machine, interrupt })
    }

    /// Starts the machine, or that of some hosts of each class.
    fn start_machine(
        &self,
        context: Context,
        launch: u32,
        interrupt: &Arc<AtomicBool>,
    ) -> anyhow::Result<Box<dyn Machine>> {
        let machine = self.machine.start(context, launch, Arc::clone(interrupt))?;
        match &self.classes {
            Some(word) => host_classes::representatives(context, machine, word),
            None => Ok(machine),
        }
    }

    /// Opens the samples file and measures the design in each launch.
    pub fn run(
        &self,
        context: Context,
        Started { machine, interrupt }: Started,
        settings: &Settings,
        design: &dyn Design,
    ) -> anyhow::Result<()> {
        let mut session = Session::open(context, machine, &self.output, &self.precision, settings)?;
        session.begin(&self.repeat, settings)?;
        for launch in 0..self.repeat.launches {
            if launch > 0 {
                session.relaunch(self.start_machine(context, launch, &interrupt)?);
            }
            if session.measure(design)? != CampaignEnd::Complete {
                break;
            }
        }
        session.close().map(drop)
    }
}

/// A running campaign.
pub struct Session {
    context: Context,
    machine: Box<dyn Machine>,
    precision: PrecisionOptions,
    writer: FileSink,
    samples: Samples,
    seed: u64,
    timing: Timing,
    /// The number of readings in the file before this run.
    known_before: usize,
    launch: u32,
    parallel: bool,
    /// The time left for the campaign at the start of this launch.
    time_left: Option<Seconds>,
}

/// A samples file as the sink of a campaign.
struct FileSink(Writer);

impl Sink for FileSink {
    fn record(&mut self, readings: &[Sample]) -> Result<(), Box<dyn Error + Send + Sync>> {
        Ok(self.0.append(readings)?)
    }
}

/// The seed of the order of experiments without `--seed`.
const DEFAULT_SEED: u64 = 1;

/// The keys of the provenance that must be equal when a campaign is continued.
const MACHINE_KEYS: [&str; 6] = ["machine", "cluster", "truth", "noise", "hosts", "thread-level"];

impl Session {
    /// Creates the samples file of a campaign on `machine`, or resumes it with its timing method;
    /// requesting another method is an error. Warns of ranks that share cores.
    pub fn open(
        context: Context,
        machine: Box<dyn Machine>,
        output: &Output,
        precision: &PrecisionOptions,
        &Settings { timing, ref remeasured, .. }: &Settings,
    ) -> anyhow::Result<Self> {
        let provenance = machine.provenance();
        let (writer, samples, seed) = if output.resume && output.path.exists() {
            let (writer, loaded) = Writer::resume(&output.path)?;
            loaded.warnings.iter().for_each(warn);
            same_machine(&output.path, &provenance, &loaded.samples.provenance)?;
            same_timing(&output.path, timing, &loaded.samples.provenance)?;
            same_hosts_again(&output.path, remeasured.as_deref(), &loaded.samples.provenance)?;
            let before = loaded.samples.provenance.get("seed").and_then(|seed| seed.parse().ok());
            (writer, loaded.samples, output.seed.or(before).unwrap_or(DEFAULT_SEED))
        } else {
            let seed = output.seed.unwrap_or(DEFAULT_SEED);
            let mut head = Provenance::new()
                .with("orrery", env!("CARGO_PKG_VERSION"))
                .with("command", command_line())
                .with("seed", seed.to_string());
            provenance.iter().for_each(|(key, value)| head.set(key, value));
            head.set("timing", timing.unwrap_or_default().description());
            head.set("precision", precision.words());
            if let Some(hosts) = remeasured {
                head.set(REMEASURED, hosts);
            }
            output_file::check(&output.path, output.force, "-o", OutputKind::Samples)?;
            let writer = Writer::create(&output.path, &head, output.force)?;
            (writer, Samples::new(head), seed)
        };
        provenance.shared_cores().iter().for_each(warn);
        let (known_before, timing) = (samples.count(), samples.provenance.timing());
        Ok(Self {
            context,
            machine,
            precision: *precision,
            writer: FileSink(writer),
            samples,
            seed,
            timing,
            known_before,
            launch: 0,
            parallel: false,
            time_left: None,
        })
    }

    /// The number of processors of the machine.
    pub fn processors(&self) -> usize {
        self.machine.processors()
    }

    /// Applies the options of the campaign: the number of the launch, the time limit, what runs in
    /// parallel.
    pub fn begin(&mut self, options: &LaunchOptions, settings: &Settings) -> anyhow::Result<()> {
        if options.new_launch {
            let launches = self.samples.iter().map(|sample| sample.launch);
            self.launch = launches.max().map_or(0, |launch| launch + 1);
        }
        self.time_left = options.max_time.map(Seconds::from);
        let (parallel, test) =
            Parallelism::from(settings.parallel).decide(&mut *self.machine, settings.test_size)?;
        self.parallel = parallel;
        if let Some(test) = test {
            let decision = if parallel {
                "experiments run in parallel"
            } else {
                "one experiment runs at a time"
            };
            let Interference { pairing, pairs, ratio, .. } = test;
            self.context.say(format!(
                "{pairs} {pairing} in parallel take {ratio:.2} times as long as alone: {decision}"
            ));
        }
        Ok(())
    }

    /// Continues with a new launch of the machine.
    pub fn relaunch(&mut self, machine: Box<dyn Machine>) {
        self.time_left = self.time_left.map(|left| left - self.machine.elapsed());
        self.machine = machine;
        self.launch += 1;
    }

    /// Measures a design with progress bars; reports if the time limit was reached.
    pub fn measure(&mut self, design: &dyn Design) -> anyhow::Result<CampaignEnd> {
        let mut bars = StageBars::new(self.context);
        let mut show = |progress: Progress<'_>| bars.show(progress);
        let measured = Campaign::new(&mut *self.machine, &mut self.samples)
            .precision(self.precision.rule())
            .warm_up(self.precision.warm_up)
            .timing(self.timing)
            .seed(self.seed)
            .launch(self.launch)
            .parallel(self.parallel)
            .deadline(self.time_left)
            .sink(&mut self.writer)
            .on_progress(&mut show)
            .measure(design);
        let end = measured.map_err(|error| self.rescue(error.into()))?;
        if let CampaignEnd::OutOfTime { stage, experiments, imprecise, unmeasured } = end {
            self.context.say(format!(
                "time limit reached: {imprecise} of {experiments} experiments ({stage}) are not \
                    precise enough, {unmeasured} \
                 of them have fewer than {} readings; --resume continues",
                self.precision.min_reps
            ));
        }
        Ok(end)
    }

    /// Checks the file, prints the numbers of readings and returns all samples.
    pub fn close(self) -> anyhow::Result<Samples> {
        self.writer.0.finish().map_err(|error| self.rescue(error.into()))?;
        let fresh = self.samples.count() - self.known_before;
        let experiments = counted(self.samples.series().len() as u64, "experiment");
        let path = self.writer.0.path().display();
        let before = if self.known_before > 0 {
            format!(" ({} existed before)", self.known_before)
        } else {
            String::new()
        };
        self.context.say(match self.samples.count() {
            0 => "no readings were taken".to_owned(),
            _ => format!("{fresh} readings written to {path}{before}; it holds {experiments}"),
        });
        Ok(self.samples)
    }

    /// The error of the campaign; if another program has changed the file, all readings are written
    /// to a new one.
    fn rescue(&self, error: anyhow::Error) -> anyhow::Error {
        let readings = counted(self.samples.count() as u64, "reading");
        recovery::rescue(error, self.writer.0.path(), &readings, |path| {
            Ok(file::write(path, &self.samples, false)?)
        })
    }
}

/// Refuses to mix readings of different machines in the file at this path.
pub fn same_machine(path: &Path, now: &Provenance, before: &Provenance) -> anyhow::Result<()> {
    for key in MACHINE_KEYS {
        if let (Some(now), Some(before)) = (now.get(key), before.get(key))
            && now != before
        {
            let path = path.display();
            anyhow::bail!(
                "{path}: it was measured with {key}: {before}, but this machine has {key}: {now}; \
                    name another file"
            );
        }
    }
    Ok(())
}

/// Refuses to mix collective operations that are timed by different methods.
fn same_timing(path: &Path, requested: Option<Timing>, before: &Provenance) -> anyhow::Result<()> {
    let before = before.timing();
    match requested {
        Some(requested) if requested != before => anyhow::bail!(
            "{}: its collectives are timed with --timing {before}, not {requested}; leave --timing \
                out, or name another file",
            path.display()
        ),
        _ => Ok(()),
    }
}

/// Refuses to mix a campaign of some hosts with one of others or of all.
fn same_hosts_again(
    path: &Path,
    requested: Option<&str>,
    before: &Provenance,
) -> anyhow::Result<()> {
    let before = before.get(REMEASURED);
    if requested == before {
        return Ok(());
    }
    let words = |hosts: Option<&str>| {
        hosts.map_or("all hosts".to_owned(), |hosts| format!("--hosts {}", hosts.replace(' ', ",")))
    };
    let path = path.display();
    anyhow::bail!(
        "{path}: its campaign measures {}, not {}; name another file",
        words(before),
        words(requested)
    )
}
