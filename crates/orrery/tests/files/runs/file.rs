use orrery::file::FileError;
use orrery::run::file::{parse, to_text, write};
use orrery::run::import::ImportOptions;
use orrery::run::{Configuration, KindTimes, Run, Runs, Share};
use orrery::sample::Provenance;
use orrery::units::Seconds;
use proptest::collection::{btree_map, vec};
use proptest::prelude::*;

use crate::table::rows;

fn with_run(run: &str) -> String {
    format!(
        "{{\"format\": \"orrery-runs\", \"version\": 1, \"runs\": [\n{{\"seconds\": 1}},\n{run}\n]}}"
    )
}

/// Invalid runs, with the places and the faults.
const FAULTS: &str = r#"
{"origin": "a:3", "seconds": 0} => :3:30: runs[1].seconds: run a:3: => above 0
{"seconds": -1} => :3:13: runs[1].seconds: run: => above 0
{"seconds": NaN} => :3:13: runs[1].seconds: => JSON has no NaN
{"seconds": 1e999} => :3:13: runs[1].seconds: => 1e999
{"seconds": "1"} => :3:13: runs[1].seconds: => finite number
{} => :3:1: runs[1]: => no key "seconds"
{"seconds": 1, "time": 1} => :3:24: runs[1].time: => unknown key
{"seconds": 1, "variables": {"n": 1, "n": 2}} => runs[1].variables.n: => given twice
{"seconds": 1, "variables": {"p": 2, "q": 0}} => runs[1].variables: => whole number above 0
{"origin": "b", "seconds": 1, "variables": {"p": 2, "q": 4}, "configuration": {"a": {"elements": 3,
    "processes": 2}}} => runs[1].configuration: run b: => has 6 processes, but the grid p×q = 2×4
    has 8
{"seconds": 1, "configuration": {"a": {"elements": 3, "processes": 0}}} =>
    runs[1].configuration: => takes no part
{"seconds": 1, "configuration": {"a": {"elements": 1, "processes": 1}, "a": {}}} =>
    runs[1].configuration.a: => given twice
{"seconds": 1, "parts": {"a": {"computation": -1, "communication": 0}}} => runs[1].parts: => not
    negative
"#;

#[test]
fn faults_have_position_and_path() {
    for [run, place, fault] in rows(FAULTS) {
        let error = parse(with_run(&run), "r.json").unwrap_err().to_string();
        assert!(error.contains(&place) && error.contains(&fault), "{fault:?} is not in {error}");
    }
    for (text, part) in [
        ("", "r.json:1:1: the file is empty"),
        ("n,seconds\n1,2\n", "r.json:1:1: this does not look like runs of an application"),
        (
            "{\"format\": \"orrery-model\"}",
            "r.json:1:1: this looks like a model file in place of runs of an application",
        ),
        ("{\"format\": \"orrery-runs\", \"version\": 2}", "r.json:1:38: version: the version is 2"),
        (
            "{\"format\": \"orrery-runs\", \"version\": 1, \"runs\": [",
            "the file ends in the middle",
        ),
        ("{\"format\": \"orrery-runs\", \"version\": 1}", "no key \"runs\""),
    ] {
        let error = parse(text, "r.json").unwrap_err().to_string();
        assert!(error.contains(part), "{error}");
    }
}

#[test]
fn existing_files_are_replaced_only_with_force() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("runs.json");
    let mut runs = Runs::default();
    write(&path, &runs, false).unwrap();
    runs.runs.push(Run::new(Seconds::new(2.0)));
    assert!(matches!(write(&path, &runs, false), Err(FileError::Exists { .. })));
    write(&path, &runs, true).unwrap();
    assert_eq!(orrery::run::file::read(&path).unwrap(), runs);
    runs.runs.push(Run::new(Seconds::new(f64::NAN)));
    let error = to_text(&runs).unwrap_err().to_string();
    assert!(
        error.starts_with("the runs file cannot be written: runs[1]: run: its time is NaN s"),
        "{error}"
    );
}

fn times() -> impl Strategy<Value = Seconds> {
    prop_oneof![1e-9..1e9, Just(f64::MIN_POSITIVE), Just(f64::MAX), Just(0.1 + 0.2)]
        .prop_map(Seconds::new)
}

fn names() -> impl Strategy<Value = String> {
    "[a-zµ \"\\\\,=:\n]{1,8}"
        .prop_filter("without a meaning", |name| !["p", "q", "processes"].contains(&&name[..]))
}

prop_compose! {
    pub fn run()(
        origin in ".{0,8}",
        region in ".{0,8}",
        variables in btree_map(names(), prop_oneof![any::<i32>().prop_map(f64::from), -1e300..1e300], 0..4),
        kinds in btree_map(names(), (1..9u32, 1..9u32, times(), times()), 0..3),
        parts in any::<bool>(),
        seconds in times(),
        labels in btree_map(names(), ".{0,8}", 0..3),
    ) -> Run {
        // Kinds in another order than that of the alphabet.
        let shares = kinds.iter().rev().map(|(kind, &(elements, processes, ..))| Share { kind: kind.clone(), elements, processes });
        let part = |(kind, &(_, _, computation, communication)): (&String, &_)| KindTimes { kind: kind.clone(), computation, communication };
        Run {
            origin, region, variables, seconds, labels,
            configuration: Configuration { shares: shares.collect() },
            parts: if parts { kinds.iter().map(part).collect() } else { Vec::new() },
        }
    }
}

proptest! {
    /// What is written reads back as it was, to the last bit.
    #[test]
    fn files_read_back(runs in vec(run(), 0..6), command in ".{0,20}") {
        let runs = Runs { provenance: Provenance::new().with("command", command), runs };
        let text = to_text(&runs).unwrap();
        prop_assert_eq!(parse(&text, "r.json").unwrap(), runs);
    }
}

#[test]
fn runs_files_can_be_imported_and_given_a_configuration() {
    let text =
        with_run("{\"origin\": \"a:5\", \"variables\": {\"p\": 2, \"q\": 4}, \"seconds\": 1}");
    let options = |configuration: &str| ImportOptions {
        configuration: configuration.parse().unwrap(),
        ..ImportOptions::default()
    };
    let runs = super::import(&text, options("athlon=4x2")).runs;
    assert_eq!(
        (runs.runs[1].origin.as_str(), runs.runs[1].configuration.to_string()),
        ("a:5", "athlon=4x2".into())
    );
    assert_eq!(runs.provenance.get("imported"), Some("runs from f"));
    let error = super::refused(&text, options("athlon=1x2"));
    assert!(error.contains("run of p = 2, q = 4: its configuration has 2 processes"), "{error}");
}
