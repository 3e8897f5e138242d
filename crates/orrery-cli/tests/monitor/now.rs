//! Predictions that ask the service for the present load.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::time::{SystemTime, UNIX_EPOCH};

use crate::http::samples;
use crate::process::Serving;

fn orrery(folder: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_orrery"))
        .args(arguments)
        .current_dir(folder)
        .output()
        .expect("the command runs")
}

/// The standard output of a command that succeeds.
fn text(output: &Output) -> String {
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{errors}");
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// The time of the only prediction in seconds, and the ends of its interval.
fn seconds(csv: &str) -> [f64; 3] {
    let mut lines = csv.lines().map(|line| line.split(',').collect::<Vec<_>>());
    let (names, values) = (lines.next().expect("names"), lines.next().expect("a prediction"));
    ["seconds", "low", "high"].map(|name| {
        let place = names.iter().position(|one| *one == name).expect("a column");
        values[place].parse().expect("a number")
    })
}

const QUESTION: [&str; 11] =
    ["predict", "dgemm", "kernels.json", "--m", "1000", "--n", "1000", "--k", "512", "--host", "a"];

/// A folder with a model of the kernels of hosts a and b.
fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    let readings: PathBuf =
        [env!("CARGO_MANIFEST_DIR"), "..", "..", "examples", "kernels.csv"].iter().collect();
    let readings = readings.display().to_string();
    text(&orrery(folder.path(), &["fit", &readings, "-o", "kernels.json", "--quiet"]));
    folder
}

#[test]
fn predictions_ask_the_service() {
    let folder = folder();
    let service = Serving::start_with(folder.path(), &["--model", "kernels.json"]);
    let url = format!("http://{}", service.address);
    let ask = |more: &[&str]| {
        orrery(folder.path(), &[&QUESTION[..], &["--format", "csv"], more].concat())
    };
    let unknown = ask(&["--now", &url]);
    assert_eq!(unknown.status.code(), Some(1));
    assert!(
        String::from_utf8_lossy(&unknown.stderr)
            .contains("none of the hosts of kernels.json has a load")
    );

    // Availabilities that alternate around one half.
    let now =
        SystemTime::now().duration_since(UNIX_EPOCH).expect("after 1970").as_secs_f64().floor();
    let part = |k: u32| if k.is_multiple_of(2) { 0.45 } else { 0.55 };
    let body = samples((0..200).map(|k| ("a/availability", now - f64::from(199 - k), part(k))));
    assert_eq!(service.client().post("/v1/samples", &body).expect("an answer").status, 200);
    let [idle, ..] = seconds(&text(&ask(&[])));
    let [loaded, low, high] = seconds(&text(&ask(&["--now", &url])));
    assert!((1.8..=2.25).contains(&(loaded / idle)), "{loaded} {idle}");
    assert!(low < loaded && loaded < high);

    // The answer of the service is a file for --now, and its own answer is the same.
    let answer = service.client().get("/v1/conditions").expect("an answer").body;
    std::fs::write(folder.path().join("now.json"), answer).expect("a file");
    let [repeated, ..] = seconds(&text(&ask(&["--now", "now.json"])));
    assert!((repeated - loaded).abs() < 1e-12, "{repeated} {loaded}");
    let asked = service
        .client()
        .get("/v1/kernel?kernel=dgemm&m=1000&n=1000&k=512&host=a")
        .expect("an answer")
        .body;
    assert!(asked.contains(&format!("\"seconds\":{loaded}")), "{asked} {loaded}");
}

#[test]
fn services_that_do_not_answer_are_named() {
    let folder = folder();
    for (url, word) in [
        ("http://127.0.0.1:1", "check that the service runs"),
        ("http://user:secret@127.0.0.1:1", "the address has a user name"),
        ("https://[", "http"),
    ] {
        let output = orrery(folder.path(), &[&QUESTION[..], &["--now", url]].concat());
        let errors = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(1), "{errors}");
        assert!(errors.contains(word) && !errors.contains("secret"), "{url}: {errors}");
    }
}
