//! `orrery predict dgemm`: the times of calls of a compute kernel.

use clap::Args;
use orrery::kernel::Kernel;
use orrery::request::KernelRequest;
use orrery_report::tables::kernel_predictions;

use super::Common;
use crate::verbs::kernels::KernelOptions;
use crate::verbs::load::LoadOptions;
use crate::verbs::samples;
use crate::verbs::whole_numbers::WholeNumbers;
use crate::{output, refusal};

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
        let list = |list: Option<WholeNumbers>| list.unwrap_or_default().0;
        let request = KernelRequest {
            kernel,
            variant: self.variant,
            m: list(self.m),
            n: list(self.n),
            k: list(self.k),
            kernels: self.kernels.choice(),
        };
        let answers = request.answers(&model).map_err(|error| refusal::failure(error, path))?;
        let host = self.kernels.host.as_deref();
        output::print(&kernel_predictions(&answers, host, &availability), self.common.format)
    }
}
