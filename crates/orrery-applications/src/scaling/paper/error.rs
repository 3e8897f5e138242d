//! Errors of the fit of N-T and P-T models.

/// An error of the fit of N-T and P-T models.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum PaperError {
    /// There are no runs on elements of one kind.
    #[error(
        "{run} and the other runs use several kinds of elements each; N-T models require runs on \
            elements of one kind"
    )]
    NoHomogeneous {
        /// The first run.
        run: String,
    },
    /// A run lacks its computation and communication times.
    #[error(
        "{run}: there is only a total time for {kind}, but N-T models need computation and \
            communication times; build HPL \
         with -DHPL_DETAILED_TIMING, take the time in MPI from a tracer, or count the total as \
         computation (undivided)"
    )]
    Undivided {
        /// The run.
        run: String,
        /// The kind.
        kind: String,
    },
    /// A configuration has fewer sizes than an N-T model has coefficients.
    #[error(
        "{run} and the other runs on {configuration} have {sizes} different size{}, but an N-T \
            model has {needed} \
         coefficients; measure at least {} more",
        if *sizes == 1 { "" } else { "s" },
        needed - sizes
    )]
    TooFewSizes {
        /// The first run of the configuration.
        run: String,
        /// The configuration, such as `pentium-ii=2x1`.
        configuration: String,
        /// The number of different sizes.
        sizes: usize,
        /// The required number.
        needed: usize,
    },
    /// The sizes of a configuration are too close to determine the coefficients.
    #[error(
        "{run} and the other runs on {configuration} have sizes that are too close together to \
            determine the coefficients of N³, N², N and 1; measure sizes further apart"
    )]
    TooClose {
        /// The first run of the configuration.
        run: String,
        /// The configuration.
        configuration: String,
    },
    /// A kind has fewer numbers of processes than a P-T model requires.
    #[error(
        "{kind} with {per_element} processes per element was measured on several elements with P = \
            {} only, but a P-T model \
         requires {needed} different P; measure more, or compose it from another kind",
        counts.iter().map(u64::to_string).collect::<Vec<_>>().join(", ")
    )]
    TooFewProcesses {
        /// The kind.
        kind: String,
        /// M_i: the processes on each element.
        per_element: u32,
        /// The different measured P > M_i.
        counts: Vec<u64>,
        /// The required number.
        needed: usize,
    },
    /// The N-T models do not determine a P-T model.
    #[error(
        "the N-T models of {kind} with {per_element} processes per element do not determine a P-T \
            model; measure other sizes or \
         other P"
    )]
    Undetermined {
        /// The kind.
        kind: String,
        /// M_i.
        per_element: u32,
    },
    /// Memory limits are invalid.
    #[error(
        "the limits between the memory ranges of {kind} are {limits:?} bytes per element; they \
            must be above 0, \
         ascending, and in one list for each kind"
    )]
    Limits {
        /// The kind.
        kind: String,
        /// The limits in bytes per element.
        limits: Vec<f64>,
    },
    /// A memory range has no N-T model.
    #[error(
        "no configuration of {kind} has {needed} different sizes in its memory range {range} (from \
            {low:.3e} bytes per \
         element); measure more sizes there, or give other limits"
    )]
    EmptyRange {
        /// The kind.
        kind: String,
        /// The index of the range, from 0.
        range: usize,
        /// The lower limit in bytes per element.
        low: f64,
        /// The required number of sizes.
        needed: usize,
    },
    /// The P-T models of a kind cannot be composed from another kind.
    #[error("{kind} cannot be composed from {from}: {reason}")]
    Composition {
        /// The kind without models.
        kind: String,
        /// The kind that provides models.
        from: String,
        /// The reason and the remedy.
        reason: &'static str,
    },
    /// There are too few runs for an adjustment.
    #[error(
        "the adjustment of {kind} from {from_processes} processes per element requires two runs \
            with different estimates at \
         N = {size} together with {beside}, found {runs}; measure more, with other numbers of \
         processes per element"
    )]
    Adjustment {
        /// The kind.
        kind: String,
        /// The least number of processes on each element.
        from_processes: u32,
        /// N.
        size: f64,
        /// The elements of the other kinds.
        beside: String,
        /// The number of runs.
        runs: usize,
    },
}
