//! Thresholds in the model file.

use orrery::model::file::{parse, to_text};
use orrery::numeric::Estimate;

use super::{assert_rejected, interval, schema};

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

/// Invalid changes of [`THRESHOLDS`].
const BROKEN: &str = r#"
"scatter" => "fling" => true => models.thresholds[0].operation … unknown collective operation
    "fling"
"root": 1 => "root": 3 => false => models.thresholds[0]: … "root" is 3, but the ranks of 3
    processors are 0 to 2
"root": 1 => "root": -1 => true => models.thresholds[0].root … this is -1
"procs": 3 => "procs": 4 => false => models.thresholds[0]: … "procs" is 4, but the model has 3
    processors
"procs": 3 => "procs": 1 => true => models.thresholds[0]: … "procs" is 1
, "procs": 3 =>  => true => models.thresholds[0]: … there is no key "procs"
4096 => -1 => true => models.thresholds[1].gather_small.value … -1.0 is negative
4096 => 74000 => false => models.thresholds[1]: … "gather_small" is 74000, beyond "gather_large"
"gather_small": {"value": 4096},  =>  => false => models.thresholds[1]: … no "gather_small" from
    which on they occur
0.6} => 0.7} => false => models.thresholds[1]: … add up to 1.1
0.6} => 1.7} => true => models.thresholds[1]: … add up to 2.1
"seconds": {"value": 0.2},  =>  => true => models.thresholds[1].escalations[0] … there is no key
    "seconds"
"scatter", "root": 1, "procs": 3, "scatter_threshold": {"value": 63000, "low": 62000, "high": 64000,
    "level": 0.95} => "gather", "root": 0, "procs": 3 => false => models.thresholds[1]: … the gather
    of 3 processors with root 0 is there twice
"#;

#[test]
fn invalid_thresholds_are_rejected() {
    assert_rejected(THRESHOLDS, BROKEN);
    // Operations may have the same root.
    let roots = "\"procs\": 3, \"scatter_threshold";
    let same = THRESHOLDS.replace(&format!("1, {roots}"), &format!("0, {roots}"));
    assert_ne!(same, THRESHOLDS);
    assert!(schema().is_valid(&serde_json::from_str(&same).unwrap()));
    assert_eq!(parse(&same, "m.json").unwrap().warnings, []);
}
