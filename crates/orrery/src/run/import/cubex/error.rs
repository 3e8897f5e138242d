/// The reason why a profile cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CubexFault {
    /// Content that is no archive, or an archive that ends early.
    #[error(
        "this is not a whole profile of Score-P (a tar archive); copy it again, or give another \
            format"
    )]
    NotArchive,
    /// A missing part of the archive.
    #[error("the profile has no {member}; copy it again")]
    NoMember {
        /// The name of the part.
        member: String,
    },
    /// Compressed content that is damaged.
    #[error("{member} is damaged; copy the profile again")]
    Damaged {
        /// The name of the part.
        member: String,
    },
    /// Content that is too long for the file.
    #[error(
        "{member} expands to more than {limit} bytes, far more than that of any program; it is not \
            read"
    )]
    TooLong {
        /// The name of the part.
        member: String,
        /// The largest accepted number of bytes.
        limit: usize,
    },
    /// A fault of the description in XML.
    #[error("anchor.xml: {reason}")]
    Xml {
        /// The problem.
        reason: String,
    },
    /// An unknown metric.
    #[error("the profile has no metric {metric:?}; metrics are {}", known.join(", "))]
    NoMetric {
        /// The metric.
        metric: String,
        /// The metrics of the profile.
        known: Vec<String>,
    },
    /// A metric that is no time.
    #[error(
        "the metric {metric:?} is in {unit:?}, which is no unit of time; name a metric of times"
    )]
    NotTime {
        /// The metric.
        metric: String,
        /// The unit.
        unit: String,
    },
    /// A metric of another type.
    #[error(
        "the metric {metric:?} has values of the type {value_type} ({kind}), which is not read; \
            times are DOUBLE or FLOAT, INCLUSIVE or EXCLUSIVE"
    )]
    Type {
        /// The metric.
        metric: String,
        /// The type of its values.
        value_type: String,
        /// Inclusive, exclusive or derived.
        kind: String,
    },
    /// A call path or region that does not exist.
    #[error("{member} refers to {item} {name:?}, which does not exist")]
    Reference {
        /// The name of the part.
        member: String,
        /// Region or call path.
        item: &'static str,
        /// Its number.
        name: String,
    },
    /// A value that is no time.
    #[error("{member} contains {found}, not a time; measure again")]
    Value {
        /// The name of the part.
        member: String,
        /// The value.
        found: String,
    },
}

/// A result with the fault of a profile.
pub(super) type Result<T> = std::result::Result<T, CubexFault>;
