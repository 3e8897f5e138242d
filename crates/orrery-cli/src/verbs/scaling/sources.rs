//! The files that `orrery scaling import` reads: named ones, those of a directory, and those that
//! match a pattern.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use anyhow::{Context as _, bail};
use orrery::file::{FaultKind, FileKind, kind_of, read_bytes, read_head};
use orrery::run::import::{ImportError, ImportFormat, Importer};
use walkdir::{DirEntry, WalkDir};

use super::input;
use crate::context::{Context, warn};

/// The largest number of skipped files that a line names.
const MAX_NAMED_FILES: usize = 3;

/// A file to import.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Source {
    path: PathBuf,
    /// True if the file was found in a directory or by a pattern; a fault of it does not end the
    /// import.
    is_found: bool,
}

/// Found files that are not imported, by reason.
#[derive(Debug, Default)]
struct Skipped(BTreeMap<&'static str, Vec<PathBuf>>);

impl Skipped {
    /// Adds a file.
    fn add(&mut self, reason: &'static str, path: &Path) {
        self.0.entry(reason).or_default().push(path.to_owned());
    }

    /// Prints one line for each reason.
    fn report(&self, context: Context) {
        for (reason, paths) in &self.0 {
            let names: Vec<_> =
                paths.iter().take(MAX_NAMED_FILES).map(|path| path.display().to_string()).collect();
            let names = names.join(", ");
            context.say(match paths.len() {
                count if count > MAX_NAMED_FILES => {
                    format!("skipped {count} files, {reason}: {names}, …")
                }
                _ => format!("skipped, {reason}: {names}"),
            });
        }
    }
}

/// Imports the files that arguments name, in order; directories and patterns in the order of their
/// names.
///
/// A named file with a fault is an error. A found file with a fault is skipped with a warning, those
/// in an unknown format and those beside a profile with one line.
pub fn import(
    importer: &mut Importer,
    arguments: &[PathBuf],
    output: Option<&Path>,
    format: Option<ImportFormat>,
    context: Context,
) -> anyhow::Result<()> {
    let mut skipped = Skipped::default();
    let mut seen: BTreeSet<PathBuf> = BTreeSet::new();
    let output = output.and_then(|path| path.canonicalize().ok());
    let mut imported = 0;
    let mut folders: BTreeSet<PathBuf> = BTreeSet::new();
    let mut faults = Vec::new();
    for Source { path, is_found } in sources(arguments, &mut skipped)? {
        if let Ok(canonical) = path.canonicalize() {
            if is_found && Some(&canonical) == output.as_ref() {
                skipped.add("the output", &path);
                continue;
            }
            if !seen.insert(canonical) {
                skipped.add("named twice", &path);
                continue;
            }
        }
        if !is_found {
            let (content, name) = input::content(&path)?;
            importer.add(content, name)?;
            imported += 1;
            continue;
        }
        match found_content(&path, format) {
            Err(reason) => skipped.add(reason, &path),
            Ok(content) => {
                let is_profile = is_profile(&content);
                if is_profile {
                    folders.extend(path.parent().map(Path::to_owned));
                }
                match importer.add(content, &path) {
                    Ok(()) => imported += 1,
                    Err(error) => match reason(&error) {
                        Some(reason) => skipped.add(reason, &path),
                        None if is_profile => warn(format!("skipped {error}")),
                        None => faults.push((path, error)),
                    },
                }
            }
        }
    }
    for (path, error) in faults {
        if path.parent().is_some_and(|folder| folders.contains(folder)) {
            skipped.add("not a profile, but beside one", &path);
        } else {
            warn(format!("skipped {error}"));
        }
    }
    skipped.report(context);
    if imported == 0 {
        bail!("none of the given files has runs; give other files, or name their format by --from");
    }
    Ok(())
}

/// The reason why a found file is skipped without a warning; `None` if its fault is to be read.
fn reason(error: &ImportError) -> Option<&'static str> {
    match error {
        ImportError::Unknown { .. } => Some(UNKNOWN),
        ImportError::Nothing { .. } => Some("no run is found"),
        ImportError::File(error) if error.fault()?.kind() == &FaultKind::NotText => Some(UNKNOWN),
        ImportError::File(_) | ImportError::Metric(_) => None,
    }
}

