//! Warnings about models of kernels.

use orrery::kernel::KernelFitError;
use orrery::model::KernelOnHost;
use orrery::sample::KernelConditions;

use crate::context::warn;

/// The relative deviation of readings from which a model is doubtful.
const LARGE_DEVIATION: f64 = 0.2;

/// The name of a kernel with its variant.
pub fn name(one: &KernelOnHost) -> String {
    format!("{} {}", one.model.kernel, one.model.variant).trim_end().to_owned()
}

/// Warns of kernels with too few readings, and of models from which readings differ much.
pub fn warn_of(models: &[KernelOnHost], failed: &[(KernelConditions, KernelFitError)]) {
    let host = |host: &str| if host.is_empty() { String::new() } else { format!("{host}: ") };
    for (conditions, error) in failed {
        warn(format!("{}{error}", host(&conditions.host)));
    }
    for one in models.iter().filter(|one| one.model.deviation() > LARGE_DEVIATION) {
        let percent = 100.0 * one.model.deviation();
        warn(format!(
            "{}{}: readings differ by {percent:.0} % from the model; measure again while no other program runs, with more --time",
            host(&one.conditions.host),
            name(one)
        ));
    }
}
