use crate::budget::OverBudget;
use crate::file::{FileError, FileFault};

/// The reason why a platform cannot be read.
pub type XmlError = FileError<Fault>;

impl FileFault for Fault {
    const FILE: &'static str = "platform";

    fn over_budget(&self) -> Option<&OverBudget> {
        if let Self::Budget(error) = self { Some(error) } else { None }
    }
}

/// A problem of a platform.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Fault {
    /// The text is not XML.
    #[error("invalid XML: {0}")]
    Syntax(String),
    /// The root element is not `<platform>`.
    #[error(
        "the outermost element is <{0}>; a platform of SimGrid begins with <platform \
            version=\"4.1\">"
    )]
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
    /// The names of hosts and links take more memory than the text allows.
    #[error(transparent)]
    Budget(#[from] OverBudget),
}
