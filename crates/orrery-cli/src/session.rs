//! A campaign under way: a machine, the samples file it fills, and progress bars.

use std::error::Error;
use std::path::{Path, PathBuf};

use clap::Args;
use orrery::machine::Machine;
use orrery::measure::{Campaign, CampaignEnd, Plan, Sink};
use orrery::sample::file::Writer;
use orrery::sample::{Provenance, Sample, Samples};
use orrery::schedule::Timing;
use orrery::units::{Bytes, Seconds};

use crate::campaign::CampaignOptions;
use crate::context::{Context, command_line, warn};
use crate::options::PrecisionOptions;
use crate::output::counted;
use crate::progress::Bar;

/// Where the samples of a campaign go.
#[derive(Debug, Clone, Args)]
pub struct Output {
    /// The samples file to write; compressed when its name ends in .zst
    #[arg(id = "output", short, long, value_name = "SAMPLES")]
    pub path: PathBuf,
    /// Continue the campaign of an existing file, keeping what it has measured
    #[arg(long, conflicts_with = "force")]
    pub resume: bool,
    /// Replace an existing file
    #[arg(long)]
    pub force: bool,
    /// The seed of the order of the experiments [default: 1, or that of the campaign that is continued]
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    pub seed: Option<u64>,
}

/// A campaign under way.
pub struct Session {
    context: Context,
    machine: Box<dyn Machine>,
    precision: PrecisionOptions,
    writer: File,
    samples: Samples,
    seed: u64,
    timing: Timing,
    known_before: usize,
    launch: u32,
    parallel: bool,
    /// What is left of the time of the whole campaign when this launch begins.
    time_left: Option<Seconds>,
    is_out_of_time: bool,
}

struct File(Writer);

impl Sink for File {
    fn record(&mut self, readings: &[Sample]) -> Result<(), Box<dyn Error + Send + Sync>> {
        Ok(self.0.append(readings)?)
    }
}

const DEFAULT_SEED: u64 = 1;

/// What must not change when a campaign is continued.
const SAME: [&str; 4] = ["machine", "truth", "noise", "hosts"];

impl Session {
    /// Opens the samples file for what this machine will measure; where no timing method is asked for, collectives are
    /// timed as those of the file are.
    pub fn open(
        context: Context,
        machine: Box<dyn Machine>,
        output: &Output,
        precision: &PrecisionOptions,
        timing: Option<Timing>,
    ) -> anyhow::Result<Self> {
        let provenance = machine.provenance();
        let (writer, samples, seed) = if output.resume && output.path.exists() {
            let (writer, loaded) = Writer::resume(&output.path)?;
            loaded.warnings.iter().for_each(warn);
            same_machine(&output.path, &provenance, &loaded.samples.provenance)?;
            same_timing(output, timing, &loaded.samples.provenance)?;
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
            let writer = Writer::create(&output.path, &head, output.force)?;
            (writer, Samples::new(head), seed)
        };
        let known_before = samples.count();
        let timing = samples.provenance.timing();
        Ok(Self {
            context,
            machine,
            precision: *precision,
            writer: File(writer),
            samples,
            seed,
            timing,
            known_before,
            launch: 0,
            parallel: false,
            time_left: None,
            is_out_of_time: false,
        })
    }

    /// How many processors the machine has.
    pub fn processors(&self) -> usize {
        self.machine.processors()
    }

    /// The seed of the order of experiments.
    pub fn seed(&self) -> u64 {
        self.seed
    }

    /// All readings so far.
    pub fn samples(&self) -> &Samples {
        &self.samples
    }

    /// Takes the options of the campaign to heart: which launch it is, for how long, what runs at the same time.
    pub fn begin(&mut self, options: &CampaignOptions, size: Bytes) -> anyhow::Result<()> {
        if options.new_launch {
            let launches = self.samples.iter().map(|sample| sample.launch);
            self.launch = launches.max().map_or(0, |launch| launch + 1);
        }
        self.time_left = options.max_time.map(Seconds::from);
        self.parallel = options.parallel.decide(self.context, &mut *self.machine, size)?;
        Ok(())
    }

    /// Goes on with a fresh launch of the machine.
    pub fn relaunch(&mut self, machine: Box<dyn Machine>) {
        self.time_left = self.time_left.map(|left| left - self.machine.elapsed());
        self.machine = machine;
        self.launch += 1;
    }

    /// Whether the time of the campaign is over.
    pub fn is_out_of_time(&self) -> bool {
        self.is_out_of_time
    }

    /// Measures a plan; the bar says what of.
    pub fn measure(&mut self, what: &'static str, plan: &Plan) -> anyhow::Result<()> {
        let bar = Bar::new(self.context, what);
        let mut campaign = Campaign {
            machine: &mut *self.machine,
            precision: self.precision.rule(),
            warm_up: self.precision.warm_up,
            timing: self.timing,
            launch: self.launch,
            parallel: self.parallel,
            deadline: self.time_left,
            sink: &mut self.writer,
            known: &mut self.samples,
            progress: &mut |progress| bar.show(progress),
        };
        if let CampaignEnd::OutOfTime { imprecise, unmeasured } = campaign.run(plan)? {
            self.is_out_of_time = true;
            self.context.say(format!(
                "the time is over: {imprecise} of {} experiments ({what}) are not precise enough, {unmeasured} of them have \
                 fewer than {} readings; --resume continues",
                plan.len(),
                self.precision.min_reps
            ));
        }
        Ok(())
    }

    /// Ends the campaign and says what was measured.
    pub fn close(self) -> Samples {
        let fresh = self.samples.count() - self.known_before;
        let experiments = counted(self.samples.series().len() as u64, "experiment");
        let path = self.writer.0.path().display();
        let before =
            if self.known_before > 0 { format!(" ({} were there before)", self.known_before) } else { String::new() };
        self.context.say(format!("{fresh} readings written to {path}{before}; it holds {experiments}"));
        self.samples
    }
}

/// Refuses to mix readings of different machines in the file at this path.
pub fn same_machine(path: &Path, now: &Provenance, before: &Provenance) -> anyhow::Result<()> {
    for key in SAME {
        if let (Some(now), Some(before)) = (now.get(key), before.get(key))
            && now != before
        {
            let path = path.display();
            anyhow::bail!(
                "{path}: it was measured with {key}: {before}, but this machine has {key}: {now}; name another file"
            );
        }
    }
    Ok(())
}

/// Readings of one experiment by two methods would pass for one.
fn same_timing(output: &Output, asked: Option<Timing>, before: &Provenance) -> anyhow::Result<()> {
    let before = before.timing();
    match asked {
        Some(asked) if asked != before => anyhow::bail!(
            "{}: its collectives are timed by --timing {before}, not by {asked}; leave --timing out, or name another file",
            output.path.display()
        ),
        _ => Ok(()),
    }
}
