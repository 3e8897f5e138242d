use std::path::PathBuf;
use std::str::FromStr;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use clap::{Args, Subcommand, ValueEnum};
use orrery::machine::Machine;
use orrery::measure::{
    AdaptiveSizes, CollectiveDesign, TripletDesign, adaptive_collectives, collectives, one_to_twos, round_trips,
};
use orrery::platform::Processor;
use orrery::schedule::{Algorithm, CollectiveKind, Timing};
use orrery::units::{Bytes, SizeList};

use super::measure_overheads::OverheadArguments;
use super::measure_scheme::SchemeArguments;
use super::{ranges, thresholds};
use crate::campaign::{CampaignOptions, Parallel};
use crate::context::{Context, Usage};
use crate::interrupt;
use crate::options::{MachineOptions, PrecisionOptions};
use crate::session::{Output, Session};

/// Arguments of `orrery measure`.
#[derive(Debug, Args)]
pub struct Measure {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, Subcommand)]
enum What {
    /// Round trips and one-to-two experiments: what the point-to-point models are fitted to
    Comm(Comm),
    /// Overheads and gaps: what the models of the LogP family are fitted to
    Overheads(OverheadArguments),
    /// Collective operations: what the models are validated with
    Collectives(CollectiveArguments),
    /// Linear scatter and gather at sizes where they turn: what thresholds are estimated from
    Thresholds(ThresholdCampaign),
    /// Messages that are under way at once: what the laws of sharing are fitted to
    Scheme(SchemeArguments),
}

/// Options of every campaign.
#[derive(Debug, Args)]
pub(super) struct Common {
    #[command(flatten)]
    output: Output,
    #[command(flatten)]
    pub(super) machine: MachineOptions,
    #[command(flatten)]
    campaign: CampaignOptions,
    #[command(flatten)]
    precision: PrecisionOptions,
}

#[derive(Debug, Args)]
struct Comm {
    /// The size of the message, beside the empty one; it should lie below the scatter threshold [default: 32K, or less
    /// where --thresholds or the file that is continued tells a lower one]
    #[arg(long, value_name = "SIZE", allow_negative_numbers = true)]
    size: Option<Bytes>,
    /// A model or samples that tell the scatter threshold
    #[arg(long, value_name = "MODEL|SAMPLES")]
    thresholds: Option<PathBuf>,
    /// Further sizes of round trips, for the regression of Hockney: 4K, 1K..1M (doubling), 1K..64K:4K (stepping)
    #[arg(long, value_name = "SIZES")]
    sizes: Option<SizeList>,
    /// Which triplets take part in one-to-two experiments
    #[arg(long, value_name = "WHICH", value_enum, default_value_t)]
    triplets: TripletsWord,
    #[command(flatten)]
    common: Common,
}

#[derive(Debug, Args)]
struct CollectiveArguments {
    /// The operations: scatter, gather
    #[arg(long, value_name = "LIST", value_delimiter = ',', default_value = "scatter,gather")]
    operations: Vec<CollectiveKind>,
    /// The algorithms: linear, binomial
    #[arg(long, value_name = "LIST", value_delimiter = ',', default_value = "linear,binomial")]
    algorithms: Vec<Algorithm>,
    /// The roots: all, or ranks with commas between
    #[arg(long, value_name = "LIST", default_value = "0", allow_negative_numbers = true)]
    root: String,
    /// How many processors take part; all of them unless told
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    procs: Option<usize>,
    /// The blocks of one processor: 4K, 1K..1M (doubling), 1K..64K:4K (stepping), or adaptive:0..200K:1K, where times turn,
    /// there no further than 1K apart, at least 20 readings each
    #[arg(long, value_name = "SIZES", default_value = "1K..32K")]
    sizes: Sizes,
    /// How they are timed: max (each rank by its own clock, the maximum over the ranks), root (by the clock of the root
    /// until a barrier has followed, minus the time of a barrier) or global (from a common start to the end of the last
    /// rank, by one clock that all ranks are synchronised to) [default: max, or that of the campaign that is continued]
    #[arg(long, value_name = "METHOD")]
    timing: Option<Timing>,
    #[command(flatten)]
    common: Common,
}

