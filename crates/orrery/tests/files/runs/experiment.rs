//! Experiments that Extra-P saves; `testdata/runs/experiments.py` made them by Extra-P and compares
//! them with what Extra-P reads.

use std::io::Write as _;

use flate2::Compression;
use flate2::write::DeflateEncoder;
use orrery::run::import::{ImportFormat, ImportOptions};

use super::{changed, content, import, options, refused, remarks, text};
use crate::table::assert_errors;

fn experiment(name: &str) -> Vec<u8> {
    content(&format!("experiments/{name}.extra-p"))
}

fn plain() -> ImportOptions {
    ImportOptions::default()
}

/// An archive of members with their names.
fn archive(members: &[(&str, &[u8])]) -> Vec<u8> {
    let (mut content, mut entries) = (Vec::new(), Vec::new());
    let pack = |numbers: &[u16]| numbers.iter().flat_map(|n| n.to_le_bytes()).collect::<Vec<_>>();
    let long = |number: usize| u32::try_from(number).unwrap().to_le_bytes();
    for (name, member) in members {
        let mut packed = DeflateEncoder::new(Vec::new(), Compression::best());
        packed.write_all(member).unwrap();
        let packed = packed.finish().unwrap();
        let (length, start) = (u16::try_from(name.len()).unwrap(), long(content.len()));
        let sizes = [long(packed.len()), long(member.len())].concat();
        let method = pack(&[20, 0, 8, 0, 0, 0, 0]);
        entries.extend([b"PK\x01\x02\x14\0", &method[..], &sizes].concat());
        entries.extend([pack(&[length, 0, 0, 0, 0, 0, 0]), start.to_vec()].concat());
        entries.extend(name.as_bytes());
        content.extend([b"PK\x03\x04", &method[..], &sizes, &pack(&[length, 0])].concat());
        content.extend([name.as_bytes(), &packed].concat());
    }
    let (start, count) = (long(content.len()), u16::try_from(members.len()).unwrap());
    let size = long(entries.len());
    content.extend(entries);
    content
        .extend([b"PK\x05\x06", &pack(&[0, 0, count, count])[..], &size, &start, &[0; 2]].concat());
    content
}

/// An experiment of one measurement, without values.
const SMALL: &str = r#"{"Extra-P": "4.2.5", "parameters": ["p"], "measurements": {"main": {"time": [{"coordinate": [4.0], "median": 1.1, "mean": 1.1, "minimum": 1.0, "maximum": 1.2, "std": 0.1, "repetitions": 2, "values": null}]}}}"#;

/// An archive with this text as experiment.
fn of_text(text: &str) -> Vec<u8> {
    archive(&[("experiment.json", text.as_bytes())])
}

/// An experiment whose measurement has an array of NumPy in this version of its format.
fn with_array(version: u8, description: &str, values: &[u8]) -> Vec<u8> {
    let head = format!("{{{description}, }}");
    let length = u32::try_from(head.len()).unwrap().to_le_bytes();
    let length = if version == 1 { &length[..2] } else { &length[..] };
    let array = [b"\x93NUMPY", &[version, 0][..], length, head.as_bytes(), values].concat();
    let index = [b"Extra-P INDEX\0\0\0", &[1, 0, 0, 0, 0, 0, 0, 0][..], &[0; 8]].concat();
    archive(&[
        ("values/0.vals", &array),
        ("values/0.indx", &index),
        ("experiment.json", SMALL.replace("null", "[0, 0]").as_bytes()),
    ])
}

