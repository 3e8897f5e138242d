use std::collections::BTreeSet;

use super::record::Run;
use super::variable;

/// A fault of a run.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum RunProblem {
    /// The time is not a finite number above 0.
    #[error(
        "its time is {seconds:?} s, but a time is finite and above 0; measure it again, or remove \
            the run"
    )]
    Time {
        /// The time.
        seconds: f64,
    },
    /// A variable is not finite.
    #[error("{name} is {value}, not a finite number; correct it, or remove the run")]
    NotFinite {
        /// The variable.
        name: String,
        /// Its value.
        value: f64,
    },
    /// A number of processes, rows or columns is not a whole number above 0.
    #[error("{name} is {value:?}, not a whole number above 0; correct it")]
    NotWhole {
        /// The variable.
        name: &'static str,
        /// Its value.
        value: f64,
    },
    /// Two sources of the number of processes differ.
    #[error("{from} has {first} processes, but {other} has {second}; correct one of them")]
    Processes {
        /// The first number.
        first: f64,
        /// The source of the first number: the configuration or the variable.
        from: &'static str,
        /// The second number.
        second: f64,
        /// The source of the second number, such as the grid 2×4.
        other: String,
    },
    /// A kind of processing elements occurs twice.
    #[error("the kind {kind:?} occurs twice in its {place}; name each kind once")]
    KindTwice {
        /// The kind.
        kind: String,
        /// The configuration or the parts.
        place: &'static str,
    },
    /// A kind has no element, or no process.
    #[error(
        "the kind {kind:?} has {elements} elements with {processes} processes each; leave out a \
            kind that takes no part"
    )]
    NoShare {
        /// The kind.
        kind: String,
        /// The number of elements.
        elements: u32,
        /// The number of processes on each element.
        processes: u32,
    },
    /// Times of a kind that is not in the configuration.
    #[error(
        "there are times of the kind {kind:?}, which is not in its configuration {configuration}; \
            name the same kinds in both"
    )]
    UnknownKind {
        /// The kind.
        kind: String,
        /// The configuration.
        configuration: String,
    },
    /// A computation or communication time is negative or not finite.
    #[error(
        "the {part} time of {kind:?} is {seconds:?} s, but a time is finite and not negative; \
            correct it"
    )]
    Part {
        /// The kind.
        kind: String,
        /// Computation or communication.
        part: &'static str,
        /// The time.
        seconds: f64,
    },
}

impl Run {
    /// Checks the run: a time above 0, finite variables, P·Q processes if it has a grid, and no
    /// kind twice.
    ///
    /// # Errors
    ///
    /// The first problem.
    pub fn check(&self) -> Result<(), RunProblem> {
        let seconds = self.seconds.get();
        if !(seconds.is_finite() && seconds > 0.0) {
            return Err(RunProblem::Time { seconds });
        }
        if let Some((name, &value)) = self.variables.iter().find(|(_, value)| !value.is_finite()) {
            return Err(RunProblem::NotFinite { name: name.clone(), value });
        }
        self.check_kinds()?;
        self.check_processes()
    }

    /// Checks the configuration and the times by kind.
    fn check_kinds(&self) -> Result<(), RunProblem> {
        let shares = &self.configuration.shares;
        check_unique(shares.iter().map(|share| share.kind.as_str()), "configuration")?;
        check_unique(self.parts.iter().map(|part| part.kind.as_str()), "parts")?;
        if let Some(share) = shares.iter().find(|share| share.elements == 0 || share.processes == 0)
        {
            let (elements, processes) = (share.elements, share.processes);
            return Err(RunProblem::NoShare { kind: share.kind.clone(), elements, processes });
        }
        for part in &self.parts {
            let kind = &part.kind;
            if !kind.is_empty() && !shares.is_empty() && self.configuration.share(kind).is_none() {
                let configuration = self.configuration.to_string();
                return Err(RunProblem::UnknownKind { kind: kind.clone(), configuration });
            }
            for (name, time) in
                [("computation", part.computation), ("communication", part.communication)]
            {
                let seconds = time.get();
                if !(seconds.is_finite() && seconds >= 0.0) {
                    return Err(RunProblem::Part { kind: kind.clone(), part: name, seconds });
                }
            }
        }
        Ok(())
    }

