//! `orrery predict dgemm`, `pdgemm` and `pdgemr2d`: the times of calls of kernels, parallel routines and
//! redistributions.

use clap::Args;
use orrery::kernel::{Kernel, Precision};
use orrery::model::RoutinePrediction;
use orrery::names::advice;
use orrery::platform::Processor;
use orrery::request::{KernelRequest, RedistributionRequest, RoutineRequest};
use orrery::routine::Routine;
use orrery::schedule::{Algorithm, CollectiveKind};
use orrery_report::tables::{
    kernel_predictions, redistribution_predictions, routine_critical_path, routine_predictions,
};

use super::{Common, Communication, Explanation};
use crate::verbs::kernels::KernelOptions;
use crate::verbs::load::{LoadOptions, PresentLoad};
use crate::verbs::samples;
use crate::verbs::whole_numbers::WholeNumbers;
use crate::{output, refusal};

/// Parses an algorithm of broadcasts.
fn broadcast(word: &str) -> Result<Algorithm, String> {
    let known = CollectiveKind::Broadcast;
    word.parse().ok().filter(|algorithm| known.has(*algorithm)).ok_or_else(|| {
        let names = known.algorithms().iter().map(ToString::to_string);
        format!("unknown algorithm of broadcasts; {}", advice(word, "known", names))
    })
}

/// Arguments of a parallel routine.
#[derive(Debug, Args)]
pub struct RoutineArguments {
    #[command(flatten)]
    common: Common,
    /// Rows of the result: 1024, 1024..4096:1024 [default: those of --n]
    #[arg(long, value_name = "LIST", allow_hyphen_values = true)]
    m: Option<WholeNumbers>,
    /// Columns of the result: 1024, 1024..4096:1024
    #[arg(long, value_name = "LIST", allow_hyphen_values = true)]
    n: WholeNumbers,
    /// Products that are added for each element of the result [default: those of --n]
    #[arg(long, value_name = "LIST", allow_hyphen_values = true)]
    k: Option<WholeNumbers>,
    /// Grids of processes, rows by columns, row by row on the processors of the model: 2x2,1x4
    #[arg(
        long,
        value_name = "LIST",
        value_delimiter = ',',
        value_parser = shape,
        required = true
    )]
    grid: Vec<[u32; 2]>,
    /// Processors of the processes, row by row of the grid: 2,3,0 or 0..7 [default: the first ones]
    #[arg(long, value_name = "LIST", allow_hyphen_values = true)]
    processors: Option<WholeNumbers>,
    /// Rows and columns of a block: 64, 32,64, 16..20 (each), 16..64:16 (stepping) [default: 64]
    #[arg(long, value_name = "LIST", allow_hyphen_values = true)]
    block: Option<WholeNumbers>,
    /// Transpositions, side and triangle, in the order of the arguments of the routine [default:
    /// the first]
    #[arg(long, value_name = "VARIANT")]
    variant: Option<String>,
    /// Algorithm of the broadcasts of panels, such as binomial (a tree), pipeline (a ring) or
    /// pipeline:64K (in segments) [default: a ring, as in ScaLAPACK]
    #[arg(long, value_name = "ALGORITHM", value_parser = broadcast)]
    broadcast: Option<Algorithm>,
    #[command(flatten)]
    kernels: KernelOptions,
    #[command(flatten)]
    communication: Communication,
    #[command(flatten)]
    explanation: Explanation,
    #[command(flatten)]
    load: LoadOptions,
}

/// Parses the shape of a grid: `2x4`.
pub fn shape(text: &str) -> Result<[u32; 2], String> {
    let both = text
        .split_once('x')
        .and_then(|(p, q)| Some([p.trim().parse().ok()?, q.trim().parse().ok()?]));
    both.filter(|both| !both.contains(&0))
        .ok_or_else(|| "rows and columns are expected, such as 2x4".into())
}

impl RoutineArguments {
    /// Prints predictions.
    pub fn run(self, routine: Routine) -> anyhow::Result<()> {
        let path = &self.common.model;
        let (model, availability) = self.load.apply(samples::model(path)?, path)?;
        let processor = |number: u64| Processor(u32::try_from(number).unwrap_or(u32::MAX));
        let request = RoutineRequest {
            models: self.communication.models.list(),
            processors: self.processors.map(|all| all.0.into_iter().map(processor).collect()),
            variant: self.variant,
            m: WholeNumbers::of(self.m),
            k: WholeNumbers::of(self.k),
            blocks: WholeNumbers::of(self.block),
            broadcast: self.broadcast,
            kernels: self.kernels.choice(),
            ..RoutineRequest::new(routine, self.n.0, self.grid)
        };
        let failure = |error| refusal::failure(error, path);
        let format = self.common.format;
        if !self.explanation.explain {
            let rows = request.answers(&model, &availability).map_err(failure)?;
            return output::print(&routine_predictions(&rows), format);
        }
        let explained = request.explained(&model, &availability).map_err(failure)?;
        let rows: Vec<RoutinePrediction> =
            explained.iter().map(|(prediction, _)| prediction.clone()).collect();
        output::print_all(&[routine_predictions(&rows), routine_critical_path(&explained)], format)
    }
}

