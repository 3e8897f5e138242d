use std::collections::BTreeMap;

use super::action::Action;
use super::blocks::Block;
use super::replay::TraceSchedule;
use super::trace::Trace;
use crate::schedule::{Operation, Rank, Transfer};
use crate::units::Seconds;

/// How often a rank does something, and what it takes.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct ActionTotals {
    /// How often.
    pub times: u64,
    /// Bytes that it sends for it.
    pub sent: u64,
    /// Floating-point operations.
    pub flops: f64,
    /// Seconds by the clock.
    pub seconds: f64,
}

/// What a rank does, by the names of actions in traces of SimGrid.
pub type RankProfile = BTreeMap<&'static str, ActionTotals>;

impl Action {
    /// Its name in traces of SimGrid; a probe has none there.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Compute { .. } => "compute",
            Self::Sleep { .. } => "sleep",
            Self::Send { .. } => "send",
            Self::Receive { .. } => "recv",
            Self::PostSend { .. } => "isend",
            Self::PostReceive { .. } => "irecv",
            Self::Probe => "probe",
            Self::Wait { .. } => "wait",
            Self::Test { .. } => "test",
            Self::WaitAll { .. } => "waitall",
            Self::Collective { kind, .. } => kind.name(),
        }
    }
}

impl Trace {
    /// What each rank does; repetitions count and are not walked through. Bytes of collective operations are those of
    /// the messages that they are replayed as; what goes beyond 2⁶⁴ is 2⁶⁴ − 1.
    pub fn profile(&self) -> Vec<RankProfile> {
        Rank::first(self.ranks()).map(|rank| self.profile_of(rank)).collect()
    }

    fn profile_of(&self, rank: Rank) -> RankProfile {
        let told = &self.ranks[rank.index()];
        let mut profile = RankProfile::new();
        self.count_all(rank, &told.blocks(), 1, &mut profile);
        profile
    }

    fn count_all(&self, rank: Rank, parts: &[Block], times: u64, profile: &mut RankProfile) {
        for part in parts {
            match &part.round {
                Some(round) => self.count_all(rank, &round.parts, times * u64::from(round.times), profile),
                None => {
                    let actions = part.actions(&self.ranks[rank.index()]);
                    actions.iter().for_each(|&action| self.count(rank, action, times, profile));
                }
            }
        }
    }

    fn count(&self, rank: Rank, action: Action, times: u64, profile: &mut RankProfile) {
        let counted = profile.entry(action.name()).or_default();
        counted.times += times;
        match action {
            Action::Compute { flops } => counted.flops += flops * times as f64,
            Action::Sleep { seconds } => counted.seconds += seconds * times as f64,
            Action::Send { size, .. } | Action::PostSend { size, .. } => {
                counted.sent = counted.sent.saturating_add(size.get().saturating_mul(times));
            }
            Action::Collective { .. } => {
                let replay = TraceSchedule { trace: self, speeds: &[], test: Seconds::ZERO };
                let operations = (0..).map_while(|step| replay.operation(rank, action, step));
                for operation in operations {
                    if let Operation::Do(Transfer::Send { size, .. })
                    | Operation::Post(Transfer::Send { size, .. }, _) = operation
                    {
                        counted.sent = counted.sent.saturating_add(size.get().saturating_mul(times));
                    }
                }
            }
            _ => {}
        }
    }
}
