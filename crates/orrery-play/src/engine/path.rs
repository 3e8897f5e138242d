use std::collections::BinaryHeap;

use orrery_base::units::Seconds;

/// A term of a linear function: a coefficient times a parameter of the network.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Term {
    /// The number of the parameter, or [`CONSTANT`].
    pub parameter: u32,
    /// Its coefficient; for [`CONSTANT`] a number of seconds.
    pub factor: f64,
}

/// The number of the parameter with the value 1 s, for durations that do not depend on the network.
pub const CONSTANT: u32 = u32::MAX;

impl Term {
    /// The term of zero seconds.
    const NONE: Self = Self { parameter: CONSTANT, factor: 0.0 };

    /// Creates the term `factor` × parameter.
    pub const fn new(parameter: u32, factor: f64) -> Self {
        Self { parameter, factor }
    }

    /// Creates the term of a duration that does not depend on the network.
    pub const fn constant(seconds: Seconds) -> Self {
        Self { parameter: CONSTANT, factor: seconds.get() }
    }
}

/// A moment of virtual time with the event that ended at it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Moment {
    /// The time since the start of the schedule.
    pub time: Seconds,
    event: u32,
}

impl Moment {
    /// The start of the schedule.
    pub const START: Self = Self { time: Seconds::ZERO, event: 0 };

    /// The moment at a time, without the event that ended at it.
    pub(super) const fn at(time: Seconds) -> Self {
        Self { time, event: 0 }
    }

    /// Returns the later of two moments; this one if they are equal.
    #[must_use]
    pub fn or_later(self, other: Self) -> Self {
        if other.time > self.time { other } else { self }
    }
}

/// An event with its cause and its duration.
#[derive(Debug, Clone, Copy)]
struct PathEvent {
    cause: u32,
    time: Seconds,
    terms: [Term; 2],
}

/// The events of a run, each with the event that it waited for.
#[derive(Debug, Clone, Default)]
pub struct Path {
    kept: bool,
    /// What is added to the numbers of parameters.
    first_parameter: u32,
    events: Vec<PathEvent>,
}

impl Path {
    /// Deletes all events; records further events if `keep` is true.
    pub(super) fn restart(&mut self, keep: bool) {
        self.kept = keep;
        self.events.clear();
        if keep {
            self.events.push(PathEvent { cause: 0, time: Seconds::ZERO, terms: [Term::NONE; 2] });
        }
    }

    /// Returns the moment `duration` after `cause`; the duration consists of one term.
    #[inline]
    pub fn after(&mut self, cause: Moment, duration: Seconds, term: Term) -> Moment {
        self.after_two(cause, duration, term, Term::NONE)
    }

    /// Returns the moment `duration` after `cause`; the duration is the sum of two terms.
    #[inline]
    pub fn after_two(
        &mut self,
        cause: Moment,
        duration: Seconds,
        first: Term,
        second: Term,
    ) -> Moment {
        let time = cause.time + duration;
        if !self.kept {
            return Moment { time, event: 0 };
        }
        let numbered = |term: Term| match term.parameter {
            CONSTANT => term,
            parameter => Term { parameter: parameter + self.first_parameter, ..term },
        };
        self.events.push(PathEvent {
            cause: cause.event,
            time,
            terms: [numbered(first), numbered(second)],
        });
        Moment { time, event: self.events.len() as u32 - 1 }
    }

    /// Calls `record`, which records events of a network that is part of another one: its parameter
    /// 0 has the number `first` in the other one.
    pub fn numbered_from<T>(&mut self, first: u32, record: impl FnOnce(&mut Self) -> T) -> T {
        let before = std::mem::replace(&mut self.first_parameter, first);
        let recorded = record(self);
        self.first_parameter = before;
        recorded
    }

    /// Returns the steps from the start of the schedule to `moment`, in order of time.
    pub(super) fn steps(&self, moment: Moment) -> Vec<Step> {
        let mut steps = Vec::new();
        let mut at = moment.event;
        while at != 0 {
            let event = self.events[at as usize];
            let from = self.events[event.cause as usize].time;
            let terms = event.terms.into_iter().filter(|term| term.factor != 0.0).collect();
            steps.push(Step { from, to: event.time, terms });
            at = event.cause;
        }
        steps.reverse();
        steps
    }

    /// Returns the sum of the times of moments, each times its weight, as a row.
    ///
    /// An event is visited once for all moments whose paths contain it: causes precede their
    /// effects, so that events are visited from the last to the first and pass their weight to
    /// their cause.
    pub(super) fn weighted_sum(&self, moments: impl Iterator<Item = (Moment, i64)>) -> Row {
        let mut open: BinaryHeap<(u32, i64)> =
            moments.map(|(moment, weight)| (moment.event, weight)).collect();
        let mut terms = Vec::new();
        while let Some((at, mut weight)) = open.pop().filter(|(at, _)| *at != 0) {
            while let Some((_, further)) = open.peek().copied().filter(|(other, _)| *other == at) {
                weight += further;
                open.pop();
            }
            if weight != 0 {
                let event = self.events[at as usize];
                let of_event = event.terms.into_iter().filter(|term| term.factor != 0.0);
                terms.extend(
                    of_event.map(|term| Term { factor: weight as f64 * term.factor, ..term }),
                );
                open.push((event.cause, weight));
            }
        }
        Row::sum(terms)
    }
}

/// One step of a critical path.
#[derive(Debug, Clone, PartialEq)]
pub struct Step {
    /// The start of the step.
    pub from: Seconds,
    /// The end of the step.
    pub to: Seconds,
    /// The terms whose sum is its duration.
    pub terms: Vec<Term>,
}

/// A time as a linear function of the parameters: Σ coefficient × parameter + constant.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Row {
    /// The coefficients, ascending by parameter, each parameter once, none of them zero.
    pub terms: Vec<Term>,
    /// The part that does not depend on the parameters.
    pub constant: Seconds,
}

impl Row {
    /// Returns the sum of terms in any order.
    pub(super) fn sum(mut terms: Vec<Term>) -> Self {
        terms.sort_by_key(|term| term.parameter);
        terms.dedup_by(|next, kept| {
            let same = next.parameter == kept.parameter;
            if same {
                kept.factor += next.factor;
            }
            same
        });
        let constant =
            terms.pop_if(|term| term.parameter == CONSTANT).map_or(0.0, |term| term.factor);
        terms.retain(|term| term.factor != 0.0);
        Self { terms, constant: Seconds::new(constant) }
    }

    /// Returns the time for these values of the parameters.
    pub fn value(&self, parameters: &[f64]) -> Seconds {
        let sum: f64 =
            self.terms.iter().map(|term| term.factor * parameters[term.parameter as usize]).sum();
        self.constant + Seconds::new(sum)
    }
}
