use orrery::run::Metric;
use orrery::run::import::{ImportFormat, ImportOptions};

use super::{import, numbers, options, refused, remarks, text};

#[test]
fn the_formats_of_extrap_are_equivalent() {
    let all = ["extrap.txt", "extrap.jsonl", "extrap.json", "extrap-3.json", "talpas.txt"];
    let [plain, lines, json, old, talpas] = all.map(|name| {
        let mut imported = import(&text(name), ImportOptions::default());
        assert_eq!(imported.remarks.len(), 1);
        assert!(remarks(&imported)[0].ends_with(
            "2 times of 0 s or less of main->exchange time are left out; a time is above 0"
        ));
        imported.runs.runs.iter_mut().for_each(|run| run.origin.clear());
        imported.runs.runs
    });
    assert_eq!(plain.len(), 14);
    assert_eq!(plain, lines);
    assert_eq!(plain, json);
    assert_eq!(plain, old);
    assert_eq!(plain, talpas);
    assert_eq!(
        (numbers(&plain[4], &["p", "n"]), plain[4].seconds.get().to_string()),
        (vec![4.0, 200.0], "6.1".into())
    );
    assert_eq!(
        (plain[13].region.as_str(), plain[13].labels["metric"].as_str()),
        ("main->exchange", "time")
    );
}

#[test]
fn lines_of_talpas_have_semicolons() {
    let line = r#"{"parameters":{"p";4};"metric":"time";"callpath":"a;\"b;\\";"value":1.5}"#;
    let with_colon = line.replace("\"p\";4", "\"p\":4;\"n\":8");
    for text in [with_colon.clone(), format!("{with_colon}\n{with_colon}\n")] {
        let runs = import(&text, ImportOptions::default()).runs.runs;
        assert_eq!(
            (runs[0].region.as_str(), numbers(&runs[0], &["p", "n"])),
            ("a;\"b;\\", vec![4.0, 8.0])
        );
    }
    let with_commas =
        "{\"parameters\":{\"p\":4},\"metric\":\"time\",\"callpath\":\"\",\"value\":1.5}";
    assert_eq!(import(with_commas, ImportOptions::default()).runs.runs.len(), 1);
    let error = refused(line, ImportOptions::default());
    assert!(error.starts_with("f:1:19: "), "a semicolon in place of the colon: {error}");
    let error = refused(&with_commas.replace("1.5", "\"x\""), ImportOptions::default());
    assert!(error.contains("f:1:61: ") && error.contains("a finite time"), "{error}");
}

#[test]
fn parameters_can_be_mapped() {
    let imported = import(&text("extrap.txt"), options("processes=p"));
    assert_eq!(imported.runs.runs[2].processes(), Some(8.0));
    assert_eq!(imported.runs.runs[2].variable("p"), None);
    let error = refused(&text("extrap.jsonl"), options("n=p"));
    assert!(error.contains("parameter \"n\" occurs twice"), "{error}");
}

#[test]
fn one_parameter_needs_no_parentheses() {
    let text = "PARAMETER p\nPOINTS 4 8\nDATA 1\nDATA 2 3\n";
    let imported = import(text, ImportOptions::default());
    let found: Vec<_> =
        imported.runs.runs.iter().map(|run| (run.variables["p"], run.seconds.get())).collect();
    assert_eq!(found, [(4.0, 1.0), (8.0, 2.0), (8.0, 3.0)]);
    assert!(imported.runs.runs[0].labels.is_empty() && imported.runs.runs[0].region.is_empty());
}

