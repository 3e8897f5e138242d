//! Tables compared with golden text, figures and pages checked by their markup.

mod accuracy;
mod applications;
mod chrome_trace;
mod cluster;
mod link_classes;
mod page;
mod readings;
mod recorded_chrome_trace;
mod tables;
