use super::LogGops;
use super::ReplayError;
use super::replay::{Observer, replay_with};
use crate::simulate::{Event, Outcome, TaskTimes};
use crate::trace::goal::{GoalGraph, OperationKind};
use orrery_base::units::{Bytes, Seconds};
use orrery_program::schedule::{Operation, Rank};

/// Replays a graph; returns an outcome as on other networks.
///
/// The time of a task that is not computation counts as communication. Operations are recorded with
/// `records_events`; their statement is their line. A task that computes on several processors has
/// the sum of their times as computing.
///
/// ```
/// use orrery_play::simulate::loggp::{LogGops, outcome};
/// use orrery_play::trace::goal::GoalGraph;
/// let text = "num_ranks 2\nrank 0 { send 64b to 1 tag 7 }\nrank 1 {\na: calc 900\nb: recv 64b from 0 tag 7\nb requires a\n}\n";
/// let goal = GoalGraph::read(text.as_bytes(), "two.goal")?;
/// let result = outcome(&goal, &LogGops::default(), true)?;
/// assert_eq!(result.tasks[0].sent.get(), 64);
/// assert_eq!(result.tasks[1].computing.get(), 9e-7);
/// // The computation, the send, the receive.
/// assert_eq!(result.events.iter().map(|event| event.statement).collect::<Vec<_>>(), [4, 2, 5]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
///
/// When operations never end, and when a receive does not accept the size of its message.
pub fn outcome(
    goal: &GoalGraph,
    parameters: &LogGops,
    records_events: bool,
) -> Result<Outcome, ReplayError> {
    let mut spans = Spans(vec![[0.0; 2]; if records_events { goal.operations().len() } else { 0 }]);
    let replayed = replay_with(goal, parameters, &mut spans)?;
    let mut tasks = vec![TaskTimes::default(); replayed.finish.len()];
    let mut computing = vec![0.0; tasks.len()];
    for operation in goal.operations() {
        let (rank, size) = (operation.rank as usize, Bytes::new(operation.size));
        match operation.kind {
            OperationKind::Calculate => computing[rank] += operation.size as f64,
            OperationKind::Send => {
                tasks[rank].sent = tasks[rank].sent + size;
                tasks[rank].messages += 1;
                let other = &mut tasks[operation.peer as usize];
                other.received = other.received + size;
            }
            OperationKind::Receive => {}
        }
    }
    for ((times, &end), computing) in tasks.iter_mut().zip(&replayed.finish).zip(computing) {
        times.end = seconds(end);
        times.computing = seconds(computing);
        times.communicating = seconds((end - computing).max(0.0));
    }
    Ok(Outcome {
        end: seconds(replayed.total()),
        tasks,
        events: spans.events(goal),
        communications: Vec::new(),
        rate_updates: 0,
    })
}

/// Converts nanoseconds to seconds.
fn seconds(nanoseconds: f64) -> Seconds {
    Seconds::new(nanoseconds / 1e9)
}

/// The start and the end of each operation, in nanoseconds; empty if events are not recorded.
struct Spans(Vec<[f64; 2]>);

impl Observer for Spans {
    fn started(&mut self, operation: u32, time: f64) {
        if let Some([start, _]) = self.0.get_mut(operation as usize) {
            *start = time;
        }
    }

    fn ended(&mut self, operation: u32, time: f64) {
        if let Some([_, end]) = self.0.get_mut(operation as usize) {
            *end = time;
        }
    }
}

impl Spans {
    /// The operations that took time, in the order of their ends.
    fn events(&self, goal: &GoalGraph) -> Vec<Event> {
        let took = goal.operations().iter().zip(&self.0).filter(|(_, [begin, end])| end > begin);
        let mut events: Vec<Event> = took
            .map(|(operation, &[begin, end])| {
                let done = match operation.kind {
                    OperationKind::Calculate => Operation::Compute(seconds(operation.size as f64)),
                    _ => Operation::Do(operation.transfer()),
                };
                Event {
                    rank: Rank(operation.rank),
                    statement: operation.line,
                    operation: done,
                    start: seconds(begin),
                    end: seconds(end),
                    communication: None,
                }
            })
            .collect();
        events.sort_by(|a, b| a.end.total_cmp(&b.end));
        events
    }
}
