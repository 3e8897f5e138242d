use std::collections::BTreeMap;

use super::{KernelConditions, Provenance};
use orrery_base::units::{Bytes, Seconds};
use orrery_program::kernel::{Kernel, KernelCall, KernelTime};

/// The key of the provenance with the classes of equal hosts: names by blanks, classes by
/// semicolons, `a b c; d e`. The first host of each class was measured for the others.
pub const HOST_CLASSES: &str = "classes";

/// The key of the provenance with the memory of each host: `a=16834887680 b=8220233728`, in bytes.
pub const HOST_MEMORY: &str = "memory";

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
    /// The hosts for which the readings of each measured host stand, besides itself, from the key
    /// [`HOST_CLASSES`].
    ///
    /// ```
    /// use orrery_measure::sample::{HOST_CLASSES, KernelTimings, Provenance};
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

    /// The memory of each host that is known, from the key [`HOST_MEMORY`]; a host that another one
    /// equals has the memory of this one unless its own is known.
    ///
    /// ```
    /// use orrery_measure::sample::{HOST_CLASSES, HOST_MEMORY, KernelTimings, Provenance};
    /// use orrery_base::units::Bytes;
    /// let provenance = Provenance::new().with(HOST_CLASSES, "a b c").with(HOST_MEMORY, "a=16834887680 b=16834883584");
    /// let timings = KernelTimings { provenance, ..KernelTimings::default() };
    /// assert_eq!(timings.host_memory()["b"], Bytes::new(16834883584));
    /// assert_eq!(timings.host_memory()["c"], Bytes::new(16834887680));
    /// ```
    pub fn host_memory(&self) -> BTreeMap<&str, Bytes> {
        let words = self.provenance.get(HOST_MEMORY).unwrap_or_default().split_whitespace();
        let known = words.filter_map(|word| word.rsplit_once('='));
        let mut memory: BTreeMap<&str, Bytes> = known
            .filter_map(|(host, bytes)| Some((host, Bytes::new(bytes.parse().ok()?))))
            .collect();
        for (measured, others) in self.equal_hosts() {
            let Some(&own) = memory.get(measured) else { continue };
            for other in others {
                memory.entry(other).or_insert(own);
            }
        }
        memory
    }

    /// Adds the readings, the classes and the memory of hosts of another file; other provenance
    /// stays that of the first one with readings.
    pub fn extend(&mut self, other: Self) {
        if self.readings.is_empty() {
            *self = other;
            return;
        }
        for (key, separator) in [(HOST_CLASSES, "; "), (HOST_MEMORY, " ")] {
            let both = [&self.provenance, &other.provenance].map(|one| one.get(key));
            let both: Vec<&str> = both.into_iter().flatten().collect();
            if !both.is_empty() {
                let both = both.join(separator);
                self.provenance.set(key, both);
            }
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

    /// What `value` returns for the readings, by their conditions, kernel and variant; readings for
    /// which it returns `None` are left out.
    fn grouped<T>(
        &self,
        value: impl Fn(&KernelReading) -> Option<T>,
    ) -> BTreeMap<KernelGroup, Vec<T>> {
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
