//! Long variants of tests, which `make test-all` runs.

/// Returns `all` if the environment variable `ORRERY_TESTS` is `all`, otherwise `few`.
pub fn few_or_all<T>(few: T, all: T) -> T {
    if std::env::var_os("ORRERY_TESTS").is_some_and(|tests| tests == "all") { all } else { few }
}
