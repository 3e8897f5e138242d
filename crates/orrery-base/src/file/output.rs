//! What may be written where: the rule for outputs that exist.

use std::fs::{self, Metadata, OpenOptions};
use std::io::{self, ErrorKind};
use std::os::unix::fs::{FileTypeExt as _, MetadataExt as _};
use std::path::{Path, PathBuf};

use super::{FileError, FileKind, kind_of, read_head};

/// What an output is, and how an older one is recognised.
#[derive(Debug, Clone, Copy)]
pub struct OutputFormat {
    /// The name of such a file in messages, such as `samples file`.
    pub name: &'static str,
    /// The kind of the content.
    pub kind: FileKind,
    /// Returns the kind of an existing content by its first bytes.
    pub kind_of: fn(&[u8]) -> Option<FileKind>,
}

impl OutputFormat {
    /// A format that [`kind_of`] recognises.
    pub const fn new(name: &'static str, kind: FileKind) -> Self {
        Self { name, kind, kind_of }
    }

    /// Checks that an output in this format can be written to a path; returns true if it replaces
    /// an older one.
    ///
    /// New files and empty ones can be written, and files of the same kind can be replaced, also
    /// those behind a symbolic link. Terminals, other character devices and pipes take the output
    /// as it is.
    ///
    /// # Errors
    ///
    /// A file of another kind, which is never replaced, and a path at which no file can be written:
    /// a folder, a block device, a link to nothing, a file without write permission.
    pub fn check(self, path: &Path) -> Result<bool, FileError> {
        let system = FileError::system(path, self.name, "write");
        let Target::File { path: target, metadata: Some(metadata) } =
            Target::of(path).map_err(&system)?
        else {
            return Ok(false);
        };
        if metadata.len() == 0 {
            return Ok(false);
        }
        let head = read_head(&target).map_err(FileError::system(path, self.name, "read"))?;
        match (self.kind_of)(&head) {
            Some(kind) if kind == self.kind => Ok(true),
            found => {
                Err(FileError::OtherKind { path: path.to_owned(), found, expected: self.kind })
            }
        }
    }
}

/// What a path of an output leads to.
#[derive(Debug)]
pub(super) enum Target {
    /// A file, behind all symbolic links, that is new or has these metadata.
    File { path: PathBuf, metadata: Option<Metadata> },
    /// A character device or a pipe, which is written to as it is.
    Stream,
}

impl Target {
    /// The target of a path; an error if no file can be written there.
    pub(super) fn of(path: &Path) -> io::Result<Self> {
        let metadata = match fs::metadata(path) {
            Ok(metadata) => metadata,
            Err(error) if error.kind() == ErrorKind::NotFound => {
                return match fs::symlink_metadata(path) {
                    Ok(_) => Err(io::Error::other(
                        "it is a link to a file that does not exist; remove the link, or name \
                            another file",
                    )),
                    Err(_) => Ok(Self::File { path: path.to_owned(), metadata: None }),
                };
            }
            Err(error) => return Err(error),
        };
        let kind = metadata.file_type();
        if kind.is_dir() {
            return Err(ErrorKind::IsADirectory.into());
        }
        if kind.is_char_device() || kind.is_fifo() {
            return Ok(Self::Stream);
        }
        if !kind.is_file() {
            return Err(io::Error::other("it is a block device or a socket; name a file"));
        }
        // The superuser may write to files without this permission, too.
        if metadata.mode() & 0o222 == 0 {
            return Err(io::Error::new(ErrorKind::PermissionDenied, "the file is read-only"));
        }
        let path = fs::canonicalize(path)?;
        OpenOptions::new().append(true).open(&path)?;
        Ok(Self::File { path, metadata: Some(metadata) })
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::{PermissionsExt as _, symlink};

    use super::super::{replace, write};
    use super::*;

    const FORMAT: OutputFormat = OutputFormat::new("model file", FileKind::Model);
    const OLD: &[u8] = b"{\"format\": \"orrery-model\"}\n";

    #[test]
    fn only_files_of_the_same_kind_are_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        assert!(!FORMAT.check(&at("new")).unwrap());
        for (name, content, is_same) in [
            ("model", OLD, true),
            ("empty", b"", false),
            ("runs", b"{\"format\": \"orrery-runs\"}\n", false),
            ("text", b"mine\n", false),
            ("binary", b"\0\x01\xff", false),
        ] {
            fs::write(at(name), content).unwrap();
            symlink(name, at(&format!("to-{name}"))).unwrap();
            for name in [name.to_owned(), format!("to-{name}")] {
                match FORMAT.check(&at(&name)) {
                    Ok(replaces) => assert_eq!(replaces, is_same, "{name}"),
                    Err(FileError::OtherKind { .. }) => assert!(!is_same, "{name}"),
                    Err(error) => panic!("{name}: {error}"),
                }
            }
        }
        let error = write(&at("runs"), FORMAT, b"{}", true).unwrap_err().to_string();
        assert!(error.contains("this file exists and is runs of an application"), "{error}");
        assert!(write(&at("model"), FORMAT, b"{}", false).is_err());
        assert_eq!(fs::read(at("model")).unwrap(), OLD);
        write(&at("to-model"), FORMAT, b"{}", true).unwrap();
        assert_eq!(fs::read(at("model")).unwrap(), b"{}");
        assert!(at("to-model").is_symlink());
    }

    #[test]
    fn links_to_nothing_folders_and_read_only_files_are_kept() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        symlink("nothing", at("dangling")).unwrap();
        fs::create_dir(at("folder")).unwrap();
        fs::write(at("read-only"), OLD).unwrap();
        fs::set_permissions(at("read-only"), fs::Permissions::from_mode(0o444)).unwrap();
        for (name, part) in [
            ("dangling", "link to a file that does not exist"),
            ("folder", "directory"),
            ("read-only", "read-only"),
        ] {
            let error = replace(&at(name), b"{}").unwrap_err().to_string();
            assert!(error.contains(part), "{name}: {error}");
            let error = FORMAT.check(&at(name)).unwrap_err().to_string();
            assert!(error.contains(part), "{name}: {error}");
        }
        assert!(at("dangling").is_symlink() && !at("nothing").exists());
        assert_eq!(fs::read(at("read-only")).unwrap(), OLD);
    }
}
