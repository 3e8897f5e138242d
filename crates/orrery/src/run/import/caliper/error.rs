/// The reason why a profile of Caliper cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CaliperFault {
    /// A line that is no record.
    #[error(
        "this is no record of Caliper, which begins with __rec=; remove the line, or copy the \
            profile again"
    )]
    NotRecord,
    /// A last line without a line break.
    #[error("the profile ends within this record; copy it again")]
    Cut,
    /// A wrong id.
    #[error("{key} is {found:?}, which is no id; copy the profile again")]
    Id {
        /// The key of the record.
        key: &'static str,
        /// The text.
        found: String,
    },
    /// A node that is not defined above.
    #[error("there is no {key} {id} above; copy the profile again")]
    Reference {
        /// The key of the record.
        key: &'static str,
        /// The id.
        id: u64,
    },
    /// A value that is no time.
    #[error("{metric} is {found:?}, not a time; measure again")]
    Value {
        /// The metric.
        metric: String,
        /// The value.
        found: String,
    },
    /// No metric that is known to be the time.
    #[error(
        "the profile has no metric that is known to be the time of a region; {}",
        of_times(known)
    )]
    NoTime {
        /// The metrics of times.
        known: Vec<String>,
    },
    /// An unknown metric.
    #[error("the profile has no metric {metric:?}; {}", of_times(known))]
    NoMetric {
        /// The metric.
        metric: String,
        /// The metrics of times.
        known: Vec<String>,
    },
    /// A metric that is no time.
    #[error(
        "the metric {metric:?} is no time: neither its unit nor its name shows it; name a metric \
            of times"
    )]
    NotTime {
        /// The metric.
        metric: String,
    },
    /// A mapped value that does not describe the run.
    #[error("no value {name:?} describes the run; values are {}", known.join(", "))]
    NoGlobal {
        /// The mapped name.
        name: String,
        /// The values of the profile.
        known: Vec<String>,
    },
    /// Regions that need more memory than their profile explains.
    #[error(
        "the regions of the profile expand to more than {limit} bytes, far more than those of any \
            program"
    )]
    TooLong {
        /// The largest accepted number of bytes.
        limit: usize,
    },
}

/// The metrics of times, for messages.
fn of_times(known: &[String]) -> String {
    if known.is_empty() {
        "it has none of times: record the profile with a timer".to_owned()
    } else {
        format!("those of times are {}", known.join(", "))
    }
}
