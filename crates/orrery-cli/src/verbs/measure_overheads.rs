use clap::{Args, ValueEnum};
use orrery::measure::{OverheadDesign, TrainPairs, initial_train_sizes, refined_train_sizes};
use orrery::units::{Bytes, SizeList};

use super::measure::{Common, Settled};
use crate::context::{Context, Usage};
use crate::options::{MachineOptions, positive};
use crate::session::Session;

/// Arguments of `orrery measure overheads`.
#[derive(Debug, Args)]
pub struct OverheadArguments {
    /// The largest message
    #[arg(long, value_name = "SIZE", allow_negative_numbers = true, default_value = "32K")]
    size: Bytes,
    /// These sizes and no others, in place of sizes that are found: 0,32K or 0,1K..1M (doubling)
    #[arg(long, value_name = "SIZES", conflicts_with_all = ["size", "tolerance"])]
    sizes: Option<SizeList>,
    /// A size is added where the gap or an overhead is off the line through the two sizes before by more than this part
    #[arg(long, value_name = "PART", default_value_t = 0.1, allow_negative_numbers = true, value_parser = positive)]
    tolerance: f64,
    /// Between which processors
    #[arg(long, value_name = "WHICH", value_enum, default_value_t)]
    pairs: PairsWord,
    /// How many calls an overhead is read of; among several, one that is held up spoils the reading
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    calls: u32,
    /// How many messages a gap is read of; fewer of large ones, down to 16, so that they are 512K together
    #[arg(long, value_name = "N", default_value_t = 64, value_parser = clap::value_parser!(u32).range(2..=100_000))]
    train: u32,
    /// PRTT(n, d, s) too, as netgauge measures it: trains with and without waits, ended by a reply
    #[arg(long)]
    prtt: bool,
    #[command(flatten)]
    common: Common,
}

/// The word for a choice of pairs.
#[derive(Debug, Clone, Copy, Default, ValueEnum)]
enum PairsWord {
    /// All pairs, one way each
    #[default]
    All,
    /// From each processor to the next, round the circle
    Ring,
}

impl OverheadArguments {
    /// The machine that is asked for.
    pub fn machine(&self) -> &MachineOptions {
        &self.common.machine
    }

    pub fn run(self, context: Context) -> anyhow::Result<()> {
        if self.size == Bytes::ZERO {
            return Err(Usage("--size must be above 0: empty messages are measured in any case".into()).into());
        }
        let interrupt = self.common.interrupt()?;
        let machine = self.common.machine(context, 0, &interrupt)?;
        let what = OverheadDesign {
            pairs: match self.pairs {
                PairsWord::All => TrainPairs::All,
                PairsWord::Ring => TrainPairs::Ring,
            },
            calls: self.calls,
            train: self.train,
            prtt: self.prtt,
        };
        let given: Option<Vec<Bytes>> = self.sizes.as_ref().map(|sizes| sizes.iter().collect());
        let (largest, tolerance) = (self.size, self.tolerance);
        let settled = Settled { size: given.iter().flatten().copied().max().unwrap_or(largest), timing: None };
        self.common.launches(context, machine, &interrupt, settled, |session| match &given {
            Some(sizes) => measure(session, &what, sizes),
            None => adaptive(session, &what, largest, tolerance),
        })
    }
}

/// Round trips first: they say how long trains have to wait.
fn measure(session: &mut Session, what: &OverheadDesign, sizes: &[Bytes]) -> anyhow::Result<()> {
    let (processors, seed) = (session.processors(), session.seed());
    session.measure("round trips", &what.round_trips(processors, sizes, seed))?;
    if !session.is_out_of_time() {
        let plan = what.trains(session.samples(), processors, sizes, seed)?;
        session.measure("overheads", &plan)?;
    }
    Ok(())
}

/// Sizes are added until gap and overheads are lines between them.
fn adaptive(session: &mut Session, what: &OverheadDesign, largest: Bytes, tolerance: f64) -> anyhow::Result<()> {
    let mut sizes = initial_train_sizes(session.samples(), largest);
    while !sizes.is_empty() && !session.is_out_of_time() {
        measure(session, what, &sizes)?;
        sizes = refined_train_sizes(session.samples(), tolerance);
    }
    Ok(())
}
