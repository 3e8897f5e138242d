use orrery_program::kernel::Operands;

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
    /// The same conditions on another host.
    #[must_use]
    pub fn at(&self, host: &str) -> Self {
        Self { host: host.to_owned(), ..self.clone() }
    }
}
