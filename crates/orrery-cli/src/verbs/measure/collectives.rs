use std::str::FromStr;

use clap::Args;
use orrery::machine::Machine;
use orrery::measure::{
    AdaptiveCollectives, AdaptiveSizes, AdaptiveSizesError, CollectiveDesign, Parallelism,
};
use orrery::request::{self, Roots};
use orrery::sample::NativeAlgorithm;
use orrery::schedule::{Algorithm, CollectiveKind, Timing};
use orrery::units::SizeList;

use crate::applies;
use crate::context::{Context, Usage, warn};
use crate::refusal;
use crate::session::{CampaignArguments, Settings};
use crate::verbs::algorithms::{AlgorithmOptions, forced};

/// Arguments of `orrery measure collectives`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
    orrery measure collectives --machine local:4 -o collectives.csv --root all\n  \
    mpirun -n 8 orrery measure collectives -o collectives.csv --sizes 1K..1M --timing global\n  \
    mpirun -n 8 orrery measure collectives -o native.csv --operations bcast,allreduce --native")]
pub struct CollectiveArguments {
    /// Operations, separated by commas: some of scatter, gather, allgather, alltoall, barrier,
    /// bcast, reduce, allreduce, reduce-scatter, scan, exscan
    #[arg(long, value_name = "LIST", value_delimiter = ',', default_value = "scatter,gather")]
    operations: Vec<CollectiveKind>,
    #[command(flatten)]
    algorithms: AlgorithmOptions,
    /// Call the operations of the MPI library instead: by its own choice, and with each algorithm
    /// that it can be forced to use (Open MPI, MPICH), with Open MPI also in segments of
    /// --segments; with --algorithms measure both, and only the named ones
    #[arg(long)]
    native: bool,
    /// Measure only the library's own choice, with --native
    #[arg(long, requires = "native", conflicts_with_all = ["algorithms", "segments"])]
    own_choice: bool,
    /// Roots of bcast, scatter, gather and reduce, separated by commas: all, or ranks
    #[arg(long, value_name = "LIST", default_value = "0", allow_negative_numbers = true)]
    root: Roots,
    /// Number of processors that take part [default: all]
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    procs: Option<usize>,
    /// Block sizes of one processor, or sizes of the vector of bcast, reduce, allreduce and scans:
    /// 4K, 1K..1M (doubling), 1K..64K:4K (stepping), or adaptive:0..200K:1K (denser where times
    /// change their slope, down to 1K; at least 20 readings of each size)
    #[arg(long, value_name = "SIZES", default_value = "1K..32K")]
    sizes: Sizes,
    /// Timing method: max (maximum over the ranks of the time on their own clocks), root (time on
    /// the clock of the root until a barrier has followed, minus the time of a barrier) or global
    /// (from a common start to the end of the last rank on synchronised clocks) [default: max, or
    /// that of the continued campaign]
    #[arg(long, value_name = "METHOD")]
    timing: Option<Timing>,
    #[command(flatten)]
    pub common: CampaignArguments,
}

/// Arguments of `orrery measure thresholds`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
    orrery measure thresholds --machine local:4 -o thresholds.csv\n  \
    mpirun -n 8 orrery measure thresholds -o thresholds.csv --sizes adaptive:0..1M:4K")]
pub struct ThresholdCampaign {
    /// Roots of the scatters and gathers, separated by commas: all, or ranks
    #[arg(long, value_name = "LIST", default_value = "0", allow_negative_numbers = true)]
    root: Roots,
    /// Number of processors that take part [default: all]
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    procs: Option<usize>,
    /// Block sizes of one processor as adaptive:FROM..TO:STRIDE: thresholds are located to the
    /// stride
    #[arg(long, value_name = "SIZES", default_value = "adaptive:0..200K:1K")]
    sizes: Sizes,
    /// Timing method: max, root or global, as orrery measure collectives --help explains [default:
    /// max, or that of the continued campaign]
    #[arg(long, value_name = "METHOD")]
    timing: Option<Timing>,
    #[command(flatten)]
    pub common: CampaignArguments,
}

/// The block sizes of collective operations: listed, or chosen during the campaign.
#[derive(Debug, Clone)]
enum Sizes {
    Listed(SizeList),
    Adaptive(AdaptiveSizes),
}

impl FromStr for Sizes {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if AdaptiveSizes::has_prefix(text) {
            return text
                .parse()
                .map(Self::Adaptive)
                .map_err(|error: AdaptiveSizesError| error.to_string());
        }
        text.parse().map(Self::Listed).map_err(|error: orrery::units::UnitError| error.to_string())
    }
}

