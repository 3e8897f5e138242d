//! Schemes measured by worker processes of this host, and on two simulated hosts with several
//! processors each.

mod common;

use common::{Folder, Outcome};

const THREE: &str =
    "a: 0 -> 1 1M\nb: 0 -> 2 1M\nc: 2 -> 1 1M\nlate: 1 -> 0 1M after 1ms\nagain: 0 -> 1 1M";

#[test]
fn worker_processes_measure_a_scheme_and_go_on_with_it() -> Outcome {
    let folder = Folder::new()?;
    folder.write("three", THREE)?;
    for completion in ["answered", "sent"] {
        let command = format!(
            "measure scheme three --machine local:3 -o {completion}.csv --completion {completion} \
                --max-reps 5 --format csv"
        );
        let first = folder.done(&command)?;
        assert_eq!(first.lines().count(), 6, "{first}");
        // Everything is there: nothing is measured again.
        assert_eq!(folder.done(&format!("{command} --resume"))?, first);
        let more = folder.done(&format!("{command} --resume --new-launch"))?;
        assert!(more.lines().skip(1).all(|line| line.split(',').nth(5) == Some("10")), "{more}");
    }
    let output = folder.run("measure scheme three --machine local:3 -o sent.csv --resume")?;
    let stderr = String::from_utf8(output.stderr)?;
    assert!(
        stderr.contains("sent.csv: its messages are measured with --completion sent"),
        "{stderr}"
    );
    Ok(())
}

#[test]
fn processors_of_a_host_are_one_node() -> Outcome {
    let folder = Folder::new()?;
    folder.write("hosts.json", include_str!("../../../examples/two-hosts.json"))?;
    folder.write("there", "0 -> 1 x2")?;
    let machine = "--machine sim:hosts.json,sharing=gige";
    let output = folder.run(&format!("measure scheme there {machine} -o t.csv"))?;
    assert!(String::from_utf8(output.stderr)?.contains("no parameters of gige"));
    let by_hosts = folder.done(
        "measure scheme there --machine sim:hosts.json,sharing=maxmin -o t.csv --format csv",
    )?;
    assert!(folder.read("t.csv")?.contains("\n# nodes: hosts\n"));
    // Two messages between the same two hosts share the way; the two processors of one host do not
    // go over the network.
    let penalties = |table: &str| -> Vec<f64> {
        table.lines().skip(1).filter_map(|line| line.split(',').nth(10)?.parse().ok()).collect()
    };
    assert!(penalties(&by_hosts).iter().all(|penalty| (penalty - 2.0).abs() < 0.2), "{by_hosts}");
    let command = "measure scheme there --machine sim:hosts.json,sharing=maxmin -o p.csv --nodes \
        processors --format csv";
    let within = folder.done(command)?;
    assert!(penalties(&within).iter().all(|penalty| (penalty - 1.0).abs() < 1e-9), "{within}");
    Ok(())
}
