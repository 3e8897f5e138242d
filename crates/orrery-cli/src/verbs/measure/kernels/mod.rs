//! `orrery measure kernels`: times of compute kernels, on this host or on each host of an MPI job.
//!
//! | file | content |
//! |---|---|
//! | `campaign` | the libraries of a host, and its campaign |
//! | `collector` | the file that all readings are written to |
//! | `remote` | the campaigns of other hosts, as tasks of an MPI job |

mod campaign;
mod collector;
#[cfg_attr(not(feature = "mpi"), path = "no_remote.rs")]
mod remote;

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::Context as _;
use clap::Args;
use orrery::file::FileKind;
use orrery::kernel::{Kernel, KernelRoutine, Operands, Precision};
use orrery::machine::host;
use orrery::model::{FittedKernels, Model, fit_kernels};
use orrery::sample::{HOST_CLASSES, HOST_MEMORY, KernelReading, KernelTimings, Provenance};
use orrery_report::tables::kernel_models;

use self::campaign::{HostCampaign, Kernels, Listener};
use self::collector::Collector;
use self::remote::Remote;
#[cfg(feature = "mpi")]
pub use self::remote::serve;
use crate::applies;
use crate::campaign_file;
use crate::context::{Context, Usage, interrupt_flag};
use crate::host_classes::{self, Classes, ClassesWord, Host};
use crate::options;
use crate::output::{self, Format};
use crate::progress::Bar;
use crate::verbs::kernels;
use crate::verbs::output_file;

/// Arguments of `orrery measure kernels`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
    orrery measure kernels -o kernels.csv --routines gemm,trsm --time 60s\n  \
    orrery measure kernels -o kernels.csv --blas libopenblas.so.0,libblis.so.4 --routines dgemm \
    --variants all\n  \
    mpirun -n 4 orrery measure kernels -o kernels.csv --classes auto")]
pub struct KernelArguments {
    /// Libraries of BLAS and LAPACK, by name or path; `rust` for the kernels in Rust, which need
    /// none [default: the first of libopenblas.so.0, libblis.so.4, libmkl_rt.so.2 and libblas.so.3
    /// that is installed, else rust]
    #[arg(long, value_name = "LIST", value_delimiter = ',')]
    blas: Vec<String>,
    /// Routines, with the letter of the precision or without: gemm, trsm, syrk, trmm, gemv, ger,
    /// axpy, getrf, potrf, add
    #[arg(long, value_name = "LIST", value_delimiter = ',', default_value = "gemm", value_parser = routine)]
    routines: Vec<Routine>,
    /// Precisions of routines without their letter: s, d, c, z
    #[arg(long, value_name = "LIST", value_delimiter = ',', default_value = "d", value_parser = precision)]
    precision: Vec<Precision>,
    /// Variants of each routine: first, all, or some by their letters, such as nn,nt
    #[arg(long, value_name = "LIST", value_delimiter = ',', default_value = "first")]
    variants: Vec<String>,
    /// Smallest and largest dimension of the calls to measure
    #[arg(long, value_name = "FROM..TO", default_value = "32..2000", value_parser = dimensions)]
    dimensions: [u64; 2],
    /// Measure the calls of this file, a line for each, such as dgemm nt 100 200 50 [default: calls
    /// within --dimensions]
    #[arg(long, value_name = "FILE", conflicts_with_all = ["routines", "precision", "variants", "dimensions", "time"])]
    calls: Option<PathBuf>,
    /// State of the operands when a call begins: warm (in caches, as far as they fit), cold (not in
    /// caches)
    #[arg(long, value_name = "STATE", value_delimiter = ',', default_value = "warm")]
    operands: Vec<Operands>,
    /// Time of the campaign, divided among all routines and variants
    #[arg(long, value_name = "TIME", default_value = "60s", value_parser = options::duration)]
    time: Duration,
    /// Number of threads of a call [default: 1]
    #[arg(long, value_name = "N")]
    threads: Option<u32>,
    /// Processor on which the calls run, by the number of the system [default: the first usable
    /// one, with 1 thread]
    #[arg(long, value_name = "N", conflicts_with = "threads")]
    processor: Option<u32>,
    /// Minimum number of readings of a call
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..=1000))]
    min_reps: u32,
    /// Maximum number of readings of a call
    #[arg(long, value_name = "N", default_value_t = 7, value_parser = clap::value_parser!(u32).range(1..=1000))]
    max_reps: u32,
    /// Classes of equal hosts of an MPI job, to measure one host of each: auto (the same processor
    /// model and memory), or a file with the names of a class on each line [default: each host is
    /// measured]
    #[arg(long, value_name = "FILE|auto")]
    classes: Option<ClassesWord>,
    /// Measure the hosts of an MPI job one after the other, each for the whole time
    #[arg(long)]
    one_by_one: bool,
    /// Write the times to this file
    #[arg(short, long, value_name = "KERNELS")]
    output: PathBuf,
    /// Keep the readings of an existing file and continue its campaign
    #[arg(long, conflicts_with = "force")]
    resume: bool,
    /// Replace an existing file
    #[arg(long)]
    force: bool,
    /// Output format of the fitted models
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