impl CollectiveArguments {
    /// Measures collective operations.
    pub fn run(self, context: Context) -> anyhow::Result<()> {
        let mut started = self.common.start(context)?;
        // Checked before the samples file is created.
        let design = self.design(&*started.machine)?;
        // Collective operations occupy all processors, so nothing can run in parallel.
        let (parallel, timing) = (Parallelism::Off, self.timing);
        let settings = Settings { parallel, timing, ..Settings::default() };
        match self.sizes {
            Sizes::Listed(sizes) => {
                let design = CollectiveDesign { sizes: sizes.iter().collect(), ..design };
                warn_of_replaced(&design);
                self.common.run(context, started, &settings, &design)
            }
            Sizes::Adaptive(sizes) => {
                let repetitions = started.repetitions.at_least(AdaptiveCollectives::MIN_REPS);
                started.repetitions = repetitions;
                self.common.run(context, started, &settings, &AdaptiveCollectives { design, sizes })
            }
        }
    }

    /// The design of the campaign, without sizes.
    fn design(&self, machine: &dyn Machine) -> Result<CollectiveDesign, Usage> {
        let processors = machine.processors();
        let procs = request::procs(self.procs, processors).map_err(refusal::usage)?;
        let roots = self.root.of(procs).map_err(refusal::usage)?;
        let selection = self.algorithms.selection();
        let mut operations = Vec::new();
        let mut native = Vec::new();
        let mut missing = Vec::new();
        let mut undivided = Vec::new();
        let mut is_forcible = false;
        for &operation in &self.operations {
            let selection = selection.part_of(&self.operations, operation);
            let scheduled = if self.native && !self.algorithms.names_algorithms() {
                Vec::new()
            } else {
                selection.of(operation, procs).map_err(refusal::usage)?
            };
            if self.native {
                let known = machine.native_algorithms(operation, procs);
                if known.is_none() {
                    applies::refuse(
                        &["--native"],
                        "machines besides MPI jobs, which mpirun starts",
                    )?;
                }
                let known = known.filter(|_| !self.own_choice).unwrap_or_default();
                is_forcible |= !known.is_empty();
                let found = forced(&selection, operation, procs, &known).map_err(refusal::usage)?;
                undivided.extend(found.is_undivided.then(|| operation.to_string()));
                missing.extend(
                    found.missing.into_iter().map(|algorithm| format!("{operation}/{algorithm}")),
                );
                let forced = found.forced.into_iter().map(Some);
                native.extend(
                    std::iter::once(None).chain(forced).map(|algorithm| (operation, algorithm)),
                );
            }
            operations.extend(scheduled.into_iter().map(|algorithm| (operation, algorithm)));
        }
        if is_forcible && !undivided.is_empty() {
            let list = undivided.join(", ");
            warn(format!(
                "--segments: this MPI library cannot be forced to divide the vectors of {list}"
            ));
        }
        if self.native && !is_forcible && !self.own_choice {
            warn(
                "this MPI library cannot be forced to use named algorithms: only its own choice is \
                    measured",
            );
        } else if !missing.is_empty() {
            let list = missing.join(", ");
            warn(format!(
                "this MPI library cannot be forced to use {list}: only the schedules are measured"
            ));
        }
        if self.native && self.timing.is_some_and(|timing| timing != Timing::Maximum) {
            applies::refuse(&["--timing"], "calls of the library, which are timed by max")?;
        }
        Ok(CollectiveDesign { operations, native, roots, procs, sizes: Vec::new() })
    }
}

/// Warns of algorithms that the MPI library replaces for some sizes.
fn warn_of_replaced(design: &CollectiveDesign) {
    let named = |(kind, algorithm, sizes): (CollectiveKind, NativeAlgorithm, usize)| {
        let all = sizes == design.sizes.len() || kind == CollectiveKind::Barrier;
        let of = if all {
            "all sizes".to_owned()
        } else {
            format!("{sizes} of {} sizes", design.sizes.len())
        };
        format!("{kind}/{algorithm} ({of})")
    };
    let replaced: Vec<String> = design.replaced().into_iter().map(named).collect();
    if !replaced.is_empty() {
        let list = replaced.join(", ");
        warn(format!(
            "the MPI library would use other algorithms than these, which are left out: {list}"
        ));
    }
}

impl ThresholdCampaign {
    /// The equivalent campaign of collective operations: linear scatter and gather.
    pub fn collectives(self) -> CollectiveArguments {
        let Self { root, procs, sizes, timing, common } = self;
        let (operations, algorithms) =
            (CollectiveKind::SCATTER_GATHER.to_vec(), AlgorithmOptions::single(Algorithm::Linear));
        CollectiveArguments {
            operations,
            algorithms,
            native: false,
            own_choice: false,
            root,
            procs,
            sizes,
            timing,
            common,
        }
    }
}
