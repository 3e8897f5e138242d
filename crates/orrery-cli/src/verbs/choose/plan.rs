use std::path::PathBuf;

use clap::Args;
use orrery::request::PlanRequest;
use orrery::routine::Routine;
use orrery::units::Bytes;
use orrery_report::Table;
use orrery_report::tables::plans;

use crate::output::{self, Format};
use crate::refusal;
use crate::verbs::kernels::KernelOptions;
use crate::verbs::kinds::{self, Kinds};
use crate::verbs::load::LoadOptions;
use crate::verbs::predict::shape;
use crate::verbs::samples;
use crate::verbs::whole_numbers::WholeNumbers;

/// Arguments of `orrery choose plan`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  orrery choose plan model.json --n 2048 --block 64 --a 2x2 --b 2x2
  orrery choose plan model.json --n 4096 --a 2x2 --b 1x4 --b-from 8 --memory 1G --models ports
  orrery choose plan model.json --n 2048 --a 2x2 --b 2x2 --now http://127.0.0.1:7410")]
pub struct PlanArguments {
    /// Model file with a model of the communication and models of kernels
    #[arg(value_name = "MODEL")]
    model: PathBuf,
    /// Product: pgemm with the letter of a precision
    #[arg(long, value_name = "NAME", default_value = "pdgemm")]
    routine: Routine,
    /// Columns of the result, such as 2048
    #[arg(long, value_name = "N", allow_hyphen_values = true)]
    n: WholeNumbers,
    /// Rows of the result [default: those of --n]
    #[arg(long, value_name = "N", allow_hyphen_values = true)]
    m: Option<WholeNumbers>,
    /// Products that are added for each element of the result [default: those of --n]
    #[arg(long, value_name = "N", allow_hyphen_values = true)]
    k: Option<WholeNumbers>,
    /// Rows and columns of a block
    #[arg(long, value_name = "N", default_value_t = 64)]
    block: u64,
    /// Process grid of the first operand, rows by columns: 2x2
    #[arg(long, value_name = "GRID", value_parser = shape)]
    a: [u32; 2],
    /// Process grid of the second operand, rows by columns: 2x2
    #[arg(long, value_name = "GRID", value_parser = shape)]
    b: [u32; 2],
    /// First processor of the grid of the first operand
    #[arg(long, value_name = "N", default_value_t = 0)]
    a_from: u32,
    /// First processor of the grid of the second operand [default: the one after the first grid]
    #[arg(long, value_name = "N")]
    b_from: Option<u32>,
    /// Memory of a process; plans whose operands exceed it are rejected [default: the memory of the
    /// hosts, where the model has it]
    #[arg(long, value_name = "SIZE")]
    memory: Option<Bytes>,
    #[command(flatten)]
    kernels: KernelOptions,
    #[command(flatten)]
    load: LoadOptions,
    #[arg(long, value_name = "LIST", default_value = "all", help = kinds::model_help())]
    models: Kinds,
    /// Output format
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

impl PlanArguments {
    /// Prints the plans, by each kind of model.
    pub fn run(self) -> anyhow::Result<()> {
        let path = &self.model;
        let (model, availability) = self.load.apply(samples::model(path)?, path)?;
        let list = |list: Option<WholeNumbers>| list.unwrap_or_default().0;
        let request = PlanRequest {
            routine: self.routine,
            models: self.models.list(),
            m: list(self.m),
            n: self.n.0,
            k: list(self.k),
            block: self.block,
            a: self.a,
            b: self.b,
            a_from: self.a_from,
            b_from: self.b_from,
            memory: self.memory,
            kernels: self.kernels.choice(),
        };
        let found = request.answers(&model, &availability);
        let found = found.map_err(|error| refusal::failure(error, path))?;
        let tables: Vec<Table> = found.iter().map(plans).collect();
        output::print_all(&tables, self.format)
    }
}
