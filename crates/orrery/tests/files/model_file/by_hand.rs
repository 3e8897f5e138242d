//! A model file written by hand, and the errors of invalid variants of it.

use orrery::comm::{Hockney, Lmo};
use orrery::file::FileError;
use orrery::model::file::{parse, read, to_text};
use orrery::model::{Model, ModelKind};
use orrery::numeric::Estimate;
use orrery::sample::Provenance;
use orrery::units::Bytes;

use super::{GOOD, assert_rejected, interval, schema};

#[test]
fn a_model_by_hand_is_read() {
    let loaded = parse(GOOD, "m.json").unwrap();
    let model = loaded.model;
    assert_eq!(loaded.warnings, []);
    assert_eq!(model.hosts, ["a", "", "b"]);
    assert_eq!(model.measured, Some((Bytes::new(0), Bytes::new(65536))));
    assert_eq!(model.provenance, Provenance::new().with("author", "me"));
    assert_eq!(model.kinds(), [ModelKind::Hockney, ModelKind::HockneyMean, ModelKind::Lmo]);
    let hockney = model.get::<Hockney>(ModelKind::Hockney).unwrap();
    let latency =
        [interval(1e-5, 5e-6, 2e-5, 0.9), Estimate::exact(2e-5), interval(3e-5, 1e-5, 4e-5, 0.9)];
    assert_eq!(hockney.latency.values(), latency);
    assert_eq!(
        hockney.byte_delay.values()[2],
        Estimate { samples: Some(30), ..Estimate::exact(6e-8) }
    );
    assert_eq!(hockney.mean_latency, Estimate::exact((1e-5 + 2e-5 + 3e-5) / 3.0));
    assert_eq!(
        model.get::<Lmo>(ModelKind::Lmo).unwrap().byte_delay,
        vec![Estimate::exact(1e-9); 3]
    );
    assert!(schema().is_valid(&serde_json::from_str(GOOD).unwrap()));

    let text = to_text(&model).unwrap();
    assert_eq!(parse(&text, "m.json").unwrap().model, model);
    assert!(text.contains("\n        \"low\": [5e-6, null, 0.00001],\n"), "{text}");
    assert!(text.contains("\n        \"level\": 0.9\n"), "{text}");
    assert!(text.contains("\n        \"samples\": [10, null, 30]\n"), "{text}");
    assert!(text.contains("\n    {\"rank\": 1},\n    {\"rank\": 2, \"host\": \"b\"}\n"), "{text}");
}

#[test]
fn the_number_of_processors_follows_from_the_arrays() {
    let without = GOOD.replace(
        r#""processors": [{"rank": 0, "host": "a"}, {"rank": 2, "host": "b"}, {"rank": 1}],"#,
        "",
    );
    assert_eq!(parse(&without, "m").unwrap().model.hosts, ["", "", ""]);
    let start = without.find("    \"lmo\"").unwrap();
    let hockney_alone = format!("{}}}}}", without[..start].trim_end().trim_end_matches(','));
    assert_eq!(parse(&hockney_alone, "m").unwrap().model.processors(), 3);
    let error = parse(hockney_alone.replace(", 3e-5]", "]"), "m").unwrap_err().to_string();
    assert!(
        error.contains(
            "models.hockney.latency.value: the array has 2 entries, but n processors \
            have n(n−1)/2 pairs"
        ),
        "{error}"
    );
}

