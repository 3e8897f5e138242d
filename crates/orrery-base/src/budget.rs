//! The memory and the work that an input may cost.
//!
//! Work in proportion to the length of an input is never refused. But an input can also request
//! work by a number in it: a repetition count, the number of a processor, the ranks of a collective
//! operation, the length of compressed text. Such work is counted before it is done, and refused
//! beyond the [`Budget`] of the input:
//!
//! | resource | budget for an input of n bytes |
//! |---|---|
//! | memory | 512 MiB or 64 n, whichever is larger |
//! | operations | 10⁷ or 16 n, whichever is larger |
//!
//! An operation is an elementary step of a schedule that is predicted or simulated, a reading, a
//! configuration, or [`STEPS_PER_OPERATION`] steps of a search. A process can set other limits for
//! all its inputs with [`limit_memory`] and [`limit_operations`].

use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::units::Bytes;

/// The memory in bytes that every input may take.
const MIN_MEMORY: u64 = 512 << 20;

/// The memory in bytes for each byte of an input.
const MEMORY_PER_BYTE: u64 = 64;

/// The length in bytes of the longest input without a known length.
const MAX_INPUT: u64 = 2 << 30;

/// The operations that every input may request.
const MIN_OPERATIONS: u64 = 10_000_000;

/// The operations for each byte of an input.
const OPERATIONS_PER_BYTE: u64 = 16;

/// The steps of a search, of about a nanosecond each, that count as one operation.
pub const STEPS_PER_OPERATION: u64 = 1000;

/// The limits of the process for all inputs; 0 if there is none. They are not arguments of the
/// readers, because a user sets them once for all inputs of a command.
static MAX_MEMORY: AtomicU64 = AtomicU64::new(0);
static MAX_OPERATIONS: AtomicU64 = AtomicU64::new(0);

/// Sets the memory of every budget that is made from now on in this process; 0 removes the limit.
pub fn limit_memory(memory: Bytes) {
    MAX_MEMORY.store(memory.get(), Ordering::Relaxed);
}

/// Sets the number of operations of every budget that is made from now on in this process; 0
/// removes the limit.
pub fn limit_operations(operations: u64) {
    MAX_OPERATIONS.store(operations, Ordering::Relaxed);
}

/// The length in bytes of the longest input without a known length, such as a pipe or a device: the
/// memory limit of the process, 2 GiB if there is none.
pub fn max_input() -> u64 {
    resource(&MAX_MEMORY, MAX_INPUT, 0, 0)
}

/// A limit of the process, or else, if it is 0, the larger of `minimum` and `per_byte` times the
/// length of the input.
fn resource(limit: &AtomicU64, minimum: u64, per_byte: u64, length: u64) -> u64 {
    match limit.load(Ordering::Relaxed) {
        0 => minimum.max(length.saturating_mul(per_byte)),
        limit => limit,
    }
}

/// The memory and the number of operations that an input may cost.
///
/// ```
/// use orrery_base::budget::Budget;
/// let budget = Budget::of_input(1000);
/// assert!(budget.check_operations("the trace", 1_000_000).is_ok());
/// let error = budget.check_operations("the trace", 1_000_000_000).unwrap_err();
/// assert_eq!(error.to_string(), "the trace takes 1000000000 operations; its budget is 10000000");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Budget {
    memory: u64,
    operations: u64,
}

impl Budget {
    /// The budget of an input of this number of bytes.
    pub fn of_input(length: u64) -> Self {
        Self {
            memory: resource(&MAX_MEMORY, MIN_MEMORY, MEMORY_PER_BYTE, length),
            operations: resource(&MAX_OPERATIONS, MIN_OPERATIONS, OPERATIONS_PER_BYTE, length),
        }
    }

    /// The number of operations that the input may cost.
    pub fn operations(self) -> u64 {
        self.operations
    }

    /// The memory in bytes that the input may cost.
    pub fn memory(self) -> u64 {
        self.memory
    }

    /// Checks that `what`, the name of the work in the message, needs at most the memory of the
    /// budget, in bytes.
    ///
    /// # Errors
    ///
    /// When it needs more: the needed memory and the budget.
    pub fn check_memory(self, what: impl fmt::Display, needed: u64) -> Result<(), OverBudget> {
        check(what, Resource::Memory, needed, self.memory)
    }

    /// Checks that `what`, the name of the work in the message, takes at most the operations of the
    /// budget.
    ///
    /// # Errors
    ///
    /// When it takes more: the number of operations and the budget.
    pub fn check_operations(self, what: impl fmt::Display, needed: u64) -> Result<(), OverBudget> {
        check(what, Resource::Operations, needed, self.operations)
    }
}

/// Compares a need with its budget.
fn check(
    what: impl fmt::Display,
    resource: Resource,
    needed: u64,
    budget: u64,
) -> Result<(), OverBudget> {
    if needed <= budget {
        Ok(())
    } else {
        Err(OverBudget { what: what.to_string(), resource, needed, budget })
    }
}

/// What a budget limits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Resource {
    /// Memory in bytes.
    Memory,
    /// Operations.
    Operations,
}

/// The error of work beyond the budget of its input.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub struct OverBudget {
    /// The work, such as `the decompressed text`.
    pub what: String,
    /// The limited resource.
    pub resource: Resource,
    /// The need, in bytes or operations.
    pub needed: u64,
    /// The budget, in bytes or operations.
    pub budget: u64,
}

impl fmt::Display for OverBudget {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { what, needed, budget, .. } = self;
        match self.resource {
            Resource::Memory => {
                let mebibytes = |bytes: u64| bytes.div_ceil(1 << 20);
                write!(
                    f,
                    "{what} takes {} MiB of memory; its budget is {} MiB",
                    mebibytes(*needed),
                    budget >> 20
                )
            }
            Resource::Operations => {
                write!(f, "{what} takes {needed} operations; its budget is {budget}")
            }
        }
    }
}
