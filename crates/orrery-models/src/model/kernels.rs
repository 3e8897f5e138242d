use orrery_base::names::advice;
use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use super::Model;
use orrery_measure::sample::KernelConditions;
use orrery_program::kernel::{Kernel, KernelCall, KernelModel, Operands};

/// The model of a kernel on a host.
#[derive(Debug, Clone, PartialEq)]
pub struct KernelOnHost {
    /// The host, the library, threads and operands.
    pub conditions: KernelConditions,
    /// Hosts that were not measured and equal the one of the model.
    pub equal_hosts: Vec<String>,
    /// The model.
    pub model: KernelModel,
}

impl KernelOnHost {
    /// Returns true if the model is that of a host, or of a measured host that equals it.
    pub fn is_for(&self, host: &str) -> bool {
        self.conditions.host == host || self.equal_hosts.iter().any(|equal| equal == host)
    }
}

/// The reason why a call of a kernel has no prediction.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum KernelPredictError {
    /// The model has no kernels at all.
    #[error("the model has no kernels")]
    NoKernels,
    /// The model has other kernels, or kernels under other conditions.
    #[error("{0}")]
    NotKnown(String),
    /// Several models of the kernel differ in a condition that is not given.
    #[error("the models of {name} differ in {condition}: {known}; name one")]
    Several {
        /// The kernel and its variant.
        name: String,
        /// The condition, a field of [`KernelChoice`].
        condition: &'static str,
        /// Its values.
        known: String,
    },
}

/// Which of the models of a kernel is meant; `None` for the only one.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct KernelChoice {
    /// The host.
    pub host: Option<String>,
    /// The library.
    pub library: Option<String>,
    /// The number of threads.
    pub threads: Option<u32>,
    /// The state of the operands.
    pub operands: Option<Operands>,
}

impl Model {
    /// Adds models of kernels; those of the same kernel under the same conditions are replaced. A
    /// host with a model of its own needs no other one.
    pub fn add_kernels(&mut self, models: Vec<KernelOnHost>) {
        let key =
            |one: &KernelOnHost| (one.conditions.clone(), one.model.kernel, one.model.variant);
        let new: BTreeSet<_> = models.iter().map(key).collect();
        self.kernels.retain(|one| !new.contains(&key(one)));
        self.kernels.extend(models);
        self.kernels.sort_by_key(key);
        let own: BTreeSet<_> = self.kernels.iter().map(key).collect();
        for one in &mut self.kernels {
            let (mut conditions, kernel, variant) = key(one);
            let measured = std::mem::take(&mut conditions.host);
            let mut names: BTreeSet<String> =
                one.equal_hosts.drain(..).filter(|name| *name != measured).collect();
            names.retain(|name| !own.contains(&(conditions.at(name), kernel, variant)));
            one.equal_hosts = names.into_iter().collect();
        }
    }

    /// The model of a call of a kernel.
    ///
    /// # Errors
    ///
    /// When there is no such model, or several.
    pub fn kernel(
        &self,
        call: &KernelCall,
        choice: &KernelChoice,
    ) -> Result<&KernelOnHost, KernelPredictError> {
        self.kernel_of(call.kernel(), call.variant(), choice)
    }

    /// The model of a variant of a kernel, as [`Model::kernel`].
    pub(crate) fn kernel_of(
        &self,
        kernel: Kernel,
        variant: &'static str,
        choice: &KernelChoice,
    ) -> Result<&KernelOnHost, KernelPredictError> {
        let name_of =
            |kernel: Kernel, variant: &str| format!("{kernel} {variant}").trim_end().to_owned();
        let name = name_of(kernel, variant);
        let list = |names: BTreeSet<String>| names.into_iter().collect::<Vec<_>>().join(", ");
        let none_for = |what: &str, value: &str, known: BTreeSet<String>| {
            KernelPredictError::NotKnown(format!(
                "the model has no {name} for {what} {value}; {}",
                advice(value, "known", known)
            ))
        };
        if self.kernels.is_empty() {
            return Err(KernelPredictError::NoKernels);
        }
        let is_meant =
            |one: &&KernelOnHost| one.model.kernel == kernel && one.model.variant == variant;
        let all: Vec<&KernelOnHost> = self.kernels.iter().filter(is_meant).collect();
        if all.is_empty() {
            let known = self
                .kernels
                .iter()
                .map(|one| name_of(one.model.kernel, one.model.variant))
                .collect();
            let known = list(known);
            return Err(KernelPredictError::NotKnown(format!(
                "the model has no {name}; it has {known}"
            )));
        }
        let mut left = all;
        if let Some(host) = &choice.host {
            let names =
                left.iter().flat_map(|one| one.equal_hosts.iter().chain([&one.conditions.host]));
            let known: BTreeSet<String> = names.cloned().collect();
            left.retain(|one| one.is_for(host));
            // Measured ones come before those of an equal host.
            let own: Vec<_> =
                left.iter().map(|one| &one.conditions).filter(|one| one.host == *host).collect();
            let is_replaced =
                |one: &KernelConditions| one.host != *host && own.contains(&&one.at(host));
            let replaced: Vec<bool> = left.iter().map(|one| is_replaced(&one.conditions)).collect();
            let mut replaced = replaced.into_iter();
            left.retain(|_| !replaced.next().unwrap_or_default());
            if left.is_empty() {
                return Err(none_for("host", host, known));
            }
        }
        let values = [
            ("host", &None, (|one| one.host.clone()) as fn(&KernelConditions) -> String),
            ("library", &choice.library, |one| one.library.clone()),
            ("threads", &choice.threads.map(|threads| threads.to_string()), |one| {
                one.threads.to_string()
            }),
            ("operands", &choice.operands.map(|operands| operands.to_string()), |one| {
                one.operands.to_string()
            }),
        ];
        for (what, wanted, value) in values {
            let known: BTreeSet<String> = left.iter().map(|one| value(&one.conditions)).collect();
            match wanted {
                Some(wanted) => left.retain(|one| value(&one.conditions) == *wanted),
                None if known.len() > 1 => {
                    let known = list(known);
                    return Err(KernelPredictError::Several { name, condition: what, known });
                }
                None => {}
            }
            if left.is_empty() {
                return Err(none_for(what, wanted.as_deref().unwrap_or_default(), known));
            }
        }
        left.first().copied().ok_or(KernelPredictError::NoKernels)
    }
}
