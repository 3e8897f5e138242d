//! `orrery predict MODEL dgemm`: the times of calls of a compute kernel.

use std::path::Path;

use anyhow::Context as _;
use clap::Args;
use orrery::kernel::{Kernel, KernelCall};
use orrery::model::{Availability, KernelChoice, KernelOnHost, Model};
use orrery::units::NumberList;
use orrery_report::tables::kernel_predictions;

use crate::context::Usage;
use crate::output::{self, Format};
use crate::verbs::kernels::KernelOptions;

/// The query of `orrery predict MODEL dgemm`: all combinations of the given dimensions.
#[derive(Debug, Args)]
#[command(next_help_heading = "Kernel")]
pub struct KernelQuery {
    /// Rows of the result: 100, 256..2048:256
    #[arg(long, value_name = "LIST", allow_hyphen_values = true)]
    m: Option<NumberList>,
    /// Products for each element of the result
    #[arg(long, value_name = "LIST", allow_hyphen_values = true)]
    k: Option<NumberList>,
    /// Transpositions, side and triangle, in the order of the arguments of the kernel: nt of dgemm,
    /// lun of dtrsm [default: the first]
    #[arg(long, value_name = "VARIANT")]
    variant: Option<String>,
    #[command(flatten)]
    kernels: KernelOptions,
}

/// The largest number of predictions in one call.
const MAX_PREDICTIONS: usize = 1_000_000;

impl KernelQuery {
    /// Returns true if an option is given that applies to kernels only.
    pub fn is_given(&self) -> bool {
        let lists = self.m.is_some() || self.k.is_some();
        lists || self.variant.is_some() || self.kernels.is_given()
    }

    /// Returns true if an option is given that chooses among models of kernels.
    pub fn names_kernels(&self) -> bool {
        self.kernels.is_given()
    }

    /// The models of kernels that are meant.
    pub fn choice(&self) -> KernelChoice {
        self.kernels.choice()
    }

    /// The dimensions m and k, and the variant.
    pub fn parts(&self) -> (Option<&NumberList>, Option<&NumberList>, Option<&str>) {
        (self.m.as_ref(), self.k.as_ref(), self.variant.as_deref())
    }

    /// Prints a table of predictions; `n` is the second dimension.
    pub fn print(
        &self,
        (model, path): (&Model, &Path),
        availability: &Availability,
        kernel: Kernel,
        n: Option<&NumberList>,
        format: Format,
    ) -> anyhow::Result<()> {
        let place = || path.display().to_string();
        let choice = self.choice();
        let answer = |call: KernelCall| -> anyhow::Result<(KernelCall, &KernelOnHost)> {
            let found = model.kernel(&call, &choice).with_context(place)?;
            Ok((call, found))
        };
        let answers =
            self.calls(kernel, n)?.into_iter().map(answer).collect::<anyhow::Result<Vec<_>>>()?;
        output::print(
            &kernel_predictions(&answers, self.kernels.host.as_deref(), availability),
            format,
        )
    }

    /// All combinations of the dimensions; the last one varies fastest.
    fn calls(&self, kernel: Kernel, n: Option<&NumberList>) -> anyhow::Result<Vec<KernelCall>> {
        let variants = kernel.routine.variants();
        let variant = self.variant.as_deref().unwrap_or(variants[0]);
        let mut all = vec![[1_u64; 3]];
        let given = [("--m", self.m.as_ref()), ("--n", n), ("--k", self.k.as_ref())];
        for (place, ((name, list), exists)) in
            given.into_iter().zip(kernel.routine.dimensions()).enumerate()
        {
            let list = match (list, exists) {
                (Some(list), true) => list,
                (None, false) => continue,
                (None, true) => {
                    return Err(Usage(format!(
                        "{kernel} needs {name}, a list of \
                        dimensions"
                    ))
                    .into());
                }
                (Some(_), false) => {
                    return Err(Usage(format!("{name} does not apply to {kernel}")).into());
                }
            };
            let values = list
                .as_slice()
                .iter()
                .map(|&value| dimension(name, value))
                .collect::<Result<Vec<_>, _>>()?;
            if all.len() * values.len() > MAX_PREDICTIONS {
                let words = format!(
                    "there are more than {MAX_PREDICTIONS} combinations of the dimensions; give \
                        fewer"
                );
                return Err(Usage(words).into());
            }
            let with = |dimensions: [u64; 3], value: u64| {
                let mut dimensions = dimensions;
                dimensions[place] = value;
                dimensions
            };
            all = all
                .iter()
                .flat_map(|&one| values.iter().map(move |&value| with(one, value)))
                .collect();
        }
        let call = |dimensions| {
            KernelCall::new(kernel, variant, dimensions).map_err(|error| Usage(error.to_string()))
        };
        Ok(all.into_iter().map(call).collect::<Result<_, _>>()?)
    }
}

/// A dimension of a list of numbers.
pub fn dimension(name: &str, value: f64) -> Result<u64, Usage> {
    if value >= 0.0 && value.fract() == 0.0 && value < 1e18 {
        Ok(value as u64)
    } else {
        Err(Usage(format!("{name} {value}: dimensions are whole numbers, such as 1000")))
    }
}