    /// Checks that configuration, grid and variable have the same number of processes.
    fn check_processes(&self) -> Result<(), RunProblem> {
        let whole = |name: &'static str| {
            let value = self.variable(name);
            match value {
                Some(value) if value < 1.0 || value.fract() != 0.0 => {
                    Err(RunProblem::NotWhole { name, value })
                }
                _ => Ok(value),
            }
        };
        let given = whole(variable::PROCESSES)?;
        let grid =
            match self.variable(variable::GRID_ROWS).zip(self.variable(variable::GRID_COLUMNS)) {
                Some(_) => whole(variable::GRID_ROWS)?.zip(whole(variable::GRID_COLUMNS)?),
                None => None,
            };
        let configured = self.configuration.processes() as f64;
        let configured =
            (!self.configuration.shares.is_empty()).then_some((configured, "its configuration"));
        let counted = configured.or(given.map(|given| (given, "the variable processes")));
        let Some((first, from)) = counted else { return Ok(()) };
        let grid = grid
            .map(|(rows, columns)| (rows * columns, format!("the grid p×q = {rows}×{columns}")));
        let others = [grid, given.map(|given| (given, "the variable processes".to_owned()))];
        match others.into_iter().flatten().find(|(second, _)| second.total_cmp(&first).is_ne()) {
            Some((second, other)) => Err(RunProblem::Processes { first, from, second, other }),
            None => Ok(()),
        }
    }
}

/// Checks that no kind occurs twice; `place` names the list.
fn check_unique<'a>(
    kinds: impl Iterator<Item = &'a str>,
    place: &'static str,
) -> Result<(), RunProblem> {
    let mut seen = BTreeSet::new();
    let mut kinds = kinds;
    kinds
        .find(|kind| !seen.insert(*kind))
        .map_or(Ok(()), |kind| Err(RunProblem::KindTwice { kind: kind.into(), place }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::KindTimes;
    use crate::units::Seconds;

    fn run(change: impl Fn(&mut Run)) -> Result<(), RunProblem> {
        let mut run = Run::new(Seconds::new(1.0));
        change(&mut run);
        run.check()
    }

    fn set(run: &mut Run, numbers: &[(&str, f64)]) {
        run.variables.extend(numbers.iter().map(|&(name, value)| (name.to_owned(), value)));
    }

    #[test]
    fn invalid_runs_are_refused() {
        let zero = Seconds::new(0.0);
        let part =
            |kind: &str| KindTimes { kind: kind.into(), computation: zero, communication: zero };
        assert_eq!(
            run(|run| set(run, &[("p", 2.0), ("q", 4.0), ("processes", 8.0), ("x", -1.5)])),
            Ok(())
        );
        assert_eq!(
            run(|run| set(run, &[("p", 0.5)])),
            Ok(()),
            "a variable p without q is a parameter of the application"
        );
        assert!(matches!(run(|run| run.seconds = zero), Err(RunProblem::Time { .. })));
        assert!(matches!(
            run(|run| set(run, &[("p", 2.0), ("q", 0.5)])),
            Err(RunProblem::NotWhole { name: "q", .. })
        ));
        assert!(matches!(
            run(|run| set(run, &[("p", 2.0), ("q", 4.0), ("processes", 9.0)])),
            Err(RunProblem::Processes { first: 9.0, second: 8.0, .. })
        ));
        let wrong = run(|run| {
            set(run, &[("p", 2.0), ("q", 4.0)]);
            run.configuration = "a=1x2,b=5x1".parse().unwrap();
        });
        let message = wrong.unwrap_err().to_string();
        assert!(
            message.starts_with("its configuration has 7 processes, but the grid p×q = 2×4 has 8"),
            "{message}"
        );
        assert!(matches!(
            run(|run| run.parts = vec![part("a"), part("a")]),
            Err(RunProblem::KindTwice { .. })
        ));
        let wrong = run(|run| {
            run.configuration = "a=1".parse().unwrap();
            run.parts = vec![part("a"), part(""), part("b")];
        });
        assert!(matches!(wrong, Err(RunProblem::UnknownKind { kind, .. }) if kind == "b"));
    }
}
