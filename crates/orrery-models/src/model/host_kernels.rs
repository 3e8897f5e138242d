use std::collections::{BTreeMap, BTreeSet};

use super::{KernelChoice, KernelOnHost, KernelPredictError, Model};
use orrery_base::units::Seconds;
use orrery_cluster::platform::Placement;
use orrery_program::kernel::{Kernel, KernelCall, KernelModel};
use orrery_program::routine::{KernelTimes, RoutineProgram};
use orrery_program::schedule::Rank;

/// The models of the kernels of a program on the hosts of its ranks.
#[derive(Debug, Clone)]
pub struct HostKernels<'a> {
    /// For each kernel and variant: the model of each rank.
    models: BTreeMap<(Kernel, &'static str), Vec<&'a KernelModel>>,
    /// The kernels that were not measured, with the ones whose times replace theirs.
    replaced: BTreeMap<Kernel, Kernel>,
    /// The kernels whose variant was not measured, with this variant and the one that replaces it.
    substitutes: Vec<(Kernel, &'static str, &'static str)>,
    /// The hosts of ranks that were not measured, with the ones that replace them.
    other_hosts: BTreeSet<(String, String)>,
    /// The factors of the times of each rank, by the availability of its host: the least, the
    /// expected and the greatest; empty for 1.
    slowdowns: Vec<[f64; 3]>,
    /// Which end of the intervals of expected times is taken: −1, 0 for the expected times, or 1.
    end: f64,
}

/// The kernel whose models answer for a kernel: itself, or the one with about the same time if it
/// was not measured on any host.
pub fn measured_kernel(model: &Model, kernel: Kernel) -> Kernel {
    let is_measured = |kernel: &Kernel| model.kernels.iter().any(|one| one.model.kernel == *kernel);
    if is_measured(&kernel) {
        kernel
    } else {
        kernel.substitute().filter(is_measured).unwrap_or(kernel)
    }
}

/// Finds the model of a kernel for a host: that of the chosen host, else of this one, else the only
/// one. A variant that was not measured is replaced by another one of the same kernel.
///
/// # Errors
///
/// When there is no model of the kernel, or there are several.
pub fn kernel_for<'a>(
    model: &'a Model,
    (kernel, variant): (Kernel, &'static str),
    host: &str,
    choice: &KernelChoice,
) -> Result<&'a KernelOnHost, KernelPredictError> {
    let known = || {
        model.kernels.iter().filter(|one| one.model.kernel == kernel).map(|one| one.model.variant)
    };
    let measured =
        if known().any(|one| one == variant) { variant } else { known().next().unwrap_or(variant) };
    let has_host = model.kernels.iter().any(|one| one.is_for(host));
    let host = choice.host.clone().or_else(|| has_host.then(|| host.to_owned()));
    model.kernel_of(kernel, measured, &KernelChoice { host, ..choice.clone() })
}

