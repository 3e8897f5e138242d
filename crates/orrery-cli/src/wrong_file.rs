//! A file that is given to the wrong verb or in the wrong place: what it is, and which command takes
//! it.

use std::path::Path;

use orrery::file::{Fault, FaultKind, FileError, FileKind, read_head};
use orrery::sample::file::kind_of;

use crate::applies::{self, CommandLine, has_option};
use crate::context::{Usage, shell_word};

/// The verbs that take files of two kinds, which can be confused.
const OF_TWO_KINDS: [&str; 6] =
    ["validate", "report", "simulate", "scaling advise", "choose configuration", "choose network"];

/// The advice for a file that is not of the wanted kind: where one is, or what makes one, and which
/// command takes this one; `None` without either.
pub fn advice(error: &FileError, wanted: FileKind, found: Option<FileKind>) -> Option<String> {
    let other = || given(wanted).map(|path| format!("{path} is one: exchange the two files"));
    let taker = || {
        let FileError::Content { path, .. } = error else { return None };
        Some(format!("this one is for \"{}\"", reader(found?, &shell_word(path))?))
    };
    let parts: Vec<String> = match other() {
        Some(other) => vec![other],
        None => [maker(wanted), taker()].into_iter().flatten().collect(),
    };
    (!parts.is_empty()).then(|| parts.join("; "))
}

/// The file of a kind that the command line gives in place of another one.
fn given(wanted: FileKind) -> Option<String> {
    let CommandLine { verb, files, .. } = applies::command_line();
    let is_wanted = |path: &Path| {
        let kind = read_head(path).ok().and_then(|head| kind_of(&head));
        kind == Some(wanted) || wanted.is_trace() && kind.is_some_and(FileKind::is_trace)
    };
    let found = files.iter().find(|path| OF_TWO_KINDS.contains(&&**verb) && is_wanted(path))?;
    Some(found.display().to_string())
}

/// What makes files of a kind: `make a model file with "orrery fit"`; `None` if no single verb does.
fn maker(kind: FileKind) -> Option<String> {
    let verb = match kind {
        FileKind::Model if is_about_applications() => "scaling fit",
        FileKind::Samples => "measure comm",
        FileKind::Timings => "measure scheme",
        FileKind::Kernels => "measure kernels",
        FileKind::Model => "fit",
        FileKind::Runs => "scaling import",
        FileKind::Plan => "scaling advise",
        FileKind::Conditions => "monitor serve",
        FileKind::OpenMpiRules | FileKind::MpichRules => "tune write",
        FileKind::Cluster => {
            return Some("write one, which begins with [[hosts]], or name one".to_owned());
        }
        FileKind::Scheme => {
            return Some("write one, with lines such as a: 0 -> 1 4M, or name one".to_owned());
        }
        _ => return None,
    };
    Some(format!("make {} with \"orrery {verb}\", or name one", kind.name()))
}

/// Returns true for a verb that reads execution-time models.
fn is_about_applications() -> bool {
    let verb = &applies::command_line().verb;
    ["scaling", "application", "configuration"].iter().any(|word| verb.contains(word))
}

/// The command that takes a file of a kind, with its usual arguments; `None` for files that no
/// command reads.
fn reader(kind: FileKind, file: &str) -> Option<String> {
    Some(match kind {
        FileKind::Osu | FileKind::Imb | FileKind::Pico => {
            format!("orrery samples import {file} -o samples.csv")
        }
        FileKind::Hpl
        | FileKind::ExtraP
        | FileKind::ExtraPExperiment
        | FileKind::Profile
        | FileKind::Caliper
        | FileKind::GraphFrame => format!("orrery scaling import {file} -o runs.json"),
        _ if kind.is_trace() => format!("orrery simulate {file} --cluster CLUSTER"),
        FileKind::Platform | FileKind::Cluster => {
            format!("orrery simulate TRACE --cluster {file}")
        }
        FileKind::Scheme => format!("orrery share {file} --sharing LAW"),
        FileKind::Samples => format!("orrery fit {file} -o model.json"),
        FileKind::Timings | FileKind::Kernels => {
            format!("orrery fit {file} --into MODEL -o model.json")
        }
        FileKind::Routines => format!("orrery validate MODEL {file}"),
        FileKind::Model => format!("orrery model show {file}"),
        FileKind::Runs => format!("orrery scaling fit {file} -o model.json"),
        FileKind::Plan => format!("orrery scaling run {file} --command COMMAND -o runs.json"),
        FileKind::OpenMpiRules | FileKind::MpichRules => {
            format!("orrery tune verify {file} --for RELEASE --run COMMAND -o DIR")
        }
        _ => return None,
    })
}

/// The message for a file that another verb reads, to be printed in place of the error of its
/// reader; `None` if no file that the error names is of such a kind.
pub fn message(error: &anyhow::Error) -> Option<String> {
    let CommandLine { values: paths, .. } = applies::command_line();
    if error.downcast_ref::<Usage>().is_some() {
        return None;
    }
    let text = format!("{error:#}");
    paths.iter().filter(|path| text.contains(&format!("{}:", path.display()))).find_map(|path| {
        let kind = kind_of(&read_head(path).ok()?).filter(|kind| is_of_other_verbs(*kind))?;
        let wanted = error.downcast_ref::<FileError>().and_then(FileError::fault).map(Fault::kind);
        match wanted {
            // The command for such files does not lead to what is wanted here.
            Some(FaultKind::Format { wanted, .. }) if !is_imported_as(kind, *wanted) => None,
            _ => {
                let purpose = purpose(kind)?;
                let command = reader(kind, &shell_word(path))?;
                let (path, kind) = (path.display(), kind.name());
                Some(format!("{path}: this looks like {kind}; {purpose} with: {command}"))
            }
        }
    })
}

/// Returns true if files of other programs of a kind are converted into files of the wanted kind.
fn is_imported_as(kind: FileKind, wanted: FileKind) -> bool {
    match wanted {
        FileKind::Samples => matches!(kind, FileKind::Osu | FileKind::Imb | FileKind::Pico),
        FileKind::Runs => {
            purpose(kind) == Some("convert it") && !is_imported_as(kind, FileKind::Samples)
        }
        _ => false,
    }
}

/// What the command for files of a kind does, which are recognised by any reader; `None` for files
/// whose readers name the kind.
fn purpose(kind: FileKind) -> Option<&'static str> {
    Some(match kind {
        FileKind::Platform | FileKind::Cluster => "replay a trace on it",
        FileKind::Scheme => "simulate it",
        _ if kind.is_trace() => "replay it",
        FileKind::Osu
        | FileKind::Imb
        | FileKind::Pico
        | FileKind::Hpl
        | FileKind::ExtraP
        | FileKind::ExtraPExperiment
        | FileKind::Profile
        | FileKind::Caliper
        | FileKind::GraphFrame => "convert it",
        _ => return None,
    })
}

/// Returns true if the verb that runs reads no files of a kind.
fn is_of_other_verbs(kind: FileKind) -> bool {
    let verbs: &[&str] = match kind {
        FileKind::Osu | FileKind::Imb | FileKind::Pico => &["samples import"],
        FileKind::Hpl | FileKind::ExtraP => &["scaling import", "scaling run"],
        FileKind::Platform | FileKind::Cluster => {
            return !(has_option("cluster") || has_option("machine"));
        }
        FileKind::Scheme => &["share", "measure scheme"],
        _ if kind.is_trace() => &["simulate", "trace convert", "trace profile", "choose network"],
        _ => &["scaling import"],
    };
    !verbs.contains(&applies::command_line().verb.as_str())
}
