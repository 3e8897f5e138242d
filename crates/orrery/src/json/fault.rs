/// The reason why a JSON text is invalid, in a file of any format.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Fault {
    /// The content is binary, or text in another encoding.
    #[error("the file is not UTF-8 text, so it is not JSON; check the name of the file")]
    NotText,
    /// The text is not JSON.
    #[error("{reason}; correct the JSON here or just before (numbers are finite: JSON has no NaN and no infinity)")]
    Syntax {
        /// The message of the JSON parser.
        reason: String,
    },
    /// The JSON ends too early.
    #[error("the file ends in the middle of the JSON; write it again, or close the open objects and arrays")]
    Truncated,
    /// A key is missing.
    #[error("there is no key {key:?}; add it{}", if .hint.is_empty() { String::new() } else { format!(": {hint}") })]
    Missing {
        /// The key.
        key: String,
        /// The value of the key.
        hint: &'static str,
    },
    /// A key is given twice.
    #[error("the key {key:?} is given twice in this object; remove one of them")]
    Twice {
        /// The key.
        key: String,
    },
    /// A value has the wrong type.
    #[error("this is {found}, but {expected} is expected here")]
    Expected {
        /// The value found.
        found: String,
        /// The value expected.
        expected: &'static str,
    },
}