/// A routine, in one precision or in those of `--precision`.
#[derive(Debug, Clone, Copy)]
enum Routine {
    Exact(Kernel),
    Any(KernelRoutine),
}

/// How long the hosts may take to end their calls when the campaign ends early.
const CANCEL_TIMEOUT: Duration = Duration::from_secs(10);

/// The interval in which the readings of other hosts are collected.
const COLLECT_INTERVAL: Duration = Duration::from_millis(2);

/// The level of the intervals of the models that are shown.
const LEVEL: f64 = 0.95;

/// Parses a routine: `gemm`, `dgemm`.
fn routine(text: &str) -> Result<Routine, String> {
    let any =
        KernelRoutine::ALL.into_iter().find(|routine| routine.name() == text).map(Routine::Any);
    any.map_or_else(|| text.parse().map(Routine::Exact).map_err(|error| format!("{error}")), Ok)
}

/// Parses a precision.
fn precision(text: &str) -> Result<Precision, String> {
    text.parse().map_err(|error| format!("{error}"))
}

/// Parses a range of dimensions: `32..2000`.
fn dimensions(text: &str) -> Result<[u64; 2], String> {
    let range =
        text.split_once("..").and_then(|(low, high)| Some([low.parse().ok()?, high.parse().ok()?]));
    match range {
        Some([low, high]) if 0 < low && low <= high => Ok([low, high]),
        _ => Err("the smallest and the largest dimension are expected, such as 32..2000".into()),
    }
}

impl KernelArguments {
    /// Measures kernels and prints the models of their times.
    pub fn run(self, context: Context) -> anyhow::Result<()> {
        let kernels = Kernels::new(&self)?;
        let hosts = host_classes::hosts(context);
        let classes = Classes::new(self.classes.as_ref(), &hosts)?;
        let is_alone = hosts.len() == 1;
        if is_alone {
            applies::refuse(&["--one-by-one"], "a single host")?;
        }
        let mut own =
            HostCampaign::open(&self, kernels).map_err(|error| of_host(error, is_alone))?;
        own.descriptions()
            .for_each(|words| context.say(host_classes::of(&host::name(), words, is_alone)));
        let interrupt = interrupt_flag()?;
        let machine = machine(&hosts, &classes);
        let mut collector = Collector::new(context, is_alone);
        if self.resume && self.output.exists() {
            collector.resume(&self.output, &machine)?;
        } else {
            output_file::check(&self.output, self.force, FileKind::Kernels)?;
        }
        let known = collector.timings();
        let mut remote =
            Remote::new(context, classes.measured().skip(1).cloned().collect(), self.one_by_one);
        let outcome = (|| {
            remote.start(known.clone())?;
            while !remote.is_ready() && !interrupt.load(Ordering::Relaxed) {
                remote.poll(&mut collector)?;
                thread::sleep(COLLECT_INTERVAL);
            }
            if !collector.is_open() {
                collector.create(&self.output, self.force, head(&machine, &hosts, &own))?;
            }
            classes.remarks().for_each(|words| context.say(words));
            self.measure(
                context,
                &mut own,
                (&mut remote, &mut collector),
                &known.readings,
                &interrupt,
            )
        })();
        let ended = remote.cancel(&mut collector, CANCEL_TIMEOUT);
        outcome.and(ended)?;
        collector.finish()?;
        if interrupt.load(Ordering::Relaxed) {
            context.say("interrupted; --resume continues");
        }
        self.show(&collector.timings())
    }

    /// Measures on this host, and collects the readings of the others.
    fn measure(
        &self,
        context: Context,
        own: &mut HostCampaign,
        (remote, collector): (&mut Remote, &mut Collector),
        known: &[KernelReading],
        interrupt: &AtomicBool,
    ) -> anyhow::Result<()> {
        let bar = Bar::new(context, "kernels");
        let begin = Instant::now();
        let mut leader =
            Leader { arguments: self, remote, collector, bar, begin, interrupt, failure: None };
        let measured = own
            .measure(known, &mut leader)
            .map_err(|error| of_host(error, leader.collector.is_alone));
        if let Some(failure) = leader.failure {
            return Err(failure);
        }
        measured?;
        loop {
            leader.remote.poll(leader.collector)?;
            let Some(hosts) = leader.remote.running()? else { return Ok(()) };
            leader.show(&hosts);
            if interrupt.load(Ordering::Relaxed) {
                return Ok(());
            }
            thread::sleep(COLLECT_INTERVAL);
        }
    }

