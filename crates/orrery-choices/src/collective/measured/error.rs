use orrery_cluster::platform::Processor;

/// The reason why no algorithm can be chosen by samples.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum MeasuredError {
    /// The samples contain no collective operation with several algorithms.
    #[error(
        "there are no collective operations with a known algorithm here; rows such as \
            bcast/binomial or native/bcast/ompi/binomial are needed"
    )]
    Nothing,
    /// Several processes ran on one host.
    #[error(
        "{per_host} processes ran on each host; choices by samples are validated for one process \
            per host only; keep the library's own choice"
    )]
    SeveralPerHost {
        /// The largest number of processes on one host.
        per_host: usize,
    },
    /// The samples are of several numbers of processors.
    #[error("the collective operations ran on {} processors; select one number", list(.found))]
    Procs {
        /// The numbers of processors, ascending.
        found: Vec<usize>,
    },
    /// The samples are from several roots.
    #[error("the collective operations have the roots {}; select one", list(.found))]
    Roots {
        /// The roots, ascending.
        found: Vec<Processor>,
    },
    /// A reading is 0 and has no logarithm.
    #[error("the median time of {experiment} is 0; its clock is too coarse, remove its rows")]
    Zero {
        /// The experiment.
        experiment: String,
    },
    /// There are too many rows.
    #[error(
        "there are {rows} combinations of launch, algorithm and size; at most {limit} can be \
            compared at a time, select operations"
    )]
    TooMany {
        /// The number of combinations.
        rows: usize,
        /// The limit.
        limit: usize,
    },
    /// The covariance of the readings cannot be inverted.
    #[error(
        "the readings contradict each other so much that the covariance of their times cannot be \
            inverted; measure again"
    )]
    Singular,
}

/// The values with commas.
fn list<T: ToString>(values: &[T]) -> String {
    values.iter().map(T::to_string).collect::<Vec<_>>().join(", ")
}
