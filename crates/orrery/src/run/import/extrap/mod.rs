//! What Extra-P reads: its text input, JSON lines and JSON. Each value becomes a run; repetitions are runs with the same
//! variables. Values of 0 are set aside with a remark, negative ones are refused.

mod json;
mod text;

pub(super) use json::{json, json_lines};
pub(super) use text::{is_keyword, text};

use super::importer::METRIC;
use super::{Read, RemarkKind};
use crate::run::Run;
use crate::units::Seconds;

/// What is measured: a part of the program and a metric, both empty where nothing is said.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct Series {
    region: String,
    metric: String,
    /// Values of 0: how many, and the byte of the first.
    zeros: Option<(usize, usize)>,
}

impl Series {
    /// What errors call it.
    fn name(&self) -> String {
        let words = [self.region.as_str(), self.metric.as_str()];
        words.into_iter().filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ")
    }

    /// A run of these variables; values of 0 are counted only.
    fn push(&mut self, read: &mut Read, byte: usize, variables: &[(String, f64)], seconds: f64) {
        if seconds == 0.0 {
            self.zeros.get_or_insert((0, byte)).0 += 1;
            return;
        }
        let mut run = Run::new(Seconds::new(seconds));
        run.region.clone_from(&self.region);
        run.variables = variables.iter().cloned().collect();
        if !self.metric.is_empty() {
            run.labels.insert(METRIC.to_owned(), self.metric.clone());
        }
        read.runs.push((byte, run));
    }

    /// Tells of the values of 0.
    fn end(&self, read: &mut Read) {
        if let Some((count, byte)) = self.zeros {
            let region = if self.name().is_empty() { "the program".to_owned() } else { self.name() };
            read.remarks.push((byte, RemarkKind::Zeros { count, region }));
        }
    }
}
