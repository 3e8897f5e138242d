//! A simulated cluster of two hosts with three processors each: what is told of links within a host
//! and across hosts.

use serde_json::Value;

use crate::common::{Folder, Outcome};

fn cluster() -> Result<Folder, Box<dyn std::error::Error>> {
    let folder = Folder::new()?;
    folder.write("two.json", include_str!("../../../../examples/two-hosts.json"))?;
    folder.done("measure comm --machine sim:two.json,noise=0.02 -o comm.csv")?;
    folder.done("measure collectives --machine sim:two.json,noise=0.02 -o coll.csv")?;
    folder.done("fit comm.csv -o m.json")?;
    Ok(folder)
}

fn json(text: &str) -> Result<Value, serde_json::Error> {
    serde_json::from_str(text)
}

#[test]
fn hosts_come_through_from_the_machine_to_the_model() -> Outcome {
    let folder = cluster()?;
    assert!(folder.read("comm.csv")?.contains("\n# hosts: a a a b b b\n"));
    let model = json(&folder.read("m.json")?)?;
    let hosts: Vec<&str> = model["processors"]
        .as_array()
        .ok_or("no processors")?
        .iter()
        .filter_map(|p| p["host"].as_str())
        .collect();
    assert_eq!(hosts, ["a", "a", "a", "b", "b", "b"]);
    // The format knows one mean, over all pairs.
    let mean = model["models"]["hockney"]["mean"].as_object().ok_or("no mean")?;
    assert_eq!(mean.keys().collect::<Vec<_>>(), ["byte_delay", "latency"]);
    folder.done("model check m.json")?;
    Ok(())
}

#[test]
fn parameters_are_told_by_class() -> Outcome {
    let folder = cluster()?;
    let shown = json(&folder.done("model show m.json --format json")?)?;
    let rows = shown["classes"].as_array().ok_or("no classes")?;
    let number = |model: &str, links: &str, key: &str| {
        rows.iter()
            .find(|row| row["model"] == model && row["links"] == links)
            .and_then(|row| row[key].as_f64())
    };
    assert_eq!(
        (number("lmo", "within", "pairs"), number("lmo", "across", "pairs")),
        (Some(6.0), Some(9.0))
    );
    let (within, across) = (number("lmo", "within", "rate"), number("lmo", "across", "rate"));
    assert!(within.ok_or("no rate")? > 20.0 * across.ok_or("no rate")?);
    let latency = |links, key| number("hockney", links, key).ok_or(format!("no {key}"));
    for links in ["within", "across"] {
        let mean = latency(links, "mean_latency")?;
        assert!(
            latency(links, "latency_smallest")? < mean && mean < latency(links, "latency_largest")?
        );
        assert!(
            latency(links, "mean_latency_low")? < mean
                && mean < latency(links, "mean_latency_high")?
        );
    }
    Ok(())
}

#[test]
fn errors_and_readings_are_told_by_class() -> Outcome {
    let folder = cluster()?;
    let validated = json(
        &folder
            .done("validate m.json comm.csv coll.csv --format json --models lmo,hockney-mean")?,
    )?;
    let summary = validated["summary"].as_array().ok_or("no summary")?;
    let error = |model: &str, operation: &str, links: Value| {
        let row = summary
            .iter()
            .find(|r| r["model"] == model && r["operation"] == operation && r["links"] == links);
        row.and_then(|row| row["mean_error"].as_f64()).ok_or(format!("no {operation} {links}"))
    };
    // A mean over all pairs is worst where there are fewer and quicker ones.
    let (within, across) = (
        error("hockney-mean", "roundtrip", "within".into())?,
        error("hockney-mean", "roundtrip", "across".into())?,
    );
    let both = error("hockney-mean", "roundtrip", Value::Null)?;
    assert!(within > 3.0 * across && across < both && both < within, "{within} {across} {both}");
    error("lmo", "one-to-two", "both".into())?;
    error("lmo", "scatter/linear", Value::Null)?;
    let collectives = summary
        .iter()
        .filter(|row| row["operation"].as_str().is_some_and(|word| word.contains('/')));
    assert!(
        collectives.clone().count() > 0
            && collectives.into_iter().all(|row| row["links"].is_null())
    );
    let readings = folder.done("samples summary comm.csv coll.csv --format csv")?;
    assert!(readings.lines().next().is_some_and(|names| names.ends_with(",links")), "{readings}");
    for end in [",within", ",across", ",both"] {
        assert!(readings.lines().any(|line| line.ends_with(end)), "{end}");
    }
    Ok(())
}

/// The file of a model that was written by hand tells the hosts where the samples do not.
#[test]
fn hosts_of_the_model_do_where_samples_name_none() -> Outcome {
    let folder = cluster()?;
    folder.write("bare.csv", folder.read("comm.csv")?.replace("# hosts: a a a b b b\n", ""))?;
    let errors = folder.done("validate two.json bare.csv --format json")?;
    assert!(json(&errors)?["summary"][1]["links"] == "within", "{errors}");
    Ok(())
}
