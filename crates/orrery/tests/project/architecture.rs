//! The architecture, as data and as a check of the source text: which room may know which, and who may touch the world.

mod source;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

use source::Source;

/// A part of the library: the modules on the way to it.
type Part = &'static [&'static str];

/// The rooms in the order in which data flow through them, each with the rooms that it may know.
///
/// A room knows rooms before it. One line goes against the flow, and no more: a placement (platform) speaks of the ranks
/// of a schedule.
const FLOW: &[(&str, &[&str])] = &[
    ("units", &[]),
    ("json", &[]),
    ("file", &[]),
    ("numeric", &["units"]),
    ("platform", &["units", "numeric", "schedule"]),
    ("schedule", &["units", "platform"]),
    ("engine", &["units", "numeric", "platform", "schedule"]),
    ("sample", &["units", "file", "numeric", "platform", "schedule"]),
    ("machine", &["units", "numeric", "platform", "schedule", "engine", "sample"]),
    ("measure", &["units", "numeric", "platform", "schedule", "sample", "machine"]),
    ("comm", &["units", "numeric", "platform", "schedule", "engine", "sample"]),
    ("trace", &["units", "schedule"]),
    ("sharing", &["units", "numeric"]),
    ("simulate", &["units", "platform", "schedule", "engine", "trace", "sharing"]),
    ("run", &["units", "file", "json", "sample"]),
    ("scaling", &["units", "numeric", "platform", "run"]),
    (
        "model",
        &[
            "units", "file", "json", "numeric", "platform", "schedule", "engine", "sample", "comm", "sharing", "run",
            "scaling",
        ],
    ),
    ("tuning", &["units", "platform", "run"]),
];

/// What rooms must never know, whatever the table above comes to say: (rooms, never these, because).
const NEVER: &[(&[&str], &[&str], &str)] = &[
    (
        &["numeric", "comm", "collective", "sharing", "routine", "scaling"],
        &["machine"],
        "estimators see types; where readings come from is not their business",
    ),
    (&["sharing"], &["engine"], "what transfers do to each other is a law by itself; the engine asks it"),
    (&["engine"], &["measure", "sample", "machine"], "the engine plays schedules and knows no campaign"),
    (&["schedule"], &["engine"], "a schedule does not know who reads it"),
];

/// Rooms that may not name a `file` module: (rooms, because).
const NO_FILES: (&[&str], &str) = (
    &["numeric", "comm", "collective", "sharing", "simulate", "routine", "scaling", "tuning"],
    "types and files are apart: read the file at the command line and hand the types over",
);

/// Words that only some parts of the library may say: (words, where, what to do).
const RESERVED: &[(&[&str], &[Part], &str)] = &[
    (
        &["std::fs", "fs::", "File::", "OpenOptions"],
        &[
            &["sample", "file"],
            &["run", "file"],
            &["model", "file"],
            &["platform", "file"],
            &["trace", "file"],
            &["file"],
            &["machine"],
        ],
        "disk is touched in `file` modules and machines: take a reader, a writer or a type instead",
    ),
    (
        &["SystemTime", "Instant::now", "time::Instant", "Zoned::now", "Timestamp::now", "clock_gettime"],
        &[&["machine"]],
        "clocks are read in machines: let the caller hand the time over",
    ),
    (
        &["println!", "eprintln!", "print!", "eprint!", "dbg!"],
        &[],
        "the library does not print: return what is to be said, the command prints it",
    ),
    (
        &["stdin", "stdout", "stderr"],
        &[&["machine"]],
        "only machines, whose workers are processes, have to do with standard streams: take a reader or a writer",
    ),
    (&["process::exit", "process::abort"], &[], "the library does not end the process: return an error"),
    (&["todo!", "unimplemented!"], &[], "finish it, or return an error that says what is lacking"),
    (&["unsafe"], &[], "unsafe code lives in the crates that link foreign code"),
    (
        &["HashMap", "HashSet"],
        &[],
        "the order of a hash map must decide nothing: use a BTreeMap, a BTreeSet or a vector by index",
    ),
];

/// No file of code is longer, tests apart.
const LONGEST: usize = 500;

fn top() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))
}

fn library() -> Vec<Source> {
    Source::all(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"))
}

fn known_to(room: &str) -> Option<&'static [&'static str]> {
    FLOW.iter().find(|(name, _)| *name == room).map(|(_, known)| *known)
}

