/// Why runs do not make a model of the paper, or why it says nothing of a question.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum PaperError {
    /// No run of a single kind.
    #[error(
        "{run} and the other runs have several kinds of elements each; these models are made of runs on one kind: run each \
         kind by itself"
    )]
    NoHomogeneous {
        /// The first run.
        run: String,
    },
    /// A time that is not divided.
    #[error(
        "{run}: there is only the time of {kind} as a whole, but these models need computation and communication apart; \
         build HPL with -DHPL_DETAILED_TIMING, take the time in MPI from a tracer, or take all of it as computation \
         (undivided)"
    )]
    Undivided {
        /// The run.
        run: String,
        /// The kind.
        kind: String,
    },
    /// Fewer sizes than an N-T model has coefficients.
    #[error(
        "{run} and the other runs on {configuration} have {sizes} different size{}, but an N-T model has {needed} \
         coefficients; run at least {} more",
        if *sizes == 1 { "" } else { "s" },
        needed - sizes
    )]
    TooFewSizes {
        /// The first run of the configuration.
        run: String,
        /// The configuration, as `pentium-ii=2x1`; with its memory range, where there are several.
        configuration: String,
        /// How many different sizes there are.
        sizes: usize,
        /// How many are needed.
        needed: usize,
    },
    /// Sizes that lie too close together to tell the coefficients apart.
    #[error("{run} and the other runs on {configuration} have sizes too close together to tell N³, N², N and 1 apart")]
    TooClose {
        /// The first run of the configuration.
        run: String,
        /// The configuration.
        configuration: String,
    },
    /// Fewer numbers of processes than a P-T model needs.
    #[error(
        "{kind} with {per_element} on each was run on several elements with P = {} only, but a P-T model needs {needed} \
         different P; run more, or compose it from another kind",
        counts.iter().map(u64::to_string).collect::<Vec<_>>().join(", ")
    )]
    TooFewProcesses {
        /// The kind.
        kind: String,
        /// M_i: the processes on each element.
        per_element: u32,
        /// The different P > M_i that were run.
        counts: Vec<u64>,
        /// How many are needed.
        needed: usize,
    },
    /// A P-T model that its N-T models leave open.
    #[error(
        "the N-T models of {kind} with {per_element} on each do not determine a P-T model; run other sizes or other P"
    )]
    Undetermined {
        /// The kind.
        kind: String,
        /// M_i.
        per_element: u32,
    },
    /// Memory limits that are none.
    #[error(
        "the memory limits of {kind} are {limits:?}; give numbers of bytes above 0, each larger than the one before it"
    )]
    Limits {
        /// The kind.
        kind: String,
        /// The limits in bytes.
        limits: Vec<f64>,
    },
    /// A memory range without a model.
    #[error(
        "no configuration of {kind} has {needed} different sizes in its memory range {range} (from {low:.3e} bytes per \
         element); run more there, or give other limits"
    )]
    EmptyRange {
        /// The kind.
        kind: String,
        /// The range, from 0.
        range: usize,
        /// Where it begins, in bytes per element.
        low: f64,
        /// How many sizes are needed.
        needed: usize,
    },
    /// A kind that cannot take the models of another.
    #[error("{kind} cannot take the P-T models of {from}: {reason}")]
    Composition {
        /// The kind that lacks models.
        kind: String,
        /// The kind that it was to take them from.
        from: String,
        /// Why not, and what to do.
        reason: &'static str,
    },
    /// Too few runs for an adjustment.
    #[error(
        "adjusting {kind} from {from_processes} on each needs two runs with different estimates at N = {size} beside {beside}, \
         but there was {}; measure more, with other numbers of processes on each {kind}",
        if *runs == 0 { "none".to_owned() } else { runs.to_string() }
    )]
    Adjustment {
        /// The kind.
        kind: String,
        /// The least number of processes on each element.
        from_processes: u32,
        /// N.
        size: f64,
        /// The other kinds' elements.
        beside: String,
        /// How many runs there are.
        runs: usize,
    },
    /// A configuration that no model covers.
    #[error(
        "nothing is known of {kind} with {per_element} on each where there are {processes} processes; run it so, or compose \
         its models from another kind"
    )]
    Unmodelled {
        /// The kind.
        kind: String,
        /// M_i.
        per_element: u32,
        /// P.
        processes: u64,
    },
    /// An estimate that is no time.
    #[error(
        "the model of {kind} gives {seconds} s for N = {size}, P = {processes}, {per_element} on each; it is a polynomial of \
         either sign: measure closer to this point"
    )]
    NoTime {
        /// The kind.
        kind: String,
        /// N.
        size: f64,
        /// P.
        processes: u64,
        /// M_i.
        per_element: u32,
        /// What comes out.
        seconds: f64,
    },
}
