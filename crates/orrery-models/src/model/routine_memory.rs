//! The memory of the operands of parallel routines on hosts, and that of the hosts.

use std::collections::BTreeMap;

use super::Model;
use orrery_base::units::Bytes;
use orrery_cluster::platform::Processor;
use orrery_program::routine::{Layout, RoutineCall};

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
