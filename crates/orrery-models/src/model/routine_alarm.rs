//! Reasons to doubt the prediction of a routine, with their words.

use std::collections::BTreeMap;

use super::alarm::range;
use super::load_doubt::{few_samples, left_out, unknown_load};
use super::{Alarm, LoadDoubt, Model};
use orrery_base::units::{Bytes, rounded_bytes};
use orrery_cluster::platform::Processor;
use orrery_program::kernel::Kernel;
use orrery_program::routine::{Approximation, Layout, Routine, RoutineCall};

/// A reason to doubt the prediction of a routine.
#[derive(Debug, Clone, PartialEq)]
pub enum RoutineAlarm {
    /// Much of the time is that of a kernel outside measured dimensions.
    Dimension {
        /// The kernel.
        kernel: Kernel,
        /// The dimension.
        name: char,
        /// Its values in calls outside.
        values: [u64; 2],
        /// The measured values.
        measured: [u64; 2],
    },
    /// The program has too many operations for a choice among many grids: the time is that of a
    /// closed form.
    Estimate {
        /// The call.
        call: RoutineCall,
    },
    /// A message is larger than the measured ones.
    Size {
        /// The size of the largest message of the first process.
        size: Bytes,
        /// The largest measured size.
        largest: Bytes,
    },
    /// Large messages are passed on, and how long their handshakes wait was not measured.
    Handshakes,
    /// The messages of hosts were not measured, and count as those of others of their class.
    UnmeasuredHosts {
        /// The first of their processors.
        first: Processor,
        /// Their number.
        processors: usize,
    },
    /// The kernels of a host were not measured; those of another one are taken.
    Host {
        /// The host.
        host: String,
        /// The measured host.
        measured: String,
    },
    /// A kernel was not measured on any host; another one with about the same time replaces it.
    Kernel {
        /// The kernel.
        kernel: Kernel,
        /// The kernel that replaces it.
        measured: Kernel,
    },
    /// A part of the program is an approximation of what the library does.
    Approximation {
        /// The routine.
        routine: Routine,
        /// The part.
        part: Approximation,
    },
    /// The operands exceed the memory of a host.
    Memory(MemoryExcess),
    /// Other programs run on the hosts of processes: kernels take longer, messages are predicted
    /// without load.
    Load {
        /// The number of processes on such hosts.
        processes: usize,
        /// The smallest and the largest part of a processor that is left to them.
        parts: [f64; 2],
    },
    /// The load of hosts of processes is not known now: the time is that without load, and its
    /// interval reaches to the worst availability.
    UnknownLoad {
        /// The hosts with the reasons.
        hosts: Vec<(String, LoadDoubt)>,
    },
    /// The forecast load of hosts of processes has no interval.
    FewSamples {
        /// The hosts with the reasons.
        hosts: Vec<(String, LoadDoubt)>,
    },
    /// The choice leaves out hosts whose load is not known now.
    Excluded {
        /// The hosts with the reasons.
        hosts: Vec<(String, LoadDoubt)>,
    },
    /// A variant of a kernel was not measured; another one replaces it.
    Variant {
        /// The kernel.
        kernel: Kernel,
        /// The variant.
        variant: &'static str,
        /// The variant that replaces it.
        measured: &'static str,
    },
}

