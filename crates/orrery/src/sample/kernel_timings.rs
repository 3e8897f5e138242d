use std::collections::BTreeMap;

use super::Provenance;
use crate::kernel::{Kernel, KernelCall, KernelTime, Operands};
use crate::units::{Bytes, Seconds};

/// What the readings of one model of a kernel have in common.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct KernelConditions {
    /// The host; empty if the file does not name it.
    pub host: String,
    /// The library that has the kernel; empty if the file does not name it.
    pub library: String,
    /// The number of threads.
    pub threads: u32,
    /// The state of the operands.
    pub operands: Operands,
}

/// A reading of the time of a kernel.
#[derive(Debug, Clone, PartialEq)]
pub struct KernelReading {
    /// The host, the library, threads and operands.
    pub conditions: KernelConditions,
    /// The call.
    pub call: KernelCall,
    /// The number of the repetition.
    pub rep: u32,
    /// The time.
    pub seconds: Seconds,
    /// The memory of the call; `None` if it is unknown.
    pub memory: Option<Bytes>,
}

/// The readings of kernels, with their provenance.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct KernelTimings {
    /// The origin of the readings.
    pub provenance: Provenance,
    /// The readings in the order of the file.
    pub readings: Vec<KernelReading>,
}

impl KernelTimings {
    /// The times of each kernel and variant under each of the conditions.
    pub fn groups(&self) -> BTreeMap<(KernelConditions, Kernel, &'static str), Vec<KernelTime>> {
        let mut groups: BTreeMap<_, Vec<KernelTime>> = BTreeMap::new();
        for KernelReading { conditions, call, seconds, .. } in &self.readings {
            let key = (conditions.clone(), call.kernel(), call.variant());
            groups.entry(key).or_default().push(KernelTime { call: *call, seconds: *seconds });
        }
        groups
    }
}