/// Arguments of a kernel: all combinations of the given dimensions.
#[derive(Debug, Args)]
pub struct KernelArguments {
    #[command(flatten)]
    common: Common,
    /// Rows of the result: 100, 256..2048:256
    #[arg(long, value_name = "LIST", allow_hyphen_values = true)]
    m: Option<WholeNumbers>,
    /// Columns of the result: 100, 256..2048:256
    #[arg(long, value_name = "LIST", allow_hyphen_values = true)]
    n: Option<WholeNumbers>,
    /// Products that are added for each element of the result: 100, 256..2048:256
    #[arg(long, value_name = "LIST", allow_hyphen_values = true)]
    k: Option<WholeNumbers>,
    /// Transpositions, side and triangle, in the order of the arguments of the kernel: nt of dgemm,
    /// lun of dtrsm [default: the first]
    #[arg(long, value_name = "VARIANT")]
    variant: Option<String>,
    #[command(flatten)]
    kernels: KernelOptions,
    #[command(flatten)]
    load: LoadOptions,
}

impl KernelArguments {
    /// Prints predictions.
    pub fn run(self, kernel: Kernel) -> anyhow::Result<()> {
        let path = &self.common.model;
        let (model, availability) = self.load.apply(samples::model(path)?, path)?;
        let request = KernelRequest {
            kernel,
            variant: self.variant,
            m: WholeNumbers::of(self.m),
            n: WholeNumbers::of(self.n),
            k: WholeNumbers::of(self.k),
            kernels: self.kernels.choice(),
        };
        let answers = request.answers(&model, &availability);
        let answers = answers.map_err(|error| refusal::failure(error, path))?;
        output::print(&kernel_predictions(&answers), self.common.format)
    }
}

/// Arguments of a redistribution: all combinations of the dimensions, grids and blocks.
#[derive(Debug, Args)]
pub struct RedistributionArguments {
    #[command(flatten)]
    common: Common,
    /// Rows of the matrix [default: those of --n]
    #[arg(long, value_name = "LIST", allow_hyphen_values = true)]
    m: Option<WholeNumbers>,
    /// Columns of the matrix: 1024, 1024..4096:1024
    #[arg(long, value_name = "LIST", allow_hyphen_values = true)]
    n: WholeNumbers,
    /// Grids of processes before the copy, rows by columns: 2x2,1x4
    #[arg(
        long,
        value_name = "LIST",
        value_delimiter = ',',
        value_parser = shape,
        required = true
    )]
    grid: Vec<[u32; 2]>,
    /// Grids of processes after the copy: 1x4,4x1
    #[arg(
        long,
        value_name = "LIST",
        value_delimiter = ',',
        value_parser = shape,
        required = true
    )]
    to: Vec<[u32; 2]>,
    /// Rows and columns of a block before the copy: 64, 32,64, 16..20 (each), 16..64:16 (stepping)
    /// [default: 64]
    #[arg(long, value_name = "LIST", allow_hyphen_values = true)]
    block: Option<WholeNumbers>,
    /// Rows and columns of a block after the copy [default: those of --block]
    #[arg(long, value_name = "LIST", allow_negative_numbers = true)]
    to_block: Option<WholeNumbers>,
    #[command(flatten)]
    communication: Communication,
    #[command(flatten)]
    load: PresentLoad,
}

impl RedistributionArguments {
    /// Prints predictions.
    pub fn run(self, precision: Precision) -> anyhow::Result<()> {
        let path = &self.common.model;
        let (model, _) = self.load.apply(samples::model(path)?, path)?;
        let request = RedistributionRequest {
            precision,
            models: self.communication.models.list(),
            m: WholeNumbers::of(self.m),
            n: self.n.0,
            grids: self.grid,
            to: self.to,
            blocks: WholeNumbers::of(self.block),
            to_blocks: WholeNumbers::of(self.to_block),
        };
        let rows = request.answers(&model).map_err(|error| refusal::failure(error, path))?;
        output::print(&redistribution_predictions(&rows), self.common.format)
    }
}
