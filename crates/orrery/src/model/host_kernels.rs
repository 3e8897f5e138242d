use std::collections::BTreeMap;

use super::{KernelChoice, KernelOnHost, KernelPredictError, Model};
use crate::kernel::{Kernel, KernelCall, KernelModel};
use crate::platform::Placement;
use crate::routine::{KernelTimes, RoutineProgram};
use crate::schedule::Rank;
use crate::units::Seconds;

/// The models of the kernels of a program on the hosts of its ranks.
#[derive(Debug, Clone)]
pub struct HostKernels<'a> {
    /// For each kernel and variant: the model of each rank.
    models: BTreeMap<(Kernel, &'static str), Vec<&'a KernelModel>>,
    /// The kernels with the variants whose models stand for them.
    substitutes: Vec<(Kernel, &'static str, &'static str)>,
    /// Which end of the intervals of expected times is taken: −1, 0 for the expected times, or 1.
    end: f64,
}

impl<'a> HostKernels<'a> {
    /// Finds the models of the kernels of a program.
    ///
    /// The host of a rank is that of its processor, or the only one with kernels. A variant that was not measured is replaced by
    /// another one of the same kernel.
    ///
    /// # Errors
    ///
    /// When the model has no model of a kernel on a host, or several: name the library, threads or operands then.
    pub fn new(
        model: &'a Model,
        program: &RoutineProgram,
        placement: &Placement,
        choice: &KernelChoice,
    ) -> Result<Self, KernelPredictError> {
        let mut found = Self { models: BTreeMap::new(), substitutes: Vec::new(), end: 0.0 };
        for (kernel, variant) in program.kernels() {
            let own = |one: &&KernelOnHost| one.model.kernel == kernel;
            let is_known = |variant: &str| model.kernels.iter().filter(own).any(|one| one.model.variant == variant);
            let other = model.kernels.iter().find(own).map(|one| one.model.variant);
            let measured = if is_known(variant) { variant } else { other.unwrap_or(variant) };
            if measured != variant {
                found.substitutes.push((kernel, variant, measured));
            }
            let call = KernelCall::new(kernel, measured, [1; 3]).map_err(|_| KernelPredictError::NoKernels)?;
            let of_host = |name: &str| {
                let has_host = model.kernels.iter().any(|one| one.stands_for(name));
                let host = choice.host.clone().or_else(|| has_host.then(|| name.to_owned()));
                model.kernel(&call, &KernelChoice { host, ..choice.clone() }).map(|one| &one.model)
            };
            let mut hosts: BTreeMap<&str, &KernelModel> = BTreeMap::new();
            let mut models = Vec::with_capacity(placement.ranks());
            for processor in placement.processors() {
                let name = model.hosts.get(processor.index()).map_or("", String::as_str);
                let known = match hosts.get(name) {
                    Some(known) => known,
                    None => hosts.entry(name).or_insert(of_host(name)?),
                };
                models.push(*known);
            }
            found.models.insert((kernel, variant), models);
        }
        Ok(found)
    }

    /// Returns the same models with times at an end of their intervals: −1 for the lower one, 1 for the upper one, 0 for none.
    pub(super) fn at(&self, end: f64) -> Self {
        Self { end, ..self.clone() }
    }

    /// The kernels whose variant was not measured, each with this variant and the one that stands for it.
    pub fn substitutes(&self) -> &[(Kernel, &'static str, &'static str)] {
        &self.substitutes
    }

    /// The model of a kernel at a rank.
    pub(super) fn model(&self, rank: Rank, call: &KernelCall) -> Option<&'a KernelModel> {
        self.models.get(&(call.kernel(), call.variant()))?.get(rank.index()).copied()
    }
}

impl KernelTimes for HostKernels<'_> {
    fn seconds(&self, rank: Rank, call: &KernelCall) -> Seconds {
        let Some(model) = self.model(rank, call) else { return Seconds::ZERO };
        let interval = if self.end == 0.0 { None } else { model.expected(call).and_then(|expected| expected.interval) };
        Seconds::new(match interval {
            Some(interval) if self.end < 0.0 => interval.low,
            Some(interval) => interval.high,
            None => model.seconds(call),
        })
    }
}
