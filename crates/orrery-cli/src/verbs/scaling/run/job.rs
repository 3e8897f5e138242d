//! A planned run: its working folder, input files and command.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use orrery::file::FileKind;
use orrery::names::advice;
use orrery::platform::Cluster;
use orrery::run::hpl::HplVariant;
use orrery::run::{PlanEntry, Run, variable};
use orrery::tuning::{Assignment, hpl, launchers};

use crate::context::shell_word;
use crate::verbs::output_file;

/// The block size of HPL if neither the plan nor the given HPL.dat has one.
pub const DEFAULT_BLOCK_SIZE: u32 = 192;

/// A planned run with its cluster and its repetition.
pub struct Job<'a> {
    pub planned: &'a PlanEntry,
    pub cluster: Option<&'a Cluster>,
    pub repetition: u32,
    /// The variant in `HPL.dat`; all its parameters are known.
    pub hpl: HplVariant,
    /// The block size if the plan has none.
    pub block: u32,
}

impl Job<'_> {
    /// Checks that the number of processes is known and fits on the cluster.
    pub fn check(&self) -> anyhow::Result<()> {
        self.assignment().map(|_| ())
    }

    /// The value of a variable; `None` if the planned run does not have it.
    fn number(&self, name: &str) -> Option<f64> {
        self.planned.variables.get(name).copied()
    }

    /// The block size.
    fn block(&self) -> f64 {
        self.number(variable::BLOCK_SIZE).unwrap_or_else(|| self.block.into())
    }

    /// The number of processes; `None` if the planned run does not have it.
    fn processes(&self) -> Option<u32> {
        self.planned.processes().map(|processes| processes as u32)
    }

    /// The assignment of processes to hosts; `None` without a cluster or a configuration.
    fn assignment(&self) -> anyhow::Result<Option<Assignment>> {
        let Some(cluster) = self.cluster.filter(|_| !self.planned.configuration.shares.is_empty())
        else {
            return Ok(None);
        };
        let processes = self.processes().unwrap_or_default();
        Ok(Some(Assignment::new(cluster, &self.planned.configuration, processes, None)?))
    }

    /// Writes the input files of the run to its folder and returns its command.
    pub fn prepare(
        &self,
        template: &Template,
        folder: &Path,
        here: &Path,
    ) -> anyhow::Result<String> {
        let why = format!("orrery planned {}", describe(self.planned));
        let write = |name: &str, kind, text: &str| {
            output_file::check(&folder.join(name), false, kind)?.write(text)
        };
        if let Some(assignment) = self.assignment()? {
            write("hostfile", FileKind::Hostfile, &launchers::openmpi_hostfile(&assignment, &why))?;
            write("rankfile", FileKind::Rankfile, &launchers::openmpi_rankfile(&assignment, &why))?;
            write(
                "machinefile",
                FileKind::Machinefile,
                &launchers::mpich_machinefile(&assignment, &why),
            )?;
        }
        let whole = |value: Option<f64>| {
            value.filter(|value| value.fract().abs() < f64::EPSILON && *value >= 1.0)
        };
        let block = self.block();
        if let (Some(order), Some((rows, columns)), Some(processes)) =
            (whole(self.number(variable::PROBLEM_SIZE)), self.planned.grid(), self.processes())
        {
            let (grid, variant) = ((rows as u32, columns as u32), self.hpl);
            let input = hpl::Input { order: order as u64, block: block as u32, grid, variant };
            write("HPL.dat", FileKind::HplInput, &input.text(processes.into(), &why)?)?;
        }
        let file = |name: &str| {
            let path = folder.join(name);
            path.exists().then(|| path.into_os_string())
        };
        let value = |name: &str| match name {
            "np" => text(self.processes()),
            "n" => text(self.number(variable::PROBLEM_SIZE)),
            "p" => text(self.planned.grid().map(|(rows, _)| rows)),
            "q" => text(self.planned.grid().map(|(_, columns)| columns)),
            "block" => text(Some(block)),
            "dat" => file("HPL.dat"),
            "configuration" => text(Some(&self.planned.configuration)),
            "rep" => text(Some(self.repetition)),
            "here" => Some(here.into()),
            files => file(files),
        };
        template.fill(value).map_err(anyhow::Error::msg)
    }

    /// Adapts the layout variables of a run to those of the existing runs, because all runs of a
    /// fit need the same variables.
    pub fn match_variables(&self, run: &mut Run, others: &[Run]) {
        let Some(first) = others.first() else { return };
        let grid = self.planned.grid();
        let layout = [
            (variable::GRID_ROWS, grid.map(|(rows, _)| rows)),
            (variable::GRID_COLUMNS, grid.map(|(_, columns)| columns)),
            (variable::PROCESSES, self.planned.processes()),
            (variable::BLOCK_SIZE, Some(self.block())),
        ];
        for (name, value) in layout {
            match (first.variable(name), value) {
                (Some(_), Some(value)) => {
                    run.variables.entry(name.to_owned()).or_insert(value);
                }
                (None, _) if self.number(name).is_none() => {
                    run.variables.remove(name);
                }
                _ => {}
            }
        }
    }
}

