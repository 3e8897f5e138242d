//! What is fitted to a simulated machine without noise is the truth of that machine.

use serde_json::Value;

use crate::common::{Folder, Outcome};

/// Largest relative difference between fitted and true parameters.
const TOLERANCE: f64 = 1e-9;

fn numbers(value: &Value) -> Vec<f64> {
    match value {
        Value::Array(entries) => entries.iter().filter_map(Value::as_f64).collect(),
        one => one.as_f64().into_iter().collect(),
    }
}

/// The LMO model of a file is that of `truth.json`.
fn is_the_truth(folder: &Folder, file: &str) -> Outcome {
    let parse = |name: &str| {
        Ok::<_, Box<dyn std::error::Error>>(serde_json::from_str::<Value>(&folder.read(name)?)?)
    };
    let (truth, fitted) = (parse("truth.json")?, parse(file)?);
    let fitted = &fitted["models"]["lmo"];
    for (name, parameter) in truth["models"]["lmo"].as_object().ok_or("no truth")? {
        let (expected, found) = (numbers(&parameter["value"]), numbers(&fitted[name]["value"]));
        assert_eq!(expected.len(), found.len(), "{file}: {name}");
        for (expected, found) in expected.iter().zip(&found) {
            assert!(
                (found / expected - 1.0).abs() <= TOLERANCE,
                "{file}: {name}: {found} in place of {expected}"
            );
        }
    }
    Ok(())
}

fn kinds(folder: &Folder, file: &str) -> Result<Vec<String>, Box<dyn std::error::Error>> {
    let model: Value = serde_json::from_str(&folder.read(file)?)?;
    Ok(model["models"].as_object().ok_or("no models")?.keys().cloned().collect())
}

#[test]
fn what_is_fitted_is_the_truth() -> Outcome {
    let folder = Folder::new()?;
    folder.done("measure comm --machine sim:truth.json -o comm.csv")?;
    folder.done("measure collectives --machine sim:truth.json -o coll.csv")?;
    for (model, options, expected) in [
        ("all.json", "", "hlmo hockney lmo lom ports"),
        ("some.json", "--models lmo,hockney", "hockney lmo"),
        ("empty.json", "--models hockney,lmo --hockney empty", "hockney lmo"),
        ("collectives.json", "--models lmo --with-collectives coll.csv", "lmo"),
    ] {
        folder.done(&format!("fit comm.csv -o {model} {options}"))?;
        is_the_truth(&folder, model)?;
        let fitted: Value = serde_json::from_str(&folder.read(model)?)?;
        for (name, truth) in [("latency", 5.5e-5), ("byte_delay", 1.1e-8)] {
            if let Some(found) = numbers(&fitted["models"]["hockney"][name]["value"]).first() {
                assert!((found / truth - 1.0).abs() < TOLERANCE, "{model}: {name}: {found}");
            }
        }
        let mut kinds = kinds(&folder, model)?;
        kinds.sort();
        assert_eq!(kinds.join(" "), expected, "{model}");
    }
    // The closed solutions of triplets are bounds on a machine that plays the messages.
    folder.done("fit comm.csv -o t.json --models lmo --estimator triplets")?;
    let fitted: Value = serde_json::from_str(&folder.read("t.json")?)?;
    let delays = numbers(&fitted["models"]["lmo"]["fixed_delay"]["value"]);
    for (found, truth) in delays.iter().zip([2e-5, 2.5e-5, 4e-5, 3e-5]) {
        assert!((0.0..=truth * (1.0 + TOLERANCE)).contains(found), "{found} {truth}");
    }
    Ok(())
}

#[test]
fn the_whole_story_in_compressed_files() -> Outcome {
    let folder = Folder::new()?;
    folder.done("measure comm --machine sim:truth.json -o comm.csv.zst")?;
    folder.done("measure collectives --machine sim:truth.json -o coll.csv.zst")?;
    let magic = std::fs::read(folder.path("comm.csv.zst"))?;
    assert_eq!(&magic[..4], &[0x28, 0xb5, 0x2f, 0xfd]);
    folder.done("measure comm --machine sim:truth.json -o comm.csv.zst --resume")?;
    folder.done("fit comm.csv.zst coll.csv.zst -o m.json")?;
    is_the_truth(&folder, "m.json")?;
    folder.done("validate m.json comm.csv.zst coll.csv.zst")?;
    folder.done("report m.json comm.csv.zst coll.csv.zst -o r.html")?;
    Ok(())
}

/// What the root reads is what models predict, and so are readings on one clock for all: validated
/// and fitted, they give the truth.
#[test]
fn collectives_by_other_timing_methods_are_predicted() -> Outcome {
    let folder = Folder::new()?;
    folder.done("measure comm --machine sim:truth.json -o comm.csv")?;
    let measure = "measure collectives --machine sim:truth.json -o coll.csv --force --root all";
    for timing in ["root", "global"] {
        folder.done(&format!("{measure} --timing {timing}"))?;
        folder.done("fit comm.csv coll.csv --models lmo --with-collectives -o m.json --force")?;
        is_the_truth(&folder, "m.json")?;
        let validated = folder.done("validate m.json coll.csv --format json")?;
        let validated: Value = serde_json::from_str(&validated)?;
        let rows = validated["rows"].as_array().ok_or("no rows")?;
        assert_eq!(rows.len(), 4 * 4 * 6, "operations and algorithms, roots, sizes");
        for row in rows {
            let error = row["error"].as_f64().ok_or("no error")?;
            assert!(error.abs() <= TOLERANCE, "{timing}: {row}");
        }
    }
    Ok(())
}