#[test]
fn unknown_models_and_keys_are_reported() {
    let more = GOOD.replace(r#""models": {"#, r#""author": 1, "models": {"hokney": {}, "#);
    let more = more.replace(r#""samples""#, r#""sample""#);
    let loaded = parse(&more, "m.json").unwrap();
    let words: Vec<_> = loaded.warnings.iter().map(ToString::to_string).collect();
    assert_eq!(
        words,
        [
            "m.json: author: unknown key, ignored; keys here are format, version, provenance, \
                measurements, discrepancies, corrections, kernels, host_memory and 2 more: check the \
                spelling",
            "m.json: models.hokney: unknown model, ignored; did you mean \"hockney\"? models are \
                hockney, lom, ports, hlmo, logp, loggp, lmo, plogp and 4 more: check the spelling",
            "m.json: models.hockney.byte_delay.sample: unknown key, ignored; did you mean \
                \"samples\"? keys here are value, low, high, level, samples: check the spelling",
        ]
    );
    let nothing =
        parse(r#"{"format": "orrery-model", "version": 1, "models": {}}"#, "m.json").unwrap();
    let words: Vec<_> = nothing.warnings.iter().map(ToString::to_string).collect();
    assert_eq!(words, ["m.json: the file has no model that this version can use"]);
    assert_eq!(nothing.model, Model::default());
}

/// A replacement in [`GOOD`]; true if the schema rejects it; position and a part of the reader's
/// error.
const BROKEN: &str = r#"
orrery-model => hockney => true => 2:13: format: the format is "hockney"
"format": "orrery-model", =>  => true => 1:1: there is no key "format"
"version": 1 => "version": 2 => true => 3:14: version: the version is 2
"version": 1 => "version": "1" => true => 3:14: version: this is "1", but 1
"version": 1, =>  => true => 1:1: there is no key "version"
"models" => "model" => true => 1:1: there is no key "models"
"me" => 7 => true => 4:28: provenance.author: this is 7, but a string
: 65536 => : -1 => true => 4:78: provenance.measured_largest: this is -1, but a size
, "measured_largest": 65536 =>  => true => 4:17: provenance: there is no key "measured_largest"
_smallest": 0 => _smallest": 70000 => false => 4:17: provenance: the measured range ends at 65536
"rank": 2 => "rank": 0 => false => 5:53: processors[1].rank: rank 0 is listed twice
"rank": 2 => "rank": 3 => false => 5:53: processors[1].rank: there is no rank 3
"rank": 2 => "rank": -2 => true => 5:53: processors[1].rank: this is -2
{"rank": 1} => {} => true => 5:70: processors[2]: there is no key "rank"
{"rank": 1} => 1 => true => 5:70: processors[2]: this is 1, but a processor
[1e-5, 2e-5, 3e-5], "low" => [1e-5, 2e-5], "low" => false => 8:28: models.hockney.latency.value: the
    array has 2
[10, null, 30] => [10, null, 30, 40] => false => 9:62: models.hockney.byte_delay.samples: the array
    has 4
[10, null, 30] => [10, 1.5, 30] => true => 9:67: models.hockney.byte_delay.samples[1]: this is 1.5
6e-8 => -6e-8 => true => 9:44: models.hockney.byte_delay.value[2]: -6e-8 is negative
6e-8 => "6e-8" => true => 9:44: models.hockney.byte_delay.value[2]: this is "6e-8", but a finite
    number
6e-8 => 1e999 => true => 9:44: models.hockney.byte_delay.value[2]: this is 1e999, but a finite
    number
6e-8 => NaN => true => 9:44: models.hockney.byte_delay.value[2]: expected value; correct the JSON
6e-8 => null => true => 9:44: models.hockney.byte_delay.value[2]: this is null
[5e-6, => [5e-5, => false => 8:29: models.hockney.latency.value[0]: the value 1e-5 lies outside
4e-5], "level" => 2e-5], "level" => false => 8:41: models.hockney.latency.value[2]: the value 3e-5
    lies outside
[5e-6, null, => [5e-6, 1e-6, => false => 8:62: models.hockney.latency.low[1]: an interval has
0.9} => 1} => true => 8:112: models.hockney.latency.level: the level 1.0 is not between
0.9} => 0} => true => 8:112: models.hockney.latency.level: the level 0.0 is not between
, "level": 0.9 =>  => true => 8:56: models.hockney.latency.low[0]: an interval has
{"value": 1e-9} => 1e-9 => true => 13:21: models.lmo.byte_delay: this is 1e-9, but an object
{"value": 1e-9} => {} => true => 13:21: models.lmo.byte_delay: there is no key "value"
"link_latency" => "latency" => true => 11:12: models.lmo: there is no key "link_latency"
"link_byte_delay" => "beta" => true => 11:12: models.lmo: there is no key "link_byte_delay"
"link_byte_delay" => "byte_delay" => true => 15:21: models.lmo.byte_delay: the key "byte_delay" is
    given twice
"lmo": { => "lmo": [], "x": { => true => 11:12: models.lmo: this is an array
  }\n}\n =>   }\n => true => 17:4: models: the file ends in the middle
"models" => "measurements": 3, "models" => true => 6:19: measurements: this is 3, but an object
"models" => "measurements": {"processors": -1}, "models" => true => 6:34: measurements.processors:
    this is -1, but a whole number
