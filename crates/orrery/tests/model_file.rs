//! The model file: what is written is read back and fits the schema; what is broken is refused by both.

use std::fs;

use orrery::comm::plogp::Curve;
use orrery::comm::{Hlmo, Hockney, Lmo, LogGp, PLogP};
use orrery::model::file::{ModelError, Warning, check, parse, read, to_text, write};
use orrery::model::{Model, ModelKind};
use orrery::numeric::{Estimate, Interval};
use orrery::platform::{Pairs, PerPair};
use orrery::sample::Provenance;
use orrery::sharing::{Gige, Infiniband};
use orrery::units::Bytes;
use proptest::prelude::*;
use serde_json::Value;

const SCHEMA: &str = include_str!("../../../docs/model.schema.json");

/// A model of three processors by hand; the tests below break it.
const GOOD: &str = r#"{
  "format": "orrery-model",
  "version": 1,
  "provenance": {"author": "me", "measured_smallest": 0, "measured_largest": 65536},
  "processors": [{"rank": 0, "host": "a"}, {"rank": 2, "host": "b"}, {"rank": 1}],
  "models": {
    "hockney": {
      "latency": {"value": [1e-5, 2e-5, 3e-5], "low": [5e-6, null, 1e-5], "high": [2e-5, null, 4e-5], "level": 0.9},
      "byte_delay": {"value": [1e-8, 2e-8, 6e-8], "samples": [10, null, 30]}
    },
    "lmo": {
      "fixed_delay": {"value": [1e-5, 2e-5, 3e-5]},
      "byte_delay": {"value": 1e-9},
      "link_latency": {"value": [0, 0, 4e-5]},
      "link_byte_delay": {"value": [1e-8, 1e-8, 1e-8]}
    }
  }
}
"#;

fn schema() -> jsonschema::Validator {
    jsonschema::validator_for(&serde_json::from_str(SCHEMA).unwrap()).unwrap()
}

fn interval(value: f64, low: f64, high: f64, level: f64) -> Estimate {
    Estimate { interval: Some(Interval { low, high, level }), ..Estimate::exact(value) }
}

