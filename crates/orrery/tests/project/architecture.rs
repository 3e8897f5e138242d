//! The dependencies that the modules of the library may have, and the places that may touch the
//! world.

use std::fs;
use std::path::Path;

use super::source::Source;

/// The crates of the library in the order of the data flow. The compiler keeps their order; within
/// a crate, a module uses modules above it in the table of lib.rs.
const LAYERS: [&str; 9] = [
    "orrery-base",
    "orrery-program",
    "orrery-cluster",
    "orrery-play",
    "orrery-measure",
    "orrery-applications",
    "orrery-models",
    "orrery-choices",
    "orrery",
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
        &[&["statrs"]],
        &["distribution"],
        "functions of `statrs` panic outside of their domains; call `numeric::distribution`",
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

/// The source files that write files: the module `file`, the output of the jobs of `scaling run`,
/// the log of discarded samples, which is appended to, and the database, which is created private.
const WRITING: &[&str] = &[
    "orrery-base/src/file/",
    "orrery-cli/src/launch.rs",
    "orrery-monitor/src/agent/discarded.rs",
    "orrery-monitor/src/store/identity.rs",
];

/// Sequences of tokens that read whole files or streams.
const READERS: &[Sequence] = &[
    &["fs", "::", "read"],
    &["fs", "::", "read_to_string"],
    &["read_to_end"],
    &["read_to_string"],
];

/// The source files that read without `file::read_bytes` or `file::read_stream`: the module `file`,
/// files of the kernel, streams with a bound, and what the own processes of a command write.
const READING: &[&str] = &[
    "orrery-base/src/file/",
    "orrery-measure/src/machine/host.rs",
    "orrery-measure/src/sample/file/frames.rs",
    "orrery-applications/src/run/import/cubex/anchor.rs",
    "orrery-applications/src/run/import/experiment/archive.rs",
    "orrery-blas/src/library/properties.rs",
    "orrery-blas/src/memory.rs",
    "orrery-cli/src/launch.rs",
    "orrery-monitor/src/client/mod.rs",
    "orrery-monitor/src/secret.rs",
    "orrery-monitor/src/sensor/",
    "orrery-monitor/src/store/uptime.rs",
    "../studies/scalapack/src/memory.rs",
];

/// The other crates in whose sources files are short and written in one place.
const CRATES: [&str; 8] = [
    "orrery-report",
    "orrery-blas",
    "orrery-cli",
    "orrery-monitor",
    "orrery-mpi",
    "../studies/scalapack",
    "../studies/truths",
    "orrery-trace",
];

/// The largest number of lines of a source file, tests excluded: at 100 columns, as many as 500 at
/// 120.
const MAX_LINES: usize = 600;

fn src(krate: &str) -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(krate).join("src")
}

/// The modules in the table of a lib.rs.
fn table(text: &str) -> Vec<&str> {
    text.lines()
        .filter_map(|line| line.strip_prefix("//! | [`")?.split_once('`'))
        .map(|(link, _)| link.trim_start_matches("mod@"))
        .collect()
}

