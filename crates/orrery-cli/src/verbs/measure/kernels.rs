use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use anyhow::Context as _;
use clap::Args;
use orrery::kernel::{Kernel, KernelMachine, KernelRoutine, KernelRunError, Operands, Precision};
use orrery::machine::host;
use orrery::measure::{KernelCampaign, KernelCampaignError};
use orrery::model::{FittedKernels, Model, fit_kernels};
use orrery::sample::file::kernels::KernelsWriter;
use orrery::sample::{KernelConditions, KernelReading, KernelTimings, Provenance};
use orrery::units::Seconds;
use orrery_blas::{LibraryKernels, Options, RustKernels};
use orrery_report::tables::kernel_models;

use crate::context::{Context, Usage, command_line, interrupt_flag, warn};
use crate::options;
use crate::output::{self, Format, counted};
use crate::progress::Bar;
use crate::session::same_machine;
use crate::verbs::kernels;
use crate::verbs::output_file::{self, OutputKind};

/// Arguments of `orrery measure kernels`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
    orrery measure kernels -o kernels.csv --routines gemm,trsm --time 60s\n  \
    orrery measure kernels -o kernels.csv --blas libopenblas.so.0,libblis.so.4 --routines dgemm --variants all")]
pub struct KernelArguments {
    /// Libraries of BLAS and LAPACK, by name or path; `rust` for the kernels in Rust, which need none [default: the first of
    /// libopenblas.so.0, libblis.so.4, libmkl_rt.so.2 and libblas.so.3 that is installed, else rust]
    #[arg(long, value_name = "LIST", value_delimiter = ',')]
    blas: Vec<String>,
    /// Routines, with the letter of the precision or without: gemm, trsm, syrk, gemv, axpy, getrf, potrf, add
    #[arg(long, value_name = "LIST", value_delimiter = ',', default_value = "gemm", value_parser = routine)]
    routines: Vec<Routine>,
    /// Precisions of routines without their letter: s, d, c, z
    #[arg(long, value_name = "LIST", value_delimiter = ',', default_value = "d", value_parser = precision)]
    precision: Vec<Precision>,
    /// Variants of each routine: first, all, or some by their letters, such as nn,nt
    #[arg(long, value_name = "LIST", value_delimiter = ',', default_value = "first")]
    variants: Vec<String>,
    /// Smallest and largest dimension
    #[arg(long, value_name = "FROM..TO", default_value = "32..2000", value_parser = dimensions)]
    dimensions: [u64; 2],
    /// State of the operands when a call begins: warm (in caches, as far as they fit), cold (not in caches)
    #[arg(long, value_name = "STATE", value_delimiter = ',', default_value = "warm")]
    operands: Vec<Operands>,
    /// Time of the campaign, divided among all routines and variants
    #[arg(long, value_name = "TIME", default_value = "60s", value_parser = options::duration)]
    time: Duration,
    /// Number of threads of a call [default: 1]
    #[arg(long, value_name = "N")]
    threads: Option<u32>,
    /// Processor on which the calls run, by the number of the system [default: the first usable one, with 1 thread]
    #[arg(long, value_name = "N", conflicts_with = "threads")]
    processor: Option<u32>,
    /// Smallest number of readings of a call
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..=1000))]
    min_reps: u32,
    /// Largest number of readings of a call
    #[arg(long, value_name = "N", default_value_t = 7, value_parser = clap::value_parser!(u32).range(1..=1000))]
    max_reps: u32,
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

/// The libraries of which the first that is installed is used.
const LIBRARIES: [&str; 4] = ["libopenblas.so.0", "libblis.so.4", "libmkl_rt.so.2", "libblas.so.3"];

/// The name of the kernels in Rust.
const RUST: &str = "rust";

/// The relative half-width of the interval of a median at which readings end.
const PRECISION: f64 = 0.02;

/// The level of the intervals of the models that are shown.
const LEVEL: f64 = 0.95;

