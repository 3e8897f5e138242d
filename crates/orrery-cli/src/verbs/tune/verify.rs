use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitStatus;
use std::sync::atomic::AtomicBool;

use anyhow::{Context as _, bail};
use clap::Args;
use orrery::file::{FaultKind, FileError, FileKind, check_kind, read_bytes, read_string, replace};
use orrery::request::VerificationRequest;
use orrery::sample::{Samples, file};
use orrery::schedule::CollectiveKind;
use orrery::tuning::mpi::{Probe, Target, launch_order, probes, verify};
use orrery::units::SizeList;
use orrery_report::tables::{verification, verification_summary};

use super::library::{Release, environment};
use super::write::tuned_rules;
use crate::context::{Context, Usage, interrupt_flag, shell_word, warn};
use crate::launch::launch;
use crate::launch::{STDERR, STDOUT};
use crate::output::{self, Format};
use crate::verbs::output_file;
use crate::{options, refusal};

/// Arguments of `orrery tune verify`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  orrery tune verify rules.conf --for openmpi-4.1 --run 'mpirun -n 16' -o times
  orrery tune verify rules.json --for mpich-4.0 --run 'mpiexec -n 16' --launches 9 -o times")]
pub struct Verify {
    /// File of rules, as `tune write` writes it
    #[arg(value_name = "RULES")]
    rules: PathBuf,
    /// Release of the MPI library: openmpi-4.1, openmpi-5.0, openmpi-han, mpich-4.0, mpich-4.2;
    /// auto: that of mpirun --version
    #[arg(long = "for", value_name = "RELEASE")]
    release: Release,
    /// Command that starts a program on the ranks, such as 'mpirun -n 16': the program follows it
    #[arg(long, value_name = "COMMAND")]
    run: String,
    /// Program of Orrery on the ranks, built with this MPI library [default: this one]
    #[arg(long, value_name = "PATH")]
    program: Option<PathBuf>,
    /// Operations, separated by commas [default: those with rules of Open MPI; bcast, reduce,
    /// allreduce, allgather, alltoall and reduce-scatter with MPICH]
    #[arg(long, alias = "operations", value_name = "LIST", value_delimiter = ',')]
    operation: Vec<CollectiveKind>,
    /// Block sizes of one process, or sizes of the vector of bcast, reduce and allreduce
    #[arg(long, value_name = "SIZES", default_value = "1K..1M")]
    sizes: SizeList,
    /// Number of launches without rules, and as many with them, at least 4
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = clap::value_parser!(u32).range(4..=100))]
    launches: u32,
    /// Maximum number of repetitions of an operation and size in a launch
    #[arg(long, value_name = "N", default_value_t = 30, value_parser = clap::value_parser!(u32).range(5..))]
    max_reps: u32,
    /// Confidence level of intervals and tests
    #[arg(long, value_name = "LEVEL", default_value_t = 0.95, value_parser = options::level)]
    level: f64,
    /// Seed of the order of launches
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// Write the samples of all launches to this folder
    #[arg(short, long, value_name = "DIR")]
    output: PathBuf,
    /// Replace the samples of an earlier verification in this folder
    #[arg(long)]
    force: bool,
    /// Output format
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

