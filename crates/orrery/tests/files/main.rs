//! File formats: reading, writing, and the rejection of invalid content.

mod application_file;
mod cluster_file;
mod file_formats;
mod file_kind;
mod import;
mod model_file;
mod platform_xml;
mod runs;
mod samples_file;
mod tuning;