/// Returns true for a profile of Score-P, Caliper or Hatchet.
fn is_profile(content: &[u8]) -> bool {
    let kind = kind_of(content);
    matches!(kind, Some(FileKind::Profile | FileKind::Caliper | FileKind::GraphFrame))
}

/// The reason for a file in an unknown format.
const UNKNOWN: &str = "the format is not recognised";

/// The content of a found file, or the reason why it is skipped.
fn found_content(path: &Path, format: Option<ImportFormat>) -> Result<Vec<u8>, &'static str> {
    const UNREADABLE: &str = "cannot be read";
    let head = read_head(path).map_err(|_| UNREADABLE)?;
    let is_archive = matches!(kind_of(&head), Some(FileKind::Profile | FileKind::ExtraPExperiment));
    if head.contains(&0) && !is_archive {
        return Err(UNKNOWN);
    }
    let content = read_bytes(path).map_err(|_| UNREADABLE)?;
    let detected = std::str::from_utf8(&content).ok().and_then(ImportFormat::detect);
    if format.is_none() && detected == Some(ImportFormat::Runs) {
        return Err("a runs file; name it to import it");
    }
    Ok(content)
}

/// The files that the arguments name; an argument that is no file may be a directory or a pattern.
fn sources(arguments: &[PathBuf], skipped: &mut Skipped) -> anyhow::Result<Vec<Source>> {
    let mut sources = Vec::new();
    for path in arguments {
        let found = if path.is_dir() {
            let found = files_of(path, skipped)?;
            if found.is_empty() {
                bail!("{}: the directory contains no files; name another", path.display());
            }
            found
        } else if !path.exists() && path.to_string_lossy().contains(['*', '?', '[']) {
            matches_of(path, skipped)?
        } else {
            sources.push(Source { path: path.clone(), is_found: false });
            continue;
        };
        sources.extend(found.into_iter().map(|path| Source { path, is_found: true }));
    }
    Ok(sources)
}

/// The files of a directory and of the directories in it; links to directories are not followed.
fn files_of(directory: &Path, skipped: &mut Skipped) -> anyhow::Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    let mut entries = WalkDir::new(directory).sort_by_file_name().into_iter();
    while let Some(entry) = entries.next() {
        let entry = entry.with_context(|| format!("cannot read {}", directory.display()))?;
        if entry.depth() > 0 && is_hidden(&entry) {
            skipped.add("hidden", entry.path());
            if entry.file_type().is_dir() {
                entries.skip_current_dir();
            }
        } else if entry.path_is_symlink() && entry.path().is_dir() {
            skipped.add("a link to a directory", entry.path());
        } else if entry.path().is_file() {
            files.push(entry.into_path());
        } else if !entry.file_type().is_dir() {
            skipped.add("not a file", entry.path());
        }
    }
    Ok(files)
}

/// Returns true if the name of an entry begins with a dot.
fn is_hidden(entry: &DirEntry) -> bool {
    entry.file_name().to_string_lossy().starts_with('.')
}

/// The files that match a pattern, such as `results/**/*.out`, and those of the directories that
/// match it.
fn matches_of(pattern: &Path, skipped: &mut Skipped) -> anyhow::Result<Vec<PathBuf>> {
    let text = pattern.to_string_lossy();
    let options =
        glob::MatchOptions { require_literal_leading_dot: true, ..glob::MatchOptions::new() };
    let matches = glob::glob_with(&text, options)
        .with_context(|| format!("{text:?} is not a pattern of file names"))?;
    let mut files = Vec::new();
    for path in matches {
        let path = path.with_context(|| format!("cannot read the files of {text:?}"))?;
        if path.is_dir() { files.extend(files_of(&path, skipped)?) } else { files.push(path) }
    }
    if files.is_empty() {
        bail!("no file matches the pattern {text:?}; correct it");
    }
    Ok(files)
}