#[test]
fn a_model_by_hand_is_read() {
    let loaded = parse(GOOD, "m.json").unwrap();
    let model = loaded.model;
    assert_eq!(loaded.warnings, []);
    assert_eq!(model.hosts, ["a", "", "b"]);
    assert_eq!(model.measured, Some((Bytes::new(0), Bytes::new(65536))));
    assert_eq!(model.provenance, Provenance::new().with("author", "me"));
    assert_eq!(model.kinds(), [ModelKind::Hockney, ModelKind::HockneyMean, ModelKind::Lmo]);
    let hockney = model.hockney.as_ref().unwrap();
    let latency = [interval(1e-5, 5e-6, 2e-5, 0.9), Estimate::exact(2e-5), interval(3e-5, 1e-5, 4e-5, 0.9)];
    assert_eq!(hockney.latency.values(), latency);
    assert_eq!(hockney.byte_delay.values()[2], Estimate { samples: Some(30), ..Estimate::exact(6e-8) });
    assert_eq!(hockney.mean_latency, Estimate::exact((1e-5 + 2e-5 + 3e-5) / 3.0));
    assert_eq!(model.lmo.as_ref().unwrap().byte_delay, vec![Estimate::exact(1e-9); 3]);
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
    let without =
        GOOD.replace(r#""processors": [{"rank": 0, "host": "a"}, {"rank": 2, "host": "b"}, {"rank": 1}],"#, "");
    assert_eq!(parse(&without, "m").unwrap().model.hosts, ["", "", ""]);
    let start = without.find("    \"lmo\"").unwrap();
    let hockney_alone = format!("{}}}}}", without[..start].trim_end().trim_end_matches(','));
    assert_eq!(parse(&hockney_alone, "m").unwrap().model.processors(), 3);
    let error = parse(hockney_alone.replace(", 3e-5]", "]"), "m").unwrap_err().to_string();
    assert!(
        error.contains("models.hockney.latency.value: the array has 2 entries, which is n(n−1)/2 for no"),
        "{error}"
    );
}

#[test]
fn what_is_not_known_is_told() {
    let more = GOOD.replace(r#""models": {"#, r#""author": 1, "models": {"hokney": {}, "#);
    let more = more.replace(r#""samples""#, r#""sample""#);
    let loaded = parse(&more, "m.json").unwrap();
    let words: Vec<_> = loaded.warnings.iter().map(ToString::to_string).collect();
    assert_eq!(
        words,
        [
            "m.json: author: this key is not read; known are format, version, provenance, processors, models here: is \
             it misspelt?",
            "m.json: models.hokney: this model is not read; known are hockney, lom, lmo, hlmo, logp, loggp, plogp, thresholds, \
             sharing and application: is it misspelt?",
            "m.json: models.hockney.byte_delay.sample: this key is not read; known are value, low, high, level, samples \
             here: is it misspelt?",
        ]
    );
    let nothing = parse(r#"{"format": "orrery-model", "version": 1, "models": {}}"#, "m.json").unwrap();
    assert_eq!(nothing.warnings, [Warning::NoModel { path: "m.json".into() }]);
    assert_eq!(nothing.model, Model::default());
}

/// What is replaced by what in [`GOOD`]; whether the schema can tell; place and words of the reader's error.
const BROKEN: &[(&str, &str, bool, &str)] = &[
    ("orrery-model", "hockney", true, "2:13: format: the format is \"hockney\""),
    ("\"format\": \"orrery-model\",", "", true, "1:1: there is no key \"format\""),
    ("\"version\": 1", "\"version\": 2", true, "3:14: version: the version is 2"),
    ("\"version\": 1", "\"version\": \"1\"", true, "3:14: version: this is \"1\", but 1"),
    ("\"version\": 1,", "", true, "1:1: there is no key \"version\""),
    ("\"models\"", "\"model\"", true, "1:1: there is no key \"models\""),
    ("\"me\"", "7", true, "4:28: provenance.author: this is 7, but a string"),
    (": 65536", ": -1", true, "4:78: provenance.measured_largest: this is -1, but a size"),
    (", \"measured_largest\": 65536", "", true, "4:17: provenance: there is no key \"measured_largest\""),
    ("_smallest\": 0", "_smallest\": 70000", false, "4:17: provenance: the measured range ends at 65536"),
    ("\"rank\": 2", "\"rank\": 0", false, "5:53: processors[1].rank: rank 0 is listed twice"),
    ("\"rank\": 2", "\"rank\": 3", false, "5:53: processors[1].rank: rank 3 does not fit"),
    ("\"rank\": 2", "\"rank\": -2", true, "5:53: processors[1].rank: this is -2"),
    ("{\"rank\": 1}", "{}", true, "5:70: processors[2]: there is no key \"rank\""),
    ("{\"rank\": 1}", "1", true, "5:70: processors[2]: this is 1, but a processor"),
    (
        "[1e-5, 2e-5, 3e-5], \"low\"",
        "[1e-5, 2e-5], \"low\"",
        false,
        "8:28: models.hockney.latency.value: the array has 2",
    ),
    ("[10, null, 30]", "[10, null, 30, 40]", false, "9:62: models.hockney.byte_delay.samples: the array has 4"),
    ("[10, null, 30]", "[10, 1.5, 30]", true, "9:67: models.hockney.byte_delay.samples[1]: this is 1.5"),
    ("6e-8", "-6e-8", true, "9:44: models.hockney.byte_delay.value[2]: -6e-8 is negative"),
    ("6e-8", "\"6e-8\"", true, "9:44: models.hockney.byte_delay.value[2]: this is \"6e-8\", but a finite number"),
    ("6e-8", "1e999", true, "9:44: models.hockney.byte_delay.value[2]: this is 1e999, but a finite number"),
    ("6e-8", "NaN", true, "9:44: models.hockney.byte_delay.value[2]: expected value; correct the JSON"),
    ("6e-8", "null", true, "9:44: models.hockney.byte_delay.value[2]: this is null"),
    ("[5e-6,", "[5e-5,", false, "8:29: models.hockney.latency.value[0]: the value 1e-5 lies outside"),
    (
        "4e-5], \"level\"",
        "2e-5], \"level\"",
        false,
        "8:41: models.hockney.latency.value[2]: the value 3e-5 lies outside",
    ),
    ("[5e-6, null,", "[5e-6, 1e-6,", false, "8:62: models.hockney.latency.low[1]: an interval has"),
    ("0.9}", "1}", true, "8:112: models.hockney.latency.level: the level 1.0 is not between"),
    ("0.9}", "0}", true, "8:112: models.hockney.latency.level: the level 0.0 is not between"),
    (", \"level\": 0.9", "", true, "8:56: models.hockney.latency.low[0]: an interval has"),
    ("{\"value\": 1e-9}", "1e-9", true, "13:21: models.lmo.byte_delay: this is 1e-9, but an object"),
    ("{\"value\": 1e-9}", "{}", true, "13:21: models.lmo.byte_delay: there is no key \"value\""),
    ("\"link_latency\"", "\"latency\"", true, "11:12: models.lmo: there is no key \"link_latency\""),
    ("\"link_byte_delay\"", "\"beta\"", true, "11:12: models.lmo: there is no key \"link_byte_delay\""),
    (
        "\"link_byte_delay\"",
        "\"byte_delay\"",
        true,
        "15:21: models.lmo.byte_delay: the key \"byte_delay\" is given twice",
    ),
    ("\"lmo\": {", "\"lmo\": [], \"x\": {", true, "11:12: models.lmo: this is an array"),
    ("  }\n}\n", "  }\n", true, "17:4: models: the file ends in the middle"),
    ("1e-8, 1e-8]}", "1e-8, 1e-8", true, "16:5: models.lmo.link_byte_delay.value[2]: expected `,` or `]`"),
];

#[test]
fn broken_models_are_refused_with_their_place() {
    let schema = schema();
    for (find, replace, by_schema, words) in BROKEN {
        assert!(GOOD.contains(find), "{find}");
        let bad = GOOD.replacen(find, replace, 1);
        let error = parse(&bad, "m.json").expect_err(words).to_string();
        assert!(error.starts_with(&format!("m.json:{words}")), "\n{error}\n{words}");
        let valid = serde_json::from_str::<Value>(&bad).is_ok_and(|bad| schema.is_valid(&bad));
        assert_eq!(valid, !by_schema, "schema: {find} → {replace}");
    }
}

#[test]
fn broken_files_are_refused() {
    let cases: &[(&[u8], &str)] = &[
        (b"", "m:1:1: the file is empty"),
        (b" \n", "m:1:1: the file is empty"),
        (b"\xff\xfe", "m:1:1: this is not text"),
        (b"{\n \"a\xff\"}", "m:2:4: this is not text"),
        (b"# format: orrery-samples 1\n", "m:1:1: this is a samples file"),
        (b"[]", "m:1:1: this is an array, but an object"),
        (b"{} {}", "m:1:4: trailing characters"),
        (
            b"{\"format\":\"orrery-model\",\"version\":1,\"models\":{\"hockney\":{}}}",
            "m:1:47: models: nothing tells how many",
        ),
        (
            b"{\"format\":\"orrery-model\",\"version\":1,\"processors\":[{\"rank\":0}],\"models\":{\"lmo\":{}}}",
            "m:1:80: models.lmo: communication models need two processors or more, but there is 1",
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
fn every_beginning_of_a_file_is_refused_as_torn() {
    for end in 1..GOOD.trim_end().len() {
        let error = parse(&GOOD[..end], "m").unwrap_err().to_string();
        assert!(error.contains("the file ends in the middle"), "{end}: {error}");
    }
}

#[test]
fn what_cannot_be_read_is_not_written() {
    let good = parse(GOOD, "m").unwrap().model;
    let refused = |change: &dyn Fn(&mut Model), words: &str| {
        let mut model = good.clone();
        change(&mut model);
        let error = to_text(&model).unwrap_err();
        assert!(matches!(error, ModelError::Write { .. }));
        assert!(error.to_string().starts_with(&format!("the model cannot be written: {words}")), "{error}");
    };
    let latency = |model: &mut Model, estimate| model.hockney.as_mut().unwrap().latency.values_mut()[1] = estimate;
    let place = "models.hockney.latency.value[1]: ";
    refused(&|m| latency(m, Estimate::exact(f64::NAN)), &format!("{place}NaN is no finite number"));
    refused(&|m| latency(m, interval(1.0, 0.0, f64::INFINITY, 0.9)), &format!("{place}inf is no finite number"));
    refused(&|m| latency(m, Estimate::exact(-1.0)), &format!("{place}-1.0 is negative"));
    refused(&|m| latency(m, interval(1.0, 2.0, 3.0, 0.9)), &format!("{place}the value 1.0 lies outside"));
    refused(&|m| latency(m, interval(1.0, 0.0, 3.0, 95.0)), &format!("{place}the level 95.0 is not"));
    refused(&|m| m.hockney.as_mut().unwrap().mean_latency.value = -2.0, "models.hockney.mean.latency.value: -2.0");
    refused(&|m| m.hosts.truncate(2), "models.hockney.latency: it has 3 values, but 2 processors need 1");
    refused(&|m| m.lmo.as_mut().unwrap().link_latency = None, "models.lmo: there is no key \"link_latency\"");
    refused(&|m| m.lom = m.lmo.clone(), "models.lom.link_latency: it has 3 values");
    refused(&|m| m.provenance.set("measured_largest", "7"), "provenance: the provenance cannot hold");
    refused(&|m| m.measured = Some((Bytes::new(2), Bytes::new(1))), "provenance: the measured range ends at 1");
}

#[test]
fn a_file_is_replaced_as_a_whole() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("model.json");
    let model = parse(GOOD, "m").unwrap().model;
    write(&path, &Model::default()).unwrap();
    write(&path, &model).unwrap();
    assert_eq!(read(&path).unwrap().model, model);
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1, "nothing is left beside the file");
    let mut bad = model.clone();
    bad.measured = Some((Bytes::new(2), Bytes::new(1)));
    write(&path, &bad).unwrap_err();
    assert_eq!(read(&path).unwrap().model, model);

    let summary = check(&path).unwrap();
    assert_eq!((summary.processors, summary.parameters, summary.with_interval), (3, 20, 2));
    assert_eq!((summary.kinds, summary.warnings), (model.kinds(), vec![]));

    let error = write(folder.path().join("no/model.json"), &model).unwrap_err().to_string();
    assert!(error.contains("no/model.json: cannot write the model file: "), "{error}");
}

#[cfg(unix)]
#[test]
fn links_and_devices_stay_what_they_are() {
    let folder = tempfile::tempdir().unwrap();
    let (target, link) = (folder.path().join("real.json"), folder.path().join("link.json"));
    fs::write(&target, "old").unwrap();
    std::os::unix::fs::symlink(&target, &link).unwrap();
    write(&link, &Model::default()).unwrap();
    assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
    assert_eq!(read(&target).unwrap().model, Model::default());
    write("/dev/null", &Model::default()).unwrap();
    #[cfg(target_os = "linux")]
    write("/dev/full", &Model::default()).unwrap_err();
}

fn any_estimate() -> impl Strategy<Value = Estimate> {
    let value = prop_oneof![
        Just(0.0),
        1e-12..1e-3_f64,
        any::<f64>().prop_filter_map("a delay", |v| v.is_finite().then(|| v.abs()))
    ];
    let level = prop_oneof![Just(0.95), 0.01..0.99_f64];
    let ends = prop::option::of((0.0..1.0_f64, 1.0..2.0_f64, level));
    (value, ends, prop::option::of(any::<u64>())).prop_map(|(value, ends, samples)| {
        let interval = ends.map(|(low, high, level)| {
            let high = value * high;
            Interval { low: value * low - 1e-9, high: if high.is_finite() { high } else { value }, level }
        });
        Estimate { value, interval, samples }
    })
}

fn any_curve() -> impl Strategy<Value = Curve> {
    prop::collection::btree_map(any::<u64>().prop_map(Bytes::new), any_estimate(), 1..5)
        .prop_map(|points| Curve::new(points.keys().copied().collect(), points.into_values().collect()).unwrap())
}

/// The models whose parameters are the same for all processors.
fn homogeneous() -> impl Strategy<Value = Model> {
    let estimates = |count| prop::option::of(prop::collection::vec(any_estimate(), count));
    let curves = prop::option::of((any_estimate(), any_curve(), any_curve(), any_curve()));
    (estimates(4), estimates(4), estimates(5), curves).prop_map(|(hlmo, logp, loggp, plogp)| Model {
        hlmo: hlmo.map(|e| Hlmo::from_estimates([e[0], e[1], e[2], e[3]])),
        logp: logp.and_then(|estimates| LogGp::from_estimates(&estimates)),
        loggp: loggp.and_then(|estimates| LogGp::from_estimates(&estimates)),
        plogp: plogp.map(|(latency, send_overhead, receive_overhead, gap)| PLogP {
            latency,
            send_overhead,
            receive_overhead,
            gap,
        }),
        ..Model::default()
    })
}

fn any_model() -> impl Strategy<Value = Model> {
    (2..5_usize).prop_flat_map(|n| {
        let each = move || prop::collection::vec(any_estimate(), n);
        let pairs = move || {
            let values = prop::collection::vec(any_estimate(), Pairs::of(n).count());
            values.prop_map(move |values| PerPair::new(n, values).unwrap())
        };
        let hockney = (pairs(), pairs(), any_estimate(), any_estimate()).prop_map(
            |(latency, byte_delay, mean_latency, mean_byte_delay)| Hockney {
                latency,
                byte_delay,
                mean_latency,
                mean_byte_delay,
            },
        );
        let lmo =
            move |latency: bool| {
                (each(), each(), pairs(), pairs()).prop_map(move |(fixed_delay, byte_delay, link, link_byte_delay)| {
                    Lmo { fixed_delay, byte_delay, link_latency: latency.then_some(link), link_byte_delay }
                })
            };
        let entries = prop::collection::vec((any::<String>(), any::<String>()), 0..4);
        let hosts = prop::collection::vec("[a-z]{0,3}", n);
        let measured = prop::option::of((0..100_u64, 100..u64::MAX));
        let models = (prop::option::of(hockney), prop::option::of(lmo(false)), prop::option::of(lmo(true)));
        (entries, measured, hosts, models, homogeneous()).prop_map(|(entries, measured, hosts, models, alike)| {
            let (hockney, lom, lmo) = models;
            let mut provenance = Provenance::new();
            for (key, value) in entries {
                provenance.set(key, value);
            }
            let measured = measured.map(|(low, high)| (Bytes::new(low), Bytes::new(high)));
            Model { provenance, measured, hosts, hockney, lom, lmo, ..alike }
        })
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn what_is_written_is_read_back_and_fits_the_schema(model in any_model()) {
        let text = to_text(&model).unwrap();
        let loaded = parse(&text, "m").unwrap();
        prop_assert_eq!(&loaded.model, &model);
        prop_assert_eq!(to_text(&loaded.model).unwrap(), &*text);
        let value: Value = serde_json::from_str(&text).unwrap();
        prop_assert!(schema().is_valid(&value));
    }

    #[test]
    fn random_bytes_do_no_harm(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        let _ = parse(&bytes, "m");
    }

    #[test]
    fn mutated_files_do_no_harm(
        changes in prop::collection::vec((any::<prop::sample::Index>(), prop_oneof![any::<u8>(), prop::sample::select(b"{}[],:\"\\0-.e".to_vec())]), 1..8),
    ) {
        let mut bytes = GOOD.as_bytes().to_vec();
        for (place, byte) in changes {
            let place = place.index(bytes.len());
            bytes[place] = byte;
        }
        if let Ok(loaded) = parse(&bytes, "m") {
            // Whatever is read can be written and read again.
            let again = parse(to_text(&loaded.model).unwrap(), "m").unwrap();
            prop_assert_eq!(again.model, loaded.model);
        }
    }
}

/// Models whose parameters are the same for all processors, by hand.
const ALIKE: &str = r#"{"format": "orrery-model", "version": 1, "processors": [{"rank": 0}, {"rank": 1}], "models": {
  "hlmo": {"fixed_delay": {"value": 1e-5}, "byte_delay": {"value": 1e-9}, "link_latency": {"value": 2e-5},
           "link_byte_delay": {"value": 8e-9}},
  "logp": {"latency": {"value": 1e-5}, "send_overhead": {"value": 2e-6}, "receive_overhead": {"value": 3e-6},
           "gap": {"value": 4e-6}},
  "loggp": {"latency": {"value": 1e-5}, "send_overhead": {"value": 2e-6}, "receive_overhead": {"value": 3e-6},
            "gap": {"value": 4e-6}, "byte_gap": {"value": 1e-9, "low": 9e-10, "high": 2e-9, "level": 0.9}},
  "plogp": {"latency": {"value": 1e-5}, "send_overhead": {"size": [0], "value": 2e-6},
            "receive_overhead": {"size": [0, 1024], "value": [3e-6, 4e-6]},
            "gap": {"size": [0, 1024], "value": [4e-6, 5e-6], "low": [null, 4e-6], "high": [null, 6e-6], "level": 0.9}}
}}"#;

#[test]
fn models_of_alike_processors_are_read() {
    let loaded = parse(ALIKE, "m.json").unwrap();
    assert_eq!(loaded.warnings, []);
    assert_eq!(loaded.model.kinds(), [ModelKind::Hlmo, ModelKind::LogP, ModelKind::LogGp, ModelKind::PLogP]);
    assert_eq!(loaded.model.plogp.unwrap().gap.values()[1], interval(5e-6, 4e-6, 6e-6, 0.9));
    assert!(schema().is_valid(&serde_json::from_str(ALIKE).unwrap()));
}

#[test]
fn models_of_alike_processors_without_sense_are_refused() {
    for (from, to, place, part, by_schema) in [
        ("\"gap\": {\"value\": 4e-6}, \"byte_gap\"", "\"byte_gap\"", "models.loggp", "\"gap\"", true),
        ("\"byte_gap\"", "\"bite_gap\"", "models.loggp", "\"byte_gap\"", true),
        ("[0, 1024], \"value\": [4e-6", "[1024, 0], \"value\": [4e-6", "models.plogp.gap.size", "ascend", false),
        ("[3e-6, 4e-6]", "[3e-6]", "models.plogp.receive_overhead.value", "there are 2 sizes", false),
        ("\"size\": [0], ", "", "models.plogp.send_overhead", "\"size\"", true),
        ("\"size\": [0]", "\"size\": []", "models.plogp.send_overhead", "one at least", true),
        ("\"size\": [0]", "\"size\": [0.5]", "models.plogp.send_overhead.size[0]", "whole bytes", true),
        ("{\"value\": 2e-5}", "{\"value\": -2e-5}", "models.hlmo.link_latency", "negative", true),
        (", \"processors\": [{\"rank\": 0}, {\"rank\": 1}]", "", "", "how many processors", false),
    ] {
        let text = ALIKE.replacen(from, to, 1);
        assert_ne!(text, ALIKE, "{from}");
        let error = parse(&text, "m.json").unwrap_err().to_string();
        assert!(error.contains(place) && error.contains(part), "{from} to {to}: {error}");
        assert_eq!(!schema().is_valid(&serde_json::from_str(&text).unwrap()), by_schema, "{from} to {to}");
    }
}

/// Laws of sharing, with an interval and a γ below 0, as a calibration gives them.
const SHARING: &str = r#"{"format": "orrery-model", "version": 1, "models": {"sharing": {
  "gige": {"beta": {"value": 0.75, "low": 0.7, "high": 0.8, "level": 0.95, "samples": 9},
           "gamma_out": {"value": 0.115}, "gamma_in": {"value": -0.002}},
  "infiniband": {"beta_out": {"value": 0.925}, "beta_in": {"value": 0.965}, "gamma": {"value": 1.35}}
}}}"#;

#[test]
fn laws_of_sharing_are_read_and_written() {
    let loaded = parse(SHARING, "m.json").unwrap();
    assert_eq!(loaded.warnings, []);
    let sharing = &loaded.model.sharing;
    assert_eq!(sharing.gige.unwrap().beta, Estimate { samples: Some(9), ..interval(0.75, 0.7, 0.8, 0.95) });
    assert_eq!(sharing.gige.unwrap().law(), Gige::new(0.75, 0.115, -0.002));
    assert_eq!(sharing.infiniband.unwrap().law(), Infiniband::new(0.925, 0.965, 1.35));
    assert_eq!(loaded.model.processors(), 0);
    let text = to_text(&loaded.model).unwrap();
    assert_eq!(parse(&text, "again").unwrap().model, loaded.model);
    for text in [SHARING, &text] {
        assert!(schema().is_valid(&serde_json::from_str(text).unwrap()));
    }
    let mut wrong = loaded.model.clone();
    wrong.sharing.gige.as_mut().unwrap().gamma_in.value = 1.0;
    assert!(to_text(&wrong).unwrap_err().to_string().contains("models.sharing.gige.gamma_in: gamma_in is 1"));
}

#[test]
fn laws_of_sharing_without_sense_are_refused() {
    for (from, to, place, part) in [
        ("0.75, \"low\": 0.7", "0, \"low\": 0", "models.sharing.gige.beta", "beta is 0"),
        ("-0.002", "-1", "models.sharing.gige.gamma_in", "between -1 and 1"),
        ("1.35", "-1.35", "models.sharing.infiniband.gamma", "gamma is -1.35"),
        ("1.35", "\"x\"", "models.sharing.infiniband.gamma", "a finite number"),
        ("\"beta_in\"", "\"beta_inn\"", "models.sharing.infiniband", "beta_in"),
        ("0.7,", "0.76,", "models.sharing.gige.beta", "outside its interval"),
    ] {
        let text = SHARING.replacen(from, to, 1);
        assert_ne!(text, SHARING);
        let error = parse(&text, "m.json").unwrap_err().to_string();
        assert!(error.contains(place) && error.contains(part), "{from} to {to}: {error}");
        let range = place.ends_with("beta") && part.contains("interval");
        assert!(range || !schema().is_valid(&serde_json::from_str(&text).unwrap()), "{text}");
    }
}

/// Thresholds, with an interval and a slope below 0.
const THRESHOLDS: &str = r#"{"format": "orrery-model", "version": 1, "processors": [{"rank": 0}, {"rank": 1}, {"rank": 2}],
"models": {"thresholds": [
  {"operation": "scatter", "root": 1, "procs": 3, "scatter_threshold": {"value": 63000, "low": 62000, "high": 64000, "level": 0.95}},
  {"operation": "gather", "root": 0, "procs": 3, "gather_small": {"value": 4096}, "gather_large": {"value": 73000},
   "gather_small_slope": {"value": -3e-9}, "gather_large_slope": {"value": 2.5e-8, "samples": 7},
   "hlmo_small_slope": {"value": 1e-9}, "hlmo_large_slope": {"value": -4e-9},
   "escalations": [{"seconds": {"value": 0.2}, "probability": {"value": 0.4}},
                   {"seconds": {"value": 0.25}, "probability": {"value": 0.6}}]}
]}}"#;

#[test]
fn thresholds_are_read_and_written() {
    let loaded = parse(THRESHOLDS, "m.json").unwrap();
    assert_eq!(loaded.warnings, []);
    let [scatter, gather] = &loaded.model.thresholds[..] else { panic!("two operations") };
    assert_eq!(scatter.scatter_threshold, Some(interval(63000.0, 62000.0, 64000.0, 0.95)));
    assert_eq!((scatter.root.0, scatter.procs, gather.root.0), (1, 3, 0));
    assert_eq!(gather.gather_small_slope, Some(Estimate::exact(-3e-9)));
    assert_eq!(
        (gather.hlmo_small_slope, gather.hlmo_large_slope),
        (Some(Estimate::exact(1e-9)), Some(Estimate::exact(-4e-9)))
    );
    assert_eq!(gather.escalations[1].probability, Estimate::exact(0.6));
    let text = to_text(&loaded.model).unwrap();
    assert_eq!(parse(&text, "again").unwrap().model, loaded.model);
    for text in [THRESHOLDS, &text] {
        assert!(schema().is_valid(&serde_json::from_str(text).unwrap()));
    }
    let mut wrong = loaded.model.clone();
    wrong.thresholds[1].procs = 9;
    let error = to_text(&wrong).unwrap_err().to_string();
    assert!(error.contains("models.thresholds[1]: \"procs\" is 9, but the model has 3"), "{error}");
}

#[test]
fn thresholds_without_sense_are_refused() {
    for (from, to, by_schema, place, part) in [
        ("\"scatter\"", "\"bcast\"", true, "[0].operation", "unknown collective operation \"bcast\""),
        ("\"root\": 1", "\"root\": 3", false, "[0]: ", "\"root\" is 3, but the ranks of 3 processors are 0 to 2"),
        ("\"root\": 1", "\"root\": -1", true, "[0].root", "this is -1"),
        ("\"procs\": 3", "\"procs\": 4", false, "[0]: ", "\"procs\" is 4, but the model has 3 processors"),
        ("\"procs\": 3", "\"procs\": 1", true, "[0]: ", "\"procs\" is 1"),
        (", \"procs\": 3", "", true, "[0]: ", "there is no key \"procs\""),
        ("4096", "-1", true, "[1].gather_small.value", "-1.0 is negative"),
        ("4096", "74000", false, "[1]: ", "\"gather_small\" is 74000, beyond \"gather_large\""),
        ("\"gather_small\": {\"value\": 4096}, ", "", false, "[1]: ", "no \"gather_small\" from which on they occur"),
        ("0.6}", "0.7}", false, "[1]: ", "add up to 1.1"),
        ("0.6}", "1.7}", true, "[1]: ", "add up to 2.1"),
        ("\"seconds\": {\"value\": 0.2}, ", "", true, "[1].escalations[0]", "there is no key \"seconds\""),
        ("\"root\": 1, \"procs\": 3, \"scatter", "\"root\": 0, \"procs\": 3, \"scatter", false, "", ""),
        (
            "\"scatter\", \"root\": 1, \"procs\": 3, \"scatter_threshold\": {\"value\": 63000, \"low\": 62000, \"high\": 64000, \"level\": 0.95}",
            "\"gather\", \"root\": 0, \"procs\": 3",
            false,
            "[1]: ",
            "the gather of 3 processors with root 0 is there twice",
        ),
    ] {
        let text = THRESHOLDS.replacen(from, to, 1);
        assert_ne!(text, THRESHOLDS, "{from}");
        assert_eq!(schema().is_valid(&serde_json::from_str(&text).unwrap()), !by_schema, "schema: {from} to {to}");
        match parse(&text, "m.json") {
            Ok(loaded) => assert_eq!((part, loaded.warnings.len()), ("", 0), "{from} to {to}"),
            Err(error) => {
                let error = error.to_string();
                assert!(!part.is_empty() && error.contains(place) && error.contains(part), "{from} to {to}: {error}");
                assert!(error.contains("models.thresholds"), "{error}");
            }
        }
    }
}
