//! The time of a run from its output.

use std::path::Path;

use orrery::file::read_bytes;
use orrery::run::import::{ImportFormat, ImportOptions, Importer};
use orrery::run::{PlanEntry, Run};
use orrery::units::Seconds;

use crate::launch::{Ended, STDERR, STDOUT};

/// The source of the time of a run.
#[derive(Debug, Clone)]
pub enum TimeSource {
    /// The output if it is that of HPL, else the time of the whole command.
    Detected,
    /// The number after the last occurrence of this text.
    After(String),
    /// The time of the whole command.
    Wall,
}

impl TimeSource {
    /// The description in the provenance.
    pub fn description(&self) -> String {
        match self {
            Self::Detected => "output of HPL, else the whole command".to_owned(),
            Self::After(text) => format!("the number after {text:?}"),
            Self::Wall => "the whole command".to_owned(),
        }
    }

    /// The completed run, or the reason of its failure.
    pub fn run(&self, planned: &PlanEntry, folder: &Path, ended: &Ended) -> Result<Run, String> {
        if !ended.status.success() {
            return Err(ended.status.to_string());
        }
        let text = |name: &str| {
            let path = folder.join(name);
            let content = read_bytes(&path)
                .map_err(|error| format!("cannot read {}: {error}", path.display()))?;
            Ok::<_, String>(String::from_utf8_lossy(&content).into_owned())
        };
        let seconds = match self {
            Self::Detected => {
                let output = text(STDOUT)?;
                if ImportFormat::detect(&output) == Some(ImportFormat::Hpl) {
                    return parse_hpl(planned, &output, &folder.join(STDOUT));
                }
                ended.seconds
            }
            Self::Wall => ended.seconds,
            Self::After(mark) => {
                let found =
                    number_after(&text(STDOUT)?, mark).or(number_after(&text(STDERR)?, mark));
                found.ok_or_else(|| format!("its output has no time above 0 after {mark:?}"))?
            }
        };
        let mut run = planned.with_time(Seconds::new(seconds));
        run.origin = folder.join(STDOUT).display().to_string();
        Ok(run)
    }
}

/// The run in the output of HPL, which must match the plan.
fn parse_hpl(planned: &PlanEntry, output: &str, path: &Path) -> Result<Run, String> {
    let configuration = planned.configuration.clone();
    let options = ImportOptions {
        format: Some(ImportFormat::Hpl),
        configuration,
        ..ImportOptions::default()
    };
    let mut importer = Importer::new(options);
    importer.add(output, path).map_err(|error| error.to_string())?;
    let imported = importer.finish().map_err(|error| error.to_string())?;
    if let Some(remark) = imported.remarks.iter().find(|remark| remark.kind.is_warning()) {
        return Err(remark.to_string());
    }
    let [run] = &imported.runs.runs[..] else {
        return Err(format!("it printed {} runs instead of one", imported.runs.runs.len()));
    };
    for (name, value) in &planned.variables {
        if let Some(own) = run.variable(name).filter(|own| own.total_cmp(value).is_ne()) {
            return Err(format!("it ran {name} = {own} instead of {name} = {value}"));
        }
    }
    let mut run = run.clone();
    run.variables.extend(planned.variables.clone());
    Ok(run)
}

/// The positive number after the last occurrence of a mark; `None` if there is no mark, or no such
/// number after it.
fn number_after(text: &str, mark: &str) -> Option<f64> {
    let rest = text.rfind(mark).map(|at| text[at + mark.len()..].trim_start())?;
    let end =
        rest.find(|c: char| !(c.is_ascii_digit() || "+-.eE".contains(c))).unwrap_or(rest.len());
    let number = rest[..end].trim_end_matches(['.', 'e', 'E', '+', '-']);
    number.parse().ok().filter(|seconds: &f64| seconds.is_finite() && *seconds > 0.0)
}

/// The last lines of stderr, or of stdout if stderr is empty.
pub fn tail(folder: &Path) -> String {
    /// The number of lines that are shown.
    const MAX_LINES: usize = 5;
    let last = |name: &str| {
        let content = read_bytes(&folder.join(name)).unwrap_or_default();
        let text = String::from_utf8_lossy(&content).into_owned();
        let lines: Vec<&str> = text.lines().filter(|line| !line.trim().is_empty()).collect();
        lines[lines.len().saturating_sub(MAX_LINES)..]
            .iter()
            .flat_map(|line| ["\n  ", line])
            .collect::<String>()
    };
    let errors = last(STDERR);
    if errors.is_empty() { last(STDOUT) } else { errors }
}

#[cfg(test)]
mod tests {
    use super::number_after;

    #[test]
    fn numbers_after_a_mark() {
        assert_eq!(number_after("time: 1.5 s\ntime: 2.5e1s.", "time:"), Some(25.0));
        assert_eq!(number_after("time = 3.", "time ="), Some(3.0));
        for wrong in ["time: none", "time: 0", "time: -1", "Time: 1", "time:"] {
            assert_eq!(number_after(wrong, "time:"), None, "{wrong}");
        }
    }
}
