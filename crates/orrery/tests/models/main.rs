//! Point-to-point models and thresholds: fits to simulated readings recover the simulated model.

mod alarms;
mod anchors;
mod busy_hosts;
mod collective_choice;
mod collective_errors;
mod collective_regret;
mod combination;
mod coverage;
#[path = "../common/coverage.rs"]
mod coverage_count;
mod designs;
mod diff;
mod diff_shared_links;
mod eager_limit;
#[path = "../common/equal_ports.rs"]
mod equal_ports;
mod estimation;
mod estimation_protocol;
mod false_links;
mod fit_diagnostics;
mod flow_coverage;
mod flow_derivatives;
mod flow_intervals;
#[path = "../common/flows.rs"]
mod flows;
mod half_duplex;
mod held_out;
mod homogeneous_models;
mod host_classes;
mod interference;
mod link_classes;
mod losses;
mod measured_collectives;
mod measured_errors;
mod ports;
mod ports_within_host;
mod prelude;
#[path = "../common/public_data.rs"]
mod public_data;
mod queue;
mod ranks_per_host;
mod remeasurement;
mod requests;
mod shared_links;
#[path = "../common/skip.rs"]
mod skip;
mod split_gather;
mod stated_groups;
mod support;
mod thresholds;
mod thresholds_model;
mod truths;
#[path = "../common/variants.rs"]
mod variants;
