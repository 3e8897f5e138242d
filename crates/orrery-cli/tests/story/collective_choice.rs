//! `orrery choose collective`: the chosen algorithm and root are the fastest of `orrery predict`.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::common::{Folder, Outcome};

/// The rows of a table in JSON.
fn rows(text: &str) -> Result<Vec<Value>, Box<dyn std::error::Error>> {
    let rows: Value = serde_json::from_str(text)?;
    Ok(rows.as_array().ok_or("no array")?.clone())
}

/// The predicted times of all roots and algorithms by model, at the given sizes.
fn predicted(
    folder: &Folder,
    operation: &str,
    sizes: &[u64],
) -> Result<Predicted, Box<dyn std::error::Error>> {
    let list = sizes.iter().map(ToString::to_string).collect::<Vec<_>>().join(",");
    let mut times = Predicted::new();
    for root in 0..4 {
        let words = format!(
            "predict {operation} m.json --root {root} --algorithm all --size {list} --format json"
        );
        for row in rows(&folder.done(&words)?)? {
            let text = |key: &str| row[key].as_str().unwrap_or_default().to_owned();
            let key = (text("model"), row["size"].as_u64().ok_or("no size")?);
            let seconds = row["seconds"].as_f64().ok_or("no time")?;
            times.entry(key).or_default().push((text("algorithm"), root, seconds));
        }
    }
    Ok(times)
}

/// By model and size: algorithm, root and time of each candidate.
type Predicted = BTreeMap<(String, u64), Vec<(String, u64, f64)>>;

#[test]
fn choices_of_all_models_are_the_fastest_predictions() -> Outcome {
    let folder = Folder::new()?;
    folder
        .done("measure comm --machine sim:truth.json,noise=0.01 -o comm.csv --sizes 0,1K..32K")?;
    folder.done(
        "measure overheads --machine sim:truth.json,noise=0.01 -o over.csv --sizes 0,1K..32K",
    )?;
    folder.done("fit comm.csv over.csv -o m.json")?;
    for operation in ["scatter", "gather"] {
        let words = format!(
            "choose collective m.json --operation {operation} --root all --size 1..100K --exact"
        );
        let chosen = rows(&folder.done(&format!("{words} --format json"))?)?;
        let mut models: Vec<&str> = chosen.iter().filter_map(|row| row["model"].as_str()).collect();
        models.dedup();
        assert_eq!(
            models,
            [
                "hockney",
                "hockney-mean",
                "lom",
                "lmo",
                "ports",
                "ports-flows",
                "hlmo",
                "logp",
                "loggp",
                "plogp"
            ]
        );
        let end = |row: &Value, key: &str| row[key].as_u64().ok_or("no size");
        let mut sizes: Vec<u64> = chosen
            .iter()
            .flat_map(|row| [end(row, "from"), end(row, "to")])
            .collect::<Result<_, _>>()?;
        sizes.sort_unstable();
        sizes.dedup();
        let predicted = predicted(&folder, operation, &sizes)?;
        for row in &chosen {
            for (key, avoided) in [("from", "first_avoided"), ("to", "last_avoided")] {
                // A faster algorithm whose losses are unknown is avoided.
                if !row[avoided].is_null() {
                    continue;
                }
                let of = (row["model"].as_str().ok_or("no model")?.to_owned(), end(row, key)?);
                let times = &predicted[&of];
                let best =
                    times.iter().map(|(_, _, seconds)| *seconds).fold(f64::INFINITY, f64::min);
                let is_chosen = |time: &&(String, u64, f64)| {
                    row["algorithm"] == *time.0 && row["root"] == time.1
                };
                let (_, _, own) = times.iter().find(is_chosen).ok_or("not predicted")?;
                assert!(
                    *own <= best * (1.0 + 1e-8),
                    "{row} takes {own} at {key}, the fastest {best}"
                );
            }
        }
        // CSV holds the same rows.
        let csv = folder.done(&format!("{words} --format csv"))?;
        assert_eq!(csv.lines().count(), chosen.len() + 1, "{csv}");
        // The ranges of a model have no gaps.
        for two in chosen.windows(2).filter(|two| two[0]["model"] == two[1]["model"]) {
            assert_eq!(end(&two[0], "to")? + 1, end(&two[1], "from")?, "{} {}", two[0], two[1]);
        }
    }
    Ok(())
}
