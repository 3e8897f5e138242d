use clap::{Args, Subcommand};
use orrery::measure::{Collectives, Plan, Triplets, collectives, one_to_twos, round_trips};
use orrery::platform::Processor;
use orrery::schedule::{Algorithm, CollectiveKind};
use orrery::units::{Bytes, SizeList};

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
    #[command(flatten)]
    common: Common,
    /// The message of round trips and one-to-two experiments beside the empty one; below the scatter threshold
    #[arg(long, value_name = "SIZE", default_value = "32K")]
    size: Bytes,
    /// Further sizes of round trips, for the regression of Hockney
    #[arg(long, value_name = "SIZES")]
    sizes: Option<SizeList>,
    /// Which triplets take part in one-to-two experiments
    #[arg(long, value_name = "WHICH", default_value = "full", value_parser = ["full"])]
    triplets: String,
}

#[derive(Debug, Args)]
struct CollectiveArguments {
    #[command(flatten)]
    common: Common,
    /// The operations, with commas between
    #[arg(long, value_name = "LIST", value_delimiter = ',', default_value = "scatter,gather")]
    operations: Vec<CollectiveKind>,
    /// The algorithms, with commas between
    #[arg(long, value_name = "LIST", value_delimiter = ',', default_value = "linear,binomial")]
    algorithms: Vec<Algorithm>,
    /// The roots: all, or a list with commas
    #[arg(long, value_name = "LIST", default_value = "0")]
    root: String,
    /// How many processors take part; all of them unless told
    #[arg(long, value_name = "N")]
    procs: Option<usize>,
    /// The blocks of one processor
    #[arg(long, value_name = "SIZES", default_value = "1K..32K")]
    sizes: SizeList,
}

impl Measure {
    /// The machine that is asked for.
    pub fn machine(&self) -> &MachineOptions {
        match &self.what {
            What::Comm(arguments) => &arguments.common.machine,
            What::Collectives(arguments) => &arguments.common.machine,
        }
    }

    pub fn run(self, context: Context) -> anyhow::Result<()> {
        match self.what {
            What::Comm(arguments) => arguments.run(context),
            What::Collectives(arguments) => arguments.run(context),
        }
    }
}

impl Common {
    fn start(&self, context: Context) -> anyhow::Result<Session> {
        let machine = self.machine.start(context, interrupt::flag()?)?;
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
        let mut session = self.common.start(context)?;
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
        let mut session = self.common.start(context)?;
        let procs = self.procs.unwrap_or(session.processors());
        let plan = self.plan(procs, session.processors(), session.seed())?;
        session.measure("collectives", &plan)?;
        session.close();
        Ok(())
    }

    fn plan(&self, procs: usize, processors: usize, seed: u64) -> anyhow::Result<Plan> {
        if procs < 2 || procs > processors {
            return Err(Usage(format!("--procs {procs}: the machine has {processors} processors, 2 are needed")).into());
        }
        let roots = match self.root.as_str() {
            "all" => Processor::first(procs).collect(),
            list => list.split(',').map(|root| rank(root, procs)).collect::<Result<Vec<_>, _>>()?,
        };
        let sizes = self.sizes.iter().collect();
        let what =
            Collectives { kinds: self.operations.clone(), algorithms: self.algorithms.clone(), roots, procs, sizes };
        Ok(collectives(&what, seed))
    }
}

fn rank(text: &str, procs: usize) -> Result<Processor, Usage> {
    match text.trim().parse() {
        Ok(rank) if (rank as usize) < procs => Ok(Processor(rank)),
        _ => Err(Usage(format!("--root {text}: ranks of {procs} processors go from 0 to {}", procs - 1))),
    }
}