impl Verify {
    /// Measures without rules and with them, and compares.
    pub fn run(self, context: Context) -> anyhow::Result<()> {
        let target = self.release.target()?;
        let rules = std::path::absolute(&self.rules).unwrap_or_else(|_| self.rules.clone());
        let tuned = tuned_rules(target, &rules);
        let text =
            read_string(&tuned).with_context(|| format!("cannot read {}", tuned.display()))?;
        let probes = probes(target, &text);
        let probes = probes.map_err(|fault| {
            let wanted = match target {
                Target::Mpich40 | Target::Mpich42 => FileKind::MpichRules,
                _ => FileKind::OpenMpiRules,
            };
            let of_rules = || fault.of_kind(FaultKind::Format { wanted, found: None });
            let fault = check_kind(text.as_bytes(), wanted).err().unwrap_or_else(of_rules);
            FileError::located(&tuned_rules(target, &self.rules), &text, fault)
        })?;
        let request = VerificationRequest {
            operations: self.operation.clone(),
            launches: self.launches,
            level: self.level,
        };
        let operations = request.operations(&probes);
        let operations = operations.map_err(|error| refusal::failure(error, &tuned))?;
        let folder = std::path::absolute(&self.output)?;
        output_file::check_folder(&folder, self.force, "-o")?;
        if folder == rules || rules.parent() == Some(&folder) {
            bail!(Usage(format!(
                "{}: the rules are in this folder; write the samples to another one",
                folder.display()
            )));
        }
        check_entries(&folder)?;
        fs::create_dir_all(&folder)
            .with_context(|| format!("cannot create {}", folder.display()))?;
        let interrupt = interrupt_flag()?;
        let rules = Rules { file: &rules, tuned: &tuned };
        let job = Job { verify: &self, target, folder: &folder, interrupt: &interrupt };
        job.prove(context, &rules, &probes, &operations)?;
        let order = launch_order(self.launches, self.seed);
        let mut all = [Samples::default(), Samples::default()];
        for (done, &(is_tuned, launch)) in order.iter().enumerate() {
            let words = if is_tuned { "with rules" } else { "without rules" };
            context.say(format!("launch {} of {}, {words}", done + 1, order.len()));
            let samples = job.measure(is_tuned.then_some(&rules), &operations, launch)?;
            all[usize::from(is_tuned)].extend(&samples);
        }
        let verified = verify(&all[0], &all[1], self.level);
        output::print(&verification(&verified), self.format)?;
        context.say(verification_summary(&verified, self.level));
        Ok(())
    }
}

/// The name of the file of a probe.
const PROBE: &str = "probe-rules";

/// The name of the samples of the launches with a probe.
const PROBE_SAMPLES: &str = "probe.csv";

/// Returns an error if a folder has a file that no verification writes.
fn check_entries(folder: &Path) -> anyhow::Result<()> {
    for entry in fs::read_dir(folder).into_iter().flatten() {
        let entry = entry.with_context(|| format!("cannot read {}", folder.display()))?;
        let (name, path) = (entry.file_name(), entry.path());
        let name = name.to_str().unwrap_or_default();
        let is_samples = ["default-", "tuned-"].iter().any(|begin| name.starts_with(begin));
        if name == PROBE_SAMPLES || is_samples && path.extension() == Some("csv".as_ref()) {
            output_file::check_kind(&path, FileKind::Samples)?;
        } else if ![PROBE, STDOUT, STDERR].contains(&name) || !entry.file_type()?.is_file() {
            let words = "no verification writes this file; write to another folder with -o";
            bail!(Usage(format!("{}: {words}", path.display())));
        }
    }
    Ok(())
}

/// What is written to the error output of a launch whose rules are read and name nothing.
const SIGNS: [&str; 2] = ["MPI_ERR_ARG", "unknown key"];

/// The files of rules: all, and those of coll/tuned.
struct Rules<'a> {
    file: &'a Path,
    tuned: &'a Path,
}

/// The launches of a verification.
struct Job<'a> {
    verify: &'a Verify,
    target: Target,
    folder: &'a Path,
    interrupt: &'a AtomicBool,
}

