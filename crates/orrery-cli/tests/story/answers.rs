//! What predict, validate, report and model answer.

use serde_json::Value;

use crate::common::{Folder, Outcome};

const KEYS: [&str; 13] = [
    "operation",
    "algorithm",
    "model",
    "root",
    "procs",
    "size",
    "seconds",
    "low",
    "high",
    "from_readings",
    "from_model",
    "extrapolated",
    "alarms",
];

/// A folder with samples and the models that were fitted to them.
fn fitted() -> Result<Folder, Box<dyn std::error::Error>> {
    let folder = Folder::new()?;
    folder.done("measure comm --machine sim:truth.json,noise=0.02 -o comm.csv")?;
    folder.done("measure collectives --machine sim:truth.json,noise=0.02 -o coll.csv")?;
    folder.done("fit comm.csv -o m.json")?;
    Ok(folder)
}

fn rows(text: &str) -> Result<Vec<Value>, Box<dyn std::error::Error>> {
    let rows: Value = serde_json::from_str(text)?;
    Ok(rows.as_array().ok_or("no array")?.clone())
}

fn has_keys(row: &Value, keys: &[&str]) {
    let found: std::collections::BTreeSet<&str> =
        row.as_object().unwrap().keys().map(String::as_str).collect();
    assert_eq!(found, keys.iter().copied().collect());
}

#[test]
fn predictions_have_all_keys_and_no_others() -> Outcome {
    let folder = fitted()?;
    let answer = rows(&folder.done("predict scatter m.json --size 1K,1M --format json")?)?;
    assert_eq!(answer.len(), 7 * 2 * 2, "models, algorithms, sizes");
    for row in &answer {
        has_keys(row, &KEYS);
        let [low, seconds, high] = ["low", "seconds", "high"].map(|key| row[key].as_f64().unwrap());
        assert!(low <= seconds && seconds <= high, "{row}");
        assert_eq!(row["extrapolated"], row["size"] == 1 << 20, "{row}");
        assert!(row["algorithm"].is_string());
    }
    Ok(())
}

#[test]
fn a_model_by_hand_gives_no_intervals() -> Outcome {
    let folder = Folder::new()?;
    for operation in ["p2p", "gather --algorithm linear"] {
        let answer = rows(
            &folder.done(&format!("predict {operation} truth.json --size 1K --format json"))?,
        )?;
        assert_eq!(answer.len(), 1);
        has_keys(&answer[0], &KEYS);
        assert_eq!((&answer[0]["low"], &answer[0]["high"]), (&Value::Null, &Value::Null));
        assert_eq!(answer[0]["algorithm"].is_null(), operation == "p2p");
        assert_eq!(answer[0]["extrapolated"], false);
    }
    Ok(())
}

#[test]
fn a_message_takes_what_the_formula_says() -> Outcome {
    let folder = Folder::new()?;
    let answer =
        rows(&folder.done("predict p2p truth.json --from 2 --to 1 --size 1000 --format json")?)?;
    let expected = 4e-5 + 2.5e-5 + 4e-5 + 1000.0 * (3e-9 + 2e-9 + 9e-9);
    assert!((answer[0]["seconds"].as_f64().unwrap() / expected - 1.0).abs() < 1e-12);
    Ok(())
}

#[test]
fn all_formats_say_the_same() -> Outcome {
    let folder = fitted()?;
    let words = "predict gather m.json --root 2 --procs 3 --size 4K..16K --models lmo,hockney";
    let (json, csv) = (
        folder.done(&format!("{words} --format json"))?,
        folder.done(&format!("{words} --format csv"))?,
    );
    let mut lines = csv.lines();
    assert_eq!(lines.next(), Some(KEYS.join(",").as_str()));
    for (row, line) in rows(&json)?.iter().zip(lines.by_ref()) {
        let fields: Vec<&str> = line.split(',').collect();
        assert_eq!(row["algorithm"], fields[1]);
        assert_eq!(row["seconds"].as_f64(), fields[6].parse().ok());
        assert_eq!((row["root"].as_u64(), row["procs"].as_u64()), (Some(2), Some(3)));
    }
    assert_eq!(lines.next(), None);
    Ok(())
}

#[test]
fn explanations_add_up() -> Outcome {
    let folder = Folder::new()?;
    let text = folder.done(
        "predict scatter truth.json --algorithm binomial --size 1K --explain --format json",
    )?;
    let answer: Value = serde_json::from_str(&text)?;
    let seconds = answer["predictions"][0]["seconds"].as_f64().ok_or("no prediction")?;
    let terms = answer["critical_path"].as_array().ok_or("no explanation")?;
    let sum: f64 = terms.iter().filter_map(|term| term["seconds"].as_f64()).sum();
    assert!((sum / seconds - 1.0).abs() < 1e-12, "{text}");
    Ok(())
}

