use std::path::{Path, PathBuf};

use clap::Args;
use orrery::file::FileKind;
use orrery::model::{MeasuredError, ModelKind};
use orrery::request::TuningRequest;
use orrery::sample::Library;
use orrery::schedule::CollectiveKind;
use orrery::tuning::mpi::{
    CommunicatorRules, MIN_LAUNCHES, Rules, SelectionTree, Target, TooFewLaunches, han_rules,
    mpich_rules, open_mpi_rules,
};
use orrery::units::Bytes;
use orrery_report::tables::mpi_rules;

use super::library::{Release, selection_tree};
use crate::context::{Context, warn};
use crate::output::{self, Format};
use crate::verbs::output_file;
use crate::verbs::per_host::PerHost;
use crate::verbs::whole_numbers::WholeNumbers;
use crate::verbs::{ranges, samples};
use crate::{applies, refusal};

/// Arguments of `orrery tune write`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  orrery tune write model.json --for openmpi-4.1 -o rules.conf
  orrery tune write model.json --for mpich-4.0 --base libmpich.so.12 -o rules.json
  orrery tune write native.csv --for auto -o rules.conf --operation bcast,allreduce")]
pub struct Write {
    /// Model file, or samples of `measure collectives --native` or of imported benchmarks
    #[arg(value_name = "MODEL|SAMPLES")]
    file: PathBuf,
    /// Release of the MPI library: openmpi-4.1, openmpi-5.0, openmpi-han, mpich-4.0, mpich-4.2;
    /// auto: that of mpirun --version
    #[arg(long = "for", value_name = "RELEASE")]
    release: Release,
    /// Write the rules to this file
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
    /// Selection tree of MPICH that the rules are added to: generic.json, or the library that
    /// contains it [default: the installed library]
    #[arg(long, value_name = "FILE")]
    base: Option<PathBuf>,
    /// Operations, separated by commas: scatter, gather, allgather, alltoall, bcast, reduce,
    /// allreduce, reduce-scatter, scan, exscan, barrier [default: all]
    #[arg(long, alias = "operations", value_name = "LIST", value_delimiter = ',')]
    operation: Vec<CollectiveKind>,
    /// Numbers of processes: 8, 2..16, 4,8,16 [default: all processors of a model; those of the
    /// samples]
    #[arg(long, value_name = "LIST")]
    procs: Option<WholeNumbers>,
    #[command(flatten)]
    per_host: PerHost,
    /// Range of block sizes of one process, or of sizes of the vector of bcast, reduce and
    /// allreduce, with a model [default: 1..4M]
    #[arg(long, value_name = "FROM..TO", value_parser = ranges::sizes_above_zero)]
    size: Option<(Bytes, Bytes)>,
    /// Kind of model [default: the preferred one in the file, such as ports]
    #[arg(long, alias = "models", value_name = "KIND")]
    model: Option<ModelKind>,
    /// Replace an existing file
    #[arg(long)]
    force: bool,
    /// Output format of the table of rules
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

impl Write {
    /// Writes the rules and prints them.
    pub fn run(self, context: Context) -> anyhow::Result<()> {
        let target = self.release.target()?;
        let base = match target.library() {
            Library::Mpich => Some(selection_tree(self.base.as_deref())?),
            _ => {
                applies::refuse(&["--base"], target)?;
                None
            }
        };
        let tuned = tuned_rules(target, &self.output);
        let kind = if base.is_some() { FileKind::MpichRules } else { FileKind::OpenMpiRules };
        let output = output_file::check(&self.output, self.force, kind)?;
        let tuned_output = output_file::check(&tuned, self.force, kind)?;
        let tree = base.as_ref().map(|(tree, _)| tree);
        let rules = if samples::are_samples(&self.file) {
            self.by_samples(context, target)?
        } else {
            self.by_model(target, tree)?
        };
        let origin = self.origin(&rules);
        match (target, tree) {
            (_, Some(tree)) => output.write(&mpich_rules(&rules, tree))?,
            (Target::OpenMpiHan, None) => {
                output.write(&han_rules(&rules, &origin))?;
                tuned_output.write(&open_mpi_rules(&rules, &origin))?;
            }
            _ => output.write(&open_mpi_rules(&rules, &origin))?,
        }
        if let Some((_, path)) = &base {
            context.say(format!("the rules are added to the selection tree of {}", path.display()));
        }
        output::print(&mpi_rules(&rules), self.format)?;
        remarks(&rules);
        context.say(activation(target, &self.output));
        Ok(())
    }

