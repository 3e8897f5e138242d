//! Execution-time models, the search of configurations, experiment advice.

mod advise;
mod call_tree;
mod categories;
mod choices;
mod degenerate;
mod few_processes;
mod forecast_map;
mod held_out;
mod kinds;
mod lack_of_fit;
mod law_change;
mod mixed_runs;
mod paper;
mod prelude;
mod public;
#[path = "../common/public_data.rs"]
mod public_data;
mod regions;
mod search;
#[path = "../common/skip.rs"]
mod skip;
mod strong_scaling;
mod term_search;
mod terms;
mod two_kinds;
#[path = "../common/variants.rs"]
mod variants;
mod verdicts;