impl RoutineAlarm {
    /// The keyword of the alarm.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Dimension { .. } => "dimension",
            Self::Estimate { .. } => "estimate",
            Self::Handshakes => Alarm::Handshakes.name(),
            Self::UnmeasuredHosts { first, processors } => {
                Alarm::UnmeasuredHosts { first: *first, processors: *processors }.name()
            }
            Self::Size { .. } => "size",
            Self::Host { .. } => "host",
            Self::Kernel { .. } => "kernel",
            Self::Approximation { .. } => "approximation",
            Self::Memory(_) => "memory",
            Self::Load { .. } => "load",
            Self::UnknownLoad { .. } => "unmonitored",
            Self::FewSamples { .. } => "samples",
            Self::Excluded { .. } => "excluded",
            Self::Variant { .. } => "variant",
        }
    }

    /// What is doubtful.
    pub fn message(&self) -> String {
        match self {
            Self::Dimension {
                kernel,
                name,
                values: [low, high],
                measured: [smallest, largest],
            } => {
                let values = range(low, high);
                format!(
                    "{name} = {values} of {kernel} is outside the measured {smallest} to {largest}"
                )
            }
            Self::Estimate { call } => {
                let grid = call.grid();
                format!("the time on {grid} by {} is that of a closed form", grid.block)
            }
            Self::Handshakes => Alarm::Handshakes.to_string(),
            Self::UnmeasuredHosts { first, processors } => {
                Alarm::UnmeasuredHosts { first: *first, processors: *processors }.to_string()
            }
            Self::Size { size, largest } => {
                format!("messages of {size} are larger than the measured ones, up to {largest}")
            }
            Self::Host { host, measured } => {
                format!("the kernels of {host} were not measured; those of {measured} are taken")
            }
            Self::Kernel { kernel, measured } => {
                format!("{kernel} was not measured; the times of {measured} are taken")
            }
            Self::Approximation { routine, part: Approximation::Panels } => {
                format!(
                    "the panels of {routine} in blocks that are no multiple of 32 are approximated"
                )
            }
            Self::Approximation { routine, part: Approximation::FewSides } => {
                format!(
                    "{routine} with few right-hand sides on several rows and columns is \
                        approximated"
                )
            }
            Self::Approximation { routine, part: Approximation::Pivots } => {
                format!(
                    "the pivots of {routine} depend on the matrix; those of successive rows of the \
                        grid are taken"
                )
            }
            Self::Memory(MemoryExcess { host, needed, memory }) => {
                let [needed, memory] =
                    [needed, memory].map(|bytes| rounded_bytes(bytes.get() as f64));
                format!("operands of {needed} exceed the memory of {host}, {memory}")
            }
            Self::Load { processes, parts: [smallest, largest] } => {
                let is_range = smallest < largest;
                let [smallest, largest] =
                    [smallest, largest].map(|part| (part * 1000.0).round() / 1000.0);
                let parts = if is_range {
                    format!("{smallest} to {largest}")
                } else {
                    smallest.to_string()
                };
                let processes = if *processes == 1 {
                    "1 process has".into()
                } else {
                    format!("{processes} processes have")
                };
                let divisor = if is_range { "that part" } else { parts.as_str() };
                format!(
                    "{processes} {parts} of a processor: kernels take 1/{divisor} of their time; \
                        messages have the delays of idle processors"
                )
            }
            Self::UnknownLoad { hosts } => unknown_load(hosts),
            Self::FewSamples { hosts } => few_samples(hosts),
            Self::Excluded { hosts } => left_out(hosts),
            Self::Variant { kernel, variant, measured } => {
                format!("{kernel} {variant} was not measured; the time of {measured} is taken")
            }
        }
    }
}

/// A host whose memory operands exceed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MemoryExcess {
    /// The host.
    pub host: String,
    /// The memory of the operands of all processes on it.
    pub needed: Bytes,
    /// The memory of the host.
    pub memory: Bytes,
}

impl Model {
    /// The memory of the operands of a parallel routine on each host, of all of its processes
    /// together \[B\]; processes are, row by row of the grid, on these processors. The work space
    /// of the library is left out.
    pub fn routine_memory(
        &self,
        call: &RoutineCall,
        processors: &[Processor],
    ) -> BTreeMap<&str, Bytes> {
        let columns = call.grid().columns.max(1);
        let mut memory = BTreeMap::new();
        for (rank, &processor) in (0..).zip(processors) {
            self.add_memory(&mut memory, processor, call.space_at(rank / columns, rank % columns));
        }
        memory
    }

    /// Returns a host whose memory the operands of a routine exceed, the one with the largest
    /// excess; `None` if there is none, or where the memory of hosts is unknown.
    pub fn memory_excess(
        &self,
        call: &RoutineCall,
        processors: &[Processor],
    ) -> Option<MemoryExcess> {
        if self.host_memory.is_empty() {
            None
        } else {
            self.excess(&self.routine_memory(call, processors))
        }
    }

    /// Adds the memory of the parts of a matrix to `memory`, by host: rank r of its grid is on
    /// processor r, and `element` is the size of an element.
    pub fn add_matrix<'a>(
        &'a self,
        memory: &mut BTreeMap<&'a str, Bytes>,
        layout: &Layout,
        element: Bytes,
    ) {
        for (row, column) in (0..layout.grid.rows())
            .flat_map(|row| (0..layout.grid.columns()).map(move |k| (row, k)))
        {
            let elements = layout.rows.count(row).saturating_mul(layout.columns.count(column));
            let processor = Processor(layout.grid.rank(row, column).0);
            self.add_memory(memory, processor, Bytes::new(elements.saturating_mul(element.get())));
        }
    }

    /// Adds memory to the host of a processor.
    fn add_memory<'a>(
        &'a self,
        memory: &mut BTreeMap<&'a str, Bytes>,
        processor: Processor,
        added: Bytes,
    ) {
        let host = self.hosts.get(processor.index()).map_or("", String::as_str);
        let of_host = memory.entry(host).or_default();
        *of_host = Bytes::new(of_host.get().saturating_add(added.get()));
    }

    /// Returns the host whose memory is exceeded most; `None` if none is exceeded. `needed` is the
    /// memory by host.
    pub fn excess(&self, needed: &BTreeMap<&str, Bytes>) -> Option<MemoryExcess> {
        let all = needed
            .iter()
            .filter_map(|(&host, &needed)| Some((host, needed, *self.host_memory.get(host)?)));
        let exceeded = all.filter(|(_, needed, memory)| needed > memory);
        let (host, needed, memory) =
            exceeded.max_by_key(|(_, needed, memory)| needed.get() - memory.get())?;
        Some(MemoryExcess { host: host.to_owned(), needed, memory })
    }
}
