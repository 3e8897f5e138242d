use std::path::PathBuf;

use anyhow::Context as _;
use clap::Args;
use orrery::grid::{PlacedMatrix, PlanChoice, choose_plan};
use orrery::platform::Processor;
use orrery::request::routine_dimensions;
use orrery::routine::{Grid, Routine, RoutineKind};
use orrery::units::Bytes;
use orrery_report::tables::plans;

use crate::context::Usage;
use crate::output::{self, Format};
use crate::refusal;
use crate::verbs::kernels::KernelOptions;
use crate::verbs::kinds::{self, Kinds};
use crate::verbs::load::LoadOptions;
use crate::verbs::predict::shape;
use crate::verbs::whole_numbers::WholeNumbers;
use crate::verbs::{given, samples};

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
    /// Columns of the result
    #[arg(long, value_name = "N", allow_hyphen_values = true)]
    n: WholeNumbers,
    /// Rows of the result [default: n]
    #[arg(long, value_name = "N", allow_hyphen_values = true)]
    m: Option<WholeNumbers>,
    /// Products for each element of the result [default: n]
    #[arg(long, value_name = "N", allow_hyphen_values = true)]
    k: Option<WholeNumbers>,
    /// Rows and columns of a block
    #[arg(long, value_name = "N", default_value_t = 64)]
    block: u64,
    /// Grid of the first operand: 2x2
    #[arg(long, value_name = "GRID", value_parser = shape)]
    a: [u32; 2],
    /// Grid of the second operand: 2x2
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
        if self.routine.kind != RoutineKind::Gemm {
            return Err(Usage(format!(
                "plans are for products, such as pdgemm, and not for {}",
                self.routine
            ))
            .into());
        }
        let model = samples::model(&self.model)?;
        given::needs_communication(&model, &self.model)?;
        let (model, availability) = self.load.apply(model, &self.model)?;
        let place = || self.model.display().to_string();
        let a = self.matrix(self.a, self.a_from, model.processors())?;
        let b_from =
            self.b_from.unwrap_or_else(|| self.a_from.saturating_add(a.processors.len() as u32));
        let b = self.matrix(self.b, b_from, model.processors())?;
        if a.processors.iter().any(|processor| b.processors.contains(processor)) {
            return Err(Usage(
                "--a and --b have processors in common; give --a-from and --b-from".into(),
            )
            .into());
        }
        let kernels = self.kernels.choice();
        let mut tables = Vec::new();
        let of = |list: &Option<WholeNumbers>| list.clone().unwrap_or_default().0;
        let (m, k) = (of(&self.m), of(&self.k));
        let dimensions = routine_dimensions(self.routine, [&m, &self.n.0, &k]);
        for dimensions in dimensions.map_err(|error| refusal::failure(error, &self.model))? {
            for kind in self.models.of(&model) {
                let (a, b, kernels, availability) =
                    (a.clone(), b.clone(), kernels.clone(), availability.clone());
                let (routine, memory) = (self.routine, self.memory);
                let choice =
                    PlanChoice { routine, dimensions, a, b, memory, kernels, availability };
                let found = choose_plan(&model, kind, &choice).with_context(place)?;
                if found.plans.is_empty() {
                    let limit = given::memory(self.memory);
                    return Err(Usage(format!("the operands exceed {limit} on all grids")).into());
                }
                tables.push(plans(&found));
            }
        }
        output::print_all(&tables, self.format)
    }

    /// A matrix on successive processors.
    fn matrix(
        &self,
        [rows, columns]: [u32; 2],
        from: u32,
        processors: usize,
    ) -> Result<PlacedMatrix, Usage> {
        let count = u64::from(rows) * u64::from(columns);
        if u64::from(from) + count > processors as u64 {
            return Err(Usage(format!(
                "a grid of {rows}x{columns} from processor {from} on exceeds the {processors} \
                    processors of the model"
            )));
        }
        let own = (from..from + count as u32).map(Processor).collect();
        Ok(PlacedMatrix { grid: Grid { rows, columns, block: self.block }, processors: own })
    }
}
