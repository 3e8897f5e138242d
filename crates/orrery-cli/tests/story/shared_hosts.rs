//! A simulated cluster of two hosts with three processors each: what is told of links within a host
//! and across hosts.

use crate::applications::json;
use crate::common::{Folder, Outcome};

fn cluster() -> Result<Folder, Box<dyn std::error::Error>> {
    let folder = Folder::new()?;
    folder.write("two.json", include_str!("../../../../examples/two-hosts.json"))?;
    folder.done("measure comm --machine sim:two.json,noise=0.02 -o comm.csv")?;
    folder.done("measure collectives --machine sim:two.json,noise=0.02 -o coll.csv")?;
    folder.done("fit comm.csv -o m.json")?;
    Ok(folder)
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

/// The file of a model that was written by hand tells the hosts where the samples do not.
#[test]
fn hosts_of_the_model_do_where_samples_name_none() -> Outcome {
    let folder = cluster()?;
    folder.write("bare.csv", folder.read("comm.csv")?.replace("# hosts: a a a b b b\n", ""))?;
    let errors = folder.done("validate two.json bare.csv --format json")?;
    assert!(json(&errors)?["summary"][1]["links"] == "within", "{errors}");
    Ok(())
}
