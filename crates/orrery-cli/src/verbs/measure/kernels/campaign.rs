use std::cell::RefCell;
use std::fmt;
use std::path::Path;
use std::time::Instant;

use anyhow::{Context as _, bail};
use orrery::kernel::{Kernel, KernelCall, KernelMachine, KernelRunError};
use orrery::machine::host;
use orrery::measure::{KernelCampaign, KernelCampaignError};
use orrery::request::RepetitionRequest;
use orrery::sample::{KernelConditions, KernelReading};
use orrery::units::Seconds;
use orrery_blas::{LibraryKernels, Options, RustKernels};

use super::KernelArguments;
use crate::{hand_written, refusal};

/// The libraries in the order of preference: the first installed one is used.
const LIBRARIES: [&str; 4] = ["libopenblas.so.0", "libblis.so.4", "libmkl_rt.so.2", "libblas.so.3"];

/// The name of the kernels in Rust.
const RUST: &str = "rust";

/// The relative half-width of the interval of a median at which readings end.
const PRECISION: f64 = 0.02;

/// What a campaign reports while it runs.
pub trait Listener {
    /// Receives a warning.
    fn warn(&mut self, words: String) -> anyhow::Result<()>;

    /// Stores the readings of a call.
    fn store(&mut self, readings: &[KernelReading]) -> anyhow::Result<()>;

    /// Returns true if the campaign has to end; called before each call of a kernel.
    fn is_over(&mut self, kernel: Kernel) -> bool;
}

/// What is measured.
pub struct Kernels {
    /// The kernels with their variants.
    variants: Vec<(Kernel, &'static str)>,
    /// The calls to measure; `None` if the campaign chooses them.
    calls: Option<Vec<KernelCall>>,
}

impl Kernels {
    /// The kernels of the options, or those of the calls of a file.
    pub fn new(arguments: &KernelArguments) -> anyhow::Result<Self> {
        let Some(path) = &arguments.calls else {
            return Ok(Self { variants: arguments.kernels()?, calls: None });
        };
        let place = || path.display().to_string();
        let text = hand_written::read(path).with_context(|| format!("cannot read {}", place()))?;
        let (mut calls, mut variants) = (Vec::new(), Vec::new());
        for (number, line) in (1..).zip(text.lines()) {
            let words = line.split('#').next().unwrap_or_default().trim();
            if words.is_empty() {
                continue;
            }
            let call: KernelCall =
                words.parse().with_context(|| format!("{}:{number}", place()))?;
            if !variants.contains(&(call.kernel(), call.variant())) {
                variants.push((call.kernel(), call.variant()));
            }
            calls.push(call);
        }
        if calls.is_empty() {
            bail!(
                "{}: there are no calls; write one on each line, such as dgemm nn 100 200 50",
                place()
            );
        }
        Ok(Self { variants, calls: Some(calls) })
    }
}

/// The campaign of this host.
pub struct HostCampaign<'a> {
    arguments: &'a KernelArguments,
    kernels: Kernels,
    libraries: Vec<Library>,
    warnings: Vec<String>,
}

/// A loaded library with its name in the file.
struct Library {
    name: String,
    description: String,
    machine: Box<dyn KernelMachine>,
    threads: u32,
}

/// An error of the listener as that of a campaign.
#[derive(Debug)]
struct StoreError(anyhow::Error);

impl fmt::Display for StoreError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl std::error::Error for StoreError {}

impl<'a> HostCampaign<'a> {
    /// Loads the libraries.
    pub fn open(arguments: &'a KernelArguments, kernels: Kernels) -> anyhow::Result<Self> {
        let (min_reps, max_reps) = (arguments.min_reps, Some(arguments.max_reps));
        let repetitions = RepetitionRequest { min_reps, max_reps, ..RepetitionRequest::default() };
        repetitions.checked().map_err(refusal::without_file)?;
        let mut campaign = Self { arguments, kernels, libraries: Vec::new(), warnings: Vec::new() };
        let cores = host::usable_cores();
        if let Some(threads) =
            arguments.threads.filter(|threads| !cores.is_empty() && *threads as usize > cores.len())
        {
            let shared = if cores.len() == 1 {
                "1 processor"
            } else {
                &format!("{} processors", cores.len())
            };
            campaign.warnings.push(format!(
                "{threads} threads share {shared}, those of this process; start fewer, or mpirun \
                    with --bind-to none"
            ));
        }
        let processor = match (arguments.processor, arguments.threads) {
            (Some(processor), _) => Some(processor),
            (None, None | Some(1)) => cores.first().map(|&core| core as u32),
            (None, Some(_)) => None,
        };
        let options = Options { threads: arguments.threads, processor };
        if !arguments.blas.is_empty() {
            campaign.libraries = arguments
                .blas
                .iter()
                .map(|name| Library::open(name, options))
                .collect::<anyhow::Result<_>>()?;
        } else if let Some(library) =
            LIBRARIES.iter().find_map(|name| Library::open(name, options).ok())
        {
            campaign.libraries.push(library);
        } else {
            campaign.warnings.push(format!(
                "there is no library of BLAS ({}): these are times of the kernels in Rust, which \
                    are several times slower; install one, \
                 or name it with --blas",
                LIBRARIES.join(", ")
            ));
            campaign.libraries.push(Library::open(RUST, options)?);
        }
        Ok(campaign)
    }

