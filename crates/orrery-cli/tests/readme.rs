//! The commands of README.md and of docs/*.md are run: what a document shows must work.
//!
//! Blocks whose info string is `console` hold commands (lines that begin with `$ `) and their
//! output. All commands of a document run in order in one folder that holds nothing but links to
//! the examples and test data of the project. Each must succeed. In blocks marked `console exact`
//! the output is compared too; `...` stands for anything within a line, and for any number of lines
//! on a line of its own. Commands of developers (`make`, `cargo`, `git`) are not run.

#[path = "common/output.rs"]
mod output;

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// What documents may rely on besides the command itself, by name at the top of the project.
const AT_HAND: [&str; 3] = ["docs", "examples", "testdata"];

/// Commands that belong to the developer and build the project.
const NOT_RUN: [&str; 3] = ["make", "cargo", "git"];

/// A command of a document.
#[derive(Debug, PartialEq)]
struct Step {
    /// Where it stands, from 1.
    line: usize,
    /// What is given to the shell.
    command: String,
    /// The output that is shown below it, where it is to be compared.
    output: Option<String>,
}

/// The commands in the console blocks of a document.
fn steps(document: &str) -> Vec<Step> {
    let mut steps: Vec<Step> = Vec::new();
    // Within a block: its fence, and whether its output is compared; `None` in blocks of other
    // kinds.
    let mut block: Option<(&str, Option<bool>)> = None;
    // Whether a command has begun in the present block, and whether its next line belongs to it.
    let (mut begun, mut continues) = (false, false);
    for (number, line) in document.lines().enumerate() {
        let Some((fence, kind)) = block else {
            let info = line.trim_start_matches('`');
            let fence = &line[..line.len() - info.len()];
            if fence.len() >= 3 {
                let kind = match info.trim() {
                    "console" => Some(false),
                    "console exact" => Some(true),
                    _ => None,
                };
                block = Some((fence, kind));
                (begun, continues) = (false, false);
            }
            continue;
        };
        if line.trim_end() == fence {
            block = None;
            continue;
        }
        let Some(exact) = kind else { continue };
        if let (true, Some(step)) = (continues, steps.last_mut()) {
            step.command.push('\n');
            step.command.push_str(line.strip_prefix("> ").unwrap_or(line));
            continues = line.ends_with('\\');
        } else if let Some(command) = line.strip_prefix("$ ") {
            let output = exact.then(String::new);
            steps.push(Step { line: number + 1, command: command.into(), output });
            (begun, continues) = (true, command.ends_with('\\'));
        } else if let (true, Some(Step { output: Some(output), .. })) = (begun, steps.last_mut()) {
            output.push_str(line);
            output.push('\n');
        }
    }
    steps
}

/// Whether a command is the developer's and not run here.
fn is_developers(command: &str) -> bool {
    command.split_whitespace().next().is_some_and(|word| NOT_RUN.contains(&word))
}

/// Whether a text is what a document shows of it.
fn agrees(shown: &str, text: &str) -> bool {
    let (shown, text): (Vec<_>, Vec<_>) =
        (shown.trim_end().lines().collect(), text.trim_end().lines().collect());
    lines_agree(&shown, &text)
}

fn lines_agree(shown: &[&str], text: &[&str]) -> bool {
    match shown {
        [] => text.is_empty(),
        [gap, rest @ ..] if gap.trim() == "..." => {
            (0..=text.len()).any(|skip| lines_agree(rest, &text[skip..]))
        }
        [line, rest @ ..] => text
            .split_first()
            .is_some_and(|(t, text)| line_agrees(line, t) && lines_agree(rest, text)),
    }
}

fn line_agrees(shown: &str, line: &str) -> bool {
    let (shown, line) = (shown.trim_end(), line.trim_end());
    let Some((head, rest)) = shown.split_once("...") else { return shown == line };
    let Some(mut line) = line.strip_prefix(head) else { return false };
    let mut parts: Vec<&str> = rest.split("...").collect();
    let tail = parts.pop().unwrap_or_default();
    for part in parts {
        match line.split_once(part) {
            Some((_, after)) => line = after,
            None => return false,
        }
    }
    line.ends_with(tail)
}

/// The folder and the environment in which the commands of a document run.
struct Shell {
    folder: tempfile::TempDir,
    path: String,
}

