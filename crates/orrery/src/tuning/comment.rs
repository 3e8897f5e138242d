use std::fmt::Write as _;

use super::Assignment;

/// A comment at the head of a file: why it is so, and how it is used, each line after a `#`.
pub(super) fn head(why: &str, how: &[&str]) -> String {
    let mut text = String::new();
    for line in why.lines().chain(how.iter().copied()) {
        let line = format!("# {}", line.trim_end());
        writeln!(text, "{}", line.trim_end()).expect("text takes all that is written");
    }
    text
}

/// How many of what there is, in words.
pub(super) fn summary(assignment: &Assignment) -> String {
    let (ranks, hosts) = (assignment.processes(), assignment.places().len());
    let plural = |count: u64, word: &str| format!("{count} {word}{}", if count == 1 { "" } else { "s" });
    format!(
        "{} on {}: those of a host one after the other, and those that share a core too.",
        plural(ranks, "rank"),
        plural(hosts as u64, "host")
    )
}