impl<'a> HostKernels<'a> {
    /// Finds the models of the kernels of a program.
    ///
    /// The host of a rank is that of its processor, or the only one with kernels. A variant that
    /// was not measured is replaced by another one of the same kernel, ger by axpy and trmm by trsm
    /// ([`KernelCall::substitute`]).
    ///
    /// # Errors
    ///
    /// When the model has no model of a kernel on a host, or several: name the library, threads or
    /// operands then.
    pub fn new(
        model: &'a Model,
        program: &RoutineProgram,
        placement: &Placement,
        choice: &KernelChoice,
    ) -> Result<Self, KernelPredictError> {
        let (mut models, mut substitutes) = (BTreeMap::new(), Vec::new());
        let (mut other_hosts, mut replaced) = (BTreeSet::new(), BTreeMap::new());
        for (kernel, variant) in program.kernels() {
            let measured_kernel = measured_kernel(model, kernel);
            if measured_kernel != kernel {
                replaced.insert(kernel, measured_kernel);
            }
            let wanted =
                if measured_kernel.routine.variants().contains(&variant) { variant } else { "" };
            let mut hosts: BTreeMap<&str, &KernelOnHost> = BTreeMap::new();
            let mut of_ranks = Vec::with_capacity(placement.ranks());
            for processor in placement.processors() {
                let name = model.hosts.get(processor.index()).map_or("", String::as_str);
                let known = match hosts.get(name) {
                    Some(known) => *known,
                    None => *hosts.entry(name).or_insert(kernel_for(
                        model,
                        (measured_kernel, wanted),
                        name,
                        choice,
                    )?),
                };
                of_ranks.push(&known.model);
            }
            let measured = of_ranks.first().map_or(variant, |model| model.variant);
            if measured != wanted {
                substitutes.push((measured_kernel, wanted, measured));
            }
            // A host that was named is meant for all ranks.
            let is_named = choice.host.is_some();
            let is_other = |(name, one): &(&str, &KernelOnHost)| {
                !is_named && !name.is_empty() && !one.is_for(name)
            };
            let others = hosts.into_iter().filter(is_other);
            other_hosts
                .extend(others.map(|(name, one)| (name.to_owned(), one.conditions.host.clone())));
            models.insert((kernel, variant), of_ranks);
        }
        Ok(Self { models, replaced, substitutes, other_hosts, slowdowns: Vec::new(), end: 0.0 })
    }

    /// Returns the same models with times at an end of their intervals: −1 for the lower one, 1 for
    /// the upper one, 0 for none.
    pub(super) fn at(&self, end: f64) -> Self {
        Self { end, ..self.clone() }
    }

    /// Returns the same models on ranks whose kernels take longer by these factors: the least, the
    /// expected and the greatest.
    pub(super) fn with_slowdowns(self, slowdowns: Vec<[f64; 3]>) -> Self {
        Self { slowdowns, ..self }
    }

    /// The hosts of ranks that were not measured, each with the one whose models replace its own.
    pub fn other_hosts(&self) -> &BTreeSet<(String, String)> {
        &self.other_hosts
    }

    /// The kernels whose variant was not measured, each with this variant and the one that replaces
    /// it.
    pub fn substitutes(&self) -> &[(Kernel, &'static str, &'static str)] {
        &self.substitutes
    }

    /// The kernels that were not measured, each with the one whose times replace its own.
    pub fn replaced(&self) -> &BTreeMap<Kernel, Kernel> {
        &self.replaced
    }

    /// The model for a call at a rank, the call that it predicts, and how often that call is made:
    /// the call itself once, or one of the kernel that replaces its kernel. `None` if no model of
    /// the kernel was found for the rank.
    pub(super) fn model(
        &self,
        rank: Rank,
        call: &KernelCall,
    ) -> Option<(&'a KernelModel, KernelCall, u64)> {
        let model =
            self.models.get(&(call.kernel(), call.variant()))?.get(rank.index()).copied()?;
        let is_replaced = self.replaced.contains_key(&call.kernel());
        let (call, count) = if is_replaced { call.substitute()? } else { (*call, 1) };
        let call = KernelCall::new(call.kernel(), model.variant, call.dimensions_as(model.variant))
            .ok()?;
        Some((model, call, count))
    }
}

impl KernelTimes for HostKernels<'_> {
    fn seconds(&self, rank: Rank, call: &KernelCall) -> Seconds {
        let Some((model, call, count)) = self.model(rank, call) else { return Seconds::ZERO };
        let expected = if self.end == 0.0 { None } else { model.expected(&call) };
        let seconds = match expected.and_then(|expected| expected.interval) {
            Some(interval) if self.end < 0.0 => interval.low,
            Some(interval) => interval.high,
            None => model.seconds(&call),
        };
        let [least, usual, greatest] =
            self.slowdowns.get(rank.index()).copied().unwrap_or([1.0; 3]);
        let slowdown = match self.end {
            end if end < 0.0 => least,
            end if end > 0.0 => greatest,
            _ => usual,
        };
        Seconds::new(count as f64 * seconds * slowdown)
    }
}