impl Shell {
    fn new() -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder can be made");
        for name in AT_HAND {
            let target = top().join(name);
            if target.exists() {
                std::os::unix::fs::symlink(target, folder.path().join(name))
                    .expect("links can be made in it");
            }
        }
        let binaries = Path::new(env!("CARGO_BIN_EXE_orrery"))
            .parent()
            .expect("the command stands in a folder");
        let path = format!("{}:{}", binaries.display(), std::env::var("PATH").unwrap_or_default());
        Self { folder, path }
    }

    /// Runs a command; `Err` says what is wrong with it.
    fn run(&self, step: &Step) -> Result<(), String> {
        let command = &step.command;
        let mut shell = Command::new("sh");
        shell.arg("-c").arg(format!("exec 2>&1\n{command}")).current_dir(self.folder.path());
        shell.env("PATH", &self.path).stdin(Stdio::null());
        let result = output::of(shell).map_err(|error| format!("`{command}`: {error}"))?;
        let text = String::from_utf8_lossy(&result.stdout);
        if !result.status.success() {
            return Err(format!("`{command}` fails with {}:\n{text}", result.status));
        }
        match &step.output {
            Some(shown) if !agrees(shown, &text) => {
                Err(format!("the document shows of `{command}`:\n{shown}but it prints:\n{text}"))
            }
            _ => Ok(()),
        }
    }
}

fn top() -> PathBuf {
    let top = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    top.canonicalize().expect("the crate stands two folders below the top")
}

/// Runs a document; gives the first thing that is wrong with it.
fn run(name: &str, document: &str) -> Result<(), String> {
    let shell = Shell::new();
    for step in steps(document).iter().filter(|step| !is_developers(&step.command)) {
        shell.run(step).map_err(|what| format!("{name}:{}: {what}", step.line))?;
    }
    Ok(())
}

#[test]
fn documents_do_what_they_show() {
    let mut paths = vec![top().join("README.md")];
    if let Ok(entries) = std::fs::read_dir(top().join("docs")) {
        let entries = entries.map(|entry| entry.expect("the entries of docs can be read").path());
        paths.extend(
            entries.filter(|path| path.extension().is_some_and(|extension| extension == "md")),
        );
    }
    paths.sort();
    for path in paths {
        let name = path.strip_prefix(top()).unwrap_or(&path).display().to_string();
        let document = std::fs::read_to_string(&path).expect("documents are UTF-8");
        if let Err(wrong) = run(&name, &document) {
            panic!("{wrong}\nmend the command, or what the document says of it");
        }
    }
}

#[test]
fn only_console_blocks_hold_commands() {
    let document = "$ not a block\n```console\n$ a 1\nout\n$ b \\\n>   2\n```\n```sh\n$ \
        c\n```\n````console exact\n```\n\
                    $ d\nx\n```\ny\n````\n```console other\n$ e\n```\n```\n$ f\n```\n";
    let step = |line, command: &str, output: Option<&str>| {
        let (command, output) = (command.into(), output.map(Into::into));
        Step { line, command, output }
    };
    let expected =
        [step(3, "a 1", None), step(5, "b \\\n  2", None), step(13, "d", Some("x\n```\ny\n"))];
    assert_eq!(steps(document), expected);
}

#[test]
fn builds_are_left_to_the_developer() {
    assert!(
        is_developers("make demo") && is_developers("cargo build") && is_developers("git clone x")
    );
    assert!(!is_developers("orrery demo") && !is_developers("makeup"));
}

#[test]
fn dots_stand_for_anything() {
    for (shown, text) in [
        ("a\nb\n", "a\nb"),
        ("a ... c", "a b b c"),
        ("a...", "abc\n\n"),
        ("...b...d", "abcd"),
        ("a\n...\nd", "a\nb\nc\nd"),
        ("a\n...\nd", "a\nd"),
        ("...", ""),
        ("", "\n"),
    ] {
        assert!(agrees(shown, text), "{shown:?} {text:?}");
    }
    for (shown, text) in
        [("a", "a\nb"), ("a...a", "a"), ("...b...d", "dbc"), ("a\n...\nd", "a\nb"), ("a\n", "")]
    {
        assert!(!agrees(shown, text), "{shown:?} {text:?}");
    }
}

#[test]
fn commands_run_in_order_in_one_folder() {
    let good = "```console\n$ echo one > file\n$ command -v orrery\n```\n```console exact\n$ cat \
        file; echo two >&2\n\
                o...\ntwo\n$ wc -l < file\n1\n```\n```console\n$ make nothing\n```\n";
    assert_eq!(run("x.md", good), Ok(()));
    let failing = run("x.md", "text\n```console\n$ true\n$ echo why; exit 3\n$ echo never\n```\n")
        .unwrap_err();
    assert!(failing.starts_with("x.md:4: ") && failing.contains("exit status: 3"), "{failing}");
    assert!(failing.contains("why\n") && !failing.contains("never"), "{failing}");
    let other = run("x.md", "```console exact\n$ echo a\nb\n```\n").unwrap_err();
    assert!(other.contains("prints:\na"), "{other}");
}
