//! Input files of HPL, Open MPI, MPICH and Slurm for a chosen configuration.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use clap::Args;
use orrery::file::{FileKind, read_bytes};
use orrery::platform::Cluster;
use orrery::request::RegionAtLevels;
use orrery::run::hpl::{HplVariant, dat, labels_text};
use orrery::run::variable;
use orrery::scaling::RankedConfiguration;
use orrery::scaling::search::SearchSpace;
use orrery::tuning::{Assignment, hpl, launchers};
use orrery::units::Seconds;

use crate::context::{Context, Usage, warn};
use crate::hand_written;
use crate::verbs::output_file;
use crate::verbs::search_space;

/// The time limit of a Slurm job, relative to the upper end of its interval.
const TIME_LIMIT_FACTOR: f64 = 1.5;

/// The name, the kind and the text of an input file.
type InputFile = (&'static str, FileKind, String);

/// The options that write the input files of a configuration.
#[derive(Debug, Clone, Args)]
pub struct WriteOptions {
    /// Write the input files of the best configuration to this folder: HPL.dat with the measured
    /// variant, hostfile and rankfile for Open MPI, machinefile for MPICH, a script for Slurm
    #[arg(long, value_name = "DIR")]
    pub write: Option<PathBuf>,
    /// HPL.dat of the runs, for the parameters that the runs do not record
    #[arg(long, value_name = "FILE", requires = "write")]
    hpl_dat: Option<PathBuf>,
    /// Command that srun starts in the Slurm script, without srun itself
    #[arg(long, value_name = "COMMAND", default_value = "./xhpl", requires = "write")]
    command: String,
}

/// A choice for a problem size.
#[derive(Clone, Copy)]
pub struct Choice<'a> {
    pub at_levels: &'a RegionAtLevels,
    pub space: &'a SearchSpace<'a>,
    pub cluster: &'a Cluster,
    pub size: Option<f64>,
    pub best: &'a RankedConfiguration,
}

impl WriteOptions {
    /// Refuses to write the files of several choices.
    pub fn check_sizes(&self, sizes: usize) -> Result<(), Usage> {
        if self.write.is_none() || sizes == 1 {
            return Ok(());
        }
        Err(Usage("--write requires a single size; give one with --n".into()))
    }

    /// Writes the input files of a choice, if a folder is given; existing files are an error
    /// without `force`.
    pub fn write(&self, context: Context, choice: Choice, force: bool) -> anyhow::Result<()> {
        let Some(folder) = &self.write else { return Ok(()) };
        let template = self.hpl_dat.as_deref().map(template).transpose()?;
        let mut files = launcher_files(choice, &self.command)?;
        files.extend(hpl_dat(context, choice, template)?);
        let paths = output_file::write_all(folder, &files, force)?;
        let written: Vec<String> = paths.iter().map(|path| path.display().to_string()).collect();
        context.say(format!("wrote {}", written.join(", ")));
        Ok(())
    }
}

/// Reads an `HPL.dat`.
pub fn template(path: &Path) -> anyhow::Result<dat::HplDat> {
    let content = read_bytes(path).with_context(|| format!("cannot read {}", path.display()))?;
    hand_written::check_end(path, &content);
    Ok(dat::parse(content, path)?)
}

/// The assignment of the processes of a choice to hosts.
fn assignment(choice: Choice) -> anyhow::Result<Assignment> {
    let candidate = &choice.best.candidate;
    let bytes = choice.size.and_then(|size| choice.space.bytes(size, candidate.layout));
    Ok(Assignment::new(
        choice.cluster,
        &candidate.configuration,
        candidate.layout.processes,
        bytes,
    )?)
}

/// The reason for a choice, in the first lines of its files.
fn reason(choice: Choice) -> String {
    let RankedConfiguration { candidate, point, forecast, runs, .. } = choice.best;
    let labels = search_space::levels_text(&point.labels);
    let texts =
        [variable::text(&point.variables), labels].into_iter().filter(|text| !text.is_empty());
    let variables = texts.collect::<Vec<_>>().join(", ");
    let problem = if variables.is_empty() { variables } else { format!("{variables}: ") };
    let time = match forecast.interval {
        Some((low, high)) => format!("{}, interval {low} to {high}", candidate.time),
        None => candidate.time.to_string(),
    };
    let measured = match runs {
        0 => String::new(),
        1 => ", measured once".to_owned(),
        runs => format!(", measured {runs} times"),
    };
    format!("orrery chose {problem}{} in {time}{measured}", candidate.configuration)
}

