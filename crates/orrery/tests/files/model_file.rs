//! The model file: written files read back and match the schema; reader and schema reject invalid
//! files.

use orrery::numeric::{Estimate, Interval};

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

fn schema() -> jsonschema::Validator {
    jsonschema::validator_for(&serde_json::from_str(SCHEMA).unwrap()).unwrap()
}

fn interval(value: f64, low: f64, high: f64, level: f64) -> Estimate {
    Estimate { interval: Some(Interval { low, high, level }), ..Estimate::exact(value) }
}
