//! Tables, figures and HTML pages of Orrery's results.
//!
//! - [`Table`] is the form of every result: written for people ([`Table::terminal`]), as CSV
//!   ([`Table::csv`]) and as JSON ([`Table::json`]). CSV and JSON hold SI units.
//! - [`tables`] makes tables from models, predictions, measurements, simulations and applications.
//! - [`figures`] draws charts as SVG and plots for a terminal.
//! - [`pages`] puts tables and figures on HTML pages that need no other file, no script and no
//!   network.
//! - [`notebook`] makes parts of pages for notebooks.
//! - [`chrome_trace()`] writes a simulation for the trace viewers of Chrome and Perfetto,
//!   [`recorded_chrome_trace()`] a recorded run.

mod chrome_trace;

/// Tables of results, one function for each kind of result.
pub mod tables {
    pub(crate) mod alarms;
    pub(crate) mod application;
    mod breakpoints;
    mod collective;
    pub(crate) mod columns;
    pub(crate) mod comparison;
    mod conditions;
    mod decisions;
    mod diff;
    pub(crate) mod evaluation;
    mod fit;
    pub(crate) mod format;
    mod kernels;
    pub(crate) mod link_classes;
    mod measured_collectives;
    mod mpi_rules;
    mod networks;
    pub(crate) mod parameters;
    pub(crate) mod point_labels;
    mod predictions;
    mod profile;
    mod routines;
    mod series;
    pub(crate) mod sharing;
    pub(crate) mod simulation;
    mod summary;
    pub(crate) mod table;
    mod terminal;
    pub(crate) mod topology;
    pub(crate) mod validation;

    pub use alarms::alarm_lines;
    pub use application::{
        forecast_map, forecasts, paper_models, regions, runs, terms, varying_together_sentences,
    };
    pub use breakpoints::BreakpointReport;
    pub use collective::{collective_choices, orders};
    pub use conditions::conditions;
    pub use decisions::{
        advised_runs, choices, decisions, optimality_proofs, plan_end, planned_runs,
    };
    pub use diff::diff_tables;
    pub use evaluation::{EvaluationTables, evaluations, lack_of_fit_sentences};
    pub use fit::fit_diagnostics;
    pub use format::percent_cell;
    pub use kernels::{
        host_memory, kernel_alarm_lines, kernel_memory, kernel_models, kernel_predictions,
    };
    pub use measured_collectives::{measured_advice, measured_choices};
    pub use mpi_rules::{mpi_rules, verification, verification_summary};
    pub use networks::{assumptions, networks};
    pub use parameters::{model_summary, parameters, thresholds};
    pub use predictions::{critical_path, predictions};
    pub use profile::{profile, recorded_functions, recorded_ranks};
    pub use routines::{
        chosen_grids, grid_regrets, plans, redistribution_predictions, redistribution_validation,
        routine_alarm_lines, routine_critical_path, routine_errors, routine_predictions,
        routine_validation,
    };
    pub use series::{
        SeriesForecast, backtests, forecast_candidates, forecast_warnings, series_forecasts,
    };
    pub use sharing::{
        measured_schemes, penalties, penalty_comparison, sharing_parameters, sharing_validation,
    };
    pub use simulation::{
        JobRow, conflicts, events, job_events, job_tasks, jobs, pair_losses, simulated_scheme,
        task_comparison, tasks,
    };
    pub use summary::summary;
    pub use topology::topology;
    pub use validation::{median_errors, native_collectives, ranking, validation};
}

/// Figures: charts, maps, timelines and graphs as SVG, plots as text.
pub mod figures {
    pub(crate) mod chart;
    pub(crate) mod error_strips;
    pub(crate) mod figure;
    pub(crate) mod file;
    pub(crate) mod heatmap;
    pub(crate) mod link_tree;
    pub(crate) mod scheme_graph;
    pub(crate) mod terminal_plot;
    pub(crate) mod timeline;

    pub use scheme_graph::{GraphArc, scheme_svg};
}

/// HTML pages, each complete in itself: styles and figures are part of the page.
pub mod pages {
    mod application;
    mod breakdown;
    mod communication;
    mod curves;
    mod document;
    mod errors;
    mod forecast_map;
    mod link_maps;
    pub(crate) mod notebook;
    mod parameters;
    mod residuals;
    mod schemes;
    mod shared_links;
    mod simulation;

    pub use application::{application_figures, application_page};
    pub use communication::communication_page;
    pub use schemes::schemes_page;
    pub use simulation::{SimulationInfo, simulation_page};
}

/// Tables, models, samples and predictions for the cells of notebooks: parts of the pages with
/// their own styles.
pub mod notebook {
    pub use crate::pages::notebook::{
        CurvePoint, PredictedCurve, forecast_map, model, predictions, samples, table, validation,
    };
}

pub use chrome_trace::{
    RecordedTraceCounts, RecordedTraceError, chrome_trace, recorded_chrome_trace,
};
pub use tables::table::{Align, Cell, Column, Table, json_document};
