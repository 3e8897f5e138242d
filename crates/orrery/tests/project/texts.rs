//! Tracked texts mention only the project.

use std::path::Path;
use std::process::Command;

use super::skip::skip;
use super::top;

/// The reason why a line does not belong in the project.
fn foreign(line: &str) -> Option<&'static str> {
    // Split, so that this file does not contain them.
    if line.contains(concat!("../", "shared")) {
        return Some("a folder outside the project; only .ci/run may name it");
    }
    if [concat!("/wo", "rk/"), concat!("/fa", "rm/"), concat!("/ro", "ot/")]
        .iter()
        .any(|path| line.contains(path))
    {
        return Some("a path of one machine");
    }
    let lower = line.to_lowercase();
    let is_reference = |word: &str| {
        lower.match_indices(word).any(|(at, _)| {
            let rest = lower[at + word.len()..].trim_start().strip_prefix('#');
            rest.is_some_and(|rest| rest.starts_with(|letter: char| letter.is_ascii_digit()))
        })
    };
    ["issue", "issues", "pull request", "closes", "fixes", "gh"]
        .into_iter()
        .any(is_reference)
        .then_some("the number of an issue")
}

#[test]
fn texts_mention_the_project_only() {
    let listed = Command::new("git")
        .args(["-c", "safe.directory=*", "ls-files", "-z"])
        .current_dir(top())
        .output();
    let Some(listed) = listed.ok().filter(|output| output.status.success()) else {
        skip("this is not a git checkout");
        return;
    };
    let listed = String::from_utf8_lossy(&listed.stdout).into_owned();
    let mut found = Vec::new();
    for path in listed.split_terminator('\0').filter(|path| Path::new(path) != Path::new(".ci/run"))
    {
        let Ok(text) = std::fs::read_to_string(top().join(path)) else { continue };
        let lines = text.lines().enumerate();
        found.extend(
            lines.filter_map(|(at, line)| Some(format!("{path}:{}: {}", at + 1, foreign(line)?))),
        );
    }
    assert!(found.is_empty(), "\n{}\n", found.join("\n"));
}

#[test]
fn foreign_lines_are_found() {
    for line in [
        concat!("see ../", "shared/x"),
        concat!("cd /wo", "rk/x"),
        concat!("Fixes ", "#12"),
        concat!("issue", "#3"),
    ] {
        assert!(foreign(line).is_some(), "{line}");
    }
    for line in [
        "the network/adapter",
        "colour: #123456",
        "issues are welcome",
        "fixes the # of ranks",
        "#1 of all",
    ] {
        assert_eq!(foreign(line), None, "{line}");
    }
}
