//! Options of the command that remedy an error of the library.
//!
//! Errors of the library state the fact and, where there is one, the remedy in terms of its own
//! interface. The command appends the option to use, in [`of`] and nowhere else. A verb is advised
//! only of options that it has. Where another verb reads a file that a reader refuses,
//! [`of_wrong_file`] names that verb.

use std::error::Error;
use std::io;

use orrery::budget::{OverBudget, Resource};
use orrery::collective::measured::MeasuredError;
use orrery::comm;
use orrery::file::{self, Fault, FaultKind, FileError, FileKind, read_head};
use orrery::machine::MachineError;
use orrery::model::{
    DiffError, KernelPredictError, PredictError, RoutinePredictError, SharingFitError,
};
use orrery::run::import::ImportError;
use orrery::run::variable;
use orrery::sample::file::kind_of;
use orrery::scaling::{FitError, ForecastError, RegionError};
use orrery_blas::BlasError;

use crate::applies::{self, CommandLine, has_option};
use crate::context::{Usage, shell_word};
use crate::output::StdoutClosed;
use crate::verbs::output_file::FolderExists;

/// The advice for an error, to be printed after its message; `None` where no option helps.
pub fn of(error: &anyhow::Error) -> Option<String> {
    let found = error.chain().find_map(|cause| match cause.downcast_ref::<MachineError>() {
        Some(error) => for_machine(error),
        None => {
            let import = || cause.downcast_ref::<ImportError>().and_then(for_import);
            for_budget(cause)
                .or_else(|| for_file(cause))
                .or_else(|| for_measurements(cause))
                .or_else(|| for_scaling(cause))
                .or_else(import)
        }
    });
    found.or_else(|| for_system(error))
}

/// The advice for an error of the system at a file that this command reads, or at a folder or a
/// result that it writes.
fn for_system(error: &anyhow::Error) -> Option<String> {
    let text = format!("{error:#}");
    let is_read = text.contains("cannot read ") || text.contains("cannot start ");
    let is_write = text.contains("cannot create the folder") || error.is::<StdoutClosed>();
    if text.contains("; check ") || !(is_read || is_write) {
        return None;
    }
    let reason = error.root_cause().downcast_ref::<io::Error>()?;
    let advice = file::advice(reason, if is_read { "read" } else { "write" });
    advice.strip_prefix("; ").map(str::to_owned)
}

