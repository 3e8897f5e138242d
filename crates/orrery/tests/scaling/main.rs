//! Execution-time models, the search of configurations, advice.

mod advise;
mod kinds;
mod paper;
mod public;
mod regions;
mod search;
mod terms;