#[test]
fn validation_has_rows_a_summary_and_a_ranking() -> Outcome {
    let folder = fitted()?;
    let text = folder.done("validate m.json comm.csv coll.csv --models lmo --format json")?;
    let answer: Value = serde_json::from_str(&text)?;
    has_keys(&answer, &["rows", "summary", "ranking"]);
    assert_eq!(answer["ranking"][0]["model"], "lmo");
    let row = &answer["rows"][0];
    for key in ["operation", "size", "measured", "model", "predicted", "error"] {
        assert!(!row[key].is_null(), "{key}: {row}");
    }
    let all = answer["summary"]
        .as_array()
        .ok_or("no summary")?
        .iter()
        .find(|line| line["operation"] == "all");
    assert!(all.ok_or("no sum")?["median_error"].as_f64().unwrap() < 0.05);
    let csv = folder.done("validate m.json comm.csv coll.csv --models lmo --format csv")?;
    assert_eq!(csv.lines().count(), 1 + answer["rows"].as_array().ok_or("no rows")?.len());
    Ok(())
}

#[test]
fn the_report_stands_alone() -> Outcome {
    let folder = fitted()?;
    assert_eq!(folder.done("report m.json comm.csv coll.csv -o r.html")?, "");
    let page = folder.read("r.html")?;
    assert!(page.starts_with("<!DOCTYPE html>") && page.trim_end().ends_with("</html>"));
    for foreign in ["src=\"http", "href=\"http", "@import", "url(http"] {
        assert!(!page.contains(foreign), "{foreign}");
    }
    Ok(())
}

#[test]
fn models_are_checked_and_shown() -> Outcome {
    let folder = fitted()?;
    let check: Value = serde_json::from_str(&folder.done("model check m.json --format json")?)?;
    assert_eq!(check[0]["processors"], 4);
    assert_eq!(
        (check[0]["measured_from"].as_f64(), check[0]["measured_to"].as_f64()),
        (Some(0.0), Some(32768.0))
    );
    let shown: Value = serde_json::from_str(&folder.done("model show m.json --format json")?)?;
    assert!(shown.is_object());
    assert!(folder.done("model show m.json")?.contains("LMO"));
    Ok(())
}

/// Messages go to stderr, and `--quiet` leaves only warnings; an LMO fit of an LMO cluster has
/// none.
#[test]
fn quiet_is_quiet() -> Outcome {
    let folder = Folder::new()?;
    for words in [
        "measure comm --machine sim:truth.json -o comm.csv",
        "fit comm.csv -o m.json --models lmo",
        "report m.json comm.csv -o r.html",
    ] {
        let output = folder.run(&format!("{words} --quiet"))?;
        assert!(output.status.success());
        assert_eq!(
            (output.stdout, String::from_utf8(output.stderr)?),
            (Vec::new(), String::new()),
            "{words}"
        );
    }
    Ok(())
}

/// Readings that two files have in common count once; samples of two machines are distinguished as
/// far as they name them.
#[test]
fn files_that_do_not_go_together_are_told() -> Outcome {
    let folder = Folder::new()?;
    folder.done("measure comm --machine sim:truth.json,noise=0.02 -o comm.csv")?;
    folder.done("fit comm.csv -o once.json --models hockney")?;
    let twice = folder.run("fit comm.csv comm.csv -o twice.json --models hockney")?;
    assert!(twice.status.success());
    assert!(String::from_utf8(twice.stderr)?.contains("they are used once"));
    let models = |name: &str| -> Result<Value, Box<dyn std::error::Error>> {
        Ok(serde_json::from_str::<Value>(&folder.read(name)?)?["models"].clone())
    };
    assert_eq!(models("once.json")?, models("twice.json")?);
    let foreign = folder.read("comm.csv")?.replace("truth.json", "another.json");
    folder.write("foreign.csv", foreign.replace(",0,0,", ",1,0,"))?;
    let mixed = folder.run("fit comm.csv foreign.csv -o mixed.json --models hockney")?;
    assert!(String::from_utf8(mixed.stderr)?.contains("fit one model per machine"));
    for (level, launch) in [("single", 1), ("multiple", 2)] {
        let rows = folder.read("comm.csv")?.replace(",0,0,", &format!(",{launch},0,"));
        folder.write(
            &format!("{level}.csv"),
            rows.replace("# seed", &format!("# thread-level: {level}\n# seed")),
        )?;
    }
    let levels =
        folder.run("fit single.csv multiple.csv -o mixed.json --force --models hockney")?;
    let warning = r#"its thread-level is "multiple", not "single""#;
    assert!(String::from_utf8(levels.stderr)?.contains(warning));
    Ok(())
}
