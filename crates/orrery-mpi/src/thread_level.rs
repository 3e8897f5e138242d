use std::fmt;

/// The thread level of MPI: which threads of a process may call it. Libraries take locks above
/// [`Single`](Self::Single), which make short messages slower.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum ThreadLevel {
    /// `MPI_THREAD_SINGLE`, what programs get that call `MPI_Init`.
    #[default]
    Single,
    /// `MPI_THREAD_FUNNELED`: the thread that has initialised MPI.
    Funneled,
    /// `MPI_THREAD_SERIALIZED`: any thread, one at a time.
    Serialized,
    /// `MPI_THREAD_MULTIPLE`: all threads at once.
    Multiple,
}

impl ThreadLevel {
    /// All levels, from the lowest.
    pub const ALL: [Self; 4] = [Self::Single, Self::Funneled, Self::Serialized, Self::Multiple];

    /// The name, such as `single`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Single => "single",
            Self::Funneled => "funneled",
            Self::Serialized => "serialized",
            Self::Multiple => "multiple",
        }
    }
}

impl fmt::Display for ThreadLevel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
