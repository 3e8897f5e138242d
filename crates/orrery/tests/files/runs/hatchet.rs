//! Graph frames of Hatchet and Thicket; `testdata/runs/frames.py` made them by these libraries from
//! profiles of Caliper, whose times another reader knows.

use std::collections::BTreeMap;

use orrery::run::Run;
use orrery::run::import::{FileConfigurations, ImportFormat, ImportOptions};

use super::{assert_near, import, numbers, options, refused, remarks, text};
use crate::table::assert_errors;

fn frame(name: &str) -> String {
    text(&format!("frames/{name}.json"))
}

fn metric(metric: &str) -> ImportOptions {
    ImportOptions { metrics: vec![metric.into()], ..ImportOptions::default() }
}

fn times(runs: &[Run]) -> Vec<(&str, f64)> {
    runs.iter().map(|run| (run.region.as_str(), run.seconds.get())).collect()
}

#[test]
fn times_are_those_of_the_profiles_of_caliper() {
    let expected = text("caliper/expected.csv");
    let mut times: BTreeMap<(&str, &str), f64> = BTreeMap::new();
    for line in expected.lines().skip(1) {
        let (file, rest) = line.split_once(',').unwrap();
        let (region, seconds) = rest.rsplit_once(',').unwrap();
        times.insert((file, region.trim_matches('"')), seconds.parse().unwrap());
    }
    for (name, profile, metric) in [
        ("spot", "spot-n100.cali", "Max time/rank"),
        ("spot-literal", "spot-n100.cali", "Max time/rank"),
        ("ranks", "ranks.cali", "time"),
        ("aggregate", "aggregate.cali", "sum#time.duration.ns"),
        ("trace", "trace.cali", "time.duration.ns"),
    ] {
        assert_eq!(ImportFormat::detect(&frame(name)), Some(ImportFormat::Hatchet));
        let runs = import(&frame(name), ImportOptions::default()).runs.runs;
        assert_eq!((runs.len(), runs[0].region.as_str()), (6, "main"), "{name}");
        for run in runs {
            assert_near(run.seconds.get(), times[&(profile, run.region.as_str())]);
            assert_eq!((run.labels["metric"].as_str(), run.origin.as_str()), (metric, "f:1"));
        }
    }
}

/// Profiles in one file are the runs of their files.
#[test]
fn metadata_of_thicket_are_variables() {
    let map = || options("n=problem_size,label:cc=compiler");
    let imported = import(&frame("thicket"), map());
    assert_eq!(remarks(&imported), ["f:1: numbers that describe the run become variables: steps"]);
    let key = |run: &Run| (run.variables["n"] as u64, run.region.clone());
    let mut found = imported.runs.runs;
    found.sort_by_key(key);
    let mut expected: Vec<Run> = Vec::new();
    for n in [100, 200, 400] {
        expected.extend(import(&text(&format!("caliper/spot-n{n}.cali")), map()).runs.runs);
    }
    expected.sort_by_key(key);
    assert_eq!((found.len(), numbers(&found[0], &["processes"])), (18, vec![2.0]));
    for (found, mut expected) in found.into_iter().zip(expected) {
        expected.labels.insert("metric".into(), "Max time/rank".into());
        expected.origin = found.origin.clone();
        assert_eq!(found, expected);
    }
    let error = refused(&frame("thicket"), options("n=size"));
    assert!(
        error.contains("no value \"size\" describes the run; values are cali.caliper.version, "),
        "{error}"
    );
}

#[test]
fn graph_frames_have_no_parameters() {
    let imported = import(&frame("ranks"), ImportOptions::default());
    assert_eq!(numbers(&imported.runs.runs[0], &["processes"]), [2.0]);
    let expected = "f:1: a profile does not contain the parameters of its run, except for the \
        number of processes";
    assert_eq!(remarks(&imported), [expected]);
    assert_eq!(remarks(&import(&frame("literal"), ImportOptions::default())), [expected]);
    let mut importer = orrery::run::import::Importer::new(ImportOptions {
        by_file: Some(FileConfigurations::Pattern("a.n{n}.json".parse().unwrap())),
        ..ImportOptions::default()
    });
    importer.add(frame("ranks"), "a.n100.json").unwrap();
    let imported = importer.finish().unwrap();
    assert!(imported.remarks.is_empty());
    assert_eq!(imported.runs.runs[0].variables.len(), 1);
}

#[test]
fn a_metric_can_be_named() {
    let literal = frame("literal");
    let runs = import(&literal, ImportOptions::default()).runs.runs;
    let expected =
        [("main", 10.0), ("main->read", 3.5), ("main->read->copy", 2.5), ("main->solve", 5.0)];
    assert_eq!(times(&runs), expected, "a node of two callers counts for the first");
    let runs = import(&literal, metric("time")).runs.runs;
    assert_eq!(times(&runs), expected, "exclusive times are added up");
    let spot = |name: &str| import(&frame("spot"), metric(name)).runs.runs[0].seconds.get();
    assert_near(spot("Min time/rank"), 5.55692e-3);
    assert_near(spot("Avg time/rank"), 6.55136e-3);
    assert!((spot("Total time (exc)") / spot("Total time") - 1.0).abs() < 1e-3);
    let calls = import(&frame("spot"), metric("Calls (total)")).runs.runs;
    assert!(!calls.is_empty() && calls.iter().all(|run| run.seconds.get().fract() == 0.0));
    let error = refused(&frame("spot"), metric("bytes"));
    let expected = "f:1:1: the profile has no metric \"bytes\"; those of times are Avg time/rank, ";
    assert!(error.starts_with(expected), "{error}");
    let error = refused(&frame("spot").replace("time", "count"), ImportOptions::default());
    assert!(error.contains("no metric that is known to be the time of a region; it has none of"));
}