#[test]
fn all_metrics_are_imported_or_those_that_are_named() {
    let both = "PARAMETER p\nPOINTS 4\nMETRIC time\nDATA 1.5\nMETRIC visits\nDATA 7\n";
    let all = import(both, ImportOptions::default()).runs.runs;
    let values: Vec<_> =
        all.iter().map(|run| (run.labels["metric"].as_str(), run.seconds.get())).collect();
    assert_eq!(values, [("time", 1.5), ("visits", 7.0)]);
    let metric =
        |metric: &str| ImportOptions { metrics: vec![metric.into()], ..ImportOptions::default() };
    let imported = import(both, metric("time"));
    assert_eq!(
        (imported.runs.runs.len(), imported.runs.runs[0].seconds.get().to_string()),
        (1, "1.5".into())
    );
    assert_eq!(
        refused(both, metric("bytes")),
        "unknown metric \"bytes\"; metrics are time, visits"
    );
}

#[test]
fn a_metric_holds_for_the_regions_that_follow() {
    let text = "PARAMETER p\nPOINTS 4\nMETRIC time\nREGION a\nDATA 1\nREGION b\nDATA 2\n";
    let runs = import(text, ImportOptions::default()).runs.runs;
    assert_eq!(runs.len(), 2);
    assert!(runs.iter().all(|run| run.labels["metric"] == "time"), "{runs:?}");
}

#[test]
fn times_of_metrics_are_in_seconds() {
    let text = "PARAMETER p\nPOINTS 4\nMETRIC Elapsed [ms]\nDATA 1500\nMETRIC t\nDATA 7\n";
    let named = import(text, ImportOptions::default()).runs.runs;
    assert_eq!(named.iter().map(|run| run.seconds.get()).collect::<Vec<_>>(), [1.5, 7.0]);
    assert!(Metric::of_run(&named[0]).is_time() && !Metric::of_run(&named[1]).is_time());
    let mapped = import(text, options("minutes=t")).runs.runs;
    assert_eq!(mapped[1].seconds.get().to_string(), "420");
    assert_eq!(Metric::of_run(&mapped[1]), Metric::default());
}

/// A clock that goes backwards costs a value, not the file.
#[test]
fn times_of_zero_or_less_are_left_out() {
    let text = "PARAMETER p\nPOINTS 4 8\nREGION main\nMETRIC time\nDATA 1 -2 0\nDATA 3 4 5\n";
    let imported = import(text, ImportOptions::default());
    assert_eq!(imported.runs.runs.len(), 4);
    assert_eq!(
        remarks(&imported),
        ["f:5: 2 times of 0 s or less of main time are left out; a time is above 0"]
    );
}

#[test]
fn faults_are_rejected_with_their_position() {
    let head = "PARAMETER p n\nPOINTS ( 4 100 ) ( 8 100 )\nREGION main\nMETRIC time\n";
    for (body, parts) in [
        ("DATA 1\n", ["f:5:7: run main time", "1 DATA lines for 2 points"]),
        ("DATA 1\nREGION b\n", ["f:6:1: run main time", "1 DATA lines for 2 points"]),
        ("DATA 1\nDATA 1\nDATA 1\n", ["f:7:1: run main time", "3 DATA lines for 2 points"]),
        ("DATA 1 NaN\n", ["f:5:8: run main time", "\"NaN\""]),
        ("DATA\n", ["f:5:1: run main time", "the DATA line has no values"]),
        ("VALUES 1\n", ["f:5:1: ", "unknown keyword \"VALUES\""]),
        ("PARAMETER n\n", ["f:5:11: ", "parameter \"n\" occurs twice"]),
        ("POINTS ( 4 )\n", ["f:5:8: ", "not a point of 2 parameters"]),
        ("POINTS ( 4 1\n", ["f:5:8: ", "not a point of 2 parameters"]),
        ("POINTS 4 8\n", ["f:5:8: ", "not a point of 2 parameters"]),
    ] {
        let error = refused(&format!("{head}{body}"), ImportOptions::default());
        parts.iter().for_each(|part| assert!(error.contains(part), "{part:?} is not in {error}"));
    }
    for (text, parts) in [
        (
            "{\"params\":{\"p\":4},\"value\":1}\n{\"params\":{\"p\":4},\"val",
            ["f:2:23: ", "ends in the middle"],
        ),
        (
            "{\"params\":{\"p\":4},\"val\n{\"params\":{\"p\":4},\"value\":1}\n",
            ["f:1:23: ", "the line ends within its JSON"],
        ),
        ("{\"params\":{\"p\":4},\"value\":[1,null]}\n", ["f:1:30: ", "a finite time"]),
        ("{\"params\":{\"p\":\"4\"},\"value\":1}\n", ["f:1:16: ", "finite number"]),
        ("{\"params\":{\"p\":4}}\n", ["f:1:1: ", "no key \"value\""]),
        ("{\"measurements\":{}}", ["f:1:1: ", "no key \"parameters\""]),
        (
            "{\"parameters\":[\"p\"],\"measurements\":{\"a\":{\"t\":[{\"point\":[1,2],\"values\":[1]}]}}}",
            [":56: ", "[1,2]"],
        ),
        ("{\"callpaths\":[],\"measurements\":[]}", ["f:1:1: ", "no key \"parameters\""]),
        (&old_json("1", "2"), ["f:4:", "there is no callpath with the id 2"]),
        (&old_json("2", "1"), ["f:3:", "there is no parameter with the id 2"]),
        ("{\"parameters\":[\"p\"],", ["f:1:21: ", "ends in the middle"]),
    ] {
        let error = refused(text, ImportOptions::default());
        parts.iter().for_each(|part| assert!(error.contains(part), "{part:?} is not in {error}"));
    }
}