    /// What the rules are for.
    fn request(&self) -> TuningRequest {
        let procs = self.procs.iter().flat_map(|list| &list.0).map(|number| *number as usize);
        TuningRequest {
            operations: self.operation.clone(),
            procs: procs.collect(),
            size: self.size,
            model: self.model,
        }
    }

    /// The rules by a model.
    fn by_model(&self, target: Target, tree: Option<&SelectionTree>) -> anyhow::Result<Rules> {
        let model = self.per_host.of(samples::model(&self.file)?, &self.file)?;
        let rules = self.request().by_model(&model, target, tree);
        let rules = rules.map_err(|error| refusal::failure(error, &self.file))?;
        let is_of_library = |one: &MeasuredError| one.algorithm.library.is_some();
        let mut measured = model.discrepancies.values().flat_map(|all| &all.collectives);
        if !measured.any(is_of_library) {
            warn(format_args!(
                "the model has no measured calls of {}, so that calls count as fast as \
                    their messages; measure some with \
                 orrery measure collectives --native, fit with them, and verify the rules",
                target.library()
            ));
        }
        Ok(rules)
    }

    /// The rules by measured times.
    fn by_samples(&self, context: Context, target: Target) -> anyhow::Result<Rules> {
        applies::refuse(&["--model", "--ppn", "--size"], "samples")?;
        let samples = samples::read(context, std::slice::from_ref(&self.file))?;
        let found = self.request().by_samples(samples, target);
        let found = found.map_err(|error| refusal::failure(error, &self.file))?;
        let counted = |number: usize, one: &str| output::counted(number as u64, one);
        if let Some(TooFewLaunches { needed, launches, algorithms }) = found.too_few {
            warn(format_args!(
                "{} of {} and the library's own choice are too few for any interval at a level of \
                    95 % for all algorithms together, so that \
                 defaults stay there; {needed} are enough",
                counted(launches, "launch"),
                counted(algorithms, "algorithm")
            ));
        } else if found.launches < MIN_LAUNCHES {
            warn(format_args!(
                "some algorithms have {} in common with the library's own choice: differences \
                    between launches are not part of the \
                 intervals; measure in {MIN_LAUNCHES} launches or more, and verify the rules",
                counted(found.launches, "launch")
            ));
        }
        if found.one_root {
            warn("operations with a root were measured with one root: the rules apply to all");
        }
        Ok(Rules { target, communicators: found.rules })
    }

    /// What the files say of their origin.
    fn origin(&self, rules: &Rules) -> String {
        let name = self.file.file_name().unwrap_or_default().to_string_lossy();
        format!("Rules for {}, by orrery {} from {name}.", rules.target, env!("CARGO_PKG_VERSION"))
    }
}

/// The file of the rules of coll/tuned: the file of all rules, or for coll/han the one beside it.
pub fn tuned_rules(target: Target, path: &Path) -> PathBuf {
    if target != Target::OpenMpiHan {
        return path.to_owned();
    }
    let mut name = path.as_os_str().to_owned();
    name.push(".tuned");
    name.into()
}

/// Warns of what the rules cannot say.
fn remarks(rules: &Rules) {
    if !rules.communicators.iter().any(CommunicatorRules::replaces) {
        warn(
            "no rule replaces a default: no interval excludes a loss; where the model has no \
                intervals or the library's own choice was \
             not measured none can",
        );
    }
    let most = rules.communicators.iter().filter_map(|one| one.per_host).max();
    if let (Library::OpenMpi, Some(per_host)) = (rules.target.library(), most) {
        warn(format_args!(
            "the rules are made for up to {} on each host; Open MPI applies them to every \
                communicator of these sizes",
            output::counted(per_host as u64, "process")
        ));
    }
    if rules.target == Target::OpenMpi50 && most.is_none_or(|per_host| per_host > 1) {
        warn(
            "on several hosts with several processes each, component coll/han decides by default; \
                the command below leaves it out for all \
             operations, and the rules are compared with coll/tuned only: verify them",
        );
    }
    for operation in rules.reordered() {
        warn(format_args!(
            "{operation}: the rules change the order of operands, also for operations of a program \
                that do not commute; leave it out \
             with --operation where programs have some"
        ));
    }
    if rules.target == Target::OpenMpiHan && most.is_none_or(|per_host| per_host > 1) {
        warn(
            "the times of coll/han's algorithms are not predicted; give samples in which its own \
                choice was measured",
        );
    }
}

/// How the rules are put to work.
fn activation(target: Target, path: &Path) -> String {
    let path = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let variables = super::library::environment(target, &path, &tuned_rules(target, &path));
    format!(
        "put the file where all hosts find it, the same for all ranks, and run\n  {variables} \
            mpirun …"
    )
}