/// The advice for work beyond the budget of its input; `None` for any other error.
fn for_budget(cause: &(dyn Error + 'static)) -> Option<String> {
    let of_file = || cause.downcast_ref::<FileError>().and_then(FileError::over_budget);
    let of_fit = || match cause.downcast_ref::<comm::FitError>() {
        Some(comm::FitError::OverBudget(error)) => Some(error),
        _ => None,
    };
    let of_prediction = || match cause.downcast_ref::<PredictError>() {
        Some(PredictError::OverBudget(error)) => Some(error),
        _ => None,
    };
    let direct = cause.downcast_ref::<OverBudget>();
    let error = direct.or_else(of_file).or_else(of_fit).or_else(of_prediction)?;
    Some(match error.resource {
        Resource::Operations => allow_operations(error.needed),
        Resource::Memory => {
            let (unit, size) = if error.needed >> 30 > 0 { ('G', 1 << 30) } else { ('M', 1 << 20) };
            format!("allow it with --max-memory {}{unit}", error.needed.div_ceil(size))
        }
    })
}

/// The advice for more operations than a budget allows.
pub fn allow_operations(needed: u64) -> String {
    format!("allow them with --max-operations {needed}")
}

/// The advice for an error of a file; `None` if there is none for this error.
fn for_file(cause: &(dyn Error + 'static)) -> Option<String> {
    match cause.downcast_ref::<FileError>() {
        Some(FileError::Exists { .. }) => Some(options_for_existing()),
        Some(error) => match error.fault()?.kind() {
            FaultKind::Empty if has_option("resume") => Some("omit --resume to begin it".into()),
            FaultKind::Empty => Some("name another file".into()),
            FaultKind::NoRecord => Some("record a program with orrery trace run".into()),
            FaultKind::NoHeader => Some(restart()),
            FaultKind::Format(kind) => writer(*kind),
            FaultKind::Selection if has_option("operation") => Some(
                "the options are --operation, --nodes and --ppn, and for tables also --system and \
                    --library"
                    .into(),
            ),
            _ => None,
        },
        None => cause.downcast_ref::<FolderExists>().map(|_| options_for_existing()),
    }
}

/// What writes files of a kind: `make a model file with "orrery fit"`; `None` if no single verb does.
fn writer(kind: FileKind) -> Option<String> {
    let verb = match kind {
        FileKind::Model if is_about_applications() => "scaling fit",
        FileKind::Samples => "measure comm",
        FileKind::Timings => "measure scheme",
        FileKind::Kernels => "measure kernels",
        FileKind::Model => "fit",
        FileKind::Runs => "scaling import",
        FileKind::Plan => "scaling advise",
        FileKind::Conditions => "monitor serve",
        _ => return None,
    };
    Some(format!("make {} with \"orrery {verb}\", or name one", kind.name()))
}

/// Returns true for a verb that reads execution-time models.
fn is_about_applications() -> bool {
    let verb = &applies::command_line().verb;
    ["scaling", "application", "configuration"].iter().any(|word| verb.contains(word))
}

/// The advice for measurements that a fit or a prediction lacks; `None` for any other error.
fn for_measurements(cause: &(dyn Error + 'static)) -> Option<String> {
    if let Some(error) = cause.downcast_ref::<comm::FitError>() {
        return for_fit(error);
    }
    let kernel = match cause.downcast_ref::<RoutinePredictError>() {
        Some(RoutinePredictError::Kernel(error)) => Some(error),
        _ => cause.downcast_ref::<KernelPredictError>(),
    };
    Some(match kernel {
        Some(KernelPredictError::NoKernels) => {
            "measure some with orrery measure kernels, and add them with orrery fit --into".into()
        }
        Some(KernelPredictError::Several { condition, .. }) => {
            let option = if *condition == "library" { "blas" } else { condition };
            return has_option(option).then(|| format!("the option is --{option}"));
        }
        _ if matches!(cause.downcast_ref(), Some(SharingFitError::Nothing)) => {
            "measure some with orrery measure scheme --calibrate".into()
        }
        _ => {
            let option = selecting_option(cause)?;
            return has_option(option).then(|| format!("the option is --{option}"));
        }
    })
}

/// The option that selects a part of what an error is about.
fn selecting_option(cause: &(dyn Error + 'static)) -> Option<&'static str> {
    if let Some(DiffError::NoCommonProcessors { lost: 1.., .. }) = cause.downcast_ref() {
        return Some("mixed-hosts");
    }
    if let Some(error) = cause.downcast_ref::<BlasError>() {
        return Some(match error {
            BlasError::Load { .. } | BlasError::Integers { .. } => "blas",
            BlasError::Processor { .. } => "processor",
            _ => "threads",
        });
    }
    Some(match cause.downcast_ref::<MeasuredError>()? {
        MeasuredError::Procs { .. } => "procs",
        MeasuredError::Roots { .. } => "root",
        MeasuredError::TooMany { .. } => "operation",
        _ => return None,
    })
}

/// The advice for a model that cannot be fitted because measurements are missing; `None` for any
/// other error.
pub fn for_fit(error: &comm::FitError) -> Option<String> {
    let comm::FitError::Missing { campaign, .. } = error else { return None };
    Some(format!("measure with `orrery measure {campaign} --resume`"))
}

/// The options of the verb that allow an existing output file.
fn options_for_existing() -> String {
    let resume = has_option("resume").then_some("continue its campaign with --resume");
    let force = has_option("force").then_some("replace it with --force");
    let parts: Vec<&str> = resume.into_iter().chain(force).collect();
    if parts.is_empty() {
        "name another file".to_owned()
    } else {
        format!("{}, or name another file", parts.join(", "))
    }
}

/// The advice for an imported file of runs; `None` if there is none for this error, or if the verb
/// does not have the option.
fn for_import(error: &ImportError) -> Option<String> {
    let metric = ("metric", "name it with --metric");
    let (option, advice) = match error {
        ImportError::Unknown { .. } => (
            "from",
            "name it with --from: hpl, extrap, jsonl, json, extra-p, csv, cubex, caliper, hatchet or runs",
        ),
        ImportError::Metric(_) => metric,
        ImportError::File(error) => match error.fault()?.kind() {
            FaultKind::Mapping => ("map", "the option for the mapping is --map"),
            FaultKind::Metric => metric,
            _ => return None,
        },
        ImportError::Nothing { .. } => return None,
    };
    has_option(option).then(|| advice.into())
}

/// The advice for a file of readings without column names.
fn restart() -> String {
    let restart = if has_option("resume") && has_option("force") {
        "restart it with --force"
    } else {
        "measure again"
    };
    format!("if the campaign was stopped before its first reading, {restart}")
}

/// The advice for an error of a machine; `None` if there is none for this error.
pub fn for_machine(error: &MachineError) -> Option<String> {
    let mut parts: Vec<&str> = Vec::new();
    match error {
        MachineError::WorkerTimedOut { .. } | MachineError::BatchTimedOut { .. }
            if has_option("time-limit") =>
        {
            parts.push("--time-limit allows more");
        }
        MachineError::LateStart(_) if has_option("timing") => parts.push("or choose --timing max"),
        _ => {}
    }
    let ends_campaign = matches!(
        error,
        MachineError::WorkerDied { .. }
            | MachineError::WorkerFailed { .. }
            | MachineError::WorkerTimedOut { .. }
            | MachineError::BatchTimedOut { .. }
            | MachineError::LateStart(_)
            | MachineError::Interrupted
    );
    if ends_campaign && has_option("resume") {
        parts.push("the samples measured so far are kept, continue with --resume");
    }
    (!parts.is_empty()).then(|| parts.join("; "))
}

/// The advice for an error of an execution-time model; `None` if there is none for this error, or
/// if the verb does not have the option.
fn for_scaling(cause: &(dyn Error + 'static)) -> Option<String> {
    if let Some(RegionError::Name(_)) = cause.downcast_ref() {
        let all = if has_option("rank-by") { ", or compare all with --rank-by" } else { "" };
        return has_option("region").then(|| format!("select the region with --region{all}"));
    }
    match cause.downcast_ref::<FitError>() {
        Some(FitError::Undivided { .. }) if has_option("undivided") => {
            return Some("--undivided counts it as computation".to_owned());
        }
        Some(FitError::UnsupportedVariable { .. }) if has_option("terms") => {
            return Some("select the family with --terms, or runs with --where".to_owned());
        }
        _ => {}
    }
    match cause.downcast_ref::<ForecastError>()? {
        ForecastError::MissingVariables { names } => {
            let mut options: Vec<String> =
                names.iter().map(|name| variable_option(name)).collect::<Option<_>>()?;
            options.dedup();
            Some(format!("add {}", options.join(" ")))
        }
        ForecastError::NoUncertainty { .. } => {
            has_option("plan").then(|| "--plan ns writes a plan of small runs".to_owned())
        }
        ForecastError::Other(_) => None,
    }
}

/// The option that gives the value of a variable, if the verb has it.
fn variable_option(name: &str) -> Option<String> {
    let (option, value) = match name {
        variable::PROCESSES_PER_ELEMENT | variable::SPANS_ELEMENTS | "configuration" => {
            ("configuration", "KIND=ELEMENTSxPROCESSES-ON-EACH, such as athlon=2x1")
        }
        variable::PROBLEM_SIZE
        | variable::PROCESSES
        | variable::GRID_ROWS
        | variable::GRID_COLUMNS
        | variable::BLOCK_SIZE => (name, "VALUE"),
        _ => return has_option("set").then(|| format!("--set {name}=VALUE")),
    };
    has_option(option).then(|| format!("--{option} {value}"))
}

/// The message for a file that another verb reads, to be printed in place of the error of its
/// reader; `None` if no file that the error names is of such a kind.
pub fn of_wrong_file(error: &anyhow::Error) -> Option<String> {
    let CommandLine { verb, values: paths, .. } = applies::command_line();
    if error.downcast_ref::<Usage>().is_some() {
        return None;
    }
    let text = format!("{error:#}");
    paths.iter().filter(|path| text.contains(&format!("{}:", path.display()))).find_map(|path| {
        let kind = kind_of(&read_head(path).ok()?)
            .filter(|kind| !verbs(*kind).contains(&verb.as_str()))?;
        let reader = verbs(kind).first()?;
        let wanted = error.downcast_ref::<FileError>().and_then(FileError::fault).map(Fault::kind);
        match wanted {
            // The command for such files does not lead to what is wanted here.
            Some(FaultKind::Format(wanted)) if !is_imported_as(kind, *wanted) => None,
            _ => {
                let remedy = remedy(kind, reader, &shell_word(path));
                Some(format!("{}: this looks like {}; {remedy}", path.display(), kind.name()))
            }
        }
    })
}

/// Returns true if files of other programs of a kind are converted into files of the wanted kind.
fn is_imported_as(kind: FileKind, wanted: FileKind) -> bool {
    match wanted {
        FileKind::Samples => verbs(kind).contains(&"samples import"),
        FileKind::Runs => verbs(kind).contains(&"scaling import"),
        _ => false,
    }
}

/// The verbs that read files of other programs of a kind, the usual one first; empty for Orrery's
/// own files, whose readers name the kind.
fn verbs(kind: FileKind) -> &'static [&'static str] {
    match kind {
        FileKind::Osu | FileKind::Imb | FileKind::Pico => &["samples import"],
        FileKind::Hpl | FileKind::ExtraP => &["scaling import", "scaling run"],
        FileKind::ExtraPExperiment
        | FileKind::Profile
        | FileKind::Caliper
        | FileKind::GraphFrame => &["scaling import"],
        _ if kind.is_trace() => &["simulate", "trace convert", "trace profile", "choose network"],
        FileKind::Platform => &["simulate", "choose network"],
        _ => &[],
    }
}

/// The command of a verb that reads a file of a kind.
fn remedy(kind: FileKind, verb: &str, file: &str) -> String {
    match kind {
        FileKind::Osu | FileKind::Imb | FileKind::Pico => {
            format!("convert it with: orrery {verb} {file} -o samples.csv")
        }
        _ if kind.is_trace() => {
            format!("replay it with: orrery {verb} {file} --cluster CLUSTER")
        }
        FileKind::Platform => {
            format!("replay a trace on it with: orrery {verb} TRACE --cluster {file}")
        }
        _ => format!("convert it with: orrery {verb} {file} -o runs.json"),
    }
}