#[test]
fn values_are_those_of_extrap() {
    let expected = text("experiments/expected.csv");
    let rows: Vec<Vec<&str>> =
        expected.lines().skip(1).map(|line| line.split(',').collect()).collect();
    assert_eq!(rows.len(), 78);
    for of_file in rows.chunk_by(|a, b| a[0] == b[0]) {
        let name = of_file[0][0].trim_end_matches(".extra-p");
        let imported = import(&experiment(name), plain());
        let mut found: Vec<String> = Vec::new();
        for run in &imported.runs.runs {
            let variables = ["p", "n"].iter().filter_map(|name| run.variable(name));
            let point: Vec<String> = variables.map(|value| value.to_string()).collect();
            let (region, metric) = (&run.region, &run.labels["metric"]);
            // Values that follow from statistics are so up to their last digits.
            let seconds = format!("{:.12}", run.seconds.get());
            found.push(format!("\"{region}\",{metric},{},{seconds}", point.join(" ")));
        }
        let mut wanted: Vec<String> = of_file
            .iter()
            .map(|row| (row, row[4].parse::<f64>().unwrap()))
            .filter(|(_, seconds)| *seconds > 0.0)
            .map(|(row, seconds)| format!("{},{},{},{seconds:.12}", row[1], row[2], row[3]))
            .collect();
        found.sort();
        wanted.sort();
        assert_eq!(found, wanted, "{name}");
    }
    for name in ["values", "statistics"] {
        assert_eq!(
            remarks(&import(&experiment(name), plain())),
            ["f: 2 times of 0 s or less of main->exchange time are left out; a time is above 0"]
        );
    }
}

/// The same runs as of the text from which Extra-P made the experiment.
#[test]
fn an_experiment_is_as_its_source() {
    let mut of_text = import(&text("extrap.txt"), options("processes=p")).runs.runs;
    of_text.iter_mut().for_each(|run| run.origin = "f".into());
    assert_eq!(import(&experiment("values"), options("processes=p")).runs.runs, of_text);
}

#[test]
fn of_many_repetitions_and_of_threads_the_median_counts() {
    let seconds = |text: &str| {
        let runs = import(&of_text(text), plain()).runs.runs;
        runs.iter().map(|run| run.seconds.get()).collect::<Vec<_>>()
    };
    assert_eq!(seconds(SMALL), [1.0, 1.2]);
    assert_eq!(seconds(&SMALL.replace(": 2,", ": 6,")), [1.1]);
    assert_eq!(seconds(&SMALL.replace(": 2,", ": null,")), [1.1]);
    assert_eq!(seconds(&SMALL.replace("\"repetitions\": 2, ", "")), [1.1], "as Extra-P 4.0");
    assert_eq!(
        seconds(&SMALL.replace("\"parameters", "\"scaling\": \"weak\", \"parameters")),
        [1.1]
    );
    let unknown = SMALL.replace("\"median\": 1.1", "\"median\": \"nan\"").replace(": 2,", ": 9,");
    assert_eq!(
        remarks(&import(&of_text(&unknown), plain())),
        ["f: 1 of the times of main time are no numbers: left out"]
    );
}

#[test]
fn faults_name_their_place() {
    let error = |text: &str| refused(&of_text(text), plain());
    let table = r#"
"p"] => "p", "p"] => f: parameters[1]: parameter "p" occurs twice
[4.0] => [4.0, 2] => f: measurements.main.time[0].coordinate: "[4.0, 2]" is not a point of 1
    parameters
[4.0] => ["x"] => f: measurements.main.time[0].coordinate[0]: this is "x", but a finite number
"median": 1.1, =>  => f: measurements.main.time[0]: there is no key "median"
"mean": 1.1 => "mean": "one" => f: measurements.main.time[0].mean: this is "one", but a number in
    seconds
