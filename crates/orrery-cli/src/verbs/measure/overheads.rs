use clap::Args;
use orrery::measure::{OverheadDesign, TrainDesign, TrainPairs, TrainSizes};
use orrery::units::{Bytes, SizeList};

use crate::campaign::ParallelOption;
use crate::context::Context;
use crate::options::{described, positive, size_above_zero};
use crate::session::{CampaignArguments, Settings};

/// Arguments of `orrery measure overheads`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
    orrery measure overheads --machine local:2 -o overheads.csv\n  \
    mpirun -n 8 orrery measure overheads -o overheads.csv --size 256K --pairs ring")]
pub struct OverheadArguments {
    /// Largest message size
    #[arg(long, value_name = "SIZE", allow_negative_numbers = true, default_value = "32K", value_parser = size_above_zero)]
    size: Bytes,
    /// Measure only these sizes instead of adaptive ones: 0,32K or 0,1K..1M (doubling)
    #[arg(long, value_name = "SIZES", conflicts_with_all = ["size", "tolerance"])]
    sizes: Option<SizeList>,
    /// Add a size where the gap or an overhead deviates from a line by more than this fraction
    #[arg(long, value_name = "PART", default_value_t = 0.1, allow_negative_numbers = true, value_parser = positive)]
    tolerance: f64,
    /// Pairs of processors to measure
    #[arg(long, value_name = "WHICH", value_parser = described::<TrainPairs>(), default_value_t)]
    pairs: TrainPairs,
    /// Number of calls in one reading of an overhead; a single delayed call spoils the reading
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    calls: u32,
    /// Number of messages in one reading of a gap; fewer if they are large, down to 16, so that
    /// they total 512K
    #[arg(long, value_name = "N", default_value_t = 64, value_parser = clap::value_parser!(u32).range(2..=100_000))]
    train: u32,
    /// Sizes of messages that a processor receives after it has sent as much, for the wait of
    /// handshakes of large messages; 0 for none
    #[arg(long, value_name = "SIZES", default_value = "128K,512K")]
    send_receive: SizeList,
    /// Measure PRTT(n, d, s) too, as netgauge does: trains with and without delays, ended by a
    /// reply
    #[arg(long)]
    prtt: bool,
    #[command(flatten)]
    parallel: ParallelOption,
    #[command(flatten)]
    pub common: CampaignArguments,
}

impl OverheadArguments {
    /// Measures overheads and gaps.
    pub fn run(self, context: Context) -> anyhow::Result<()> {
        let started = self.common.start(context)?;
        let overheads = OverheadDesign {
            pairs: self.pairs,
            calls: self.calls,
            train: self.train,
            prtt: self.prtt,
        };
        let listed = self.sizes.as_ref().map(|sizes| sizes.iter().collect::<Vec<_>>());
        let test_size = listed.iter().flatten().copied().max().unwrap_or(self.size);
        let sizes = match listed {
            Some(sizes) => TrainSizes::Listed(sizes),
            None => TrainSizes::Adaptive { largest: self.size, tolerance: self.tolerance },
        };
        let send_receives = self.send_receive.iter().filter(|size| *size > Bytes::ZERO).collect();
        let parallel = self.parallel.parallel;
        let settings = Settings { parallel, test_size, ..Settings::default() };
        self.common.run(
            context,
            started,
            &settings,
            &TrainDesign { overheads, sizes, send_receives },
        )
    }
}