/// A planned run as text: `n = 9600 on athlon=1x4`.
pub fn describe(planned: &PlanEntry) -> String {
    let on =
        (!planned.configuration.shares.is_empty()).then(|| format!("on {}", planned.configuration));
    [variable::text(&planned.variables), on.unwrap_or_default()].join(" ").trim().to_owned()
}

/// Creates the next working folder: `0001`, `0002`, …
pub fn create_folder(below: &Path, number: &mut u32) -> anyhow::Result<PathBuf> {
    fs::create_dir_all(below)
        .with_context(|| format!("cannot create the folder {}", below.display()))?;
    loop {
        *number += 1;
        let folder = below.join(format!("{number:04}"));
        match fs::create_dir(&folder) {
            Ok(()) => return Ok(folder),
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
            Err(error) => {
                return Err(error)
                    .with_context(|| format!("cannot create the folder {}", folder.display()));
            }
        }
    }
}

/// The value of a placeholder.
fn text(value: Option<impl ToString>) -> Option<OsString> {
    value.map(|value| value.to_string().into())
}

/// The names of the placeholders.
const PLACEHOLDERS: [&str; 12] = [
    "np",
    "n",
    "p",
    "q",
    "block",
    "hostfile",
    "rankfile",
    "machinefile",
    "dat",
    "configuration",
    "rep",
    "here",
];

/// A shell command with placeholders.
#[derive(Debug, Clone)]
pub struct Template {
    text: String,
    parts: Vec<Part>,
}

/// A part of a template.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Part {
    Text(String),
    Placeholder(&'static str),
}

impl Template {
    /// Parses `mpirun -np {np} …`. Shell variables such as `${n}` and braces around anything but a
    /// word are literal text.
    pub fn new(text: &str) -> Result<Self, String> {
        let (mut parts, mut plain, mut rest) = (Vec::new(), String::new(), text);
        while let Some(open) = rest.find('{') {
            plain.push_str(&rest[..open]);
            let inside = &rest[open + 1..];
            let word = inside.split('}').next().filter(|word| inside.len() > word.len());
            let word = word.filter(|word| {
                !word.is_empty() && word.chars().all(|c| c.is_ascii_lowercase() || c == '_')
            });
            match word.filter(|_| !plain.ends_with('$')) {
                Some(word) => {
                    let known =
                        PLACEHOLDERS.into_iter().find(|known| *known == word).ok_or_else(|| {
                            let word = format!("{{{word}}}");
                            let known = PLACEHOLDERS.map(|known| format!("{{{known}}}"));
                            let advice = advice(&word, "the placeholders", known);
                            format!("unknown placeholder {word}; {advice}")
                        })?;
                    parts
                        .extend([Part::Text(std::mem::take(&mut plain)), Part::Placeholder(known)]);
                    rest = &inside[word.len() + 1..];
                }
                None => {
                    plain.push('{');
                    rest = inside;
                }
            }
        }
        plain.push_str(rest);
        parts.push(Part::Text(plain));
        if text.trim().is_empty() {
            return Err("give the command of a run, such as 'mpirun -np {np} ./xhpl'".into());
        }
        Ok(Self { text: text.to_owned(), parts })
    }

    /// The text of the template.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The first of these placeholders that the template contains; `None` if it has none of them.
    pub fn first_of(&self, places: &[&'static str]) -> Option<&'static str> {
        places.iter().copied().find(|place| self.parts.contains(&Part::Placeholder(place)))
    }

    /// The command with all placeholders replaced by their values, each quoted as one shell word.
    ///
    /// # Errors
    ///
    /// The first placeholder for which `value` returns `None`.
    pub fn fill<V: AsRef<OsStr>>(
        &self,
        value: impl Fn(&str) -> Option<V>,
    ) -> Result<String, String> {
        let mut line = String::new();
        for part in &self.parts {
            match part {
                Part::Text(text) => line.push_str(text),
                Part::Placeholder(name) => {
                    let value = value(name)
                        .ok_or_else(|| format!("this run has no value for {{{name}}}"))?;
                    line.push_str(&shell_word(value));
                }
            }
        }
        Ok(line)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn placeholders_are_replaced() {
        let filled = |text: &str| {
            let value = |name: &str| {
                (name != "block")
                    .then(|| if name == "here" { "a b".into() } else { name.to_uppercase() })
            };
            Template::new(text).unwrap().fill(value)
        };
        assert_eq!(
            filled("mpirun -np {np} --hostfile {hostfile} x").unwrap(),
            "mpirun -np NP --hostfile HOSTFILE x"
        );
        assert_eq!(
            filled("${n} awk '{print $1}' {} {n} {").unwrap(),
            "${n} awk '{print $1}' {} N {"
        );
        assert_eq!(filled("{here}/x").unwrap(), "'a b'/x");
        assert!(filled("{block}").unwrap_err().contains("{block}"));
        let error = Template::new("x {size}").unwrap_err();
        assert!(
            error.starts_with("unknown placeholder {size}; the placeholders are {np}, {n}"),
            "{error}"
        );
    }
}
