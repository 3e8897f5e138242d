//! The memory of calls of a kernel.

use super::{KernelCall, KernelModel, Term};
use orrery_base::units::Bytes;

/// A term of the memory of a kernel with its coefficient.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct KernelMemoryTerm {
    /// The size of an operand in elements, or the constant.
    pub term: Term,
    /// The coefficient \[B\].
    pub bytes: f64,
}

impl KernelModel {
    /// The peak memory of a call: by the terms, but at least that of the operands, which is the
    /// result if no memory was measured.
    pub fn memory(&self, call: &KernelCall) -> Bytes {
        let bytes: f64 =
            self.memory.iter().map(|one| one.bytes * one.term.value(call.dimensions())).sum();
        Bytes::new(bytes.round() as u64).max(call.space())
    }
}
