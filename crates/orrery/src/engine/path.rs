use crate::units::Seconds;

/// A coefficient times a parameter of the network; parameters are numbered by the network.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Term {
    /// The number of the parameter, or [`CONSTANT`].
    pub parameter: u32,
    /// Its coefficient; for [`CONSTANT`] a number of seconds.
    pub factor: f64,
}

/// The parameter whose value is one second: what does not depend on the network.
pub const CONSTANT: u32 = u32::MAX;

impl Term {
    const NONE: Self = Self { parameter: CONSTANT, factor: 0.0 };

    /// `factor` times the parameter of this number.
    pub const fn new(parameter: u32, factor: f64) -> Self {
        Self { parameter, factor }
    }

    /// Seconds that do not depend on the network.
    pub const fn constant(seconds: Seconds) -> Self {
        Self { parameter: CONSTANT, factor: seconds.get() }
    }
}

/// A moment of virtual time, and the event that ended then.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Moment {
    /// The time since the start of the schedule.
    pub time: Seconds,
    event: u32,
}

impl Moment {
    /// The start of the schedule.
    pub const START: Self = Self { time: Seconds::ZERO, event: 0 };

    /// The later of two moments; this one when they are equal.
    #[must_use]
    pub fn or_later(self, other: Self) -> Self {
        if other.time > self.time { other } else { self }
    }
}

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
    events: Vec<PathEvent>,
}

impl Path {
    /// Forgets all events; keeps those to come when `keep` is set.
    pub(super) fn restart(&mut self, keep: bool) {
        self.kept = keep;
        self.events.clear();
        if keep {
            self.events.push(PathEvent { cause: 0, time: Seconds::ZERO, terms: [Term::NONE; 2] });
        }
    }

    /// The moment `duration` after `cause`, the duration being the sum of one term.
    #[inline]
    pub fn after(&mut self, cause: Moment, duration: Seconds, term: Term) -> Moment {
        self.after_two(cause, duration, term, Term::NONE)
    }

    /// The moment `duration` after `cause`, the duration being the sum of two terms.
    #[inline]
    pub fn after_two(&mut self, cause: Moment, duration: Seconds, first: Term, second: Term) -> Moment {
        let time = cause.time + duration;
        if !self.kept {
            return Moment { time, event: 0 };
        }
        self.events.push(PathEvent { cause: cause.event, time, terms: [first, second] });
        Moment { time, event: self.events.len() as u32 - 1 }
    }

    /// The steps that lead from the start of the schedule to `moment`, in order of time.
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

    /// Adds `sign` times the terms that lead to `moment`.
    pub(super) fn collect(&self, moment: Moment, sign: f64, terms: &mut Vec<Term>) {
        let mut at = moment.event;
        while at != 0 {
            let event = self.events[at as usize];
            for term in event.terms {
                if term.factor != 0.0 {
                    terms.push(Term { factor: sign * term.factor, ..term });
                }
            }
            at = event.cause;
        }
    }
}

/// One step of a critical path.
#[derive(Debug, Clone, PartialEq)]
pub struct Step {
    /// When it began.
    pub from: Seconds,
    /// When it ended.
    pub to: Seconds,
    /// What its duration is the sum of.
    pub terms: Vec<Term>,
}

/// A time as a linear function of the parameters: Σ coefficient × parameter + constant.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Row {
    /// The coefficients, ascending by parameter, each parameter once, none of them zero.
    pub terms: Vec<Term>,
    /// What does not depend on the parameters.
    pub constant: Seconds,
}

impl Row {
    /// Adds up terms in any order.
    pub(super) fn sum(mut terms: Vec<Term>) -> Self {
        terms.sort_by_key(|term| term.parameter);
        terms.dedup_by(|next, kept| {
            let same = next.parameter == kept.parameter;
            if same {
                kept.factor += next.factor;
            }
            same
        });
        let constant = terms.pop_if(|term| term.parameter == CONSTANT).map_or(0.0, |term| term.factor);
        terms.retain(|term| term.factor != 0.0);
        Self { terms, constant: Seconds::new(constant) }
    }

    /// The time for these parameters.
    pub fn value(&self, parameters: &[f64]) -> Seconds {
        let sum: f64 = self.terms.iter().map(|term| term.factor * parameters[term.parameter as usize]).sum();
        self.constant + Seconds::new(sum)
    }
}
