//! Options of the command that remedy an error of the library.
//!
//! Errors of the library state the fact and, where there is one, the remedy in terms of its own
//! interface. The command appends the option to use, in [`of`] and nowhere else. A verb is advised
//! only of options that it has. Where another verb reads a file that a reader refuses,
//! [`wrong_file`] names that verb.

use std::error::Error;
use std::io;
use std::path::Path;

use orrery::budget::{OverBudget, Resource};
use orrery::collective::measured::MeasuredError;
use orrery::comm;
use orrery::file::{self, FaultKind, FileError};
use orrery::machine::MachineError;
use orrery::model::{
    DiffError, KernelPredictError, PredictError, RoutinePredictError, SharingFitError,
};
use orrery::names::nearest;
use orrery::run::import::ImportError;
use orrery::run::variable;
use orrery::scaling::{FitError, ForecastError, RegionError};
use orrery_blas::BlasError;

use crate::applies::{self, has_option};
use crate::output::StdoutClosed;
use crate::verbs::output_file::FolderExists;
use crate::wrong_file;

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
    found.or_else(|| {
        let parts: Vec<String> =
            [for_system(error), for_absent_file(error)].into_iter().flatten().collect();
        (!parts.is_empty()).then(|| parts.join("; "))
    })
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

/// The file with the most similar name in the folder of a file that the command line names and that
/// does not exist; `None` without one.
fn for_absent_file(error: &anyhow::Error) -> Option<String> {
    let text = format!("{error:#}");
    if !text.contains("cannot read ") || !text.contains("No such file or directory") {
        return None;
    }
    let paths = &applies::command_line().values;
    let path =
        paths.iter().find(|path| !path.exists() && text.contains(&*path.to_string_lossy()))?;
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    let entries = folder.unwrap_or(Path::new(".")).read_dir().ok()?;
    let names = entries.flatten().filter_map(|entry| entry.file_name().into_string().ok());
    let names: Vec<String> = names.collect();
    let near = nearest(path.file_name()?.to_str()?, names.iter().map(String::as_str))?;
    Some(format!("did you mean \"{}\"?", path.with_file_name(near).display()))
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
            FaultKind::Format { wanted, found } => wrong_file::advice(error, *wanted, *found),
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
            let all: Vec<String> =
                names.iter().map(|name| variable_option(name)).collect::<Option<_>>()?;
            let is_first = |(place, option): &(usize, &String)| !all[..*place].contains(option);
            let options =
                all.iter().enumerate().filter(is_first).map(|(_, option)| option.as_str());
            Some(format!("add {}", options.collect::<Vec<_>>().join(" ")))
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
