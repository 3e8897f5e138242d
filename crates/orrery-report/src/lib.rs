//! Tables, plots and the HTML page.
//!
//! Whatever is shown is first a [`Table`] or a [`Figure`]. A table has one definition and three outputs: for people
//! ([`Table::terminal`]), as CSV ([`Table::csv`]) and as JSON ([`Table::json`]); the last two hold plain SI numbers.
//! Tables are made from a model ([`parameters`]), from predictions ([`predictions`]), from readings
//! ([`summary`]), from runs of applications ([`runs()`]), from replays ([`tasks`], [`events`], [`conflicts`]) and from a validation ([`validation`], [`native`]); [`html::page`] puts all of it on one page that needs nothing but a browser.

mod advice;
mod axes;
mod braille;
mod breaks;
mod choices;
mod chrome;
mod classes;
mod comparison;
mod concurrent;
mod conflicts;
mod evaluation;
mod explanation;
mod export;
mod figure;
pub mod file;
mod forecasts;
mod format;
mod homogeneous;
pub mod html;
mod jobs;
mod native;
mod networks;
mod paper_models;
mod parameters;
mod plot;
mod predictions;
mod ranking;
mod replay;
mod runs;
mod scheme_graph;
mod sharing;
mod summary;
mod svg;
mod table;
mod terminal;
mod thresholds;
mod validation;
mod verdict;

pub use advice::{advice, planned, standings};
pub use breaks::Breaks;
pub use choices::{certificates, choices};
pub use chrome::chrome;
pub use comparison::{Comparison, Point, Subject};
pub use concurrent::{measured, penalties_against, sharing_validation};
pub use conflicts::{conflicts, pair_losses, replayed};
pub use evaluation::{EvaluationTables, evaluations};
pub use explanation::explanation;
pub use export::json_document;
pub use figure::{Across, Figure, FigurePoint, FigureSeries, Ink, Kind, Measure};
pub use forecasts::{forecasts, terms};
pub use format::percent_cell;
pub use jobs::{JobRow, compared_tasks, events_of_jobs, jobs, tasks_of_jobs};
pub use native::native;
pub use networks::{NetworkCandidate, NetworkTime, networks};
pub use paper_models::paper_models;
pub use parameters::parameters;
pub use predictions::predictions;
pub use ranking::ranking;
pub use replay::{events, tasks};
pub use runs::runs;
pub use scheme_graph::{GraphArc, scheme_svg};
pub use sharing::{penalties, sharing};
pub use summary::summary;
pub use table::{Align, Cell, Column, Table};
pub use thresholds::thresholds;
pub use validation::validation;
