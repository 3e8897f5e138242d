//! Models of kernels from their timings.

use std::collections::BTreeMap;

use crate::model::KernelOnHost;
use orrery_base::file::Fault;
use orrery_base::units::Bytes;
use orrery_measure::sample::{KernelConditions, KernelTimings};
use orrery_program::kernel::{KernelModel, NO_TIMES, fit, fit_memory};

/// The models that times of kernels determine.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct FittedKernels {
    /// The models.
    pub models: Vec<KernelOnHost>,
    /// The conditions under which a kernel has too few readings, with the reason.
    pub failed: Vec<(KernelConditions, Fault)>,
    /// The memory of each host that is known.
    pub host_memory: BTreeMap<String, Bytes>,
}

/// Fits a model to the times and the memory of each kernel and variant on each host; those with too
/// few readings are named with the reason.
///
/// # Errors
///
/// When no kernel has a model: the reason of the first one.
pub fn fit_kernels(timings: &KernelTimings, level: f64) -> Result<FittedKernels, Fault> {
    let (mut models, mut failed) = (Vec::new(), Vec::new());
    let equal = timings.equal_hosts();
    let memory = timings.memory();
    for (group, times) in timings.groups() {
        let terms = memory.get(&group).map(|calls| fit_memory(calls)).unwrap_or_default();
        let (conditions, ..) = group;
        match fit(&times, level) {
            Ok(model) => {
                let model = KernelModel { memory: terms, ..model };
                let names = equal.get(conditions.host.as_str()).into_iter().flatten();
                let equal_hosts = names.map(|&name| name.to_owned()).collect();
                models.push(KernelOnHost { conditions, equal_hosts, model });
            }
            Err(error) => failed.push((conditions, error)),
        }
    }
    let host_memory =
        timings.host_memory().into_iter().map(|(host, memory)| (host.to_owned(), memory)).collect();
    match failed.first() {
        _ if !models.is_empty() => Ok(FittedKernels { models, failed, host_memory }),
        Some((_, error)) => Err(error.clone()),
        None => Err(NO_TIMES.into()),
    }
}