#[derive(Debug, Args)]
struct ThresholdCampaign {
    /// The roots: all, or ranks with commas between
    #[arg(long, value_name = "LIST", default_value = "0", allow_negative_numbers = true)]
    root: String,
    /// How many processors take part; all of them unless told
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    procs: Option<usize>,
    /// The range of the blocks of one processor, and the stride to which thresholds are pinned
    #[arg(long, value_name = "SIZES", default_value = "adaptive:0..200K:1K")]
    sizes: Sizes,
    /// How they are timed, as of measure collectives
    #[arg(long, value_name = "METHOD")]
    timing: Option<Timing>,
    #[command(flatten)]
    common: Common,
}

/// Sizes of collective operations.
#[derive(Debug, Clone)]
enum Sizes {
    Given(SizeList),
    Adaptive(AdaptiveSizes),
}

impl FromStr for Sizes {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if AdaptiveSizes::is_meant(text) {
            return text.parse().map(Self::Adaptive);
        }
        text.parse().map(Self::Given).map_err(|error: orrery::units::UnitError| error.to_string())
    }
}

/// With fewer readings, sizes that escalate seldom look calm.
const ADAPTIVE_READINGS: u32 = 20;

impl Measure {
    /// The machine that is asked for.
    pub fn machine(&self) -> &MachineOptions {
        match &self.what {
            What::Comm(arguments) => &arguments.common.machine,
            What::Overheads(arguments) => arguments.machine(),
            What::Collectives(arguments) => &arguments.common.machine,
            What::Thresholds(arguments) => &arguments.common.machine,
            What::Scheme(arguments) => arguments.machine(),
        }
    }

    pub fn run(self, context: Context) -> anyhow::Result<()> {
        match self.what {
            What::Comm(arguments) => arguments.run(context),
            What::Overheads(arguments) => arguments.run(context),
            What::Collectives(arguments) => arguments.run(context),
            What::Thresholds(arguments) => arguments.collectives().run(context),
            What::Scheme(arguments) => arguments.run(context),
        }
    }
}

/// What is settled before the first experiment.
#[derive(Debug, Clone, Copy)]
pub(super) struct Settled {
    /// The message with which it is found out whether experiments can run at the same time.
    pub(super) size: Bytes,
    /// How collective operations are timed, where that is asked for.
    pub(super) timing: Option<Timing>,
}

impl Common {
    pub(super) fn interrupt(&self) -> anyhow::Result<Arc<AtomicBool>> {
        self.precision.check()?;
        if self.campaign.launches > 1 && !self.machine.can_relaunch() {
            let words = "--launches: an MPI job cannot launch itself again; \
                         start it several times, each time with --resume --new-launch";
            return Err(Usage(words.into()).into());
        }
        interrupt::flag()
    }

    pub(super) fn machine(
        &self,
        context: Context,
        launch: u32,
        interrupt: &Arc<AtomicBool>,
    ) -> anyhow::Result<Box<dyn Machine>> {
        self.machine.start(context, launch, Arc::clone(interrupt))
    }

    /// Opens the samples file and measures in each launch.
    pub(super) fn launches(
        &self,
        context: Context,
        machine: Box<dyn Machine>,
        interrupt: &Arc<AtomicBool>,
        settled: Settled,
        measure: impl Fn(&mut Session) -> anyhow::Result<()>,
    ) -> anyhow::Result<()> {
        let mut session = Session::open(context, machine, &self.output, &self.precision, settled.timing)?;
        session.begin(&self.campaign, settled.size)?;
        for launch in 0..self.campaign.launches {
            if launch > 0 {
                session.relaunch(self.machine(context, launch, interrupt)?);
            }
            measure(&mut session)?;
            if session.is_out_of_time() {
                break;
            }
        }
        session.close();
        Ok(())
    }
}

/// The word for a design of one-to-two experiments.
#[derive(Debug, Clone, Copy, Default, ValueEnum)]
pub enum TripletsWord {
    /// From each processor to pairs of its nearest partners, O(n)
    #[default]
    Spread,
    /// All triplets, each processor in turn the root, O(n³), as in the papers
    Full,
}

/// What a communication campaign measures.
pub struct CommPlan {
    pub size: Bytes,
    pub sizes: SizeList,
    pub triplets: TripletsWord,
}

