//! Recognition of a file that was given to the wrong verb.
//!
//! When a reader refuses a file, [`advice`] looks at its first bytes. If another program wrote it
//! and another verb reads it, the advice names that verb.

use std::ffi::OsStr;
use std::fs::File;
use std::io::Read as _;

use orrery::file::{FileKind, kind_of};

use crate::context::Usage;
use crate::inputs::{self, Inputs};

/// The number of bytes of a file that are looked at.
const HEAD_BYTES: u64 = 1 << 16;

/// The message for a file that another verb reads, to be printed in place of the error of its
/// reader; `None` if no file that the error names is of such a kind.
pub fn advice(error: &anyhow::Error) -> Option<String> {
    let Inputs { verb, values: paths, .. } = inputs::get()?;
    if error.downcast_ref::<Usage>().is_some() {
        return None;
    }
    let text = format!("{error:#}");
    paths.iter().filter(|path| text.contains(&format!("{}:", path.display()))).find_map(|path| {
        let mut head = Vec::new();
        File::open(path).ok()?.take(HEAD_BYTES).read_to_end(&mut head).ok()?;
        let kind = kind_of(&head).filter(|kind| !verbs(*kind).contains(&verb.as_str()))?;
        let name = path.display();
        let file = quoted(path.as_os_str());
        let reader = verbs(kind).first()?;
        Some(format!("{name}: this looks like {}; {}", kind.name(), remedy(kind, reader, &file)))
    })
}

/// The verbs that read files of other programs of a kind, the usual one first; empty for Orrery's
/// own files, whose readers name the kind.
fn verbs(kind: FileKind) -> &'static [&'static str] {
    match kind {
        FileKind::Osu | FileKind::Imb | FileKind::Pico => &["samples import"],
        FileKind::Hpl | FileKind::ExtraP => &["scaling import", "scaling run"],
        FileKind::Profile | FileKind::Caliper => &["scaling import"],
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

/// A file name as a word of a shell.
fn quoted(name: &OsStr) -> String {
    let name = name.to_string_lossy();
    let is_plain = |c: char| c.is_alphanumeric() || "-_./:=,+%@".contains(c);
    if name.chars().all(is_plain) {
        name.into_owned()
    } else {
        format!("'{}'", name.replace('\'', r"'\''"))
    }
}
