//! Laws of sharing in the model file.

use orrery::model::file::{parse, to_text};
use orrery::numeric::Estimate;
use orrery::sharing::{FittedLaw, GigabitEthernet, Infiniband, LAWS, SharingLaw};

use super::{assert_rejected, interval, schema};

/// Laws of sharing, with an interval and a γ below 0, as a calibration gives them.
const SHARING: &str = r#"{"format": "orrery-model", "version": 1, "models": {"sharing": {
  "gige": {"beta": {"value": 0.75, "low": 0.7, "high": 0.8, "level": 0.95, "samples": 9},
           "gamma_out": {"value": 0.115}, "gamma_in": {"value": -0.002}},
  "infiniband": {"beta_out": {"value": 0.925}, "beta_in": {"value": 0.965}, "gamma": {"value": 1.35}}
}}}"#;

#[test]
fn sharing_laws_are_read_and_written() {
    let loaded = parse(SHARING, "m.json").unwrap();
    assert_eq!(loaded.warnings, []);
    let [gige, infiniband] =
        ["gige", "infiniband"].map(|name| loaded.model.sharing.get(name).unwrap());
    assert_eq!(
        gige.estimate("beta"),
        Some(Estimate { samples: Some(9), ..interval(0.75, 0.7, 0.8, 0.95) })
    );
    assert_eq!(
        gige.law(),
        SharingLaw::GigabitEthernet(GigabitEthernet::new(0.75, 0.115, -0.002).unwrap())
    );
    assert_eq!(
        infiniband.law(),
        SharingLaw::Infiniband(Infiniband::new(0.925, 0.965, 1.35).unwrap())
    );
    assert_eq!(loaded.model.processors(), 0);
    let text = to_text(&loaded.model).unwrap();
    assert_eq!(parse(&text, "again").unwrap().model, loaded.model);
    for text in [SHARING, &text] {
        assert!(schema().is_valid(&serde_json::from_str(text).unwrap()));
    }
    // A law with an invalid value cannot be put into a model.
    let mut estimates = gige.estimates().to_vec();
    estimates[2].value = 1.0;
    let error = FittedLaw::new(gige.kind(), estimates).unwrap_err().to_string();
    assert!(error.contains("gamma_in is 1"), "{error}");
}

/// The schema describes the laws of the registry.
#[test]
fn schema_contains_every_law_with_parameters() {
    let schema: serde_json::Value = serde_json::from_str(super::SCHEMA).unwrap();
    let laws = &schema["properties"]["models"]["properties"]["sharing"]["properties"];
    for kind in LAWS.into_iter().filter(|kind| !kind.parameters.is_empty()) {
        let law = &laws[kind.name];
        let required: Vec<_> =
            law["required"].as_array().unwrap().iter().map(|name| name.as_str().unwrap()).collect();
        assert!(
            required.iter().copied().eq(kind.parameter_names()),
            "{} in docs/model.schema.json: {law}",
            kind.name
        );
        assert!(kind.parameter_names().all(|name| law["properties"][name].is_object()), "{law}");
    }
}

/// Invalid changes of [`SHARING`].
const BROKEN: &str = r#"
0.75, "low": 0.7 => 0, "low": 0 => true => models.sharing.gige.beta … beta is 0
-0.002 => -1 => true => models.sharing.gige.gamma_in … between -1 and 1
1.35 => -1.35 => true => models.sharing.infiniband.gamma … gamma is -1.35
1.35 => "x" => true => models.sharing.infiniband.gamma … a finite number
"beta_in" => "beta_inn" => true => models.sharing.infiniband … beta_in
0.7, => 0.76, => false => models.sharing.gige.beta … outside its interval
"#;

#[test]
fn invalid_sharing_laws_are_rejected() {
    assert_rejected(SHARING, BROKEN);
}
