//! A running campaign: a machine, the samples file it fills, and progress bars.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use clap::Args;
use orrery::file::FileKind;
use orrery::machine::Machine;
use orrery::measure::{Campaign, CampaignEnd, Design, Interference, Parallelism, Progress};
use orrery::request::Repetitions;
use orrery::sample::{Provenance, REMEASURED, Samples};
use orrery::schedule::Timing;
use orrery::units::{Bytes, Seconds};

use crate::campaign::{LaunchOptions, Output};
use crate::campaign_file::{self, CampaignFile};
use crate::context::{Context, interrupt_flag, warn};
use crate::host_classes::{self, ClassesWord};
use crate::options::{MachineOptions, PrecisionOptions};
use crate::output::counted;
use crate::progress::StageBars;
use crate::verbs::conditions::warn_of_campaign;
use crate::verbs::output_file;

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
#[derive(Debug, Clone, Default)]
pub struct Settings {
    /// What runs in parallel.
    pub parallel: Parallelism,
    /// The message size for the test whether experiments can run in parallel.
    pub test_size: Bytes,
    /// How collective operations are timed, if requested.
    pub timing: Option<Timing>,
    /// The hosts that are measured again, separated by blanks, if not all experiments are measured.
    pub remeasured: Option<String>,
}

/// A started machine, how often its experiments are repeated, and the flag that interrupts it.
pub struct Started {
    pub machine: Box<dyn Machine>,
    pub repetitions: Repetitions,
    interrupt: Arc<AtomicBool>,
}

impl CampaignArguments {
    /// Checks the options and starts the machine.
    pub fn start(&self, context: Context) -> anyhow::Result<Started> {
        let repetitions = self.precision.checked()?;
        self.repeat.check(&self.machine)?;
        let interrupt = interrupt_flag()?;
        let machine = self.start_machine(context, 0, &interrupt)?;
        Ok(Started { machine, repetitions, interrupt })
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
        Started { machine, repetitions, interrupt }: Started,
        settings: &Settings,
        design: &dyn Design,
    ) -> anyhow::Result<()> {
        let mut session = Session::open(context, machine, &self.output, repetitions, settings)?;
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
    repetitions: Repetitions,
    file: CampaignFile<Samples>,
    seed: u64,
    timing: Timing,
    launch: u32,
    parallel: bool,
    /// The time left for the campaign at the start of this launch.
    time_left: Option<Seconds>,
}

/// The seed of the order of experiments without `--seed`.
const DEFAULT_SEED: u64 = 1;

impl Session {
    /// Creates the samples file of a campaign on `machine`, or resumes it with its timing method;
    /// requesting another method is an error. Warns of ranks that share cores.
    pub fn open(
        context: Context,
        machine: Box<dyn Machine>,
        output: &Output,
        repetitions: Repetitions,
        &Settings { timing, ref remeasured, .. }: &Settings,
    ) -> anyhow::Result<Self> {
        let provenance = machine.provenance();
        let (file, seed) = if output.resume && output.path.exists() {
            let file = CampaignFile::<Samples>::resume(&output.path, &provenance)?;
            let known = &file.table.provenance;
            same_timing(&output.path, timing, known)?;
            same_hosts_again(&output.path, remeasured.as_deref(), known)?;
            let before = known.get("seed").and_then(|seed| seed.parse().ok());
            let seed = output.seed.or(before).unwrap_or(DEFAULT_SEED);
            (file, seed)
        } else {
            let seed = output.seed.unwrap_or(DEFAULT_SEED);
            let mut head = campaign_file::head(Some(seed), &provenance);
            head.set("timing", timing.unwrap_or_default().description());
            head.set("precision", repetitions.words());
            if let Some(hosts) = remeasured {
                head.set(REMEASURED, hosts);
            }
            output_file::check(&output.path, output.force, FileKind::Samples)?;
            let table = Samples::new(head);
            (CampaignFile::create(&output.path, output.force, table)?, seed)
        };
        provenance.shared_cores().iter().for_each(warn);
        let timing = file.table.provenance.timing();
        Ok(Self {
            context,
            machine,
            repetitions,
            file,
            seed,
            timing,
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
            let launches = self.file.table.iter().map(|sample| sample.launch);
            self.launch = launches.max().map_or(0, |launch| launch + 1);
        }
        self.time_left = options.max_time.map(Seconds::from);
        let (parallel, test) = settings.parallel.decide(&mut *self.machine, settings.test_size)?;
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
        let measured = Campaign::new(&mut *self.machine, &mut self.file.table)
            .precision(self.repetitions.precision)
            .warm_up(self.repetitions.warm_up)
            .timing(self.timing)
            .seed(self.seed)
            .launch(self.launch)
            .parallel(self.parallel)
            .deadline(self.time_left)
            .sink(&mut self.file.writer)
            .on_progress(&mut show)
            .measure(design);
        let end = measured.map_err(|error| self.file.rescue(error.into()))?;
        if let Some(remark) = end.remark(self.repetitions.precision.min_reps) {
            self.context.say(format!("{remark}; --resume continues"));
        }
        Ok(end)
    }

    /// Checks the file, prints the numbers of readings and returns all samples.
    pub fn close(self) -> anyhow::Result<Samples> {
        let written = self.file.finish()?;
        let samples = self.file.table;
        warn_of_campaign(&samples);
        let experiments = counted(samples.series().len() as u64, "experiment");
        self.context.say(written.map_or_else(
            || "no readings were taken".to_owned(),
            |written| format!("{written}; it holds {experiments}"),
        ));
        Ok(samples)
    }
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
