//! What each kind can choose in one layout.

use super::Search;
use crate::scaling::Layout;
use crate::units::Seconds;

/// So many processes on each element of a kind.
#[derive(Debug, Clone, Copy)]
pub(super) struct KindOption {
    pub(super) kind: usize,
    /// The processes on each element.
    pub(super) processes: u32,
    /// The most elements that can take part with them.
    pub(super) elements: u32,
    /// The time of an element.
    pub(super) seconds: f64,
}

/// The choices in one layout, by kind and processes; kept to be filled again for the next layout.
#[derive(Debug, Default)]
pub(super) struct KindOptions(pub(super) Vec<KindOption>);

impl KindOptions {
    /// Fills in the choices of a layout: those whose time is known and not after the deadline, with an element or more
    /// that has the memory. Returns the steps taken.
    pub(super) fn fill(&mut self, search: &Search, layout: Layout) -> u64 {
        self.0.clear();
        let bytes = search.bytes(layout);
        let deadline = search.deadline.map_or(f64::INFINITY, Seconds::get);
        let mut steps = 0;
        for (kind, of_kind) in search.kinds.iter().enumerate() {
            let most = of_kind.processes.min(layout.processes);
            steps += 20 * u64::from(most);
            for processes in 1..=most {
                let elements = of_kind.room(processes, bytes).min(layout.processes / processes);
                let seconds = search.seconds(kind, processes, layout).filter(|seconds| *seconds <= deadline);
                if let Some(seconds) = seconds.filter(|_| elements > 0) {
                    self.0.push(KindOption { kind, processes, elements, seconds });
                }
            }
        }
        steps
    }

    /// The choices that take no longer than so many seconds.
    pub(super) fn within(&self, seconds: f64) -> impl Iterator<Item = &KindOption> + Clone {
        self.0.iter().filter(move |choice| choice.seconds <= seconds)
    }
}
