//! The dependencies that the modules of the library may have, and the places that may touch the
//! world.

use std::path::Path;

use super::source::Source;

/// The modules of the library in the order of the data flow, each with the modules that it may use.
///
/// A module uses modules above it. The one exception: a placement (platform) maps the ranks of a
/// schedule.
const MODULES: &[(&str, &[&str])] = &[
    ("units", &[]),
    ("budget", &["units"]),
    ("file", &["budget"]),
    ("json", &["file"]),
    ("numeric", &["units"]),
    ("kernel", &["units", "numeric"]),
    ("sharing", &["units", "numeric"]),
    ("platform", &["units", "budget", "sharing", "file", "numeric", "schedule"]),
    ("schedule", &["units", "platform"]),
    ("engine", &["units", "numeric", "platform", "schedule"]),
    ("routine", &["units", "kernel", "schedule"]),
    (
        "sample",
        &["units", "kernel", "routine", "budget", "file", "numeric", "platform", "schedule"],
    ),
    ("machine", &["units", "numeric", "platform", "schedule", "engine", "sample"]),
    (
        "measure",
        &["units", "kernel", "budget", "numeric", "platform", "schedule", "sample", "machine"],
    ),
    ("comm", &["units", "budget", "numeric", "platform", "schedule", "engine", "sample"]),
    ("trace", &["units", "budget", "file", "schedule"]),
    (
        "simulate",
        &[
            "units", "budget", "numeric", "platform", "schedule", "engine", "comm", "trace",
            "sharing",
        ],
    ),
    ("run", &["units", "file", "json", "sample"]),
    ("scaling", &["units", "numeric", "platform", "run"]),
    (
        "model",
        &[
            "units", "budget", "file", "json", "kernel", "routine", "numeric", "platform",
            "schedule", "engine", "sample", "comm", "sharing", "simulate", "run", "scaling",
        ],
    ),
    (
        "estimation",
        &["units", "platform", "sample", "schedule", "machine", "measure", "comm", "model"],
    ),
    (
        "simulated_cluster",
        &[
            "units", "platform", "schedule", "engine", "sample", "machine", "sharing", "comm",
            "model",
        ],
    ),
    (
        "collective",
        &["units", "numeric", "platform", "schedule", "engine", "sample", "comm", "model"],
    ),
    ("grid", &["units", "kernel", "platform", "schedule", "routine", "comm", "model"]),
    (
        "tuning",
        &["units", "numeric", "platform", "schedule", "sample", "model", "collective", "run"],
    ),
    ("forecast", &["units", "file", "numeric", "sample"]),
    ("conditions", &["units", "file", "json", "numeric", "platform", "model"]),
    (
        "request",
        &[
            "units",
            "kernel",
            "platform",
            "schedule",
            "routine",
            "sample",
            "comm",
            "run",
            "scaling",
            "model",
            "collective",
            "grid",
            "tuning",
        ],
    ),
];

/// Modules that take types and never files.
const WITHOUT_FILES: &[&str] = &[
    "numeric",
    "comm",
    "collective",
    "sharing",
    "simulate",
    "routine",
    "grid",
    "scaling",
    "tuning",
    "request",
];

/// Consecutive tokens.
type Sequence = &'static [&'static str];

/// Sequences of tokens that only some modules may contain: (sequences, modules, reason).
const RESERVED: &[(&[Sequence], &[&str], &str)] = &[
    (
        &[&["std", "::", "fs"], &["fs", "::"], &["File", "::"], &["OpenOptions"]],
        &["file", "machine"],
        "only modules named `file` and machines access the disk; take a reader, a writer or a type",
    ),
    (
        &[
            &["SystemTime"],
            &["Instant", "::", "now"],
            &["Zoned", "::", "now"],
            &["Timestamp", "::", "now"],
        ],
        &["machine"],
        "only machines read clocks; take the time as an argument",
    ),
    (
        &[&["println"], &["eprintln"], &["print", "!"], &["eprint"], &["dbg"]],
        &[],
        "the library does not print; return the value",
    ),
    (
        &[&["stdin"], &["stdout"], &["stderr"]],
        &["machine"],
        "only machines use standard streams; take a reader or a writer",
    ),
    (
        &[&["process", "::", "exit"], &["process", "::", "abort"], &["todo"], &["unimplemented"]],
        &[],
        "the library does not end the process; return an error",
    ),
    (
        &[&["HashMap"], &["HashSet"]],
        &[],
        "the order of a hash map is not reproducible; use a BTreeMap or an index",
    ),
];

/// Sequences of tokens that write files.
const WRITERS: &[Sequence] = &[
    &["fs", "::", "write"],
    &["fs", "::", "rename"],
    &["File", "::", "create"],
    &["OpenOptions"],
    &["create_new"],
];

/// The source files that write files: the module `file`, and the output of the jobs of
/// `scaling run`.
const WRITING: &[&str] = &["orrery/src/file/", "orrery-cli/src/supervisor.rs"];

/// The crates in whose sources files are short and written in one place.
const CRATES: [&str; 8] = [
    "orrery",
    "orrery-report",
    "orrery-blas",
    "orrery-cli",
    "orrery-monitor",
    "orrery-mpi",
    "../studies/scalapack",
    "orrery-trace",
];

/// The largest number of lines of a source file, tests excluded: at 100 columns, as many as 500 at
/// 120.
const MAX_LINES: usize = 600;

fn src(krate: &str) -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(krate).join("src")
}

