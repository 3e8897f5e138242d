//! Rules for the collective operations of MPI libraries: which algorithm a library takes at which
//! size.
//!
//! | file | content |
//! |---|---|
//! | `target` | the releases for which rules can be written |
//! | `rules` | rules of operations by number of processes and size, with their reasons |
//! | `defaults` | what a library does without rules |
//! | `by_model`, `by_samples` | rules by a model, by measured times |
//! | `compared` | rules from what was compared at single sizes |
//! | `open_mpi` | the text that Open MPI's component coll/tuned reads |
//! | `han` | the text that Open MPI's component coll/han reads |
//! | `selection` | selection trees of MPICH in JSON, and what they choose |
//! | `mpich` | rules added to a selection tree |
//! | `probe` | files that show whether a library reads its rules |
//! | `verification` | whether rules help, by measured times |
//!
//! A rule replaces the default of the library only where the interval of the difference of their
//! times excludes a loss.
//!
//! Sources: Open MPI, `coll_tuned_dynamic_file.c`, `coll_tuned_decision_dynamic.c` and
//! `coll_han_dynamic_file.h`; MPICH, `src/mpi/coll/src/csel.c`.

mod by_model;
mod by_samples;
mod defaults;
mod mpich;
mod open_mpi;
mod rules;
mod selection;
mod target;
mod verification;

pub use by_model::by_model;
pub use by_samples::{BySamples, MIN_LAUNCHES, TooFewLaunches, by_samples};
pub use defaults::Defaults;
pub use mpich::mpich_rules;
pub use open_mpi::{han_rules, open_mpi_rules};
pub use rules::{CommunicatorRules, Reason, Rule, Rules};
pub use selection::SelectionTree;
pub use target::{Probe, Target, probes};
pub use verification::{Verdict, Verified, launch_order, verify};
