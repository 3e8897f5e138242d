//! Models whose parameters are the same for all processors.

use orrery::comm::PLogP;
use orrery::model::ModelKind;
use orrery::model::file::parse;

use super::{interval, schema};

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
fn homogeneous_models_are_read() {
    let loaded = parse(ALIKE, "m.json").unwrap();
    assert_eq!(loaded.warnings, []);
    assert_eq!(
        loaded.model.kinds(),
        [ModelKind::Hlmo, ModelKind::LogP, ModelKind::LogGp, ModelKind::PLogP]
    );
    assert_eq!(
        loaded.model.get::<PLogP>(ModelKind::PLogP).unwrap().gap.values()[1],
        interval(5e-6, 4e-6, 6e-6, 0.9)
    );
    assert!(schema().is_valid(&serde_json::from_str(ALIKE).unwrap()));
}

#[test]
fn invalid_homogeneous_models_are_rejected() {
    for (from, to, place, part, by_schema) in [
        (
            "\"gap\": {\"value\": 4e-6}, \"byte_gap\"",
            "\"byte_gap\"",
            "models.loggp",
            "\"gap\"",
            true,
        ),
        ("\"byte_gap\"", "\"bite_gap\"", "models.loggp", "\"byte_gap\"", true),
        (
            "[0, 1024], \"value\": [4e-6",
            "[1024, 0], \"value\": [4e-6",
            "models.plogp.gap.size",
            "ascend",
            false,
        ),
        (
            "[3e-6, 4e-6]",
            "[3e-6]",
            "models.plogp.receive_overhead.value",
            "there are 2 sizes",
            false,
        ),
        ("\"size\": [0], ", "", "models.plogp.send_overhead", "\"size\"", true),
        ("\"size\": [0]", "\"size\": []", "models.plogp.send_overhead", "at least one", true),
        (
            "\"size\": [0]",
            "\"size\": [0.5]",
            "models.plogp.send_overhead.size[0]",
            "whole bytes",
            true,
        ),
        ("{\"value\": 2e-5}", "{\"value\": -2e-5}", "models.hlmo.link_latency", "negative", true),
        (
            ", \"processors\": [{\"rank\": 0}, {\"rank\": 1}]",
            "",
            "",
            "the number of processors is missing",
            false,
        ),
    ] {
        let text = ALIKE.replacen(from, to, 1);
        assert_ne!(text, ALIKE, "{from}");
        let error = parse(&text, "m.json").unwrap_err().to_string();
        assert!(error.contains(place) && error.contains(part), "{from} to {to}: {error}");
        assert_eq!(
            !schema().is_valid(&serde_json::from_str(&text).unwrap()),
            by_schema,
            "{from} to {to}"
        );
    }
}