impl Job<'_> {
    /// Proves that the library reads rules: calls must succeed with the rules, and fail with those
    /// of the probes.
    fn prove(
        &self,
        context: Context,
        rules: &Rules<'_>,
        probes: &[Probe],
        operations: &[CollectiveKind],
    ) -> anyhow::Result<()> {
        let is_of_library = matches!(self.target, Target::Mpich40 | Target::Mpich42);
        for probe in
            probes.iter().filter(|probe| is_of_library || operations.contains(&probe.operation))
        {
            let path = self.folder.join(PROBE);
            replace(&path, probe.text.as_bytes())
                .with_context(|| format!("{}: cannot write the file", path.display()))?;
            let operation = if is_of_library { operations[0] } else { probe.operation };
            let samples = self.folder.join(PROBE_SAMPLES);
            let sizes = match &probe.sizes[..] {
                [] => "1K".to_owned(),
                sizes => {
                    sizes.iter().map(|size| size.get().to_string()).collect::<Vec<_>>().join(",")
                }
            };
            let status =
                self.launch(&self.settings(Some(rules)), operation.name(), &sizes, 0, &samples)?;
            if !status.success() {
                return Err(self.failure(status));
            }
            // With coll/han, an operation that it does not leave to coll/tuned would not fail.
            let probing = Rules {
                file: if self.target == Target::OpenMpiHan { rules.file } else { &path },
                tuned: &path,
            };
            let ended =
                self.launch(&self.settings(Some(&probing)), operation.name(), &sizes, 0, &samples)?;
            let _ = fs::remove_file(&samples);
            let of =
                if is_of_library { "the file".to_owned() } else { format!("rules of {operation}") };
            let _ = fs::remove_file(&path);
            let errors = read_bytes(&self.folder.join(STDERR)).unwrap_or_default();
            let errors = String::from_utf8_lossy(&errors);
            if ended.success() {
                let why = if is_of_library {
                    "the release of the library may be another one than that of --for"
                } else {
                    "another component may decide before coll/tuned, or the rules are for other \
                        numbers of processes"
                };
                bail!(
                    "{} does not read {of}: a rule without an algorithm had no effect; {why}",
                    self.target
                );
            }
            if !SIGNS.iter().any(|sign| errors.contains(sign)) {
                return Err(self.failure(ended));
            }
            context.say(format!(
                "{} reads {of}: a rule without an algorithm is an error",
                self.target
            ));
        }
        let unproven = operations.iter().filter(|operation| {
            !is_of_library && !probes.iter().any(|probe| probe.operation == **operation)
        });
        for operation in unproven {
            warn(format_args!("{operation} has no rules"));
        }
        Ok(())
    }

    /// The samples of a launch.
    fn measure(
        &self,
        rules: Option<&Rules<'_>>,
        operations: &[CollectiveKind],
        launch: u32,
    ) -> anyhow::Result<Samples> {
        let name = if rules.is_some() { "tuned" } else { "default" };
        let path = self.folder.join(format!("{name}-{launch}.csv"));
        let names: Vec<&str> = operations.iter().map(|operation| operation.name()).collect();
        let status = self.launch(
            &self.settings(rules),
            &names.join(","),
            &self.verify.sizes.to_string(),
            launch,
            &path,
        )?;
        if !status.success() {
            return Err(self.failure(status));
        }
        let mut samples = Samples::default();
        let loaded = file::read(&path)?;
        for mut sample in loaded.samples.iter() {
            sample.launch = launch;
            samples.push(sample);
        }
        Ok(samples)
    }

    /// The error of a launch that failed, with the first lines of its error output.
    fn failure(&self, status: ExitStatus) -> anyhow::Error {
        const MAX_LINES: usize = 10;
        let errors = read_bytes(&self.folder.join(STDERR)).unwrap_or_default();
        let errors = String::from_utf8_lossy(&errors);
        let lines: Vec<&str> = errors.lines().collect();
        let shown =
            lines.iter().take(MAX_LINES).flat_map(|line| ["\n  ", line]).collect::<String>();
        let more = match lines.len().saturating_sub(MAX_LINES) {
            0 => String::new(),
            more => {
                format!("\n  … and {more} more lines in {}", self.folder.join(STDERR).display())
            }
        };
        let report = if lines.is_empty() {
            "it printed no error".to_owned()
        } else {
            format!("its error output is{shown}{more}")
        };
        anyhow::anyhow!(
            "the launch failed with {status}: {}; correct --run; {report}",
            self.verify.run
        )
    }

    /// Runs a campaign; an error after an interrupt.
    fn launch(
        &self,
        settings: &str,
        operations: &str,
        sizes: &str,
        launch_number: u32,
        path: &Path,
    ) -> anyhow::Result<ExitStatus> {
        let own = std::env::current_exe()?;
        let program = self.verify.program.as_deref().unwrap_or(&own);
        let quoted = |path: &Path| shell_word(path);
        let command = format!(
            "{settings}{} {} measure collectives --native --own-choice --quiet --force -o {} \
                --operations {operations} --sizes {sizes} --max-reps {} --seed {}",
            self.verify.run,
            quoted(program),
            quoted(path),
            self.verify.max_reps,
            self.verify.seed.wrapping_add(launch_number.into()),
        );
        let ended = launch(&command, self.folder, self.interrupt)?;
        let Some(ended) = ended else { bail!("interrupted; verify again with --force") };
        for name in [STDOUT, STDERR] {
            if ended.status.success() {
                let _ = fs::remove_file(self.folder.join(name));
            }
        }
        Ok(ended.status)
    }

    /// The begin of a command of the shell: the variables that put rules to work, and no others.
    fn settings(&self, rules: Option<&Rules<'_>>) -> String {
        let unset = format!("unset {}; ", Target::RULE_FILES.join(" "));
        rules.map_or(unset.clone(), |rules| {
            unset + &environment(self.target, rules.file, rules.tuned) + " "
        })
    }
}