/// What is wrong with a file's knowledge of other rooms.
fn wrong_paths(source: &Source) -> Vec<String> {
    let module = source.module();
    let Some((&room, _)) = module.split_first() else { return Vec::new() };
    let file = source.path.display();
    let Some(known) = known_to(room) else {
        return vec![format!(
            "{file}:1: no room {room:?} in FLOW: add it there at its place, with the rooms it may know"
        )];
    };
    let allowed: BTreeSet<&str> = known.iter().copied().chain([room]).collect();
    let mut wrong = Vec::new();
    for (line, path) in source.paths() {
        let mut names = path.split("::");
        let other = names.next().unwrap_or_default();
        if let Some((_, _, because)) =
            NEVER.iter().find(|(rooms, never, _)| rooms.contains(&room) && never.contains(&other))
        {
            wrong.push(format!("{file}:{line}: {room} must never know {other}: {because}"));
        } else if known_to(other).is_none() {
            wrong.push(format!("{file}:{line}: crate::{path} is in no room of FLOW: name it by its room"));
        } else if !allowed.contains(other) {
            wrong.push(format!(
                "{file}:{line}: {room} may not know {other} (crate::{path}): turn the dependency round, or move the code \
                 to a later room; {room} may know {known:?}"
            ));
        } else if NO_FILES.0.contains(&room) && names.any(|name| name == "file") {
            wrong.push(format!("{file}:{line}: {room} may not name crate::{path}: {}", NO_FILES.1));
        }
    }
    wrong
}

/// What a file says that is reserved to others.
fn wrong_words(source: &Source) -> Vec<String> {
    let module = source.module();
    let mut wrong = BTreeSet::new();
    for (words, places, advice) in RESERVED {
        if places.iter().any(|place| module.starts_with(place)) {
            continue;
        }
        for word in *words {
            let file = source.path.display();
            wrong.extend(source.lines_with(word).iter().map(|line| format!("{file}:{line}: `{word}`: {advice}")));
        }
    }
    wrong.into_iter().collect()
}

fn none(wrong: &[String], of_what: &str) {
    assert!(wrong.is_empty(), "{of_what}:\n{}\n", wrong.join("\n"));
}

#[test]
fn rooms_know_what_they_may() {
    let sources = library();
    assert!(sources.len() > 10, "hardly any source was found");
    none(&sources.iter().flat_map(wrong_paths).collect::<Vec<_>>(), "crates/orrery/src, rooms that know too much");
}

#[test]
fn words_stand_where_they_belong() {
    none(&library().iter().flat_map(wrong_words).collect::<Vec<_>>(), "crates/orrery/src, words out of place");
}

#[test]
fn files_are_short() {
    let mut wrong = Vec::new();
    for entry in std::fs::read_dir(top().join("crates")).expect("the crates stand in crates/") {
        let src = entry.expect("its entries can be read").path().join("src");
        for source in Source::all(&src).iter().filter(|source| source.lines > LONGEST) {
            let path = src.join(&source.path);
            let shown = path.strip_prefix(top()).unwrap_or(&path).display();
            wrong.push(format!(
                "{shown}:{}: {} lines without tests, {LONGEST} at most: find the second concept in it and give it a file",
                LONGEST + 1,
                source.lines
            ));
        }
    }
    none(&wrong, "files that are too long");
}

/// The table itself: every room once, each knows earlier rooms only, but for the one loop that is named.
#[test]
fn the_flow_goes_one_way() {
    let place = |room: &str| FLOW.iter().position(|(name, _)| *name == room);
    for (at, (room, known)) in FLOW.iter().enumerate() {
        assert_eq!(place(room), Some(at), "{room} stands twice");
        for other in *known {
            let before = place(other).unwrap_or_else(|| panic!("{room} may know {other}, which is no room"));
            let loop_of_two = (*room, *other) == ("platform", "schedule");
            assert!(before < at || loop_of_two, "{room} may know {other}, which comes later");
        }
    }
    for (rooms, never, _) in NEVER {
        for (room, known) in FLOW.iter().filter(|(room, _)| rooms.contains(room)) {
            assert!(!known.iter().any(|other| never.contains(other)), "{room} is allowed what it must never know");
        }
    }
}

/// The rooms of the table are those of lib.rs and of its map.
#[test]
fn lib_is_the_map() {
    let text = std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("src/lib.rs")).expect("lib.rs");
    let rooms: BTreeSet<&str> =
        text.lines().filter_map(|line| line.strip_prefix("pub mod ")?.strip_suffix(';')).collect();
    let mapped: Vec<&str> =
        text.lines().filter_map(|line| line.strip_prefix("//! | [`")?.split_once('`')).map(|(room, _)| room).collect();
    assert_eq!(rooms, mapped.iter().copied().collect(), "the map at the head of lib.rs and its modules differ");
    assert_eq!(rooms, FLOW.iter().map(|(room, _)| *room).collect(), "FLOW and the modules of lib.rs differ");
}

/// Files under version control that are text; nothing where this is no checkout.
fn tracked() -> Vec<(PathBuf, String)> {
    let listed = Command::new("git").args(["-c", "safe.directory=*", "ls-files", "-z"]).current_dir(top()).output();
    let Ok(listed) = listed.map(|output| String::from_utf8_lossy(&output.stdout).into_owned()) else {
        return Vec::new();
    };
    let paths = listed.split_terminator('\0').map(PathBuf::from);
    paths.filter_map(|path| std::fs::read_to_string(top().join(&path)).ok().map(|text| (path, text))).collect()
}

