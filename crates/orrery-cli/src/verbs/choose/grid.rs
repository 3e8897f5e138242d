use std::path::PathBuf;

use clap::Args;
use orrery::request::{GridRequest, PlanRequest};
use orrery::routine::Routine;
use orrery::units::{Bytes, SizeList};
use orrery_report::Table;
use orrery_report::tables::{chosen_grids, plans};

use crate::output::{self, Format};
use crate::refusal;
use crate::verbs::kernels::KernelOptions;
use crate::verbs::kinds::{self, Kinds};
use crate::verbs::load::LoadOptions;
use crate::verbs::predict::shape;
use crate::verbs::samples;
use crate::verbs::whole_numbers::WholeNumbers;

/// Arguments of `orrery choose grid`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  orrery choose grid model.json --routine pdgemm --n 2048 --block 16..256 --procs 1..32
  orrery choose grid model.json --routine pdgetrf --n 10240 --procs 16 --memory 2G --models ports
  orrery choose grid model.json --routine pdgemm --n 4096 --now http://127.0.0.1:7410")]
pub struct GridArguments {
    /// Model file with a model of the communication and models of kernels
    #[arg(value_name = "MODEL")]
    model: PathBuf,
    /// Routine: pdgemm, pdtrsm, pdsyrk, pdgetrf, pdpotrf, pdgeqrf, also with s, c or z in place of
    /// d
    #[arg(long, value_name = "NAME")]
    routine: Routine,
    /// Transpositions, side and triangle, in the order of the arguments of the routine: nt of
    /// pdgemm, lun of pdtrsm [default: the first]
    #[arg(long, value_name = "VARIANT")]
    variant: Option<String>,
    /// Columns of the result, such as 2048
    #[arg(long, value_name = "N", allow_hyphen_values = true)]
    n: WholeNumbers,
    /// Rows of the result [default: those of --n]
    #[arg(long, value_name = "N", allow_hyphen_values = true)]
    m: Option<WholeNumbers>,
    /// Products that are added for each element of the result [default: those of --n]
    #[arg(long, value_name = "N", allow_hyphen_values = true)]
    k: Option<WholeNumbers>,
    /// Rows and columns of a block: 64, 32,64, 16..256 (doubling), 16..64:16 (stepping)
    #[arg(long, value_name = "LIST", default_value = "64", allow_negative_numbers = true)]
    block: SizeList,
    /// Numbers of processes: 8, 2..16, 4,8,16 [default: 1 to all processors of the model]
    #[arg(long, value_name = "LIST", allow_hyphen_values = true)]
    procs: Option<WholeNumbers>,
    /// Memory of a process; grids whose operands exceed it are rejected [default: the memory of the
    /// hosts, where the model has it]
    #[arg(long, value_name = "SIZE")]
    memory: Option<Bytes>,
    /// Number of grids to list, the fastest first: as many, and at least 12, are predicted by their
    /// programs, those that are the best by closed forms
    #[arg(long, value_name = "N", default_value_t = 12, value_parser = clap::value_parser!(u32).range(1..=1000))]
    top: u32,
    #[command(flatten)]
    kernels: KernelOptions,
    #[command(flatten)]
    load: LoadOptions,
    /// Take hosts whose load is not known now, too: not monitored, or with an old last sample. Their
    /// times are those without load, with intervals that reach to the largest one
    #[arg(long, requires = "now", help_heading = "Load")]
    unmonitored: bool,
    #[arg(long, value_name = "LIST", default_value = "all", help = kinds::model_help())]
    models: Kinds,
    /// Output format
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

impl GridArguments {
    /// Prints the best grids, by each kind of model.
    pub fn run(self) -> anyhow::Result<()> {
        let path = &self.model;
        let (model, availability) = self.load.apply(samples::model(path)?, path)?;
        let request = GridRequest {
            routine: self.routine,
            models: self.models.list(),
            variant: self.variant,
            m: WholeNumbers::of(self.m),
            n: self.n.0,
            k: WholeNumbers::of(self.k),
            blocks: self.block.iter().map(Bytes::get).collect(),
            procs: WholeNumbers::of(self.procs),
            memory: self.memory,
            kernels: self.kernels.choice(),
            unmonitored: self.unmonitored,
            top: self.top as usize,
        };
        let chosen = request.answers(&model, &availability);
        let chosen = chosen.map_err(|error| refusal::failure(error, path))?;
        let tables: Vec<Table> = chosen.iter().map(chosen_grids).collect();
        output::print_all(&tables, self.format)
    }
}

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
        let request = PlanRequest {
            routine: self.routine,
            models: self.models.list(),
            m: WholeNumbers::of(self.m),
            n: self.n.0,
            k: WholeNumbers::of(self.k),
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
