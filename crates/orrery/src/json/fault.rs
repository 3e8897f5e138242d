/// What is wrong with a JSON text, whatever it is about.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Fault {
    /// It is binary, or text in another encoding.
    #[error("this is not text in UTF-8, which JSON is; was the right file named?")]
    NotText,
    /// It is not JSON.
    #[error("{reason}; correct the JSON here or just before (numbers are finite: JSON has no NaN and no infinity)")]
    Syntax {
        /// What the JSON reader says.
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
        /// What it holds.
        hint: &'static str,
    },
    /// A key is given twice.
    #[error("the key {key:?} is given twice in this object; remove one of them")]
    Twice {
        /// The key.
        key: String,
    },
    /// Something else is expected.
    #[error("this is {found}, but {expected} should stand here")]
    Expected {
        /// What stands there.
        found: String,
        /// What should stand there.
        expected: &'static str,
    },
}