/// Parses a routine: `gemm`, `dgemm`.
fn routine(text: &str) -> Result<Routine, String> {
    let any = KernelRoutine::ALL.into_iter().find(|routine| routine.name() == text).map(Routine::Any);
    any.map_or_else(|| text.parse().map(Routine::Exact).map_err(|error| format!("{error}")), Ok)
}

/// Parses a precision.
fn precision(text: &str) -> Result<Precision, String> {
    text.parse().map_err(|error| format!("{error}"))
}

/// Parses a range of dimensions: `32..2000`.
fn dimensions(text: &str) -> Result<[u64; 2], String> {
    let range = text.split_once("..").and_then(|(low, high)| Some([low.parse().ok()?, high.parse().ok()?]));
    match range {
        Some([low, high]) if 0 < low && low <= high => Ok([low, high]),
        _ => Err("the smallest and the largest dimension are expected, such as 32..2000".into()),
    }
}

/// A loaded library with its name in the file.
struct Library {
    name: String,
    machine: Box<dyn KernelMachine>,
    threads: u32,
}

impl KernelArguments {
    /// Measures kernels and prints the models of their times.
    pub fn run(self, context: Context) -> anyhow::Result<()> {
        if self.min_reps > self.max_reps {
            return Err(Usage(format!("--min-reps {} is more than --max-reps {}", self.min_reps, self.max_reps)).into());
        }
        let kernels = self.kernels()?;
        let mut libraries = self.libraries(context)?;
        let interrupt = interrupt_flag()?;
        let (mut writer, mut known) = self.open(&libraries)?;
        let before = known.readings.len();
        let count = libraries.len() * kernels.len() * self.operands.len();
        let bar = Bar::new(context, "kernels");
        let begin = Instant::now();
        let mut done = 0;
        for library in &mut libraries {
            for &(kernel, variant) in &kernels {
                for &operands in &self.operands {
                    let campaign = KernelCampaign {
                        conditions: KernelConditions {
                            host: host::name(),
                            library: library.name.clone(),
                            threads: library.threads,
                            operands,
                        },
                        kernel,
                        variant,
                        dimensions: self.dimensions,
                        repetitions: [self.min_reps, self.max_reps],
                        precision: PRECISION,
                    };
                    // What others did not use is left to this one.
                    let deadline = self.time.mul_f64((done + 1) as f64 / count as f64);
                    let earlier = known.readings.clone();
                    let mut remaining = || {
                        let left = deadline.saturating_sub(begin.elapsed());
                        let is_over = interrupt.load(Ordering::Relaxed);
                        bar.at(begin.elapsed().as_secs() as usize, self.time.as_secs().max(1) as usize + 1, &kernel);
                        if is_over { Seconds::ZERO } else { Seconds::from(left) }
                    };
                    let mut store = |readings: &[KernelReading]| {
                        known.readings.extend_from_slice(readings);
                        writer.append(readings)
                    };
                    let measured = campaign.run(&mut *library.machine, &earlier, &mut remaining, &mut store);
                    match measured {
                        Ok(_) => {}
                        // Other kernels of the library may be there.
                        Err(KernelCampaignError::Run(error @ KernelRunError::NoSymbol { .. })) if count > 1 => {
                            warn(error);
                        }
                        Err(error) => return Err(error.into()),
                    }
                    done += 1;
                }
            }
        }
        writer.finish()?;
        let fresh = known.readings.len() - before;
        let there = if before > 0 { format!(" ({before} existed before)") } else { String::new() };
        context.say(format!("{} written to {}{there}", counted(fresh as u64, "reading"), self.output.display()));
        if interrupt.load(Ordering::Relaxed) {
            context.say("interrupted; --resume continues");
        }
        self.show(&known)
    }

    /// Prints the models of the readings.
    fn show(&self, known: &KernelTimings) -> anyhow::Result<()> {
        let FittedKernels { models, failed } =
            fit_kernels(known, LEVEL).with_context(|| self.output.display().to_string())?;
        kernels::warn_of(&models, &failed);
        let mut model = Model::default();
        model.add_kernels(models);
        kernel_models(&model).map_or(Ok(()), |table| output::print(&table, self.format))
    }