/// The violations of a file of a crate with these modules, each with file, line and reason.
fn violations(source: &Source, modules: &[&str]) -> Vec<String> {
    let (module, file) = (source.module(), source.path.display());
    let Some(&top) = module.first() else { return Vec::new() };
    let place = |name: &str| modules.iter().position(|module| *module == name);
    let mut found = Vec::new();
    for (line, other) in source.references() {
        if place(&other) > place(top) {
            found.push(format!("{file}:{line}: {top} may not use {other}, which is below it"));
        }
    }
    if WITHOUT_FILES.contains(&top) {
        // A fault says what is wrong with a value, whether or not it is in a file.
        let faults = source.lines_with(&["file", "::", "Fault"]);
        let lines = source.lines_with(&["file", "::"]).into_iter();
        let lines = lines.filter(|line| !faults.contains(line));
        found.extend(lines.map(|line| format!("{file}:{line}: {top} takes types, never files")));
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
fn modules_use_only_modules_above_them() {
    for layer in LAYERS {
        let text = fs::read_to_string(src(layer).join("lib.rs")).expect("lib.rs is readable");
        let sources = Source::all(&src(layer));
        assert!(sources.len() > 3, "too few sources were found");
        let modules = table(&text);
        check(&sources.iter().flat_map(|one| violations(one, &modules)).collect::<Vec<_>>());
    }
}

/// Each face of the library words remedies in its own terms: options, arguments, fields.
#[test]
fn the_library_names_no_command_line() {
    // They write and recognise command lines of other programs.
    const OTHER_PROGRAMS: [&str; 2] =
        ["orrery-choices/src/tuning/launchers.rs", "orrery-base/src/file/written.rs"];
    const VERBS: [&str; 14] = [
        "demo", "measure", "fit", "predict", "validate", "report", "samples", "simulate", "trace",
        "scaling", "share", "choose", "tune", "monitor",
    ];
    let is_option = |word: &str| {
        word.trim_start_matches(['"', '`', '('])
            .strip_prefix("--")
            .is_some_and(|name| name.starts_with(|letter: char| letter.is_ascii_lowercase()))
    };
    let is_command_line = |text: &str| {
        let words: Vec<&str> = text.split(' ').map(|word| word.trim_matches('"')).collect();
        let names_verb = |two: &[&str]| two[0].ends_with("orrery") && VERBS.contains(&two[1]);
        words.iter().any(|word| is_option(word)) || words.windows(2).any(names_verb)
    };
    let mut found = Vec::new();
    for (krate, source) in LAYERS
        .into_iter()
        .flat_map(|krate| Source::all(&src(krate)).into_iter().map(move |s| (krate, s)))
    {
        let path = format!("{krate}/src/{}", source.path.display());
        let lines = source.strings.iter().filter(|(_, text)| is_command_line(text));
        found.extend(
            lines
                .filter(|_| !OTHER_PROGRAMS.contains(&path.as_str()))
                .map(|(line, text)| format!("{path}:{line}: {text}")),
        );
    }
    check(&found);
}

/// Inputs without an end are refused in one place.
#[test]
fn files_are_read_in_one_place() {
    for krate in LAYERS.into_iter().chain(CRATES) {
        for source in Source::all(&src(krate)) {
            let path = format!("{krate}/src/{}", source.path.display());
            if !READING.iter().any(|allowed| path.starts_with(allowed)) {
                let lines = READERS.iter().flat_map(|words| source.lines_with(words));
                let message = |line| format!("{path}:{line}: read with `file::read_bytes`");
                check(&lines.map(message).collect::<Vec<_>>());
            }
        }
    }
}

/// One atomic writer serves all outputs.
#[test]
fn files_are_written_in_one_place() {
    for krate in LAYERS.into_iter().chain(CRATES) {
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
    for krate in LAYERS.into_iter().chain(CRATES) {
        let long = Source::all(&src(krate)).into_iter().filter(|source| source.lines > MAX_LINES);
        let message = |s: Source| {
            format!("{krate}/src/{}: {} lines, {MAX_LINES} allowed", s.path.display(), s.lines)
        };
        check(&long.map(message).collect::<Vec<_>>());
    }
}

/// The table of each crate lists its modules, and that of the library those of all crates.
#[test]
fn tables_list_every_module() {
    let mut all: Vec<String> = Vec::new();
    for layer in LAYERS {
        let text = fs::read_to_string(src(layer).join("lib.rs")).expect("lib.rs is readable");
        let mut declared: Vec<String> = text
            .lines()
            .filter_map(|line| line.strip_prefix("pub mod ")?.strip_suffix(';'))
            .map(str::to_owned)
            .collect();
        all.append(&mut declared.clone());
        let mut described: Vec<&str> = table(&text);
        if layer == "orrery" {
            declared.clone_from(&all);
        }
        declared.sort_unstable();
        described.sort_unstable();
        assert_eq!(declared, described, "modules and the table in {layer}/src/lib.rs differ");
    }
}

#[test]
fn violations_are_found() {
    let modules = ["sample", "machine", "measure"];
    let count =
        |path: &str, text: &str| violations(&Source::new(path.into(), text), &modules).len();
    for (path, text, expected) in [
        ("sample/lmo/fit.rs", "use crate::machine::Machine;", 1),
        ("sample/lmo/fit.rs", "use super::super::super::measure::Campaign;", 1),
        ("sample/mod.rs", "use crate::{measure::M, machine::{Machine, Batch}, sample::S};", 2),
        ("comm/mod.rs", "use orrery_measure::sample::{Sample, file::read};", 1),
        ("sample/mod.rs", "fn f() { crate::machine::Batch::new(); }", 1),
        ("machine/mod.rs", "use super::measure;", 1),
        ("sample/mod.rs", "// use crate::machine::M;\nconst S: &str = \"crate::machine::x\";", 0),
        ("machine/fit.rs", "use super::super::sample::S; pub(crate) fn f() {}", 0),
        ("sample/mod.rs", "#[cfg(test)]\nmod tests { use crate::machine::M; }", 0),
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
