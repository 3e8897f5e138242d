//! Platforms of SimGrid in XML, version 4.1: hosts, links, routes, flat clusters, and settings that
//! change times.
//!
//! Content that would change times and is not supported is an error with its position: no
//! attribute, element or setting of a platform is ignored except those that cannot change the time
//! of a replay (`docs/file-formats.md` lists them).
//!
//! ```
//! use orrery_cluster::platform::xml::parse;
//! let text = r#"<platform version="4.1">
//!   <cluster id="c" prefix="n-" suffix="" radical="0-3" speed="1Gf" bw="125MBps" lat="50us"/>
//! </platform>"#;
//! let topology = parse(text, "four.xml")?.topology;
//! assert_eq!((topology.hosts.len(), topology.links.len()), (4, 8));
//!
//! let error = parse(&text.replace("lat=", "limiter_link=\"1GBps\" lat="), "four.xml").unwrap_err().to_string();
//! assert!(error.starts_with("four.xml:2:80: limiter_link=\"1GBps\" is not supported; remove it"), "{error}");
//! # Ok::<(), orrery_base::file::FileError>(())
//! ```

mod builder;
mod element;
mod reader;
mod settings;
mod writer;

pub use reader::parse;
pub use settings::{LocatedSetting, Setting};
pub use writer::write;