/// A file of Extra-P 3 whose coordinate and measurement refer to these ids.
fn old_json(parameter: &str, callpath: &str) -> String {
    format!(
        "{{\"parameters\":[{{\"id\":1,\"name\":\"p\"}}],\"metrics\":[{{\"id\":1,\"name\":\"time\"}}],\n\
         \"callpaths\":[{{\"id\":1,\"name\":\"main\"}}],\n\"coordinates\":[{{\"id\":1,\"parameter_value_pairs\":\
         [{{\"parameter_id\":{parameter},\"parameter_value\":4}}]}}],\n\
         \"measurements\":[{{\"callpath_id\":{callpath},\"metric_id\":1,\"coordinate_id\":1,\"value\":1}}]}}\n"
    )
}

#[test]
fn formats_are_recognised_by_content() {
    for (name, format) in [
        ("HPL.out", ImportFormat::Hpl),
        ("hpccoutf.txt", ImportFormat::Hpl),
        ("nvidia.out", ImportFormat::Hpl),
        ("mxp.out", ImportFormat::Hpl),
        ("rows.txt", ImportFormat::Hpl),
        ("extrap.txt", ImportFormat::Extrap),
        ("extrap.jsonl", ImportFormat::JsonLines),
        ("extrap.json", ImportFormat::Json),
        ("extrap-3.json", ImportFormat::Json),
        ("kinds.csv", ImportFormat::Csv),
        ("ranks.csv", ImportFormat::Csv),
    ] {
        assert_eq!(ImportFormat::detect(&text(name)), Some(format), "{name}");
    }
    assert_eq!(
        ImportFormat::detect("{\"format\": \"orrery-runs\", \"version\": 1, \"runs\": []}"),
        Some(ImportFormat::Runs)
    );
    assert_eq!(ImportFormat::detect("words alone\n"), None);
    let error = refused("words alone\n", ImportOptions::default());
    assert!(
        error
            == "f: the format is not recognised; formats are output of HPL, files of Extra-P, \
                profiles of Score-P, Caliper and Hatchet, runs files, and tables: a line of column \
                names and a row for each run",
        "{error}"
    );
    let error = refused(
        "a,b\n1,2\n",
        ImportOptions { format: Some(ImportFormat::Hpl), ..ImportOptions::default() },
    );
    assert!(error.starts_with("f: no run is found: no line such as \"WR11C2R4"), "{error}");
}