/// The violations of a file, each with file, line and reason.
fn violations(source: &Source) -> Vec<String> {
    let (module, file) = (source.module(), source.path.display());
    let Some(&top) = module.first() else { return Vec::new() };
    let Some((_, allowed)) = MODULES.iter().find(|(name, _)| *name == top) else {
        return vec![format!("{file}:1: module {top:?} is not listed in MODULES")];
    };
    let mut found = Vec::new();
    for (line, other, names_file) in source.references() {
        if other != top && !allowed.contains(&other.as_str()) {
            found.push(format!("{file}:{line}: {top} may use {allowed:?}, and not {other}"));
        }
        if names_file && WITHOUT_FILES.contains(&top) {
            found.push(format!("{file}:{line}: {top} takes types and never files"));
        }
    }
    for (sequences, places, reason) in RESERVED {
        if !module.iter().any(|part| places.contains(part)) {
            let lines = sequences
                .iter()
                .flat_map(|words| source.lines_with(words).into_iter().map(move |l| (l, words)));
            found.extend(
                lines.map(|(line, words)| format!("{file}:{line}: `{}`: {reason}", words.concat())),
            );
        }
    }
    found
}

fn check(violations: &[String]) {
    assert!(violations.is_empty(), "\n{}\n", violations.join("\n"));
}

#[test]
fn modules_use_allowed_modules_only() {
    let sources = Source::all(&src("orrery"));
    assert!(sources.len() > 10, "too few sources were found");
    check(&sources.iter().flat_map(violations).collect::<Vec<_>>());
}

#[test]
fn modules_use_only_modules_above_them() {
    for (at, (name, allowed)) in MODULES.iter().enumerate() {
        for other in *allowed {
            let place = MODULES.iter().position(|(module, _)| module == other);
            let exception = (*name, *other) == ("platform", "schedule");
            assert!(
                place.is_some_and(|place| place < at) || exception,
                "{name} may not use {other}"
            );
        }
    }
}

/// One atomic writer serves all outputs.
#[test]
fn files_are_written_in_one_place() {
    for krate in CRATES {
        for source in Source::all(&src(krate)) {
            let path = format!("{krate}/src/{}", source.path.display());
            if !WRITING.iter().any(|allowed| path.starts_with(allowed)) {
                let lines = WRITERS.iter().flat_map(|words| source.lines_with(words));
                let message = |line| {
                    format!(
                        "{path}:{line}: write files with `orrery::file::Replacement` or `replace`"
                    )
                };
                check(&lines.map(message).collect::<Vec<_>>());
            }
        }
    }
}

#[test]
fn files_are_short() {
    for krate in CRATES {
        let long = Source::all(&src(krate)).into_iter().filter(|source| source.lines > MAX_LINES);
        let message = |s: Source| {
            format!("{krate}/src/{}: {} lines, {MAX_LINES} allowed", s.path.display(), s.lines)
        };
        check(&long.map(message).collect::<Vec<_>>());
    }
}

#[test]
fn lib_lists_every_module() {
    let text = std::fs::read_to_string(src("orrery").join("lib.rs")).expect("lib.rs is readable");
    let mut declared: Vec<&str> =
        text.lines().filter_map(|line| line.strip_prefix("pub mod ")?.strip_suffix(';')).collect();
    let mut described: Vec<&str> = text
        .lines()
        .filter_map(|line| line.strip_prefix("//! | [`")?.split_once('`'))
        .map(|(link, _)| link.trim_start_matches("mod@"))
        .collect();
    let mut listed: Vec<&str> = MODULES.iter().map(|(name, _)| *name).collect();
    for list in [&mut declared, &mut described, &mut listed] {
        list.sort_unstable();
    }
    assert_eq!(declared, described, "modules and the table in lib.rs differ");
    assert_eq!(declared, listed, "modules of lib.rs and MODULES differ");
}

#[test]
fn violations_are_found() {
    let count = |path: &str, text: &str| violations(&Source::new(path.into(), text)).len();
    for (path, text, expected) in [
        ("comm/lmo/fit.rs", "use crate::machine::Machine;", 1),
        ("comm/lmo/fit.rs", "use super::super::super::measure::Campaign;", 1),
        (
            "comm/mod.rs",
            "use crate::{units::Seconds, machine::{Machine, Batch}, sample::Sample};",
            1,
        ),
        ("comm/mod.rs", "use crate::sample::{Sample, file::read};", 1),
        ("engine/mod.rs", "fn f() { crate::sample::Samples::new(); }", 1),
        ("schedule/mod.rs", "use super::engine;", 1),
        ("attic/mod.rs", "", 1),
        ("comm/mod.rs", "// use crate::machine::M;\nconst S: &str = \"crate::machine::x\";", 0),
        (
            "comm/lmo/fit.rs",
            "use super::super::hockney::Hockney; use crate::units::*; pub(crate) fn f() {}",
            0,
        ),
        (
            "comm/mod.rs",
            "#[cfg(test)]\nmod tests { use crate::machine::M; }\nuse crate::units::Bytes;",
            0,
        ),
        ("comm/mod.rs", "fn f() { let t = Instant::now(); println!(); std::fs::read(p) }", 4),
        ("sample/file/reader.rs", "use std::fs::File;", 0),
        ("comm/mod.rs", "/// println!()\nfn f<'a>(x: &'a str) -> char { '\"' }", 0),
    ] {
        assert_eq!(count(path, text), expected, "{path}: {text}");
    }
    let source =
        Source::new("a.rs".into(), "fn f() {}\n\n#[cfg(test)]\nmod tests {\n    fn g() {}\n}\n");
    assert_eq!(source.lines, 2);
}
