//! What a run that has ended says of its time.

use std::fs;
use std::path::Path;

use orrery::run::import::{ImportFormat, ImportOptions, Importer};
use orrery::run::{PlanEntry, Run};
use orrery::units::Seconds;

use crate::launch::{Ended, STDERR, STDOUT};

/// Where the time of a run is found.
#[derive(Debug, Clone)]
pub enum Reading {
    /// In the output of HPL, where it looks like that; else it is that of the whole command.
    Recognised,
    /// The number behind this text, the last one.
    After(String),
    /// That of the whole command.
    Wall,
}

impl Reading {
    /// For the provenance.
    pub fn words(&self) -> String {
        match self {
            Self::Recognised => "output of HPL, else the whole command".to_owned(),
            Self::After(text) => format!("the number behind {text:?}"),
            Self::Wall => "the whole command".to_owned(),
        }
    }

    /// The run that was made, or why it failed.
    pub fn run(&self, planned: &PlanEntry, folder: &Path, ended: &Ended) -> Result<Run, String> {
        if !ended.status.success() {
            return Err(ended.status.to_string());
        }
        let text = |name: &str| {
            let path = folder.join(name);
            let content = fs::read(&path).map_err(|error| format!("cannot read {}: {error}", path.display()))?;
            Ok::<_, String>(String::from_utf8_lossy(&content).into_owned())
        };
        let seconds = match self {
            Self::Recognised => {
                let output = text(STDOUT)?;
                if ImportFormat::detect(&output) == Some(ImportFormat::Hpl) {
                    return of_hpl(planned, &output, &folder.join(STDOUT));
                }
                ended.seconds
            }
            Self::Wall => ended.seconds,
            Self::After(mark) => {
                let found = number_after(&text(STDOUT)?, mark).or(number_after(&text(STDERR)?, mark));
                found.ok_or_else(|| format!("there is no time above 0 behind {mark:?} in its output"))?
            }
        };
        let mut run = planned.done(Seconds::new(seconds));
        run.origin = folder.join(STDOUT).display().to_string();
        Ok(run)
    }
}

/// The run that HPL has printed, which must be the one that was planned.
fn of_hpl(planned: &PlanEntry, output: &str, path: &Path) -> Result<Run, String> {
    let configuration = planned.configuration.clone();
    let options = ImportOptions { format: Some(ImportFormat::Hpl), configuration, ..ImportOptions::default() };
    let mut importer = Importer::new(options);
    importer.add(output, path).map_err(|error| error.to_string())?;
    let imported = importer.finish().map_err(|error| error.to_string())?;
    if let Some(remark) = imported.remarks.iter().find(|remark| remark.kind.is_warning()) {
        return Err(remark.to_string());
    }
    let [run] = &imported.runs.runs[..] else {
        return Err(format!("it printed {} runs, but one was planned", imported.runs.runs.len()));
    };
    for (name, value) in &planned.variables {
        if let Some(own) = run.variable(name).filter(|own| own.total_cmp(value).is_ne()) {
            return Err(format!("it ran {name} = {own}, but {name} = {value} was planned"));
        }
    }
    let mut run = run.clone();
    run.variables.extend(planned.variables.clone());
    Ok(run)
}

/// The number above 0 behind the last of some marks.
fn number_after(text: &str, mark: &str) -> Option<f64> {
    let behind = text.rfind(mark).map(|at| text[at + mark.len()..].trim_start())?;
    let end = behind.find(|c: char| !(c.is_ascii_digit() || "+-.eE".contains(c))).unwrap_or(behind.len());
    let number = behind[..end].trim_end_matches(['.', 'e', 'E', '+', '-']);
    number.parse().ok().filter(|seconds: &f64| seconds.is_finite() && *seconds > 0.0)
}

/// The last lines of what a run said to stderr, or to stdout where it said nothing there.
pub fn tail(folder: &Path) -> String {
    const LINES: usize = 5;
    let last = |name: &str| {
        let content = fs::read(folder.join(name)).unwrap_or_default();
        let text = String::from_utf8_lossy(&content).into_owned();
        let lines: Vec<&str> = text.lines().filter(|line| !line.trim().is_empty()).collect();
        lines[lines.len().saturating_sub(LINES)..].iter().flat_map(|line| ["\n  ", line]).collect::<String>()
    };
    let said = last(STDERR);
    if said.is_empty() { last(STDOUT) } else { said }
}

#[cfg(test)]
mod tests {
    use super::number_after;

    #[test]
    fn numbers_behind_a_mark() {
        assert_eq!(number_after("time: 1.5 s\ntime: 2.5e1s.", "time:"), Some(25.0));
        assert_eq!(number_after("time = 3.", "time ="), Some(3.0));
        for wrong in ["time: none", "time: 0", "time: -1", "Time: 1", "time:"] {
            assert_eq!(number_after(wrong, "time:"), None, "{wrong}");
        }
    }
}
