//! Platforms of SimGrid in XML, version 4.1: hosts, links, routes, flat clusters, and settings that change times.
//!
//! Content that would change times and is not supported is an error with its position: no attribute, element or setting
//! of a platform is ignored except those that cannot change the time of a replay (`docs/file-formats.md` lists them).
//!
//! ```
//! use orrery::platform::xml::parse;
//! let text = r#"<platform version="4.1">
//!   <cluster id="c" prefix="n-" suffix="" radical="0-3" speed="1Gf" bw="125MBps" lat="50us"/>
//! </platform>"#;
//! let topology = parse(text, "four.xml")?.topology;
//! assert_eq!((topology.hosts.len(), topology.links.len()), (4, 8));
//!
//! let error = parse(&text.replace("lat=", "limiter_link=\"1GBps\" lat="), "four.xml").unwrap_err().to_string();
//! assert!(error.starts_with("four.xml:2:80: limiter_link=\"1GBps\" is not supported; remove it"), "{error}");
//! # Ok::<(), orrery::platform::xml::XmlError>(())
//! ```

mod builder;
mod element;
mod reader;
mod settings;

use super::{HostOverheads, Topology};
use crate::file::{FileError, FileFault};

pub use reader::parse;
pub use settings::{LocatedSetting, Setting};

/// The content of a platform file.
#[derive(Debug, Clone, PartialEq)]
pub struct Platform {
    /// Hosts, links and routes.
    pub topology: Topology,
    /// The overheads of messages, from `<config>` and from properties of hosts.
    pub overheads: HostOverheads,
    /// The other settings of `<config>` that change times, in the order of the file.
    pub settings: Vec<LocatedSetting>,
}

/// The reason why a platform cannot be read.
pub type XmlError = FileError<Fault>;

impl FileFault for Fault {
    const FILE: &'static str = "platform";
}

/// A problem of a platform.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Fault {
    /// The text is not XML.
    #[error("invalid XML: {0}")]
    Syntax(String),
    /// The root element is not `<platform>`.
    #[error("the outermost element is <{0}>; a platform of SimGrid begins with <platform version=\"4.1\">")]
    NotAPlatform(String),
    /// An element that is not supported.
    #[error("<{0}> is not supported; hosts, links, routes, zones of them and flat clusters are")]
    Element(String),
    /// An attribute that is not supported.
    #[error("the attribute {attribute} of <{element}> is not supported; remove it")]
    Attribute {
        /// The element.
        element: String,
        /// The attribute.
        attribute: String,
    },
    /// A value that an attribute may not have.
    #[error("{attribute}={value:?} is not supported; {expected}")]
    Value {
        /// The attribute.
        attribute: String,
        /// The value.
        value: String,
        /// The allowed values, or what to do.
        expected: &'static str,
    },
    /// A setting that is not supported.
    #[error("the setting {name}={value:?} is not supported; {advice}")]
    Setting {
        /// The name of the setting.
        name: String,
        /// Its value.
        value: String,
        /// The allowed values, or what to do.
        advice: &'static str,
    },
    /// A required attribute is missing.
    #[error("<{element}> lacks {attribute}=\"…\"; add it")]
    Missing {
        /// The element.
        element: String,
        /// The attribute.
        attribute: &'static str,
    },
    /// Two hosts, links or settings have the same name.
    #[error("the {kind} {name:?} is defined twice; rename or remove one")]
    Duplicate {
        /// "host", "link" or "setting".
        kind: &'static str,
        /// The name.
        name: String,
    },
    /// A host or a link that is not defined before its use.
    #[error("there is no {kind} {name:?}; define it before its use")]
    Undefined {
        /// "host" or "link".
        kind: &'static str,
        /// The name.
        name: String,
    },
    /// There is no host.
    #[error("the platform has no host; add a <host> or a <cluster>")]
    Empty,
    /// Too many hosts or cores.
    #[error("there are more than {0} hosts or cores; correct \"radical\" or \"core\"")]
    TooMany(usize),
}