"models" => "measurements": {"launches": {"launches": 2, "between": -1, "expected": 0}}, "models" =>
    true => 6:59: measurements.launches.between: -1 is negative
"models" => "measurements": {"linear": [{"operation": "fling"}]}, "models" => true => 6:45:
    measurements.linear[0].operation: unknown
"models" => "discrepancies": {"lmo": {"concurrent": {"relative": -0.1, "degrees": 3}}}, "models" =>
    true => 6:56: discrepancies.lmo.concurrent.relative: -0.1 is negative
"models" => "discrepancies": {"lmu": {}}, "models" => false => 6:28: discrepancies.lmu: unknown kind
    of model
"lmo": { => "lmo": {"correlations": {"processors": [[0.5], [2]]}, => true => 11:44:
    models.lmo.correlations.processors: the array has 2 rows, but 3 are needed
"lmo": { => "lmo": {"correlations": {"processors": [[0.5], [2], [0]]}, => true => 11:53:
    models.lmo.correlations.processors[1][0]: 2 is no correlation
"lmo": { => "lmo": {"correlations": {"pairs": [[1], [1], [1]]}, => false => 11:40:
    models.lmo.correlations.pairs[0]: the array has 1 values, but 11 are needed
1e-8, 1e-8]} => 1e-8, 1e-8 => true => 16:5: models.lmo.link_byte_delay.value[2]: expected `,` or `]`
"#;

/// Corrections of an operation, which stand before the models in [`GOOD`].
const CORRECTIONS: &str = concat!(
    r#""corrections": {"lmo": {"bcast/binomial": {"spread": 0.02, "degrees": 5, "#,
    r#""procs": [3, 3], "roots": [0], "pieces": [{"sizes": [8, 64], "factor": 1.3, "#,
    r#""low": 1.2, "high": 1.4, "level": 0.95, "rows": 6, "error": 0.01}]}}}, "models""#,
);

/// The same in [`CORRECTIONS`].
const BROKEN_CORRECTIONS: &str = r#"
"lmo" => "lmu" => false => 6:26: corrections.lmu: unknown kind of model
bcast/binomial => bcast/bruck => false => 6:42: corrections.lmo.bcast/bruck: unknown algorithm
    "bcast/bruck"
"spread": 0.02 => "spread": -0.02 => true => 6:56: corrections.lmo.bcast/binomial.spread: -0.02 is
    not between 0 and 10
"factor": 1.3 => "factor": -1.3 => true => 6:147: corrections.lmo.bcast/binomial.pieces[0].factor:
    the factor is -1.3, but must be 1e-6 to 1e6
"factor": 1.3 => "factor": 1e300 => true => 6:147: corrections.lmo.bcast/binomial.pieces[0].factor:
    the factor is 1e300
"low": 1.2 => "low": 1.35 => false => 6:147: corrections.lmo.bcast/binomial.pieces[0].factor: the
    value 1.3 lies outside
[8, 64] => [64, 8] => false => 6:128: corrections.lmo.bcast/binomial.pieces[0].sizes: the range ends
    at 8
[8, 64] => [64] => true => 6:128: corrections.lmo.bcast/binomial.pieces[0].sizes: a range has 2
    numbers, not 1
"degrees": 5 => "degrees": 0 => true => 6:73: corrections.lmo.bcast/binomial.degrees: the number of
    degrees of freedom is 0
[3, 3] => [0, 3] => true => 6:85: corrections.lmo.bcast/binomial.procs: the least number of
    processors is 0
[0] => [1, 1] => false => 6:106: corrections.lmo.bcast/binomial.roots[1]: the roots must be in
, "error": 0.01 =>  => true => 6:118: corrections.lmo.bcast/binomial.pieces[0]: there is no key
{"sizes": [8, 64], "factor": 1.3, "low": 1.2, "high": 1.4, "level": 0.95, "rows": 6, "error": 0.01}
    =>  => true => 6:117: corrections.lmo.bcast/binomial.pieces: the array is empty, but a
    correction needs at least 1 piece
"#;

#[test]
fn invalid_models_are_rejected_with_their_path() {
    assert_rejected(GOOD, BROKEN);
    assert_rejected(&GOOD.replace("\"models\"", CORRECTIONS), BROKEN_CORRECTIONS);
}

#[test]
fn invalid_files_are_rejected() {
    let cases: &[(&[u8], &str)] = &[
        (b"", "m:1:1: the file is empty"),
        (b" \n", "m:1:1: the file is empty"),
        (b"\xff\xfe", "m:1:1: this does not look like a model file"),
        (b"{\n \"a\xff\"}", "m:2:4: the file is not UTF-8 text"),
        (b"# format: orrery-samples 1\n", "m:1:1: this looks like a samples file in place of a model file"),
        (b"[]", "m:1:1: this does not look like a model file"),
        (b"{} {}", "m:1:4: trailing characters"),
        (
            b"{\"format\":\"orrery-model\",\"version\":1,\"models\":{\"hockney\":{}}}",
            "m:1:47: models: the number of processors is missing",
        ),
        (
            b"{\"format\":\"orrery-model\",\"version\":1,\"processors\":[{\"rank\":0}],\"models\":{\"lmo\":{}}}",
            "m:1:80: models.lmo: the number of processors is 1, but communication models need 2 or \
                more",
        ),
    ];
    for (content, words) in cases {
        let error = parse(content, "m").unwrap_err().to_string();
        assert!(error.starts_with(words), "{error}\n{words}");
    }
    let error = read("/no/such/model.json").unwrap_err().to_string();
    assert!(error.starts_with("/no/such/model.json: cannot read the model file: "), "{error}");
}

#[test]
fn every_truncated_file_is_rejected() {
    for end in 1..GOOD.trim_end().len() {
        let error = parse(&GOOD[..end], "m").unwrap_err().to_string();
        assert!(error.contains("the file ends in the middle"), "{end}: {error}");
    }
}

#[test]
fn unreadable_values_are_not_written() {
    let good = parse(GOOD, "m").unwrap().model;
    let refused = |change: &dyn Fn(&mut Model), words: &str| {
        let mut model = good.clone();
        change(&mut model);
        let error = to_text(&model).unwrap_err();
        assert!(matches!(error, FileError::Write { .. }));
        assert!(
            error.to_string().starts_with(&format!("the model file cannot be written: {words}")),
            "{error}"
        );
    };
    let changed = |model: &mut Model, change: &dyn Fn(&mut Hockney)| {
        let mut hockney: Hockney = model.get(ModelKind::Hockney).unwrap();
        change(&mut hockney);
        model.set(ModelKind::Hockney, &hockney);
    };
    let latency = |model: &mut Model, estimate| {
        changed(model, &|hockney| hockney.latency.values_mut()[1] = estimate);
    };
    let place = "models.hockney.latency.value[1]: ";
    refused(
        &|m| latency(m, Estimate::exact(f64::NAN)),
        &format!("{place}NaN is not a finite number"),
    );
    refused(
        &|m| latency(m, interval(1.0, 0.0, f64::INFINITY, 0.9)),
        "models.hockney.latency.high[1]: inf is not a finite number",
    );
    refused(&|m| latency(m, Estimate::exact(-1.0)), &format!("{place}-1.0 is negative"));
    refused(
        &|m| latency(m, interval(1.0, 2.0, 3.0, 0.9)),
        &format!("{place}the value 1.0 lies outside"),
    );
    refused(
        &|m| latency(m, interval(1.0, 0.0, 3.0, 95.0)),
        "models.hockney.latency.level[1]: the level 95.0 is not",
    );
    refused(
        &|m| changed(m, &|hockney| hockney.mean_latency.value = -2.0),
        "models.hockney.mean.latency.value: -2.0",
    );
    refused(
        &|m| m.hosts.truncate(2),
        "models.hockney.latency: it has 3 values, but 2 processors need 1",
    );
    refused(
        &|m| m.set(ModelKind::Lmo, &Lmo { link_latency: None, ..m.get(ModelKind::Lmo).unwrap() }),
        "models.lmo: there is no key \"link_latency\"",
    );
    refused(
        &|m| m.set(ModelKind::Lom, &m.get::<Lmo>(ModelKind::Lmo).unwrap()),
        "models.lom.link_latency: it has 3 values",
    );
    refused(
        &|m| m.provenance.set("measured_largest", "7"),
        "provenance: the provenance cannot contain",
    );
    refused(
        &|m| m.measured = Some((Bytes::new(2), Bytes::new(1))),
        "provenance: the measured range ends at 1",
    );
}
