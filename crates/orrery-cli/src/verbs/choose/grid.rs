use std::path::PathBuf;

use anyhow::Context as _;
use clap::Args;
use orrery::grid::{GridChoice, choose_grid};
use orrery::request::routine_dimensions;
use orrery::routine::Routine;
use orrery::units::{Bytes, NumberList, SizeList};
use orrery_report::tables::chosen_grids;

use crate::context::Usage;
use crate::output::{self, Format};
use crate::refusal;
use crate::verbs::kernels::KernelOptions;
use crate::verbs::kinds::{self, Kinds};
use crate::verbs::load::LoadOptions;
use crate::verbs::whole_numbers::WholeNumbers;
use crate::verbs::{given, samples};

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
    /// Columns of the result
    #[arg(long, value_name = "N", allow_hyphen_values = true)]
    n: WholeNumbers,
    /// Rows of the result [default: n]
    #[arg(long, value_name = "N", allow_hyphen_values = true)]
    m: Option<WholeNumbers>,
    /// Products for each element of the result [default: n]
    #[arg(long, value_name = "N", allow_hyphen_values = true)]
    k: Option<WholeNumbers>,
    /// Rows and columns of a block: 64, 16..256 (doubling), 16..64:16 (stepping)
    #[arg(long, value_name = "LIST", default_value = "64", allow_negative_numbers = true)]
    block: SizeList,
    /// Numbers of processes [default: 1 to all processors of the model]
    #[arg(long, value_name = "LIST", allow_hyphen_values = true)]
    procs: Option<NumberList>,
    /// Memory of a process; grids whose operands exceed it are rejected [default: the memory of the
    /// hosts, where the model has it]
    #[arg(long, value_name = "SIZE")]
    memory: Option<Bytes>,
    /// Number of grids that are predicted by their programs, the best ones by closed forms
    #[arg(long, value_name = "N", default_value_t = 12, value_parser = clap::value_parser!(u32).range(1..=1000))]
    top: u32,
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

impl GridArguments {
    /// Prints the best grids, by each kind of model.
    pub fn run(self) -> anyhow::Result<()> {
        let model = samples::model(&self.model)?;
        given::needs_communication(&model, &self.model)?;
        let (model, availability) = self.load.apply(model, &self.model)?;
        let processors = model.processors();
        let place = || self.model.display().to_string();
        let kernels = self.kernels.choice();
        let variants = self.routine.kind.variants();
        let variant = self.variant.as_deref().unwrap_or(variants[0]);
        let Some(variant) = variants.iter().find(|known| **known == variant) else {
            let known = variants.join(", ");
            return Err(Usage(format!(
                "{} has no variant {variant}; it has {known}",
                self.routine
            ))
            .into());
        };
        let mut tables = Vec::new();
        let of = |list: &Option<WholeNumbers>| list.clone().unwrap_or_default().0;
        let (m, k) = (of(&self.m), of(&self.k));
        let dimensions = routine_dimensions(self.routine, [&m, &self.n.0, &k]);
        for dimensions in dimensions.map_err(|error| refusal::failure(error, &self.model))? {
            for kind in self.models.of(&model) {
                let choice = GridChoice {
                    routine: self.routine,
                    variant,
                    dimensions,
                    processes: self.processes(processors)?,
                    blocks: self.block.iter().map(Bytes::get).collect(),
                    memory: self.memory,
                    kernels: kernels.clone(),
                    availability: availability.clone(),
                    predicted: self.top as usize,
                };
                let chosen = choose_grid(&model, kind, &choice).with_context(place)?;
                if chosen.best.is_empty() {
                    let limit = given::memory(self.memory);
                    let words =
                        format!("the operands exceed {limit} on all grids; use more processes");
                    return Err(Usage(words).into());
                }
                tables.push(chosen_grids(&chosen));
            }
        }
        output::print_all(&tables, self.format)
    }

    /// The numbers of processes.
    fn processes(&self, processors: usize) -> Result<Vec<u32>, Usage> {
        let Some(list) = &self.procs else { return Ok((1..=processors as u32).collect()) };
        let number = |&value: &f64| {
            if value >= 1.0 && value.fract() == 0.0 && value <= processors as f64 {
                Ok(value as u32)
            } else {
                Err(Usage(format!("--procs {value}: the model has {processors} processors")))
            }
        };
        list.as_slice().iter().map(number).collect()
    }
}
