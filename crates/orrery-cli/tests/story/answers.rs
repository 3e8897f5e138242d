//! What validate answers, and what goes to stderr.

use serde_json::Value;

use crate::common::{Folder, Outcome};

#[test]
fn validation_has_rows_a_summary_and_a_ranking() -> Outcome {
    let folder = Folder::new()?;
    folder.done("measure comm --machine sim:truth.json,noise=0.02 -o comm.csv")?;
    folder.done("measure collectives --machine sim:truth.json,noise=0.02 -o coll.csv")?;
    folder.done("fit comm.csv -o m.json --level 0.9")?;
    let text = folder.done("validate m.json comm.csv coll.csv --models lmo --format json")?;
    let answer: Value = serde_json::from_str(&text)?;
    assert_eq!(answer.as_object().map(serde_json::Map::len), Some(3), "{text}");
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
    let model: Value = serde_json::from_str(&folder.read("m.json")?)?;
    assert_eq!(model["models"]["lmo"]["fixed_delay"]["level"], 0.9);
    let checked: Value = serde_json::from_str(&folder.done("model check m.json --format json")?)?;
    assert_eq!(checked[0]["measured_to"].as_f64(), Some(32768.0));
    Ok(())
}

#[test]
fn explanations_add_up() -> Outcome {
    let folder = Folder::new()?;
    let scatter = "predict scatter truth.json --algorithm binomial --size 1K --explain";
    let answer: Value = serde_json::from_str(&folder.done(&format!("{scatter} --format json"))?)?;
    let terms = answer["critical_path"].as_array().ok_or("no terms")?;
    let sum: f64 = terms.iter().filter_map(|term| term["seconds"].as_f64()).sum();
    let time = answer["predictions"][0]["seconds"].as_f64().ok_or("no time")?;
    assert!((sum / time - 1.0).abs() < 1e-12, "{sum} {time}");
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

/// Each list of algorithms may be `all`, under the singular and the plural name of the option.
#[test]
fn all_algorithms_are_accepted_everywhere() -> Outcome {
    let folder = Folder::new()?;
    for (number, option) in ["--algorithm", "--algorithms"].into_iter().enumerate() {
        let measure =
            "measure collectives --machine sim:truth.json --sizes 1K --min-reps 3 --max-reps 3";
        folder.done(&format!("{measure} -o {number}.csv {option} all"))?;
        let samples = folder.read(&format!("{number}.csv"))?;
        assert!(["linear", "binomial"].iter().all(|name| samples.contains(name)), "{samples}");
        for words in [
            "predict scatter truth.json --size 1K",
            "choose collective truth.json --operation scatter",
        ] {
            let all = folder.done(&format!("{words} {option} all"))?;
            assert_eq!(
                all,
                folder.done(&format!("{words} {option} linear,linear-nb,linear-sync,binomial"))?
            );
            assert_eq!(
                folder.done(words)?,
                folder.done(&format!("{words} {option} linear,binomial"))?
            );
        }
    }
    Ok(())
}
