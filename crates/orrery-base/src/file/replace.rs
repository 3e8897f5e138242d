use std::ffi::OsString;
use std::fs::{self, File, OpenOptions, Permissions, TryLockError};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use super::Identity;
use super::output::Target;

/// Replaces the content of a file in one step, as [`Replacement`] does.
///
/// # Errors
///
/// Returns an error if the temporary file cannot be written or renamed; the file itself is then
/// unchanged.
pub fn replace(path: &Path, content: &[u8]) -> io::Result<()> {
    let mut replacement = Replacement::begin(path)?;
    replacement.write_all(content)?;
    replacement.commit()
}

/// The new content of a file, which takes its place in one step at [`Replacement::commit`].
///
/// The content is written to a temporary file in the same folder, synchronised with the disk and
/// renamed. Temporary files that killed processes left for this file are removed first. A symbolic
/// link keeps pointing to its file; a character device or pipe is written to directly. Nothing is
/// written to a file without write permission or through a link to nothing.
///
/// ```
/// use std::io::Write as _;
/// use orrery_base::file::Replacement;
/// # let folder = tempfile::tempdir()?;
/// # let path = folder.path().join("trace.tit");
/// let mut replacement = Replacement::begin(&path)?;
/// writeln!(replacement, "0 init")?;
/// assert!(!path.exists());
/// replacement.commit()?;
/// assert_eq!(std::fs::read_to_string(&path)?, "0 init\n");
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Debug)]
pub struct Replacement {
    /// The file that is replaced, behind all symbolic links.
    target: PathBuf,
    /// The file that is written: the temporary one, or a device or pipe.
    file: File,
    /// The path of the temporary file until it is renamed; `None` for a device or pipe.
    temporary: Option<PathBuf>,
    /// The permissions of the replaced file.
    permissions: Option<Permissions>,
}

impl Replacement {
    /// Opens the temporary file.
    ///
    /// # Errors
    ///
    /// Returns an error if it cannot be created.
    pub fn begin(path: &Path) -> io::Result<Self> {
        let Target::File { path: target, metadata: before } = Target::of(path)? else {
            let (file, target) = (OpenOptions::new().write(true).open(path)?, path.to_owned());
            return Ok(Self { target, file, temporary: None, permissions: None });
        };
        let mut prefix = OsString::from(".");
        prefix.push(target.file_name().ok_or_else(|| {
            io::Error::new(io::ErrorKind::InvalidInput, "the path names no file")
        })?);
        prefix.push(".");
        let folder = folder_of(&target);
        remove_leftovers(folder, &prefix);
        let (temporary, file) = create_temporary(folder, &prefix)?;
        let permissions = before.map(|metadata| metadata.permissions());
        Ok(Self { target, file, temporary: Some(temporary), permissions })
    }

    /// Puts the new content in place of the file.
    ///
    /// # Errors
    ///
    /// Returns an error if the content cannot be synchronised or renamed; the file itself is then
    /// unchanged.
    pub fn commit(self) -> io::Result<()> {
        self.commit_open().map(drop)
    }

    /// Puts the new content in place of the file and returns it, open for appending and locked.
    pub(crate) fn commit_open(mut self) -> io::Result<File> {
        let file = self.file.try_clone()?;
        if let Some(temporary) = &self.temporary {
            if let Some(permissions) = self.permissions.take() {
                file.set_permissions(permissions)?;
            }
            file.sync_all()?;
            fs::rename(temporary, &self.target)?;
            self.temporary = None;
            // The new content is in place; some file systems cannot synchronise a folder.
            drop(File::open(folder_of(&self.target)).and_then(|folder| folder.sync_all()));
        }
        Ok(file)
    }
}

impl Write for Replacement {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

impl Drop for Replacement {
    fn drop(&mut self) {
        if let Some(temporary) = &self.temporary {
            // The first failure is the one to report.
            drop(fs::remove_file(temporary));
        }
    }
}

/// The folder of a file.
fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// The end of the names of temporary files.
const SUFFIX: &str = ".tmp";

/// Creates a locked temporary file, whose name contains a number: that of this process if it is
/// free.
fn create_temporary(folder: &Path, prefix: &OsString) -> io::Result<(PathBuf, File)> {
    let mut number = std::process::id();
    loop {
        let mut name = prefix.clone();
        name.push(format!("{number}{SUFFIX}"));
        let path = folder.join(name);
        // A new file only: somebody may have put a link to another file there.
        match OpenOptions::new().read(true).append(true).create_new(true).open(&path) {
            // Otherwise another process removes the file as a leftover before it is locked. Without
            // support for locks, leftovers are not removed.
            Ok(file)
                if !matches!(file.try_lock(), Err(TryLockError::WouldBlock))
                    && Identity::of(&file)?.is_at(&path) =>
            {
                return Ok((path, file));
            }
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error),
            // Processes of other hosts that write to the same folder may have the same number.
            Ok(_) | Err(_) => number = number.wrapping_add(1),
        }
    }
}

/// Removes temporary files that no running process has locked.
fn remove_leftovers(folder: &Path, prefix: &OsString) {
    let prefix = prefix.as_encoded_bytes();
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let number = name
            .as_encoded_bytes()
            .strip_prefix(prefix)
            .and_then(|rest| rest.strip_suffix(SUFFIX.as_bytes()));
        let is_temporary = number
            .is_some_and(|number| !number.is_empty() && number.iter().all(u8::is_ascii_digit));
        if is_temporary
            && entry.file_type().is_ok_and(|kind| kind.is_file())
            && let Ok(file) = OpenOptions::new().write(true).open(entry.path())
            && file.try_lock().is_ok()
        {
            drop(fs::remove_file(entry.path()));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_under_a_temporary_name_is_not_followed() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        fs::write(at("other"), "kept").unwrap();
        std::os::unix::fs::symlink(at("other"), at(&format!(".new.{}.tmp", std::process::id())))
            .unwrap();
        let mut replacement = Replacement::begin(&at("new")).unwrap();
        replacement.write_all(b"content").unwrap();
        replacement.commit().unwrap();
        assert_eq!(fs::read_to_string(at("other")).unwrap(), "kept");
        assert_eq!(fs::read_to_string(at("new")).unwrap(), "content");
    }

    #[test]
    fn leftovers_of_killed_processes_are_removed_and_others_kept() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        for name in
            [".model.json.1.tmp", ".model.json.22.tmp", ".model.json.x.tmp", ".other.json.1.tmp"]
        {
            fs::write(at(name), "torn").unwrap();
        }
        let running = File::open(at(".model.json.22.tmp")).unwrap();
        running.lock().unwrap();
        replace(&at("model.json"), b"{}").unwrap();
        let mut left: Vec<_> =
            fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        left.sort();
        assert_eq!(
            left,
            [".model.json.22.tmp", ".model.json.x.tmp", ".other.json.1.tmp", "model.json"]
        );
        assert_eq!(fs::read(at("model.json")).unwrap(), b"{}");
    }

    #[test]
    fn a_replacement_that_is_not_committed_leaves_the_file_unchanged() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("page.html");
        replace(&path, b"old").unwrap();
        let mut replacement = Replacement::begin(&path).unwrap();
        replacement.write_all(b"new").unwrap();
        drop(replacement);
        assert_eq!(fs::read(&path).unwrap(), b"old");
        assert_eq!(
            fs::read_dir(folder.path()).unwrap().count(),
            1,
            "the temporary file is removed"
        );
    }
}
