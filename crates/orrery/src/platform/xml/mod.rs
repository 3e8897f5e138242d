//! Platforms of SimGrid in XML, version 4.1: hosts, links, routes, and flat clusters, crossbar or with a backbone.
//!
//! ```
//! use orrery::platform::xml::parse;
//! let text = r#"<platform version="4.1">
//!   <cluster id="c" prefix="n-" suffix="" radical="0-3" speed="1Gf" bw="125MBps" lat="50us"/>
//! </platform>"#;
//! let topology = parse(text, "four.xml")?;
//! assert_eq!((topology.hosts.len(), topology.links.len()), (4, 8));
//! # Ok::<(), orrery::platform::xml::XmlError>(())
//! ```

mod cluster;
mod element;
mod error;
mod names;
mod radical;
mod reader;

pub use error::{Fault, XmlError};
pub use reader::parse;
