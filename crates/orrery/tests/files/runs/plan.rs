use orrery::file::FileError;
use orrery::run::file::plan::{parse, to_text, write};
use orrery::run::{Configuration, Plan, PlanEntry, Share};
use orrery::sample::Provenance;
use orrery::units::Seconds;
use proptest::collection::{btree_map, vec};
use proptest::prelude::*;

fn with_run(run: &str) -> String {
    format!(
        "{{\"format\": \"orrery-plan\", \"version\": 1, \"runs\": [\n{{\"variables\": {{\"n\": 1}}}},\n{run}\n]}}"
    )
}

#[test]
fn faults_have_position_and_path() {
    for (run, parts) in [
        ("{\"seconds\": 0}", [":3:13: runs[1].seconds: run: ", "above 0"]),
        ("{\"n\": 5}", [":3:7: runs[1].n: ", "unknown key"]),
        ("{\"variables\": {\"p\": 2, \"q\": 0}}", ["runs[1].variables: ", "whole number above 0"]),
        (
            "{\"variables\": {\"p\": 2, \"q\": 4}, \"configuration\": {\"a\": {\"elements\": 3, \"processes\": 2}}}",
            ["runs[1].configuration: ", "has 6 processes"],
        ),
    ] {
        let error = parse(with_run(run), "p.json").unwrap_err().to_string();
        parts.iter().for_each(|part| assert!(error.contains(part), "{part:?} is not in {error}"));
    }
    for (text, part) in [
        ("", "p.json:1:1: the file is empty"),
        ("n\n1\n", "p.json:1:1: a plan file is JSON"),
        ("{\"format\": \"orrery-runs\"}", "not \"orrery-plan\""),
        ("{\"format\": \"orrery-plan\", \"version\": 2}", "version: the version is 2"),
        ("{\"format\": \"orrery-plan\", \"version\": 1, \"runs\": [{\"vari", "ends in the middle"),
    ] {
        let error = parse(text, "p.json").unwrap_err().to_string();
        assert!(error.contains(part), "{part:?} is not in {error}");
    }
}

#[test]
fn an_existing_plan_is_kept() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("plan.json");
    write(&path, &Plan::default(), false).unwrap();
    assert!(matches!(write(&path, &Plan::default(), false), Err(FileError::Exists { .. })));
    write(&path, &Plan::default(), true).unwrap();
}

#[test]
fn plan_entries_match_runs() {
    let planned = PlanEntry {
        variables: [("n".to_owned(), 100.0)].into(),
        configuration: "a=1x2,b=2".parse().unwrap(),
        seconds: None,
    };
    assert_eq!((planned.processes(), planned.grid()), (Some(4.0), Some((1.0, 4.0))));
    let mut run = planned.with_time(Seconds::new(3.0));
    run.configuration.shares.reverse();
    run.variables.insert("block".into(), 64.0);
    assert!(planned.matches(&run), "variables outside the plan do not matter");
    run.variables.insert("n".into(), 101.0);
    assert!(!planned.matches(&run));
}

fn planned() -> impl Strategy<Value = PlanEntry> {
    let share = ("[a-z]{1,3}", 1_u32..100, 1_u32..9);
    let configuration = vec(share, 0..3).prop_map(|shares| {
        let mut shares: Vec<_> = shares
            .into_iter()
            .map(|(kind, elements, processes)| Share { kind, elements, processes })
            .collect();
        shares.sort();
        shares.dedup_by(|a, b| a.kind == b.kind);
        Configuration { shares }
    });
    let variables = btree_map("[n-z]x", -1e12..1e12, 0..4);
    (variables, configuration, proptest::option::of(1e-9..1e9)).prop_map(
        |(variables, configuration, seconds)| PlanEntry {
            variables,
            configuration,
            seconds: seconds.map(Seconds::new),
        },
    )
}

proptest! {
    #[test]
    fn plans_read_back(runs in vec(planned(), 0..5), why in "\\PC*") {
        let plan = Plan { provenance: Provenance::new().with("why", why), runs };
        prop_assert_eq!(parse(to_text(&plan).unwrap(), "again").unwrap(), plan);
    }
}
