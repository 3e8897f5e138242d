use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use super::RequestError;
use crate::kernel::KernelCall;
use crate::model::{Availability, Forecaster, KernelForecast, LoadDoubt, Model, left_out};
use crate::request::KernelRequest;
use crate::units::{Bytes, Seconds};

/// The host on which a call of a kernel is fastest.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HostRequest {
    /// The call, with single dimensions; its host is ignored.
    pub call: KernelRequest,
    /// True to take hosts whose load is not known now, too; by default they are left out.
    #[serde(default)]
    pub unmonitored: bool,
}

/// The time of a call on a host.
#[derive(Debug, Clone, PartialEq)]
pub struct HostForecast {
    /// The host.
    pub host: String,
    /// The time under the load.
    pub forecast: KernelForecast,
    /// The time without load.
    pub idle: Seconds,
    /// The memory of the call.
    pub space: Bytes,
    /// The memory of the host; `None` if it is unknown.
    pub memory: Option<Bytes>,
}

impl HostForecast {
    /// Returns true if the call needs more memory than the host has.
    pub fn lacks_memory(&self) -> bool {
        self.memory.is_some_and(|memory| self.space > memory)
    }
}

/// The hosts with their times of a call.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ChosenHosts {
    /// The candidates: those with the memory, whose load is known, and the fastest first.
    pub hosts: Vec<HostForecast>,
    /// The hosts that are left out, since their load is not known now.
    pub excluded: Vec<(String, LoadDoubt)>,
}

impl HostRequest {
    /// Returns the call.
    ///
    /// # Errors
    ///
    /// As [`KernelRequest::call`].
    pub fn call(&self) -> Result<KernelCall, RequestError> {
        self.call.call()
    }

    /// Returns the time of the call on one host.
    ///
    /// # Errors
    ///
    /// As [`KernelRequest::call`], and when the model has no such kernel for the host, or several.
    pub fn on(
        &self,
        host: &str,
        model: &Model,
        availability: &Availability,
    ) -> Result<HostForecast, RequestError> {
        let call = self.call()?;
        let idle = Forecaster::new(model).with_kernels(self.call.kernels.clone());
        let loaded = idle.clone().with_availability(availability.clone());
        let loaded = loaded.map_err(|error| RequestError::failed(error.to_string()))?;
        Ok(HostForecast {
            host: host.to_owned(),
            forecast: loaded.kernel_time(&call, host)?,
            idle: idle.kernel_time(&call, host)?.seconds,
            space: idle.kernel_space(&call, host)?,
            memory: model.host_memory.get(host).copied(),
        })
    }

    /// Returns the times of the call on all hosts with the kernel whose load is known.
    ///
    /// # Errors
    ///
    /// As [`HostRequest::on`] if no host has the kernel, and when the load of no host is known.
    pub fn answers(
        &self,
        model: &Model,
        availability: &Availability,
    ) -> Result<ChosenHosts, RequestError> {
        let of_kernels = model.kernels.iter();
        let names: BTreeSet<&String> = of_kernels
            .flat_map(|one| one.equal_hosts.iter().chain([&one.conditions.host]))
            .collect();
        let (mut chosen, mut first_error) = (ChosenHosts::default(), None);
        for host in names {
            if let Some(doubt) = availability.unknown(host).filter(|_| !self.unmonitored) {
                chosen.excluded.push((host.clone(), doubt));
                continue;
            }
            match self.on(host, model, availability) {
                Ok(one) => chosen.hosts.push(one),
                Err(error) => first_error = first_error.or(Some(error)),
            }
        }
        if chosen.hosts.is_empty() {
            return Err(first_error.unwrap_or_else(|| {
                let reason = format!("no host is left; {}", left_out(&chosen.excluded));
                RequestError::failed_with(reason, "unmonitored", None)
            }));
        }
        let place =
            |one: &HostForecast| (one.lacks_memory(), availability.unknown(&one.host).is_some());
        chosen.hosts.sort_by(|a, b| {
            let seconds = |one: &HostForecast| one.forecast.seconds.get();
            place(a).cmp(&place(b)).then(seconds(a).total_cmp(&seconds(b)))
        });
        Ok(chosen)
    }
}
