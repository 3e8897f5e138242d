//! `orrery predict pdgemr2d`: the times of copies of a matrix from one grid of processes to another
//! one.

use clap::Args;
use orrery::kernel::Precision;
use orrery::request::RedistributionRequest;
use orrery_report::tables::redistribution_predictions;

use super::routine::shape;
use super::{Common, Communication};
use crate::verbs::load::PresentLoad;
use crate::verbs::samples;
use crate::verbs::whole_numbers::WholeNumbers;
use crate::{output, refusal};

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
        let list = |list: Option<WholeNumbers>| list.unwrap_or_default().0;
        let request = RedistributionRequest {
            precision,
            models: self.communication.models.list(),
            m: list(self.m),
            n: self.n.0,
            grids: self.grid,
            to: self.to,
            blocks: list(self.block),
            to_blocks: list(self.to_block),
        };
        let rows = request.answers(&model).map_err(|error| refusal::failure(error, path))?;
        output::print(&redistribution_predictions(&rows), self.common.format)
    }
}
