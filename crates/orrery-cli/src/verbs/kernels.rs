//! The choice among models of kernels, and warnings about them.

use clap::Args;
use orrery::file::Fault;
use orrery::kernel::Operands;
use orrery::model::{KernelChoice, KernelOnHost};
use orrery::sample::KernelConditions;

use crate::context::warn;

/// Options that say which of several models of a kernel is meant.
#[derive(Debug, Args)]
pub struct KernelOptions {
    /// Name of the host whose kernels are taken, if the model has those of several
    #[arg(long, value_name = "HOST")]
    pub host: Option<String>,
    /// Name of the library whose kernels are taken, if the model has those of several
    #[arg(long, value_name = "NAME")]
    blas: Option<String>,
    /// Number of threads of the kernels that are taken, if the model has several
    #[arg(long, value_name = "N")]
    threads: Option<u32>,
    /// State of the operands when a kernel begins, if the model has both: warm (in caches) or cold
    #[arg(long, value_name = "STATE")]
    operands: Option<Operands>,
}

impl KernelOptions {
    /// The models that are meant.
    pub fn choice(&self) -> KernelChoice {
        let (host, library) = (self.host.clone(), self.blas.clone());
        KernelChoice { host, library, threads: self.threads, operands: self.operands }
    }
}

/// The relative deviation of readings from which a model is doubtful.
const LARGE_DEVIATION: f64 = 0.2;

/// The name of a kernel with its variant.
pub fn name(one: &KernelOnHost) -> String {
    format!("{} {}", one.model.kernel, one.model.variant).trim_end().to_owned()
}

/// Warns of kernels with too few readings, and of models from which readings differ much.
pub fn warn_of(models: &[KernelOnHost], failed: &[(KernelConditions, Fault)]) {
    let host = |host: &str| if host.is_empty() { String::new() } else { format!("{host}: ") };
    for (conditions, error) in failed {
        warn(format!("{}{error}", host(&conditions.host)));
    }
    for one in models.iter().filter(|one| one.model.deviation() > LARGE_DEVIATION) {
        let percent = 100.0 * one.model.deviation();
        warn(format!(
            "{}{}: readings differ by {percent:.0} % from the model; measure again while no other \
                program runs, with more --time",
            host(&one.conditions.host),
            name(one)
        ));
    }
}
