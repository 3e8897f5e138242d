/// The reason why a JSON text is invalid, in a file of any format.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Fault {
    /// The content is binary, or text in another encoding.
    #[error("this is not text in UTF-8, which JSON is; was the right file named?")]
    NotText,
    /// The text is not JSON.
    #[error("{reason}; correct the JSON here or just before (numbers are finite: JSON has no NaN and no infinity)")]
    Syntax {
        /// The message of the JSON parser.
        reason: String,
    },
    /// The JSON ends too early.
    #[error("the file ends in the middle; it may be torn: write it again, or close what is open")]
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
    #[error("this is {found}, but {expected} should stand here")]
    Expected {
        /// The value found.
        found: String,
        /// The value expected.
        expected: &'static str,
    },
}
