//! What is simulated: a trace of actions, or a graph of operations.

use std::sync::Arc;

use crate::budget::Budget;
use crate::request::RequestError;
use crate::schedule::{Explicit, Rank, Schedule};
use crate::trace::actions::Trace;
use crate::trace::goal::{GoalGraph, SequentialSchedule};
use crate::units::Seconds;

/// An application with the name that its errors have.
#[derive(Debug, Clone)]
pub struct SimulatedApplication {
    /// The name, such as that of its file.
    pub name: String,
    content: Content,
}

/// The content of a trace, by its format.
#[derive(Debug, Clone)]
enum Content {
    /// Amounts of computation and of communication; with `is_measured` the amounts of computation
    /// are times in seconds.
    Actions { trace: Arc<Trace>, is_measured: bool },
    /// A graph of operations with their times, and as a sequential schedule if it was converted.
    Goal(Arc<GoalGraph>, Option<Arc<SequentialSchedule>>),
}

impl SimulatedApplication {
    /// The actions of a trace. Amounts of computation are operations, or with `is_measured` times
    /// in seconds, which do not depend on the hosts.
    pub fn of_trace(name: impl Into<String>, trace: Arc<Trace>, is_measured: bool) -> Self {
        Self { name: name.into(), content: Content::Actions { trace, is_measured } }
    }

    /// A graph of operations.
    pub fn of_goal(name: impl Into<String>, graph: GoalGraph) -> Self {
        Self { name: name.into(), content: Content::Goal(Arc::new(graph), None) }
    }

    /// The same application as a sequential schedule, for networks that need one.
    ///
    /// # Errors
    ///
    /// A graph with operations of a rank that may run at the same time.
    pub fn in_sequence(mut self) -> Result<Self, RequestError> {
        if let Content::Goal(graph, sequence) = &mut self.content {
            let converted = SequentialSchedule::new(graph)
                .map_err(|error| RequestError::failed(format!("{}: {error}", self.name)))?;
            *sequence = Some(Arc::new(converted));
        }
        Ok(self)
    }

    /// The graph of operations; `None` for a trace of actions.
    pub fn graph(&self) -> Option<&GoalGraph> {
        if let Content::Goal(graph, _) = &self.content { Some(graph) } else { None }
    }

    /// The actions; `None` for a graph.
    pub fn trace(&self) -> Option<&Trace> {
        if let Content::Actions { trace, .. } = &self.content { Some(trace) } else { None }
    }

    /// The number of operations, with repetitions.
    pub fn operations(&self) -> u64 {
        match &self.content {
            Content::Actions { trace, .. } => trace.operations(),
            Content::Goal(graph, _) => graph.operations().len() as u64,
        }
    }

    /// The number of operations that its file may request.
    pub fn max_operations(&self) -> u64 {
        match &self.content {
            Content::Actions { trace, .. } => trace.budget().operations(),
            Content::Goal(..) => Budget::of_input(self.operations()).operations(),
        }
    }

    /// The number of ranks.
    pub fn ranks(&self) -> usize {
        match &self.content {
            Content::Actions { trace, .. } => trace.ranks(),
            Content::Goal(graph, _) => graph.ranks() as usize,
        }
    }

    /// The schedule with `speeds[r]` operations per second on rank r, and this time of a test of a
    /// request. A graph has none unless it is in sequence.
    pub fn schedule<'a>(&'a self, speeds: &'a [f64], test: Seconds) -> Box<dyn Schedule + 'a> {
        match &self.content {
            Content::Actions { trace, .. } => Box::new(trace.schedule(speeds, test)),
            Content::Goal(_, Some(sequence)) => Box::new(&**sequence),
            Content::Goal(_, None) => Box::new(Explicit::default()),
        }
    }

    /// The speeds of its ranks on hosts with these speeds: 1 where amounts of computation are
    /// measured times.
    pub(super) fn speeds(&self, of_hosts: Vec<f64>) -> Vec<f64> {
        if let Content::Actions { is_measured: true, .. } = self.content {
            return vec![1.0; of_hosts.len()];
        }
        of_hosts
    }

    /// Returns true if it has computations whose times depend on the speed of the processors.
    pub fn computes(&self) -> bool {
        matches!(&self.content, Content::Actions { trace, is_measured: false } if trace.has_computation())
    }

    /// The position of a statement of a rank, as `file:line:column`; `None` if it is unknown.
    pub fn place(&self, rank: Rank, statement: u32) -> Option<String> {
        match &self.content {
            Content::Actions { trace, .. } => {
                trace.location(rank, statement).map(|place| place.to_string())
            }
            Content::Goal(_, Some(sequence)) => {
                sequence.line(rank, statement).map(|line| format!("{}:{line}:1", self.name))
            }
            // The statement of a graph is its line.
            Content::Goal(_, None) => Some(format!("{}:{statement}:1", self.name)),
        }
    }
}