: 2, => : -2, => f: measurements.main.time[0].repetitions: this is -2
null => [0] => f: measurements.main.time[0].values: this is an array
null => [0, 0] => f: the experiment has no values/0.vals
"measurements" => "models" => f: experiment.json: there is no key "measurements"
{"main" => [{"main" => f: measurements
"#;
    assert_errors(SMALL, table, error);
    let error = error("{\"measurements\": {}}");
    assert_eq!(error, "f: no run is found; give a file with times of regions");
    for (from, to, part) in [
        (&b"Extra-P INDEX"[..], &b"Extra-P INDEY"[..], "values/0.indx is damaged"),
        (b"<f8", b"<c8", "values/0.vals is damaged"),
        (b"NUMPY", b"NUMPX", "values/0.vals is damaged"),
        (b"(2,)", b"(-2)", "values/0.vals is damaged"),
        (b"PK\x01\x02", b"PK\x01\x03", "this is not a whole experiment of Extra-P"),
    ] {
        let error = refused(&changed(experiment("values"), from, to), plain());
        assert!(error.starts_with("f: ") && error.contains(part), "{part:?} is not in {error}");
    }
    let short = with_array(1, "'descr': '<f8', 'fortran_order': False, 'shape': (2,)", &[0; 15]);
    assert!(refused(&short, plain()).contains("values/0.vals is damaged"));
}

/// Arrays of other types and orders, as NumPy writes them.
#[test]
fn arrays_have_types_and_orders() {
    let run = |description: &str, values: &[u8]| {
        // Versions 1 and 2 differ in the length of the description.
        let [first, second] = [1, 2].map(|version| {
            let runs = import(&with_array(version, description, values), plain()).runs.runs;
            runs.iter().map(|run| run.seconds.get()).collect::<Vec<_>>()
        });
        assert_eq!(first, second);
        first
    };
    let four = |order: &str, shape: &str| {
        run(
            &format!("'descr': '<f4', 'fortran_order': {order}, 'shape': ({shape})"),
            &[1.0_f32, 2.0, 3.0, 4.0].map(f32::to_le_bytes).concat(),
        )
    };
    assert_eq!(four("False", "4,"), [1.0, 2.0, 3.0, 4.0]);
    assert_eq!(four("False", "2, 2"), [2.0, 4.0], "the slowest thread of each repetition");
    assert_eq!(four("True", "2, 2"), [3.0, 4.0]);
    assert_eq!(four("False", "1, 2, 2"), [4.0]);
    assert_eq!(four("False", ""), [1.0], "one number");
    let whole = [7_i64, 9].map(i64::to_le_bytes).concat();
    assert_eq!(run("'descr': '<i8', 'fortran_order': False, 'shape': (2,)", &whole), [7.0, 9.0]);
}

#[test]
fn damaged_experiments_are_errors() {
    for name in ["values", "statistics"] {
        let whole = experiment(name);
        let named = || ImportOptions { format: Some(ImportFormat::ExtrapExperiment), ..plain() };
        for end in (0..whole.len()).step_by(7) {
            let error = refused(&whole[..end], named());
            assert!(error.starts_with("f: this is not a whole experiment"), "{end}: {error}");
        }
        for place in (0..whole.len()).step_by(3) {
            let mut damaged = whole.clone();
            damaged[place] ^= 1 << (place % 8);
            let mut importer = orrery::run::import::Importer::new(named());
            // Some changes are of values.
            let _ = importer.add(&damaged, "f");
        }
    }
    let error = refused(
        b"n,time\n1,2\n",
        ImportOptions { format: Some(ImportFormat::ExtrapExperiment), ..plain() },
    );
    assert!(error.starts_with("f: this is not a whole experiment of Extra-P"), "{error}");
}

#[test]
fn hostile_experiments_need_little_memory() {
    let error = refused(&of_text(&" ".repeat(1 << 25)), plain());
    assert!(error.starts_with("f: experiment.json expands to more than"), "{error}");
    // Many measurements refer to one long array, or have long names.
    let all = |count: usize, region: &str, values: &str| {
        let measurement = SMALL[SMALL.find("{\"coordinate").unwrap()..SMALL.len() - 4].to_owned();
        let all = vec![measurement.replace("null", values); count].join(",");
        format!("{{\"parameters\":[\"p\"],\"measurements\":{{\"{region}\":{{\"time\":[{all}]}}}}}}")
    };
    let index = [&b"Extra-P INDEX\0\0\0"[..], &[1, 0, 0, 0, 0, 0, 0, 0], &[0; 8]].concat();
    let values = vec![0_u8; 400_000];
    let head =
        b"\x93NUMPY\x01\0\x3f\0{'descr': '<f8', 'fortran_order': False, 'shape': (1, 50000), }";
    let content = archive(&[
        ("experiment.json", all(1000, "main", "[0, 0]").as_bytes()),
        ("values/0.indx", &index),
        ("values/0.vals", &[&head[..], &values].concat()),
    ]);
    let error = refused(&content, plain());
    assert!(error.contains("values/0.vals expands to more than"), "{error}");
    let error = refused(&of_text(&all(4000, &"x".repeat(10_000), "null")), plain());
    assert!(error.contains("the list of measurements expands to more than"), "{error}");
}
