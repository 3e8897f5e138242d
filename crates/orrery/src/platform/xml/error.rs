/// Why a platform cannot be read: what is wrong, and where.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{file}:{line}:{column}: {fault}")]
pub struct XmlError {
    /// The name of the file.
    pub file: String,
    /// The line, from 1.
    pub line: u32,
    /// The character of the line, from 1.
    pub column: u32,
    /// What is wrong.
    pub fault: Fault,
}

/// What is wrong with a platform.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Fault {
    /// It is no XML.
    #[error("this is not XML: {0}")]
    Syntax(String),
    /// It is other XML.
    #[error("the outermost element is <{0}>; a platform of SimGrid begins with <platform version=\"4.1\">")]
    NoPlatform(String),
    /// An element that cannot be taken into account.
    #[error("<{0}> is not understood here; hosts, links, routes, zones of them and flat clusters are")]
    Element(String),
    /// An attribute that cannot be taken into account, or a value that it may not have.
    #[error("{attribute}={value:?} is not understood; {expected}")]
    Value {
        /// The attribute.
        attribute: String,
        /// Its value.
        value: String,
        /// What should stand there.
        expected: &'static str,
    },
    /// An attribute is missing.
    #[error("<{element}> lacks {attribute}=\"…\"")]
    Missing {
        /// The element.
        element: String,
        /// The attribute.
        attribute: &'static str,
    },
    /// A name that stands twice.
    #[error("the {kind} {name:?} stands twice")]
    Twice {
        /// A host or a link.
        kind: &'static str,
        /// Its name.
        name: String,
    },
    /// A name that nothing has.
    #[error("there is no {kind} {name:?}; it must stand before this")]
    NoSuch {
        /// A host or a link.
        kind: &'static str,
        /// The name.
        name: String,
    },
    /// There is no host.
    #[error("there is no host in this platform")]
    Empty,
    /// More hosts or cores than make sense.
    #[error("there are more than {0} hosts or cores; correct \"radical\" or \"core\"")]
    TooMany(usize),
}
