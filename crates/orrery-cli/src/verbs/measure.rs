use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use clap::{Args, Subcommand, ValueEnum};
use orrery::machine::Machine;
use orrery::measure::{Collectives, Triplets, collectives, one_to_twos, round_trips};
use orrery::platform::Processor;
use orrery::schedule::{Algorithm, CollectiveKind, Timing};
use orrery::units::{Bytes, SizeList};

use super::measure_overheads::OverheadArguments;
use super::measure_scheme::SchemeArguments;
use super::ranges;
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
    /// The size of the message, beside the empty one; it should lie below the scatter threshold
    #[arg(long, value_name = "SIZE", allow_negative_numbers = true, default_value = "32K")]
    size: Bytes,
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
    /// The blocks of one processor: 4K, 1K..1M (doubling), 1K..64K:4K (stepping)
    #[arg(long, value_name = "SIZES", default_value = "1K..32K")]
    sizes: SizeList,
    /// How they are timed: max (each rank by its own clock, the maximum over the ranks) or root (by the clock of the root
    /// until a barrier has followed, minus the time of a barrier) [default: max, or that of the campaign that is
    /// continued]
    #[arg(long, value_name = "METHOD")]
    timing: Option<Timing>,
    #[command(flatten)]
    common: Common,
}

impl Measure {
    /// The machine that is asked for.
    pub fn machine(&self) -> &MachineOptions {
        match &self.what {
            What::Comm(arguments) => &arguments.common.machine,
            What::Overheads(arguments) => arguments.machine(),
            What::Collectives(arguments) => &arguments.common.machine,
            What::Scheme(arguments) => arguments.machine(),
        }
    }

    pub fn run(self, context: Context) -> anyhow::Result<()> {
        match self.what {
            What::Comm(arguments) => arguments.run(context),
            What::Overheads(arguments) => arguments.run(context),
            What::Collectives(arguments) => arguments.run(context),
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
                TripletsWord::Spread => Triplets::Spread,
                TripletsWord::Full => Triplets::Full,
            };
            let plan = one_to_twos(triplets, session.samples(), processors, self.size, session.seed())?;
            session.measure("one-to-two", &plan)?;
        }
        Ok(())
    }
}

impl Comm {
    fn run(self, context: Context) -> anyhow::Result<()> {
        if self.size == Bytes::ZERO {
            return Err(Usage("--size must be above 0: empty messages are measured in any case".into()).into());
        }
        let interrupt = self.common.interrupt()?;
        let machine = self.common.machine(context, 0, &interrupt)?;
        if machine.processors() < 3 {
            context.say("with two processors there are no one-to-two experiments: LMO needs three, Hockney is fine");
        }
        let plan = CommPlan { size: self.size, sizes: self.sizes.unwrap_or_default(), triplets: self.triplets };
        let settled = Settled { size: self.size, timing: None };
        self.common.launches(context, machine, &interrupt, settled, |session| plan.measure(session))
    }
}

impl CollectiveArguments {
    fn run(self, context: Context) -> anyhow::Result<()> {
        let interrupt = self.common.interrupt()?;
        let machine = self.common.machine(context, 0, &interrupt)?;
        // Before the samples file is opened: a slip of the pen leaves no file behind.
        let what = self.what(machine.processors())?;
        // Collective operations take all processors: nothing could run beside them.
        let one_at_a_time = CampaignOptions { parallel: Parallel::Off, ..self.common.campaign.clone() };
        let common = Common { campaign: one_at_a_time, ..self.common };
        let settled = Settled { size: Bytes::ZERO, timing: self.timing };
        common.launches(context, machine, &interrupt, settled, |session| {
            session.measure("collectives", &collectives(&what, session.seed()))
        })
    }

    fn what(&self, processors: usize) -> Result<Collectives, Usage> {
        let procs = self.procs.unwrap_or(processors);
        ranges::procs(procs, processors)?;
        let roots = match self.root.as_str() {
            "all" => Processor::first(procs).collect(),
            list => {
                list.split(',').map(|root| ranges::rank("--root", root.trim(), procs)).collect::<Result<Vec<_>, _>>()?
            }
        };
        let sizes = self.sizes.iter().collect();
        Ok(Collectives { kinds: self.operations.clone(), algorithms: self.algorithms.clone(), roots, procs, sizes })
    }
}
