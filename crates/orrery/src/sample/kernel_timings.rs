use std::collections::BTreeMap;

use super::Provenance;
use crate::kernel::{Kernel, KernelCall, KernelTime, Operands};
use crate::units::{Bytes, Seconds};

/// The key of the provenance with the classes of equal hosts: names by blanks, classes by semicolons, `a b c; d e`. The first host of each
/// class was measured for the others.
pub const HOST_CLASSES: &str = "classes";

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

impl KernelConditions {
    /// The same on another host.
    #[must_use]
    pub fn at(&self, host: &str) -> Self {
        Self { host: host.to_owned(), ..self.clone() }
    }
}

/// The conditions, the kernel and the variant of a model.
pub type KernelGroup = (KernelConditions, Kernel, &'static str);

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
    /// The hosts for which the readings of each measured host stand, besides itself, from the key [`HOST_CLASSES`].
    ///
    /// ```
    /// use orrery::sample::{HOST_CLASSES, KernelTimings, Provenance};
    /// let provenance = Provenance::new().with(HOST_CLASSES, "a b c; d e");
    /// let timings = KernelTimings { provenance, ..KernelTimings::default() };
    /// assert_eq!(timings.equal_hosts()["a"], ["b", "c"]);
    /// ```
    pub fn equal_hosts(&self) -> BTreeMap<&str, Vec<&str>> {
        let classes = self.provenance.get(HOST_CLASSES).unwrap_or_default().split(';');
        let mut equal: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        for mut names in classes.map(str::split_whitespace) {
            if let Some(measured) = names.next() {
                equal.entry(measured).or_default().extend(names);
            }
        }
        equal
    }

    /// Adds the readings and the classes of another file; other provenance stays that of the first one with readings.
    pub fn extend(&mut self, other: Self) {
        if self.readings.is_empty() {
            *self = other;
            return;
        }
        let classes = [&self.provenance, &other.provenance].map(|one| one.get(HOST_CLASSES));
        let classes: Vec<&str> = classes.into_iter().flatten().collect();
        if !classes.is_empty() {
            let classes = classes.join("; ");
            self.provenance.set(HOST_CLASSES, classes);
        }
        self.readings.extend(other.readings);
    }

    /// The times of each kernel and variant under each of the conditions.
    pub fn groups(&self) -> BTreeMap<KernelGroup, Vec<KernelTime>> {
        self.grouped(|one| Some(KernelTime { call: one.call, seconds: one.seconds }))
    }

    /// The known memory of the calls of each kernel and variant under each of the conditions.
    pub fn memory(&self) -> BTreeMap<KernelGroup, Vec<(KernelCall, Bytes)>> {
        self.grouped(|one| Some((one.call, one.memory?)))
    }

    /// The values of readings, by group.
    fn grouped<T>(&self, value: impl Fn(&KernelReading) -> Option<T>) -> BTreeMap<KernelGroup, Vec<T>> {
        let mut groups: BTreeMap<_, Vec<T>> = BTreeMap::new();
        for one in &self.readings {
            if let Some(value) = value(one) {
                let key = (one.conditions.clone(), one.call.kernel(), one.call.variant());
                groups.entry(key).or_default().push(value);
            }
        }
        groups
    }
}