/// A graph with two nodes of one name, whose second rank is the slower one.
const SMALL: &str = r#"{"graph": [{"0": {"data": {"name": "main"}, "children": [1, 2]}, "1": {"data": {"name": "f"}, "children": []}, "2": {"data": {"line": 7}, "children": []}}], "dataframe_indices": ["node", "rank"], "dataframe": [{"node": 0, "rank": 0, "time": 1.0}, {"node": 0, "rank": 1, "time": 0.5}, {"node": 1, "rank": 0, "time": 2.0}, {"node": 1, "rank": 1, "time": 1.0}, {"node": 2, "rank": 1, "time": 3.0, "name": "f"}, {"node": 2, "rank": 0, "time": null, "name": null}], "inclusive_metrics": []}"#;

#[test]
fn nodes_of_one_name_are_added_at_each_rank() {
    let runs = import(SMALL, ImportOptions::default()).runs.runs;
    assert_eq!(times(&runs), [("main", 4.5), ("main->f", 4.0)]);
    let inclusive = SMALL.replace("\"inclusive_metrics\": []", "\"inclusive_metrics\": [\"time\"]");
    let runs = import(&inclusive, ImportOptions::default()).runs.runs;
    assert_eq!(times(&runs), [("main", 1.0), ("main->f", 4.0)]);
    let negative = inclusive.replace("1.0", "-1.0").replace("0.5", "0");
    let imported = import(&negative, ImportOptions::default());
    assert_eq!(times(&imported.runs.runs), [("main->f", 2.0)]);
    assert_eq!(
        remarks(&imported)[0],
        "f:1: 1 time of 0 s or less of regions is left out; a time is above 0"
    );
}

#[test]
fn faults_have_their_place() {
    let named =
        || ImportOptions { format: Some(ImportFormat::Hatchet), ..ImportOptions::default() };
    let error = |text: &str| refused(text, named());
    let table = r#"
"dataframe": [ => "stats": [ => f:1:1: there is no key "dataframe"; add it: save the file
    with ensemble=True
"graph" => "children" => f:1:1: there is no key "graph"
"node": 1, => "node": 9, => f:1:294: the graph has no node 9; save the file again
"node": 1, => "nid": 1, => f:1:285: there is no key "node"
"time": 3.0 => "time": "slow" => f:1:390: this is "slow", but a time is expected
"time": 3.0 => "time": NaN => f:1:390: expected value
"name": "f"}, "children": [] => "name": "f"}, "children": [0] => f:1:18: the node 0 is within itself
"name": "f"}, {"node": 2 => "x": "f"}, {"node": 2 => f:1:117: the node 2 has no name
"1": { => "x": { => f:1:71: this is an object, but a node with its number as key is expected
[1, 2] => 1 => f:1:57: this is 1, but an array of numbers is expected
"rank"] => 7] => f:1:
"#;
    assert_errors(SMALL, table, error);
    let literal = frame("literal");
    let table = r#"
"frame": {"name": "read", "type": "function"}, =>  => f:1:
{"name": "read", "type": "function"} => 7 => f:1:188: this is 7, but an object is expected
"children": [{"name": "read" => "children": {"name": "read" => f:1:
"#;
    assert_errors(&literal, table, error);
    for end in 2..SMALL.len() {
        assert!(error(&SMALL[..end]).starts_with('f'), "{end}");
    }
    for text in [SMALL, &literal] {
        for place in (0..text.len()).step_by(3) {
            let mut damaged = text.as_bytes().to_vec();
            damaged[place] ^= 1 << (place % 7);
            let mut importer = orrery::run::import::Importer::new(named());
            let _ = importer.add(&damaged, "f");
        }
    }
}

#[test]
fn hostile_graphs_need_little_memory_and_time() {
    let open = "[{\"frame\":{\"name\":\"a\"},\"metrics\":{},\"children\":".repeat(20_000);
    let deep = format!("{open}[]{}", "}]".repeat(20_000));
    let error = refused(&deep, ImportOptions::default());
    assert!(error.contains("more than 500 nodes are within each other"), "{error}");
    // Names of deep paths are long together, and many profiles may have many regions.
    let graph = |nodes: usize, last: &str| {
        let node = |n: usize, to: &str| {
            format!("\"{n}\":{{\"data\":{{\"name\":\"region\"}},\"children\":[{to}]}}")
        };
        let all = (0..nodes)
            .map(|n| node(n, &if n + 1 < nodes { (n + 1).to_string() } else { String::new() }));
        let all = all.collect::<Vec<_>>().join(",");
        format!(
            "{{\"graph\":[{{{all}}}],\"dataframe_indices\":[\"node\",\"profile\"],\
             \"dataframe\":[{last}]}}"
        )
    };
    let row = |profile: usize| format!("{{\"node\":0,\"profile\":{profile},\"time\":1}}");
    for (nodes, profiles) in [(20_000, 1), (3000, 20_000)] {
        let rows: Vec<_> = (0..profiles).map(row).collect();
        let error = refused(&graph(nodes, &rows.join(",")), ImportOptions::default());
        assert!(error.contains("the regions of the profile expand to more than"), "{error}");
    }
}
