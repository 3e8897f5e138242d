//! Replay of GOAL: finish times of LogGOPSim (github spcl/LogGOPSim, run with its defaults), and what lies is refused.

#[path = "support/goal.rs"]
mod generator;

use generator::{dissemination, stencil};
use orrery::simulate::loggp::{LogGops, replay};
use orrery::trace::goal::Goal;

fn read(text: &str) -> Goal {
    Goal::read(text.as_bytes(), "t.goal").unwrap()
}

fn total(text: &str) -> f64 {
    replay(&read(text), &LogGops::default()).unwrap().total()
}

#[test]
#[expect(clippy::float_cmp, reason = "whole nanoseconds are exact")]
fn finish_times_are_those_of_loggopsim() {
    assert_eq!(total(&stencil(8, 8, 10, 8192, 1_000_000)), 12_185_840.0);
    assert_eq!(total(&dissemination(1024, 10, 8, 1000)), 5_642_000.0 / 10.0);
    assert_eq!(total(&stencil(32, 32, 25, 8192, 1_000_000)), 304_646_000.0 / 10.0);
}