    /// Prints the models of the readings.
    fn show(&self, known: &KernelTimings) -> anyhow::Result<()> {
        let fitted = fit_kernels(known, LEVEL);
        if self.calls.is_some() && fitted.is_err() {
            // Given calls may be too few for a model.
            return Ok(());
        }
        let FittedKernels { models, failed, .. } =
            fitted.with_context(|| self.output.display().to_string())?;
        kernels::warn_of(&models, &failed);
        let mut model = Model::default();
        model.add_kernels(models);
        kernel_models(&model).map_or(Ok(()), |table| output::print(&table, self.format))
    }

    /// The kernels of the options with their variants.
    fn kernels(&self) -> Result<Vec<(Kernel, &'static str)>, Usage> {
        let in_precisions = |routine: &Routine| match *routine {
            Routine::Exact(kernel) => vec![kernel],
            Routine::Any(routine) => {
                self.precision.iter().map(|&precision| Kernel { precision, routine }).collect()
            }
        };
        let mut all = Vec::new();
        for kernel in self.routines.iter().flat_map(in_precisions) {
            let variants = kernel.routine.variants();
            let is_wanted = |variant: &str| {
                self.variants.iter().any(|wanted| wanted == variant || wanted == "all")
            };
            let wanted: Vec<&'static str> = match self.variants.as_slice() {
                [word] if word == "first" => vec![variants[0]],
                _ => variants.iter().copied().filter(|variant| is_wanted(variant)).collect(),
            };
            if wanted.is_empty() {
                let (words, known) = (self.variants.join(","), variants.join(", "));
                return Err(Usage(format!(
                    "--variants {words}: {kernel} has none of them; it has {known}"
                )));
            }
            all.extend(
                wanted
                    .into_iter()
                    .map(|variant| (kernel, variant))
                    .filter(|one| !all.contains(one))
                    .collect::<Vec<_>>(),
            );
        }
        Ok(all)
    }
}

/// The properties of the machine that are the same when a campaign is continued.
fn machine(hosts: &[Host], classes: &Classes) -> Provenance {
    let names: Vec<&str> = hosts.iter().map(|host| host.name.as_str()).collect();
    let machine = Provenance::new().with("machine", "kernels").with("hosts", names.join(" "));
    classes.words().into_iter().fold(machine, |machine, words| machine.with(HOST_CLASSES, words))
}

/// The provenance of a new file.
fn head(machine: &Provenance, hosts: &[Host], own: &HostCampaign) -> Provenance {
    let mut head = campaign_file::head(None, machine);
    head.set("kernel", host::kernel());
    if let Some(model) = host::cpu_model() {
        head.set("cpu", model);
    }
    if let Some(governor) = host::governor() {
        head.set("governor", governor);
    }
    let memory =
        hosts.iter().filter_map(|host| Some(format!("{}={}", host.name, host.memory?.get())));
    let memory: Vec<String> = memory.collect();
    if !memory.is_empty() {
        head.set(HOST_MEMORY, memory.join(" "));
    }
    head.set("libraries", own.libraries().join(" "));
    head.set("date", host::date());
    head
}

/// An error of this host, with its name if there are others.
fn of_host(error: anyhow::Error, is_alone: bool) -> anyhow::Error {
    if is_alone { error } else { error.context(host::name()) }
}

/// The campaign of this host as that of rank 0, which collects the readings of other hosts between
/// its calls.
struct Leader<'a, 'b> {
    arguments: &'a KernelArguments,
    remote: &'a mut Remote<'b>,
    collector: &'a mut Collector,
    bar: Bar,
    begin: Instant,
    interrupt: &'a AtomicBool,
    /// The error of another host.
    failure: Option<anyhow::Error>,
}

impl Leader<'_, '_> {
    /// Shows the progress.
    fn show(&self, what: &dyn std::fmt::Display) {
        let rounds = if self.arguments.one_by_one { self.remote.hosts() as u32 + 1 } else { 1 };
        let total = (self.arguments.time * rounds).as_secs().max(1) as usize + 1;
        self.bar.at((self.begin.elapsed().as_secs() as usize).min(total - 1), total, what);
    }
}

impl Listener for Leader<'_, '_> {
    fn warn(&mut self, words: String) -> anyhow::Result<()> {
        self.collector.warn(&host::name(), &words);
        Ok(())
    }

    fn store(&mut self, readings: &[KernelReading]) -> anyhow::Result<()> {
        self.collector.store(readings)
    }

    fn is_over(&mut self, kernel: Kernel) -> bool {
        self.show(&kernel);
        if let Err(error) = self.remote.poll(self.collector) {
            self.failure = Some(error);
        }
        self.failure.is_some() || self.interrupt.load(Ordering::Relaxed)
    }
}
