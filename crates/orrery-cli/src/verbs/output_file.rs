//! The rule for outputs that already exist: refuse them without `--force`, and never replace an
//! input or a file of another kind.

use std::error::Error;
use std::path::{Path, PathBuf};
use std::{fmt, fs, io};

use anyhow::{Context as _, anyhow};
use orrery::file::{FileError, FileKind, OutputFormat, Replacement, advice, replace};
use orrery::sample::file::kind_of;

use crate::applies;
use crate::context::{Context, Usage};

/// An output file that may be written.
#[derive(Debug)]
pub struct OutputFile<'a> {
    path: &'a Path,
}

/// Returns the output file at a path if it is new, or if `--force` replaces a file of the same kind
/// that is no input.
pub fn check(path: &Path, force: bool, kind: FileKind) -> anyhow::Result<OutputFile<'_>> {
    let replaces = check_kind(path, kind)?;
    refuse_inputs(path, &applies::command_line().files)?;
    if replaces && !force {
        return Err(FileError::Exists { path: path.to_owned() }.into());
    }
    Ok(OutputFile { path })
}

/// Returns true if an output file replaces one of the same kind; an error if it cannot be written.
pub fn check_kind(path: &Path, kind: FileKind) -> anyhow::Result<bool> {
    let extension = path.extension().unwrap_or_default();
    let is_image = ["svg", "png", "pdf"].iter().any(|image| extension.eq_ignore_ascii_case(image));
    if kind == FileKind::Page && is_image {
        let (path, page) = (path.display(), path.with_extension("html"));
        let page = page.display();
        return Err(Usage(format!(
            "{path}: this output is a page in HTML; name it {page}, and write the figures of an \
                application as SVG with orrery report --figures DIR"
        ))
        .into());
    }
    let format = OutputFormat { name: "file", kind, kind_of };
    format.check(path).map_err(|error| match error {
        FileError::OtherKind { .. } => Usage(error.to_string()).into(),
        error => error.into(),
    })
}

/// Writes files with names and kinds to a folder, which is created; nothing if one of them may not
/// be written. Returns their paths.
pub fn write_all(
    folder: &Path,
    files: &[(impl AsRef<Path>, FileKind, String)],
    force: bool,
) -> anyhow::Result<Vec<PathBuf>> {
    let paths: Vec<PathBuf> = files.iter().map(|(name, ..)| folder.join(name)).collect();
    let outputs = paths.iter().zip(files);
    let outputs = outputs.map(|(path, (_, kind, _))| check(path, force, *kind));
    let outputs = outputs.collect::<anyhow::Result<Vec<_>>>()?;
    fs::create_dir_all(folder)
        .with_context(|| format!("cannot create the folder {}", folder.display()))?;
    outputs.iter().zip(files).try_for_each(|(output, (.., text))| output.write(text))?;
    Ok(paths)
}

impl OutputFile<'_> {
    /// Writes the file in one step.
    pub fn write(&self, text: &str) -> anyhow::Result<()> {
        replace(self.path, text.as_bytes()).map_err(|error| self.failed(&error))
    }

    /// Writes the file in one step and reports it.
    pub fn write_and_report(&self, context: Context, text: &str) -> anyhow::Result<()> {
        self.write(text)?;
        context.say(format!("wrote {}", self.path.display()));
        Ok(())
    }

    /// Begins to write the file piece by piece.
    pub fn begin(&self) -> anyhow::Result<Replacement> {
        Replacement::begin(self.path).map_err(|error| self.failed(&error))
    }

    /// The error of a file that cannot be written.
    pub fn failed(&self, error: &io::Error) -> anyhow::Error {
        let path = self.path.display();
        anyhow!("{path}: cannot write the file: {error}{}", advice(error, "write"))
    }
}

/// The error for an output folder that exists and is not to be used again.
#[derive(Debug)]
pub struct FolderExists(PathBuf);

impl fmt::Display for FolderExists {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: this folder is not empty", self.0.display())
    }
}

impl Error for FolderExists {}

/// Checks that an output folder is new or empty, or that `--force` uses it again; `option` names
/// the folder.
pub fn check_folder(path: &Path, force: bool, option: &str) -> anyhow::Result<()> {
    if path.exists() && !path.is_dir() {
        let path = path.display();
        return Err(
            Usage(format!("{path}: this is not a folder; write elsewhere with {option}")).into()
        );
    }
    let has_content = fs::read_dir(path).is_ok_and(|mut entries| entries.next().is_some());
    if has_content && !force { Err(FolderExists(path.to_owned()).into()) } else { Ok(()) }
}

/// Returns an error if an output file is one of these inputs, perhaps under another name.
pub fn refuse_inputs(path: &Path, inputs: &[PathBuf]) -> Result<(), Usage> {
    let Some(input) = inputs.iter().find(|input| applies::is_same_file(input, path)) else {
        return Ok(());
    };
    let (path, input) = (path.display().to_string(), input.display().to_string());
    let name = if path == input {
        "an input of this command".to_owned()
    } else {
        format!("the input {input}")
    };
    Err(Usage(format!("{path}: this file is {name}; name another file")))
}