    /// The kernels with their variants.
    fn kernels(&self) -> Result<Vec<(Kernel, &'static str)>, Usage> {
        let in_precisions = |routine: &Routine| match *routine {
            Routine::Exact(kernel) => vec![kernel],
            Routine::Any(routine) => self.precision.iter().map(|&precision| Kernel { precision, routine }).collect(),
        };
        let mut all = Vec::new();
        for kernel in self.routines.iter().flat_map(in_precisions) {
            let variants = kernel.routine.variants();
            let is_wanted = |variant: &str| self.variants.iter().any(|wanted| wanted == variant || wanted == "all");
            let wanted: Vec<&'static str> = match self.variants.as_slice() {
                [word] if word == "first" => vec![variants[0]],
                _ => variants.iter().copied().filter(|variant| is_wanted(variant)).collect(),
            };
            if wanted.is_empty() {
                let (words, known) = (self.variants.join(","), variants.join(", "));
                return Err(Usage(format!("--variants {words}: {kernel} has none of them; it has {known}")));
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

    /// Loads the libraries.
    fn libraries(&self, context: Context) -> anyhow::Result<Vec<Library>> {
        let processor = match (self.processor, self.threads) {
            (Some(processor), _) => Some(processor),
            (None, None | Some(1)) => host::usable_cores().first().map(|&core| core as u32),
            (None, Some(_)) => None,
        };
        let options = Options { threads: self.threads, processor };
        let open = |name: &str| -> anyhow::Result<Library> {
            let (machine, threads): (Box<dyn KernelMachine>, _) = if name == RUST {
                let machine = RustKernels::new(options)?;
                context.say(format!("library: {}", machine.description()));
                (Box::new(machine), 1)
            } else {
                let machine = LibraryKernels::open(name, options)?;
                context.say(format!("library: {}", machine.description()));
                let threads = machine.description().threads.unwrap_or(0);
                (Box::new(machine), threads)
            };
            let name = Path::new(name).file_name().map_or(name.to_owned(), |name| name.to_string_lossy().into_owned());
            Ok(Library { name, machine, threads })
        };
        if !self.blas.is_empty() {
            return self.blas.iter().map(|name| open(name)).collect();
        }
        if let Some(library) = LIBRARIES.iter().find_map(|name| open(name).ok()) {
            return Ok(vec![library]);
        }
        warn(format!(
            "there is no library of BLAS ({}): these are times of the kernels in Rust, which are several times slower; install one, or \
             name it with --blas",
            LIBRARIES.join(", ")
        ));
        Ok(vec![open(RUST)?])
    }

    /// Creates or resumes the file.
    fn open(&self, libraries: &[Library]) -> anyhow::Result<(KernelsWriter, KernelTimings)> {
        let machine = [("machine", "kernels".to_owned()), ("hosts", host::name())];
        let machine = machine.into_iter().fold(Provenance::new(), |head, (key, value)| head.with(key, value));
        if self.resume && self.output.exists() {
            let (writer, loaded) = KernelsWriter::resume(&self.output)?;
            loaded.warnings.iter().for_each(warn);
            same_machine(&self.output, &machine, &loaded.timings.provenance)?;
            return Ok((writer, loaded.timings));
        }
        let mut head = Provenance::new().with("orrery", env!("CARGO_PKG_VERSION")).with("command", command_line());
        machine.iter().for_each(|(key, value)| head.set(key, value));
        head.set("kernel", host::kernel());
        if let Some(model) = host::cpu_model() {
            head.set("cpu", model);
        }
        if let Some(governor) = host::governor() {
            head.set("governor", governor);
        }
        let names: Vec<&str> = libraries.iter().map(|library| library.name.as_str()).collect();
        head.set("libraries", names.join(" "));
        head.set("date", host::date());
        output_file::check(&self.output, self.force, "-o", OutputKind::Kernels)?;
        Ok((
            KernelsWriter::create(&self.output, &head, self.force)?,
            KernelTimings { provenance: head, readings: Vec::new() },
        ))
    }
}
