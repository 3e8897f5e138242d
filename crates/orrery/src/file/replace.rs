use std::ffi::OsString;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

/// Replaces the content of a file atomically: the content is written to a temporary file in the same folder, which is
/// then renamed. Temporary files of killed processes for this file are removed.
///
/// A symbolic link keeps pointing to its file; a device or pipe is written to directly.
///
/// # Errors
///
/// Returns an error if the temporary file cannot be written or renamed; the file itself is then unchanged.
pub fn replace(path: &Path, content: &[u8]) -> io::Result<()> {
    let target = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let before = fs::metadata(&target).ok();
    if before.as_ref().is_some_and(|metadata| !metadata.is_file()) {
        return OpenOptions::new().write(true).open(&target)?.write_all(content);
    }
    let mut prefix = OsString::from(".");
    prefix.push(target.file_name().ok_or_else(|| io::Error::new(io::ErrorKind::InvalidInput, "it names no file"))?);
    prefix.push(".");
    let folder = target.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    remove_leftovers(folder, &prefix);
    let (temporary, mut file) = create_temporary(folder, &prefix)?;
    let written = file.write_all(content).and_then(|()| {
        if let Some(before) = before {
            file.set_permissions(before.permissions())?;
        }
        file.sync_all()
    });
    written.and_then(|()| fs::rename(&temporary, &target)).inspect_err(|_| drop(fs::remove_file(&temporary)))?;
    // The new content is in place; some file systems cannot synchronise a folder.
    drop(File::open(folder).and_then(|folder| folder.sync_all()));
    Ok(())
}

/// The end of the names of temporary files.
const SUFFIX: &str = ".tmp";

/// Creates a locked temporary file, whose name contains the number of this process.
fn create_temporary(folder: &Path, prefix: &OsString) -> io::Result<(PathBuf, File)> {
    let mut name = prefix.clone();
    name.push(format!("{}{SUFFIX}", std::process::id()));
    let path = folder.join(name);
    loop {
        let file = OpenOptions::new().write(true).create(true).truncate(false).open(&path)?;
        // Without support for locks, leftovers are not removed.
        let locked = file.lock().is_ok();
        // Another process may have removed the file as a leftover before it was locked.
        if !locked || path.exists() {
            file.set_len(0)?;
            return Ok((path, file));
        }
    }
}

/// Removes temporary files that no running process has locked.
fn remove_leftovers(folder: &Path, prefix: &OsString) {
    let prefix = prefix.as_encoded_bytes();
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let number = name.as_encoded_bytes().strip_prefix(prefix).and_then(|rest| rest.strip_suffix(SUFFIX.as_bytes()));
        let is_temporary = number.is_some_and(|number| !number.is_empty() && number.iter().all(u8::is_ascii_digit));
        if is_temporary
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
    fn leftovers_of_killed_processes_are_removed_and_others_kept() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        for name in [".model.json.1.tmp", ".model.json.22.tmp", ".model.json.x.tmp", ".other.json.1.tmp"] {
            fs::write(at(name), "torn").unwrap();
        }
        let running = File::open(at(".model.json.22.tmp")).unwrap();
        running.lock().unwrap();
        replace(&at("model.json"), b"{}").unwrap();
        let mut left: Vec<_> = fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        left.sort();
        assert_eq!(left, [".model.json.22.tmp", ".model.json.x.tmp", ".other.json.1.tmp", "model.json"]);
        assert_eq!(fs::read(at("model.json")).unwrap(), b"{}");
    }
}
