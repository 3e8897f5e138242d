//! The model file: written files read back and match the schema; reader and schema reject invalid
//! files.

use orrery::model::file::parse;
use orrery::numeric::{Estimate, Interval};

use crate::table::rows;

mod by_hand;
mod homogeneous;
mod kernels;
mod on_disk;
mod round_trip;
mod shared_links;
mod sharing;
mod thresholds;

const SCHEMA: &str = include_str!("../../../../docs/model.schema.json");

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

pub fn schema() -> jsonschema::Validator {
    jsonschema::validator_for(&serde_json::from_str(SCHEMA).unwrap()).unwrap()
}

/// Checks that each change of a valid file is refused. Cells are the replaced text, its replacement,
/// whether the schema rejects it, too, and parts of the error, divided by ` … `.
pub fn assert_rejected(valid: &str, table: &str) {
    let schema = schema();
    for [from, to, by_schema, words] in rows(table) {
        assert!(valid.contains(&from), "{from}");
        let bad = valid.replacen(&from, &to, 1);
        let error = parse(&bad, "m.json").expect_err(&words).to_string();
        let has_position = words.starts_with(|first: char| first.is_ascii_digit());
        let place = if has_position { "m.json:" } else { "" };
        let parts = format!("{place}{words}");
        assert!(parts.split(" … ").all(|part| error.contains(part)), "\n{error}\n{words}");
        let is_valid = serde_json::from_str(&bad).is_ok_and(|bad| schema.is_valid(&bad));
        assert_eq!(is_valid, by_schema == "false", "schema: {from} → {to}");
    }
}

fn interval(value: f64, low: f64, high: f64, level: f64) -> Estimate {
    Estimate { interval: Some(Interval { low, high, level }), ..Estimate::exact(value) }
}