    /// The descriptions of the libraries.
    pub fn descriptions(&self) -> impl Iterator<Item = String> {
        self.libraries.iter().map(|library| format!("library: {}", library.description))
    }

    /// The names of the libraries in the file.
    pub fn libraries(&self) -> Vec<&str> {
        self.libraries.iter().map(|library| library.name.as_str()).collect()
    }

    /// Measures all kernels; `known` are readings of earlier campaigns.
    pub fn measure(
        &mut self,
        known: &[KernelReading],
        listener: &mut dyn Listener,
    ) -> anyhow::Result<()> {
        for words in self.warnings.drain(..) {
            listener.warn(words)?;
        }
        let arguments = self.arguments;
        let count = self.libraries.len() * self.kernels.variants.len() * arguments.operands.len();
        let begin = Instant::now();
        let mut done = 0;
        let listener = RefCell::new(listener);
        for library in &mut self.libraries {
            for &(kernel, variant) in &self.kernels.variants {
                for &operands in &arguments.operands {
                    let campaign = KernelCampaign {
                        conditions: KernelConditions {
                            host: host::name(),
                            library: library.name.clone(),
                            threads: library.threads,
                            operands,
                        },
                        kernel,
                        variant,
                        dimensions: arguments.dimensions,
                        repetitions: [arguments.min_reps, arguments.max_reps],
                        precision: PRECISION,
                    };
                    // What others did not use is left to this one.
                    let deadline = arguments.time.mul_f64((done + 1) as f64 / count as f64);
                    let mut remaining = || {
                        let left = deadline.saturating_sub(begin.elapsed());
                        if listener.borrow_mut().is_over(kernel) {
                            Seconds::ZERO
                        } else {
                            Seconds::from(left)
                        }
                    };
                    let mut store = |readings: &[KernelReading]| {
                        listener.borrow_mut().store(readings).map_err(StoreError)
                    };
                    let machine = &mut *library.machine;
                    let measured = match &self.kernels.calls {
                        Some(calls) => {
                            let mut remaining = || {
                                let is_over = listener.borrow_mut().is_over(kernel);
                                if is_over { Seconds::ZERO } else { Seconds::new(f64::INFINITY) }
                            };
                            campaign.run_calls(machine, calls, known, &mut remaining, &mut store)
                        }
                        None => campaign.run(machine, known, &mut remaining, &mut store),
                    };
                    match measured {
                        Ok(_) => {}
                        // Other kernels of the library may be there.
                        Err(KernelCampaignError::Run(error @ KernelRunError::NoSymbol { .. }))
                            if count > 1 =>
                        {
                            listener.borrow_mut().warn(error.to_string())?;
                        }
                        Err(KernelCampaignError::Store(StoreError(error))) => return Err(error),
                        Err(error) => return Err(error.into()),
                    }
                    done += 1;
                }
            }
        }
        Ok(())
    }
}

impl Library {
    /// Loads a library, or takes the kernels in Rust.
    fn open(name: &str, options: Options) -> anyhow::Result<Self> {
        let (machine, description): (Box<dyn KernelMachine>, _) = if name == RUST {
            let machine = RustKernels::new(options)?;
            let description = machine.description();
            (Box::new(machine), description)
        } else {
            let machine = LibraryKernels::open(name, options)?;
            let description = machine.description();
            (Box::new(machine), description)
        };
        let name = Path::new(name)
            .file_name()
            .map_or(name.to_owned(), |name| name.to_string_lossy().into_owned());
        let threads = description.threads.unwrap_or(0);
        Ok(Self { name, description: description.to_string(), machine, threads })
    }
}