/// The input files of launchers.
fn launcher_files(choice: Choice, command: &str) -> anyhow::Result<Vec<InputFile>> {
    let (assignment, why) = (assignment(choice)?, reason(choice));
    let RankedConfiguration { candidate, forecast, .. } = choice.best;
    let limit =
        forecast.interval.map_or(candidate.time, |(_, high)| high).get() * TIME_LIMIT_FACTOR;
    let job = launchers::BatchJob { command: command.to_owned(), limit: Some(Seconds::new(limit)) };
    Ok(vec![
        ("hostfile", FileKind::Hostfile, launchers::openmpi_hostfile(&assignment, &why)),
        ("rankfile", FileKind::Rankfile, launchers::openmpi_rankfile(&assignment, &why)),
        ("machinefile", FileKind::Machinefile, launchers::mpich_machinefile(&assignment, &why)),
        ("job.sbatch", FileKind::BatchScript, launchers::slurm_script(&assignment, &job, &why)?),
    ])
}

/// `HPL.dat` with the measured variant, and what is not recorded from a template; `None` if the
/// size is no order of a matrix or a parameter is unknown, which is reported.
fn hpl_dat(
    context: Context,
    choice: Choice,
    template: Option<dat::HplDat>,
) -> anyhow::Result<Option<InputFile>> {
    let Some(order) = choice.size.filter(|n| n.fract().abs() < f64::EPSILON && *n >= 1.0) else {
        return Ok(None);
    };
    let layout = choice.best.candidate.layout;
    let labels = variant_labels(choice);
    let recorded = HplVariant::of(&labels);
    let variant = template.map_or(recorded, |template| recorded.or(template.variant));
    let block = layout.block.or(template.and_then(|template| template.block));
    let mut missing = variant.missing();
    missing.extend(block.is_none().then_some("block size"));
    let (Some(block), true) = (block, missing.is_empty()) else {
        if labels.is_empty() && template.is_none() {
            context.say(
                "HPL.dat is not written, because the runs record no variant; if they are of \
                    HPL, give --hpl-dat",
            );
        } else {
            let missing = missing.join(", ");
            warn(format_args!(
                "HPL.dat is not written, because the runs do not record {missing}; give --hpl-dat"
            ));
        }
        return Ok(None);
    };
    report_variant(context, choice, &labels);
    let grid = layout.grid.unwrap_or((1, layout.processes));
    let input = hpl::Input { order: order as u64, block, grid, variant };
    Ok(Some(("HPL.dat", FileKind::HplInput, input.text(layout.processes.into(), &reason(choice))?)))
}

/// The labels of the variant of a choice: that of its own runs, else the fastest relative to the
/// model.
fn variant_labels(choice: Choice) -> BTreeMap<String, String> {
    let own = Some(&choice.best.variant).filter(|variant| !variant.is_empty());
    own.or_else(|| choice.at_levels.region.fastest_variant()).cloned().unwrap_or_default()
}

/// Reports the variant in `HPL.dat` and the reason for it.
fn report_variant(context: Context, choice: Choice, labels: &BTreeMap<String, String>) {
    if labels.is_empty() {
        return context.say("HPL.dat: variant of --hpl-dat, because the runs record none");
    }
    let RegionAtLevels { region, levels, has_run, .. } = choice.at_levels;
    let why = match (region.variants().len(), choice.best.variant.is_empty()) {
        _ if !levels.is_empty() && *has_run => "with the fastest levels".to_owned(),
        _ if !levels.is_empty() => "with the fastest levels; no run has all of them".to_owned(),
        (1, _) => "the measured one".to_owned(),
        (count, false) => format!("the fastest of this configuration; {count} were measured"),
        (count, true) => format!(
            "the fastest of {count} relative to the model; this configuration was not measured"
        ),
    };
    context.say(format!("HPL.dat: variant {}, {why}", labels_text(labels)));
}
