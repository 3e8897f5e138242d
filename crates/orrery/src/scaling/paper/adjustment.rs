use super::least_squares::least_squares;
use super::{PaperError, PaperModel};
use crate::run::{Configuration, Run, Share, variable};
use crate::scaling::ScalingError;

/// Which measurements the estimates of a kind are adjusted to: those of one size beside one choice of the other kinds.
#[derive(Debug, Clone, PartialEq)]
pub struct AdjustmentRule {
    /// The kind.
    pub kind: String,
    /// Estimates with at least so many processes on each element are adjusted.
    pub from_processes: u32,
    /// N of the runs.
    pub size: f64,
    /// What else takes part in the runs, as `pentium-ii=8x1`.
    pub beside: Configuration,
}

/// A linear transformation of the estimates of one kind: T_i' = a + b·T_i where M_i is at least `from_processes` and other
/// elements take part, P > M_i. Elements by themselves have N-T models of their own, straight from measurements.
///
/// The paper transforms the estimates of configurations. Here it is those of the kind's elements, so that
/// T = max_i T_i still holds and a search may look at elements one by one; where the kind is the slowest, it is the same.
/// Source: Kishimoto, Ichikawa (2004), section 4.1.
#[derive(Debug, Clone, PartialEq)]
pub struct Adjustment {
    /// The kind.
    pub kind: String,
    /// The least M_i that it holds for.
    pub from_processes: u32,
    /// a in seconds.
    pub intercept: f64,
    /// b.
    pub slope: f64,
    /// The runs that it was fitted to.
    pub runs: usize,
}

impl Adjustment {
    /// The time of an element after the adjustment, where it concerns it.
    pub(super) fn apply(&self, kind: &str, per_element: u32, seconds: f64) -> f64 {
        let concerned = self.kind == kind && per_element >= self.from_processes;
        if concerned { self.intercept + self.slope * seconds } else { seconds }
    }

    /// Least squares of the measured times over the estimates of the kind's elements, in the runs of the rule.
    pub(super) fn fit(rule: &AdjustmentRule, runs: &[&Run], model: &PaperModel) -> Result<Self, ScalingError> {
        if !model.kinds.contains(&rule.kind) {
            return Err(ScalingError::UnknownKind { kind: rule.kind.clone(), kinds: model.kinds.clone() });
        }
        let (mut rows, mut times) = (Vec::new(), Vec::new());
        for run in runs.iter().filter(|run| run.variable(variable::PROBLEM_SIZE) == Some(rule.size)) {
            let Some(per_element) = concerned(rule, &run.configuration) else { continue };
            let processes = run.configuration.processes();
            let seconds = model.element(&rule.kind, rule.size, processes, per_element)?.seconds;
            rows.push([1.0, seconds]);
            times.push(run.seconds.get());
        }
        let Some([intercept, slope]) = least_squares(&rows, &times) else {
            return Err(PaperError::Adjustment {
                kind: rule.kind.clone(),
                from_processes: rule.from_processes,
                size: rule.size,
                beside: rule.beside.to_string(),
                runs: rows.len(),
            }
            .into());
        };
        let (kind, from_processes) = (rule.kind.clone(), rule.from_processes);
        Ok(Self { kind, from_processes, intercept, slope, runs: rows.len() })
    }
}

/// M_i of the kind, where a configuration is one of the rule's.
fn concerned(rule: &AdjustmentRule, configuration: &Configuration) -> Option<u32> {
    let sorted = |shares: &[Share]| {
        let mut others: Vec<Share> = shares.iter().filter(|share| share.kind != rule.kind).cloned().collect();
        others.sort();
        others
    };
    let share = configuration.share(&rule.kind)?;
    let same = sorted(&configuration.shares) == sorted(&rule.beside.shares);
    (same && share.processes >= rule.from_processes).then_some(share.processes)
}
