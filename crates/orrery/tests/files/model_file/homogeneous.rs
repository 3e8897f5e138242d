//! Models whose parameters are the same for all processors.

use orrery::comm::PLogP;
use orrery::model::ModelKind;
use orrery::model::file::parse;

use super::{assert_rejected, interval, schema};

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

/// Invalid changes of [`ALIKE`].
const BROKEN: &str = r#"
"gap": {"value": 4e-6}, "byte_gap" => "byte_gap" => true => models.loggp … "gap"
"byte_gap" => "bite_gap" => true => models.loggp … "byte_gap"
[0, 1024], "value": [4e-6 => [1024, 0], "value": [4e-6 => false => models.plogp.gap.size … ascend
[3e-6, 4e-6] => [3e-6] => false => models.plogp.receive_overhead.value … there are 2 sizes
"size": [0],  =>  => true => models.plogp.send_overhead … "size"
"size": [0] => "size": [] => true => models.plogp.send_overhead … at least one
"size": [0] => "size": [0.5] => true => models.plogp.send_overhead.size[0] … whole bytes
{"value": 2e-5} => {"value": -2e-5} => true => models.hlmo.link_latency … negative
, "processors": [{"rank": 0}, {"rank": 1}] =>  => false => the number of processors is missing
"#;

#[test]
fn invalid_homogeneous_models_are_rejected() {
    assert_rejected(ALIKE, BROKEN);
}
