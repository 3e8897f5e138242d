//! The report: tables as golden text, the page as something that stands alone.

#[path = "report/cluster.rs"]
mod cluster;
#[path = "report/page.rs"]
mod page;
#[path = "report/tables.rs"]
mod tables;
