use crate::units::Seconds;

/// Why a search finds no configuration.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum SearchError {
    /// There is no kind of processing elements.
    #[error("the cluster has no processing element; describe its hosts")]
    NoKinds,
    /// There is room for more processes than a search handles.
    #[error(
        "the cluster has room for {processes} processes, but a search handles {most} at most; lower the processes on \
         each element, or leave hosts out"
    )]
    TooLarge {
        /// The processes that there is room for.
        processes: u64,
        /// The most that a search handles.
        most: u64,
    },
    /// A block size or a side of a grid is 0.
    #[error("a {what} of 0 cannot be; give whole numbers from 1")]
    Zero {
        /// `block size` or `side of a process grid`.
        what: &'static str,
    },
    /// The cost is to be minimised, but a kind has no price.
    #[error("the kind {kind:?} has no price; add what an hour of one of its cores costs")]
    NoPrice {
        /// The kind.
        kind: String,
    },
    /// A price is negative, no number, or too high.
    #[error("the price {price:?} of the kind {kind:?} is not between 0 and 1000000; correct it")]
    Price {
        /// The kind.
        kind: String,
        /// The price of a core-hour.
        price: f64,
    },
    /// The model says nothing of any configuration in question.
    #[error(
        "the model says nothing of any configuration of this cluster with these grids and blocks; measure runs on it, or \
         allow others"
    )]
    NoTimes,
    /// No configuration has the memory that it needs.
    #[error("no configuration has enough memory; make the problem smaller, or add hosts")]
    NoMemory,
    /// No configuration ends in time.
    #[error("no configuration ends within {deadline}: the fastest takes {fastest}; allow that much, or add hosts")]
    Deadline {
        /// When it has to end.
        deadline: Seconds,
        /// The least time of all configurations.
        fastest: Seconds,
    },
    /// The work that was allowed was done before any configuration was found.
    #[error("no configuration was found within {steps} steps of work; allow more, or fewer grids and block sizes")]
    TooMuchWork {
        /// The steps that were allowed.
        steps: u64,
    },
}
