use orrery::file::FileError;
use orrery::run::file::plan::{parse, to_text, write};
use orrery::run::{Plan, PlanEntry};
use orrery::sample::Provenance;
use orrery::units::Seconds;
use proptest::collection::vec;
use proptest::prelude::*;

use super::file::run;

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
    ] {
        let error = parse(with_run(run), "p.json").unwrap_err().to_string();
        parts.iter().for_each(|part| assert!(error.contains(part), "{part:?} is not in {error}"));
    }
    for (text, part) in [
        ("n\n1\n", "p.json:1:1: this does not look like a plan file"),
        ("{\"format\": \"orrery-runs\"}", "runs of an application in place of a plan file"),
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
    (run(), any::<bool>()).prop_map(|(run, is_timed)| PlanEntry {
        variables: run.variables,
        configuration: run.configuration,
        seconds: is_timed.then_some(run.seconds),
    })
}

proptest! {
    #[test]
    fn plans_read_back(runs in vec(planned(), 0..5), why in "\\PC*") {
        let plan = Plan { provenance: Provenance::new().with("why", why), runs };
        prop_assert_eq!(parse(to_text(&plan).unwrap(), "again").unwrap(), plan);
    }
}
