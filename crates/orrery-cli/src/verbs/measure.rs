use clap::{Args, Subcommand};
use orrery::machine::Machine;
use orrery::measure::{Collectives, Triplets, collectives, one_to_twos, round_trips};
use orrery::platform::Processor;
use orrery::schedule::{Algorithm, CollectiveKind};
use orrery::units::{Bytes, SizeList};

use super::ranges;
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
    /// Collective operations: what the models are validated with
    Collectives(CollectiveArguments),
}

/// Options of every campaign.
#[derive(Debug, Args)]
struct Common {
    #[command(flatten)]
    output: Output,
    #[command(flatten)]
    machine: MachineOptions,
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
    #[arg(long, value_name = "WHICH", default_value = "full", value_parser = ["full"], hide = true)]
    triplets: String,
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
    #[command(flatten)]
    common: Common,
}

impl Measure {
    pub fn run(self, context: Context) -> anyhow::Result<()> {
        match self.what {
            What::Comm(arguments) => arguments.run(context),
            What::Collectives(arguments) => arguments.run(context),
        }
    }
}

impl Common {
    fn machine(&self) -> anyhow::Result<Box<dyn Machine>> {
        self.precision.check()?;
        self.machine.machine.start(self.machine.time_limit, interrupt::flag()?)
    }

    fn session(&self, context: Context, machine: Box<dyn Machine>) -> anyhow::Result<Session> {
        Session::open(context, machine, &self.output, &self.precision)
    }
}

/// What a communication campaign measures.
pub struct CommPlan {
    pub size: Bytes,
    pub sizes: SizeList,
}

impl CommPlan {
    /// Round trips first: they say which partner of a one-to-two experiment is the slower one.
    pub fn measure(&self, session: &mut Session) -> anyhow::Result<()> {
        let processors = session.processors();
        let sizes: SizeList = self.sizes.iter().chain([Bytes::ZERO, self.size]).collect();
        session.measure("round trips", &round_trips(processors, sizes.as_slice(), session.seed()))?;
        if processors > 2 {
            let plan = one_to_twos(Triplets::Full, session.samples(), processors, self.size, session.seed())?;
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
        let mut session = self.common.session(context, self.common.machine()?)?;
        CommPlan { size: self.size, sizes: self.sizes.unwrap_or_default() }.measure(&mut session)?;
        if session.processors() < 3 {
            context.say("with two processors there are no one-to-two experiments: LMO needs three, Hockney is fine");
        }
        session.close();
        Ok(())
    }
}

impl CollectiveArguments {
    fn run(self, context: Context) -> anyhow::Result<()> {
        let machine = self.common.machine()?;
        // Before the samples file is opened: a slip of the pen leaves no file behind.
        let what = self.what(machine.processors())?;
        let mut session = self.common.session(context, machine)?;
        session.measure("collectives", &collectives(&what, session.seed()))?;
        session.close();
        Ok(())
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
