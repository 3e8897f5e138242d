//! Laws of sharing in the model file.

use orrery::model::file::{parse, to_text};
use orrery::numeric::Estimate;
use orrery::sharing::{GigabitEthernet, Infiniband};

use super::{interval, schema};

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
    assert_eq!(sharing.gige.unwrap().law(), GigabitEthernet::new(0.75, 0.115, -0.002));
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