impl CommPlan {
    /// Round trips first: they say which partner of a one-to-two experiment is the slower one.
    pub fn measure(&self, session: &mut Session) -> anyhow::Result<()> {
        let processors = session.processors();
        let sizes: SizeList = self.sizes.iter().chain([Bytes::ZERO, self.size]).collect();
        session.measure("round trips", &round_trips(processors, sizes.as_slice(), session.seed()))?;
        if processors > 2 && !session.is_out_of_time() {
            let triplets = match self.triplets {
                TripletsWord::Spread => TripletDesign::Spread,
                TripletsWord::Full => TripletDesign::Full,
            };
            let plan = one_to_twos(triplets, session.samples(), processors, self.size, session.seed())?;
            session.measure("one-to-two", &plan)?;
        }
        Ok(())
    }
}

impl Comm {
    fn run(self, context: Context) -> anyhow::Result<()> {
        if self.size == Some(Bytes::ZERO) {
            return Err(Usage("--size must be above 0: empty messages are measured in any case".into()).into());
        }
        let output = &self.common.output;
        let continued = (output.resume && output.path.exists()).then(|| output.path.clone());
        let files: Vec<PathBuf> = self.thresholds.into_iter().chain(continued).collect();
        let size = thresholds::comm_size(context, self.size, &files)?;
        let interrupt = self.common.interrupt()?;
        let machine = self.common.machine(context, 0, &interrupt)?;
        if machine.processors() < 3 {
            context.say("with two processors there are no one-to-two experiments: LMO needs three, Hockney is fine");
        }
        let plan = CommPlan { size, sizes: self.sizes.unwrap_or_default(), triplets: self.triplets };
        let settled = Settled { size, timing: None };
        self.common.launches(context, machine, &interrupt, settled, |session| plan.measure(session))
    }
}

impl CollectiveArguments {
    fn run(self, context: Context) -> anyhow::Result<()> {
        let interrupt = self.common.interrupt()?;
        let machine = self.common.machine(context, 0, &interrupt)?;
        // Before the samples file is opened: a slip of the pen leaves no file behind.
        let mut what = self.what(machine.processors())?;
        // Collective operations take all processors: nothing could run beside them.
        let one_at_a_time = CampaignOptions { parallel: Parallel::Off, ..self.common.campaign.clone() };
        let mut common = Common { campaign: one_at_a_time, ..self.common };
        let settled = Settled { size: Bytes::ZERO, timing: self.timing };
        match self.sizes {
            Sizes::Given(sizes) => {
                what.sizes = sizes.iter().collect();
                common.launches(context, machine, &interrupt, settled, |session| {
                    session.measure("collectives", &collectives(&what, session.seed()))
                })
            }
            Sizes::Adaptive(sizes) => {
                common.precision.at_least(ADAPTIVE_READINGS);
                common.launches(context, machine, &interrupt, settled, |session| adaptive(session, &what, &sizes))
            }
        }
    }

    fn what(&self, processors: usize) -> Result<CollectiveDesign, Usage> {
        let procs = self.procs.unwrap_or(processors);
        ranges::procs(procs, processors)?;
        let roots = match self.root.as_str() {
            "all" => Processor::first(procs).collect(),
            list => {
                list.split(',').map(|root| ranges::rank("--root", root.trim(), procs)).collect::<Result<Vec<_>, _>>()?
            }
        };
        let sizes = Vec::new();
        Ok(CollectiveDesign {
            kinds: self.operations.clone(),
            algorithms: self.algorithms.clone(),
            roots,
            procs,
            sizes,
        })
    }
}

/// Measures until every break is pinned.
fn adaptive(session: &mut Session, what: &CollectiveDesign, sizes: &AdaptiveSizes) -> anyhow::Result<()> {
    // What an interruption has torn, or another launch has measured, comes first: sizes follow from complete readings.
    let known = adaptive_collectives(what, sizes, session.samples(), session.seed()).known;
    session.measure("collectives", &known)?;
    while !session.is_out_of_time() {
        let fresh = adaptive_collectives(what, sizes, session.samples(), session.seed()).fresh;
        if fresh.is_empty() {
            break;
        }
        session.measure("collectives", &fresh)?;
    }
    Ok(())
}

impl ThresholdCampaign {
    /// Linear scatter and gather.
    fn collectives(self) -> CollectiveArguments {
        let Self { root, procs, sizes, timing, common } = self;
        let (operations, algorithms) = (CollectiveKind::ALL.to_vec(), vec![Algorithm::Linear]);
        CollectiveArguments { operations, algorithms, root, procs, sizes, timing, common }
    }
}
