use std::collections::BTreeSet;

use super::configuration::Share;
use super::record::Run;
use super::variable;

/// What is wrong with a run, and what to do about it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct RunProblem {
    /// The field of the run: `seconds`, `variables`, `configuration` or `parts`.
    pub field: &'static str,
    message: String,
}

impl RunProblem {
    /// A problem of a field.
    fn new(field: &'static str, message: String) -> Self {
        Self { field, message }
    }
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
            let problem = format!(
                "its time is {seconds:?} s, but a time is finite and above 0; measure it again, or \
                    remove the run"
            );
            return Err(RunProblem::new("seconds", problem));
        }
        if let Some((name, &value)) = self.variables.iter().find(|(_, value)| !value.is_finite()) {
            let problem =
                format!("{name} is {value}, not a finite number; correct it, or remove the run");
            return Err(RunProblem::new("variables", problem));
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
            let Share { kind, elements, processes } = share;
            let problem = format!(
                "the kind {kind:?} has {elements} elements with {processes} processes each; leave \
                    out a kind that takes no part"
            );
            return Err(RunProblem::new("configuration", problem));
        }
        for part in &self.parts {
            let kind = &part.kind;
            if !kind.is_empty() && !shares.is_empty() && self.configuration.share(kind).is_none() {
                let problem = format!(
                    "there are times of the kind {kind:?}, which is not in its configuration {}; \
                        name the same kinds in both",
                    self.configuration
                );
                return Err(RunProblem::new("parts", problem));
            }
            for (name, time) in
                [("computation", part.computation), ("communication", part.communication)]
            {
                let seconds = time.get();
                if !(seconds.is_finite() && seconds >= 0.0) {
                    let problem = format!(
                        "the {name} time of {kind:?} is {seconds:?} s, but a time is finite and \
                            not negative; correct it"
                    );
                    return Err(RunProblem::new("parts", problem));
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
                    let problem =
                        format!("{name} is {value:?}, not a whole number above 0; correct it");
                    Err(RunProblem::new("variables", problem))
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
            Some((second, other)) => {
                let problem = format!(
                    "{from} has {first} processes, but {other} has {second}; correct one of them"
                );
                Err(RunProblem::new("configuration", problem))
            }
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
    kinds.find(|kind| !seen.insert(*kind)).map_or(Ok(()), |kind| {
        let problem = format!("the kind {kind:?} occurs twice in its {place}; name each kind once");
        Err(RunProblem::new(place, problem))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::KindTimes;
    use orrery_base::units::Seconds;

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
        let refused = |change: &dyn Fn(&mut Run), field: &str, message: &str| {
            let problem = run(change).unwrap_err();
            assert_eq!(problem.field, field);
            assert!(problem.to_string().starts_with(message), "{problem}");
        };
        refused(&|run| run.seconds = zero, "seconds", "its time is 0.0 s");
        refused(&|run| set(run, &[("p", 2.0), ("q", 0.5)]), "variables", "q is 0.5, not a whole");
        refused(
            &|run| set(run, &[("p", 2.0), ("q", 4.0), ("processes", 9.0)]),
            "configuration",
            "the variable processes has 9 processes, but the grid p×q = 2×4 has 8",
        );
        refused(
            &|run| {
                set(run, &[("p", 2.0), ("q", 4.0)]);
                run.configuration = "a=1x2,b=5x1".parse().unwrap();
            },
            "configuration",
            "its configuration has 7 processes, but the grid p×q = 2×4 has 8",
        );
        refused(
            &|run| run.parts = vec![part("a"), part("a")],
            "parts",
            "the kind \"a\" occurs twice in its parts",
        );
        refused(
            &|run| {
                run.configuration = "a=1".parse().unwrap();
                run.parts = vec![part("a"), part(""), part("b")];
            },
            "parts",
            "there are times of the kind \"b\"",
        );
    }
}