/// What a line speaks of that does not belong in the project.
fn strange(line: &str) -> Option<&'static str> {
    // Written in two parts, so that this file does not say them either.
    let folders = [concat!("/wo", "rk/"), concat!("/fa", "rm/"), concat!("/ro", "ot/")];
    if line.contains(concat!("../", "shared")) {
        return Some("a folder beside the project; only .ci/run may name it");
    }
    if folders.iter().any(|folder| line.contains(folder)) {
        return Some("a path of one machine; say where things are from the top of the project");
    }
    let lower = line.to_lowercase();
    let numbered = ["issue", "issues", "pull request", "closes", "fixes", "gh"].iter().any(|word| {
        lower.match_indices(word).any(|(at, _)| {
            let rest = lower[at + word.len()..].trim_start();
            rest.strip_prefix('#').is_some_and(|rest| rest.starts_with(|letter: char| letter.is_ascii_digit()))
        })
    });
    numbered.then_some("the number of an issue; say what it was about")
}

#[test]
fn texts_speak_of_the_project_alone() {
    let mut wrong = Vec::new();
    for (path, text) in tracked().iter().filter(|(path, _)| path != Path::new(".ci/run")) {
        for (number, line) in text.lines().enumerate() {
            if let Some(what) = strange(line) {
                wrong.push(format!("{}:{}: {what}", path.display(), number + 1));
            }
        }
    }
    none(&wrong, "texts that speak of other things than the project");
}

#[test]
fn strange_lines_are_seen() {
    for line in
        [concat!("see ../", "shared/x"), concat!("cd /wo", "rk/x"), concat!("Fixes ", "#12"), concat!("issue", "#3")]
    {
        assert!(strange(line).is_some(), "{line}");
    }
    for line in ["the network/adapter", "colour: #123456", "issues are welcome", "fixes the # of ranks", "#1 of all"] {
        assert_eq!(strange(line), None, "{line}");
    }
}

#[test]
fn wrong_knowledge_is_seen() {
    let wrong = |path: &str, text: &str| wrong_paths(&Source::new(path.into(), text));
    for (path, text) in [
        ("comm/lmo/fit.rs", "\nuse crate::machine::Machine;"),
        ("comm/lmo/fit.rs", "\nuse super::super::super::measure::Campaign;"),
        ("comm/mod.rs", "\nuse crate::{units::Seconds, sample::{Sample, file::read}};"),
        ("engine/mod.rs", "\nfn f() { crate::sample::Samples::new(); }"),
        ("schedule/mod.rs", "\nuse super::engine;"),
        ("machine/local.rs", "\nuse crate::model::Model;"),
        ("units/mod.rs", "\nuse crate::Seconds;"),
    ] {
        let found = wrong(path, text);
        assert_eq!(found.len(), 1, "{path}: {text}: {found:?}");
        assert!(found[0].starts_with(&format!("{path}:2: ")), "{found:?}");
    }
    for (path, text) in [
        ("comm/lmo/fit.rs", "use super::super::hockney::Hockney; use crate::units::*; pub(crate) fn f() {}"),
        (
            "comm/mod.rs",
            "// use crate::machine::Machine;\n/* crate::machine::x */ const S: &str = \"crate::machine::x\";",
        ),
        ("comm/mod.rs", "#[cfg(test)]\nmod tests {\n use crate::machine::Machine;\n fn f() { if x { y } }\n}"),
        ("platform/placement.rs", "use crate::schedule::Rank;"),
    ] {
        assert_eq!(wrong(path, text), [""; 0], "{path}: {text}");
    }
    assert!(wrong("attic/mod.rs", "").iter().all(|message| message.contains("no room \"attic\" in FLOW")));
}

#[test]
fn wrong_words_are_seen() {
    let wrong = |path: &str, text: &str| wrong_words(&Source::new(path.into(), text)).len();
    for (path, text, count) in [
        ("comm/mod.rs", "use std::{fs::File, io};", 1),
        ("sample/file.rs", "use std::fs::File;", 0),
        ("sample/samples.rs", "File::open(p)", 1),
        ("measure/mod.rs", "let t = Instant::now(); let d = Zoned::now();", 2),
        ("machine/clock.rs", "let t = Instant::now();", 0),
        ("engine/check.rs", "struct Instant; fn f(network: Instant) {}", 0),
        ("comm/mod.rs", "/// println!(\"{}\", 'x');\nfn f<'a>(x: &'a str) -> char { println!(); '\"' } // todo!()", 1),
        ("comm/mod.rs", "const S: &str = r#\"unsafe \" HashMap\"#; let c = b'\\''; todo!()", 1),
        ("comm/mod.rs", "use std::collections::{BTreeMap, HashMap}; struct Filed; fn offs() {}", 1),
        ("comm/mod.rs", "#[cfg(test)]\nuse std::fs;\nfn f() { dbg!(1) }", 1),
    ] {
        assert_eq!(wrong(path, text), count, "{path}: {text}");
    }
}

#[test]
fn lines_of_tests_do_not_count() {
    let source = Source::new("a.rs".into(), "fn f() {}\n\n#[cfg(test)]\nmod tests {\n    fn g() {}\n}\n");
    assert_eq!(source.lines, 2);
    assert_eq!(source.code.lines().count(), 6);
}
