//! File formats: reading, writing, and the rejection of invalid content.

mod application_file;
mod campaign_files;
mod cluster_file;
mod file_formats;
mod file_kind;
mod import;
mod import_collectives;
mod import_pico;
mod merged_samples;
mod model_file;
mod mpi_rules;
mod platform_xml;
#[path = "../common/public_data.rs"]
mod public_data;
mod routines_file;
mod runs;
mod samples_file;
#[path = "../common/skip.rs"]
mod skip;
mod slurm_topology;
#[path = "../common/table.rs"]
mod table;
mod tuning;
